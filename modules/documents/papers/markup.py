"""What of a text is HTML. Whatever is neither a tag nor an entity was meant as it is written: ``a < b``, ``R&D``.

A text is HTML when it holds a tag that editors of texts write, or a whole entity (``&eacute;``, ``&#233;``), or a
comment: hardly anybody writes these and means them as they are. A tag ends with ``>``, and what is between is
attributes with values; so ``x<y>z``, ``if a<b and c>d``, ``<3`` and ``AT&T`` make no HTML, nor does
``<jo@example.org>``.
"""

from __future__ import annotations

import re
from html import escape, unescape
from html.entities import html5

#: tags that make a text HTML: in a line; on lines of their own; what ends a line or a cell; what is no text
INLINE = frozenset((
    "a", "b", "big", "code", "del", "em", "font", "i", "img", "ins", "s", "small", "span", "strike", "strong", "sub",
    "sup", "tt", "u",
))  # fmt: skip
BLOCKS = frozenset((
    "blockquote", "caption", "center", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol",
    "p", "pre", "table", "tbody", "tfoot", "thead", "tr", "ul",
))  # fmt: skip
ENDING = frozenset(("br", "td", "th"))
NO_TEXT = frozenset(("script", "style"))
KNOWN = INLINE | BLOCKS | ENDING | NO_TEXT
#: tags that do not make a text HTML, but stand on lines of their own where it is
BREAKING = frozenset((
    "address", "article", "aside", "body", "details", "dir", "fieldset", "figcaption", "figure", "footer", "form",
    "header", "legend", "main", "menu", "nav", "option", "section", "summary", "title",
))  # fmt: skip
#: what begins something that is no text, and what ends it
_SILENT = re.compile(r"<!--|<script(?=[\s/>])|<style(?=[\s/>])", re.IGNORECASE)
ENDS = {
    "<!--": re.compile("-->"),
    "<script": re.compile(r"</script\s*>", re.IGNORECASE),
    "<style": re.compile(r"</style\s*>", re.IGNORECASE),
}
EMPTY = frozenset(("br", "hr", "img"))
#: ends of tags that are written otherwise for the parser
ENDINGS = {"br": "<br>", "hr": "", "img": "", "p": "</p><div></div>"}
#: of more tags only the text is taken: the time that a parser needs grows with the square of those left open
MOST_TAGS = 5000
#: attributes without a value
_BARE = "async|checked|compact|controls|defer|disabled|download|hidden|noshade|nowrap|open|readonly|reversed|selected"
_TOKEN = re.compile(
    # A tag; nothing is tried twice, so that the time grows with the length alone
    r"<(?P<end>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9:_-]*+)"
    rf"(?:\s*+/|\s++(?:{_BARE})(?=[\s/>])"
    r"""|(?:\s++|(?<=["']))[a-zA-Z_:][\w:.-]*+\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>][^\s<>]*+)){0,60}+\s*+>"""
    # A declaration, such as those that word processors leave
    r"|<(?P<declared>[!?])[a-zA-Z\[][^<>]*+>"
    r"|&(?P<entity>[a-zA-Z][a-zA-Z0-9]*+;|\#[0-9]{1,7};|\#[xX][0-9a-fA-F]{1,6};)"
    r"|[<&]"
)


def html_of(text: str) -> str | None:
    """A text as HTML that any parser reads in one way: only known tags are left, and no other ``<`` or ``&``.

    :returns: None where it holds no markup
    """
    rest = _without_silent(text)
    found = rest != text
    tags = 0

    def written(match: re.Match[str]) -> str:
        nonlocal found, tags
        tag = (match["tag"] or "").lower()
        if tag in KNOWN:
            found = True
            tags += 1
            return _known(tag, match)
        if tag in BREAKING:
            tags += 1
            return f"<{match['end']}div>"
        if match["entity"]:
            character = _character(match)
            found = found or character != match[0]
            return escape(character, quote=False)
        if match["declared"]:
            found = found or unescape(match[0]) != match[0]
            return ""
        return "" if tag else escape(match[0])

    result = _TOKEN.sub(written, rest)
    if not found:
        return None
    return result if tags <= MOST_TAGS else escape(_TOKEN.sub(_stripped, rest), quote=False)


def _known(tag: str, match: re.Match[str]) -> str:
    """A known tag as every parser reads it."""
    if tag in NO_TEXT:
        return ""
    if match["end"]:
        # The end of a paragraph that a list has ended already is none to the parser
        return ENDINGS.get(tag, match[0])
    return f"{match[0]}</{tag}>" if match[0].endswith("/>") and tag not in EMPTY else match[0]


def _stripped(match: re.Match[str]) -> str:
    """What remains of markup where only the text is taken."""
    tag = (match["tag"] or "").lower()
    if tag or match["declared"]:
        return "\n" if tag in BLOCKS or tag in ENDING or tag in BREAKING else ""
    return _character(match) if match["entity"] else match[0]


def _character(match: re.Match[str]) -> str:
    """The character that an entity stands for; unknown ones stand for themselves."""
    entity = match["entity"]
    return unescape(match[0]) if entity in html5 or entity.startswith("#") else match[0]


def _without_silent(text: str) -> str:
    """A text without comments, scripts and styles; of one without an end only the tag is markup."""
    parts: list[str] = []
    place, start, endless = 0, 0, set()
    while begin := _SILENT.search(text, start):
        kind, start = begin[0].lower(), begin.end()
        end = None if kind in endless else ENDS[kind].search(text, start)
        if end is None:
            # It is not looked for again, so that the time grows with the length alone
            endless.add(kind)
            continue
        parts.append(text[place : begin.start()])
        place = start = end.end()
    return "".join([*parts, text[place:]]) if parts else text

"""Detection of HTML in texts. Text other than tags and entities is kept literally: ``a < b``, ``R&D``.

A text is HTML if it contains a tag that text editors write, a complete entity (``&eacute;``, ``&#233;``) or a comment.
Plain texts hardly ever contain these. A tag ends with ``>`` and contains only attributes with values. Therefore
``x<y>z``, ``if a<b and c>d``, ``<3``, ``AT&T`` and ``<jo@example.org>`` are plain text.
"""

from __future__ import annotations

import re
from html import escape, unescape
from html.entities import html5

#: tags that make a text HTML: inline; block; ending a line or a cell; with content that is not text
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
#: block tags that don't make a text HTML; in HTML they are treated as ``div``
BREAKING = frozenset((
    "address", "article", "aside", "body", "details", "dir", "fieldset", "figcaption", "figure", "footer", "form",
    "header", "legend", "main", "menu", "nav", "option", "section", "summary", "title",
))  # fmt: skip
#: beginnings and ends of content that is not text
_SILENT = re.compile(r"<!--|<script(?=[\s/>])|<style(?=[\s/>])", re.IGNORECASE)
ENDS = {
    "<!--": re.compile("-->"),
    "<script": re.compile(r"</script\s*>", re.IGNORECASE),
    "<style": re.compile(r"</style\s*>", re.IGNORECASE),
}
EMPTY = frozenset(("br", "hr", "img"))
#: end tags that are replaced for the parser
ENDINGS = {"br": "<br>", "hr": "", "img": "", "p": "</p><div></div>"}
#: with more tags only the text is kept, because parsing time is quadratic in the number of unclosed tags
MOST_TAGS = 5000
#: attributes without a value
_BARE = "async|checked|compact|controls|defer|disabled|download|hidden|noshade|nowrap|open|readonly|reversed|selected"
_TOKEN = re.compile(
    # A tag; possessive quantifiers prevent backtracking and keep the time linear in the length
    r"<(?P<end>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9:_-]*+)"
    rf"(?:\s*+/|\s++(?:{_BARE})(?=[\s/>])"
    r"""|(?:\s++|(?<=["']))[a-zA-Z_:][\w:.-]*+\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>][^\s<>]*+)){0,60}+\s*+>"""
    # A declaration, such as those in texts from word processors
    r"|<(?P<declared>[!?])[a-zA-Z\[][^<>]*+>"
    r"|&(?P<entity>[a-zA-Z][a-zA-Z0-9]*+;|\#[0-9]{1,7};|\#[xX][0-9a-fA-F]{1,6};)"
    r"|[<&]"
)


def html_of(text: str) -> str | None:
    """Return a text as unambiguous HTML: it keeps only known tags; any other ``<`` or ``&`` is escaped.

    :returns: None if the text has no markup
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
    """Return a known tag in a form that every parser reads in the same way."""
    if tag in NO_TEXT:
        return ""
    if match["end"]:
        # The parser ignores a </p> after a list has closed the paragraph; `ENDINGS` adds a block that ends the line
        return ENDINGS.get(tag, match[0])
    return f"{match[0]}</{tag}>" if match[0].endswith("/>") and tag not in EMPTY else match[0]


def _stripped(match: re.Match[str]) -> str:
    """Return the text that replaces markup if only the text is kept."""
    tag = (match["tag"] or "").lower()
    if tag or match["declared"]:
        return "\n" if tag in BLOCKS or tag in ENDING or tag in BREAKING else ""
    return _character(match) if match["entity"] else match[0]


def _character(match: re.Match[str]) -> str:
    """Return the character of an entity; an unknown entity is returned unchanged."""
    entity = match["entity"]
    return unescape(match[0]) if entity in html5 or entity.startswith("#") else match[0]


def _without_silent(text: str) -> str:
    """Return a text without comments, scripts and styles; of one without an end, only the tag is treated as markup."""
    parts: list[str] = []
    place, start, endless = 0, 0, set()
    while begin := _SILENT.search(text, start):
        kind, start = begin[0].lower(), begin.end()
        end = None if kind in endless else ENDS[kind].search(text, start)
        if end is None:
            # The end is searched for only once per kind, which keeps the time linear in the length
            endless.add(kind)
            continue
        parts.append(text[place : begin.start()])
        place = start = end.end()
    return "".join([*parts, text[place:]]) if parts else text

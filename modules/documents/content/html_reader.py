"""HTML as paragraphs: lxml repairs it as browsers do, and one walk through its tree keeps text and styles.

A text is HTML if it contains a tag that text editors write, a complete entity (``&eacute;``, ``&#233;``) or a comment.
Plain texts hardly ever contain these. A tag ends with ``>`` and its first attribute has a value. Therefore ``a < b``,
``R&D``, ``x<y>z``, ``if a<b and c>d``, ``<3``, ``AT&T`` and ``<jo@example.org>`` are plain text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from html.entities import html5
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from .paragraphs import BOLD, ITALIC, STRUCK, UNDERLINE, Paragraph, Run, paragraphs_of

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

#: style of each tag's text
STYLES = {
    "b": BOLD, "strong": BOLD, "th": BOLD, "h1": BOLD, "h2": BOLD, "h3": BOLD, "h4": BOLD, "h5": BOLD, "h6": BOLD,
    "dt": BOLD, "i": ITALIC, "em": ITALIC, "u": UNDERLINE, "ins": UNDERLINE, "s": STRUCK, "strike": STRUCK,
    "del": STRUCK,
}  # fmt: skip
#: CSS declarations in `style` attributes, with the styles they add and remove
DECLARED = (
    (re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE), BOLD, 0),
    (re.compile(r"font-weight\s*:\s*(?:normal|lighter|[1-5]00)", re.IGNORECASE), 0, BOLD),
    (re.compile(r"font-style\s*:\s*(?:italic|oblique)", re.IGNORECASE), ITALIC, 0),
    (re.compile(r"font-style\s*:\s*normal", re.IGNORECASE), 0, ITALIC),
    (re.compile(r"text-decoration(?:-line)?\s*:[^;]*\bunderline", re.IGNORECASE), UNDERLINE, 0),
    (re.compile(r"text-decoration(?:-line)?\s*:[^;]*\bline-through", re.IGNORECASE), STRUCK, 0),
)
INDENTED = frozenset(("ul", "ol", "dd", "blockquote"))
#: tags that begin and end a line
BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "legend",
    "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead",
    "tr", "ul",
))  # fmt: skip
#: tags whose content isn't text
SILENT = frozenset(("script", "style", "title"))
#: bullets of nested lists, alternating by level
BULLETS = ("•", "–")  # noqa: RUF001
#: separator of the cells in a row
BETWEEN = " · "
#: schemes of URLs that are printed after the text of a link
ADDRESSES = ("http://", "https://", "mailto:")
RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
SHIFTED = {"sup": RAISED, "sub": LOWERED}

#: tags that make a text HTML; ``<address>`` and others may be placeholders in a plain text
_markup = re.compile(
    "</?(?:a|b|big|blockquote|br|caption|center|code|dd|del|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|li|ol|p|pre|s|script"
    "|small|span|strike|strong|style|su[bp]|table|tbody|t[dhrt]|tfoot|thead|ul?)"
    r"(?:\s*+/?|\s++[\w:-]++\s*+=[^<>]*+)>", re.IGNORECASE,
)  # fmt: skip
_entity = re.compile("&([a-zA-Z][a-zA-Z0-9]*+;|#[0-9]{1,7};|#[xX][0-9a-fA-F]{1,6};)")
_tag = re.compile(r"<[/!?]?([a-zA-Z][a-zA-Z0-9]*+)[^<>]*+>")
#: comments, and elements whose content isn't text
_hidden = re.compile(r"<!--.*?-->|<(script|style|title)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_blanks = re.compile("[ \t\n\r\f]+")
_number = re.compile("-?[0-9]{1,6}")


def has_markup(text: str) -> bool:
    """Return whether a text is HTML."""
    return ("<" in text or "&" in text) and (
        _markup.search(text) is not None
        or any(name in html5 or name[0] == "#" for name in _entity.findall(text))
        or -1 < text.find("<!--") < text.rfind("-->")
    )


def read_html(text: str) -> list[Paragraph]:
    """Return the paragraphs of HTML; of tags nested deeper than the parser allows, only the text.

    Line feeds are kept if no tag separates lines, because then they are the text's line breaks.
    """
    # Imported on first use: loading takes time, and most texts have no HTML
    from lxml import etree

    # The parser drops text after the end of the document
    text = re.sub(r"(?i)</?html\b[^<>]*>", "", re.sub(r"(?i)</?body\b[^<>]*>", "<div></div>", text))
    # As in browsers, these end a line even without their start tags
    markup = re.sub(r"(?i)</br\s*>", "<br>", re.sub(r"(?i)</p\s*>", "</p><div></div>", text))
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(b"<div>" + markup.encode("utf-8", "replace") + b"</div>", parser)
    if parser.error_log.filter_from_fatals():
        lines = _tag.sub(lambda tag: "\n" * (tag[1].lower() in ("br", *BLOCKS)), _hidden.sub("", text))
        return [*paragraphs_of(unescape(re.sub(r"\s*\n\s*", "\n", lines)))]
    # Two blocks are always there: the body and the element around the text
    reader = _Reader(keeps_line_feeds=sum(1 for _ in root.iter("br", *BLOCKS)) == 2)
    for event, element in etree.iterwalk(root, events=("start", "end")):
        (reader.start if event == "start" else reader.end)(element)
    reader.end_line()
    return reader.paragraphs


class _Reader:
    """The walk through the elements of a tree. A new line begins only when its text arrives."""

    def __init__(self, *, keeps_line_feeds: bool) -> None:
        self.paragraphs: list[Paragraph] = []
        self._runs: list[Run] = []
        self._place = (0, "")
        self._style = self._indent = 0
        self._literal = keeps_line_feeds
        self._shift: Mapping[int, int] | None = None
        self._outer: list[tuple[int, int, bool, Mapping[int, int] | None]] = []
        self._lists: list[int | None] = []
        self._marker = ""
        #: the next text begins a new line; this row already has text; the next text belongs to another cell
        self._broken = self._filled = self._parted = False

    def start(self, element: Element) -> None:
        """Handle the start of an element."""
        tag = element.tag
        self._outer.append((self._style, self._indent, self._literal, self._shift))
        self._style |= STYLES.get(tag, 0)
        for pattern, more, less in DECLARED if "style" in element.attrib else ():
            if pattern.search(element.get("style", "")):
                self._style = self._style & ~less | more
        self._indent += tag in INDENTED
        self._literal = self._literal or tag == "pre"
        self._shift = SHIFTED.get(tag, self._shift)
        self._broken = self._broken or tag in BLOCKS
        if tag in ("ul", "ol"):
            self._lists.append(_whole(element.get("start"), 1) if tag == "ol" else None)
        elif tag == "li":
            self._begin_item(element)
        elif tag == "br":
            self._break()
        elif tag in ("tr", "table"):
            self._filled = self._parted = False
        elif tag in ("td", "th") and self._filled:
            self._broken, self._parted = False, True
        if tag not in SILENT:
            self._read(element.text or "")

    def end(self, element: Element) -> None:
        """Handle the end of an element, and the text after it."""
        tag = element.tag
        if tag == "a":
            self._end_link(element)
        elif tag in ("ul", "ol"):
            self._lists.pop()
        elif tag == "li":
            self._marker = ""
        self._broken = self._broken or tag in BLOCKS
        self._style, self._indent, self._literal, self._shift = self._outer.pop()
        self._read(element.tail or "")

    def end_line(self) -> None:
        """Append the current line to the paragraphs, if there is one."""
        if self._runs:
            text, style = self._runs.pop()
            pieces = groupby([*self._runs, (text.rstrip(" "), style)], key=itemgetter(1))
            joined = (("".join(text for text, _ in same), style) for style, same in pieces)
            self.paragraphs.append(Paragraph(tuple(run for run in joined if run[0]), *self._place))
            self._runs = []
        self._broken = False

    def _read(self, text: str) -> None:
        if self._shift and all(ord(letter) in self._shift for letter in text):
            text = text.translate(self._shift)
        if not self._literal:
            self._add(_blanks.sub(" ", text))
            return
        first, *others = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._add(first)
        for line in others:
            self._break()
            self._add(line)

    def _add(self, text: str) -> None:
        if not self._literal and (self._broken or self._is_spaced()):
            text = text.lstrip(" ")
        if not text or (self._broken and not text.strip(" ")):
            return
        if self._broken:
            self.end_line()
        if not self._runs:
            self._place, self._marker = (self._indent, self._marker), ""
        elif self._parted:
            self._runs.append((BETWEEN, 0))
        self._parted, self._filled = False, True
        self._runs.append((text, self._style))

    def _is_spaced(self) -> bool:
        return not self._runs or self._runs[-1][0].endswith(" ")

    def _break(self) -> None:
        """End the line, even if it is empty."""
        is_empty = self._broken or not self._runs
        self.end_line()
        if is_empty:
            self.paragraphs.append(Paragraph((), self._indent, self._marker))
            self._marker = ""

    def _begin_item(self, item: Element) -> None:
        count = self._lists[-1] if self._lists else None
        if count is None:
            self._marker = BULLETS[max(0, len(self._lists) - 1) % len(BULLETS)]
            self._indent = max(1, self._indent)
        else:
            count = _whole(item.get("value"), count)
            self._marker = f"{count}."
            self._lists[-1] = count + 1

    def _end_link(self, link: Element) -> None:
        address = "".join((link.get("href") or "").split())
        text = "".join(link.itertext()).strip()
        shown = address[7:] if address.lower().startswith("mailto:") else address
        if not address.lower().startswith(ADDRESSES) or _bare(text) == _bare(shown):
            return
        self._broken = self._broken and not text
        self._add(f"{'' if self._is_spaced() else ' '}({shown})" if text else shown)


def _bare(address: str) -> str:
    """Return a URL without scheme, ``www.``, final slash and case, for comparison with the text of a link."""
    return address.casefold().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")


def _whole(text: str | None, other: int) -> int:
    return int(text) if text and _number.fullmatch(text.strip()) else other

"""HTML as paragraphs, built from parser events; without a tree, nesting depth is unlimited."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .markup import BLOCKS
from .paragraphs import BOLD, ITALIC, STRUCK, UNDERLINE, Paragraph

#: style of each tag's text
STYLES = {
    "b": BOLD, "strong": BOLD, "th": BOLD, "h1": BOLD, "h2": BOLD, "h3": BOLD, "h4": BOLD, "h5": BOLD, "h6": BOLD,
    "dt": BOLD, "i": ITALIC, "em": ITALIC, "u": UNDERLINE, "ins": UNDERLINE,
    "s": STRUCK, "strike": STRUCK, "del": STRUCK,
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
LISTS = frozenset(("ul", "ol"))
INDENTED = frozenset(("ul", "ol", "dd", "blockquote"))
CELLS = frozenset(("td", "th"))
#: bullets of nested lists, alternating by level
BULLETS = ("•", "–")  # noqa: RUF001
#: separator of the cells in a row
BETWEEN = " · "
#: schemes of URLs that are printed after the text of a link
ADDRESSES = ("http://", "https://", "mailto:")
RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
SHIFTED = {"sup": RAISED, "sub": LOWERED}

_blanks = re.compile("[ \t\n\r\f]+")
_number = re.compile("-?[0-9]{1,6}")


def read_html(markup: str) -> list[Paragraph]:
    """Return the paragraphs of HTML that `markup.html_of` has cleaned.

    Line feeds are kept if no tag separates lines, because then they are the text's line breaks.
    """
    # Imported on first use: loading takes time, and most texts have no HTML
    from lxml import etree

    reader = _Reader(keeps_line_feeds=not _parts_lines(markup))
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True, no_network=True)
    etree.fromstring(b"<div>" + markup.encode("utf-8", "replace") + b"</div>", parser)
    reader.end_line()
    return reader.paragraphs


def _parts_lines(markup: str) -> bool:
    tags = re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", markup)
    return any(tag.lower() in BLOCKS or tag.lower() == "br" for tag in tags)


class _Reader:
    """The target of the parser: builds paragraphs from its events. A new line begins only when its text arrives."""

    def __init__(self, *, keeps_line_feeds: bool) -> None:
        self.paragraphs: list[Paragraph] = []
        self._runs: list[tuple[list[str], int]] = []
        self._place = (0, "")
        self._style = self._indent = self._literal = 0
        self._keeps = keeps_line_feeds
        self._open: list[tuple[int, int, Mapping[int, int] | None]] = []
        self._lists: list[int | None] = []
        self._marker = ""
        self._links: list[tuple[str, list[str]]] = []
        self._shift: Mapping[int, int] | None = None
        #: the next text begins a new line; this row already has text; the next text belongs to another cell
        self._broken = self._filled = self._parted = False

    # Parser events ---------------------------------------------------------------------------------------------------

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Handle a start tag."""
        self._open.append((self._style, self._indent, self._shift))
        self._style = _styled(self._style | STYLES.get(tag, 0), attributes)
        self._indent += tag in INDENTED
        self._shift = SHIFTED.get(tag, self._shift)
        self._literal += tag == "pre"
        if tag in BLOCKS:
            self._broken = True
        if tag in LISTS:
            self._lists.append(_whole(attributes.get("start"), 1) if tag == "ol" else None)
        elif tag == "li":
            self._begin_item(attributes)
        elif tag == "br":
            self._break()
        elif tag in ("tr", "table"):
            self._filled = self._parted = False
        elif tag in CELLS and self._filled:
            self._broken, self._parted = False, True
        elif tag == "a":
            self._links.append((attributes.get("href", ""), []))

    def end(self, tag: str) -> None:
        """Handle an end tag."""
        if tag == "a" and self._links:
            self._end_link()
        if tag in BLOCKS:
            self._broken = True
        if tag in LISTS and self._lists:
            self._lists.pop()
        if tag == "li":
            self._marker = ""
        self._literal -= tag == "pre"
        if self._open:
            self._style, self._indent, self._shift = self._open.pop()

    def data(self, text: str) -> None:
        """Handle text."""
        if self._shift and all(ord(letter) in self._shift for letter in text):
            text = text.translate(self._shift)
        if not (self._keeps or self._literal):
            self._say(_blanks.sub(" ", text))
            return
        for place, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
            if place:
                self._break()
            self._say(line)

    def close(self) -> None:
        """Handle the end of the input."""

    # Lines -----------------------------------------------------------------------------------------------------------

    def end_line(self) -> None:
        """Append the current line to the paragraphs, if there is one."""
        if self._runs:
            last = self._runs[-1][0]
            last[-1] = last[-1].rstrip(" ")
            runs = tuple((text, style) for texts, style in self._runs if (text := "".join(texts)))
            self.paragraphs.append(Paragraph(runs, *self._place))
            self._runs = []
        self._broken = False

    def _break(self) -> None:
        """End the line, even if it is empty."""
        empty = self._broken or not self._runs
        self.end_line()
        if empty:
            self.paragraphs.append(Paragraph((), self._indent, self._marker))
            self._marker = ""

    def _say(self, text: str) -> None:
        if (self._broken or self._is_spaced()) and not (self._literal or self._keeps):
            text = text.lstrip(" ")
        if not text or (self._broken and not text.strip(" ")):
            return
        if self._broken:
            self.end_line()
        if not self._runs:
            self._place, self._marker = (self._indent, self._marker), ""
        elif self._parted:
            self._write(BETWEEN, 0)
        self._parted, self._filled = False, True
        self._write(text, self._style)
        if self._links:
            self._links[-1][1].append(text)

    def _is_spaced(self) -> bool:
        return not self._runs or self._runs[-1][0][-1].endswith(" ")

    def _write(self, text: str, style: int) -> None:
        if self._runs and self._runs[-1][1] == style:
            self._runs[-1][0].append(text)
        else:
            self._runs.append(([text], style))

    # Items and links -------------------------------------------------------------------------------------------------

    def _begin_item(self, attributes: Mapping[str, str]) -> None:
        count = self._lists[-1] if self._lists else None
        if count is None:
            self._marker = BULLETS[max(0, len(self._lists) - 1) % len(BULLETS)]
            self._indent = max(1, self._indent)
        else:
            count = _whole(attributes.get("value"), count)
            self._marker = f"{count}."
            self._lists[-1] = count + 1

    def _end_link(self) -> None:
        address, texts = self._links.pop()
        address = "".join(address.split())
        text = "".join(texts).strip()
        if not address.lower().startswith(ADDRESSES):
            return
        shown = address[7:] if address.lower().startswith("mailto:") else address
        if _bare(text) == _bare(shown):
            return
        self._broken = self._broken and not text
        before = "" if self._is_spaced() else " "
        self._say(f"{before}({shown})" if text else shown)


def _styled(style: int, attributes: Mapping[str, str]) -> int:
    declared = attributes.get("style", "")
    for pattern, more, less in DECLARED if declared else ():
        if pattern.search(declared):
            style = style & ~less | more
    return style


def _bare(address: str) -> str:
    """Return a URL without scheme, ``www.``, final slash and case, for comparison with the text of a link."""
    return address.casefold().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")


def _whole(text: str | None, other: int) -> int:
    return int(text) if text and _number.fullmatch(text.strip()) else other

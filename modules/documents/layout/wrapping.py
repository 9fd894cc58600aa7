"""Text wrapping: plain and rich text in lines of a width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..content.paragraphs import BOLD, ITALIC, STRUCK, UNDERLINE, Paragraph, RichText, Run
from .fonts import Font, fonts, slanted
from .scripts import cleaned, displayed, is_right_to_left, joined, reads_right_to_left
from .sheet import BLACK, Sheets

#: a line may break after spaces, and before and after each character of a script without spaces
_PIECES = re.compile(
    "[\u3000-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0002ffff] *"
    "|[^ \u3000-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0002ffff]+ *"
    "| +"
)


#: maximum number of texts that a process keeps with their lines, and maximum length of such a text
MOST_KEPT, LONGEST_KEPT = 512, 100
#: maximum characters tried for one line
LONGEST = 256
#: indent of each list level, in font sizes; maximum number of indented levels
STEP = 1.3
DEEPEST = 6
#: space after a bullet or number, in font sizes
BEHIND = 0.4


class Line(NamedTuple):
    """A line as it is drawn.

    :param from_right: whether it is right-aligned
    :param indent: indent of its text, in points from the left edge
    :param marker: the bullet or number before the text, which begins at `marked`
    :param runs: its text in runs if their styles differ; otherwise empty
    """

    text: str
    from_right: bool = False
    indent: float = 0.0
    marker: str = ""
    marked: float = 0.0
    runs: tuple[Run, ...] = ()


def wrap(text: str, font: Font, size: float, width: float) -> list[Line]:
    """Wrap a text to a width in points. Line feeds are kept; a word longer than a line is broken.

    :param font: the regular or the bold font; the styles of a rich text are added to it
    """
    if isinstance(text, RichText):
        return [line for paragraph in text.paragraphs for line in _wrap_paragraph(paragraph, font, size, width)]
    # Short texts are cached: labels and the company's texts are the same in many documents
    return list(_wrapped(text, font, size, width) if len(text) <= LONGEST_KEPT else _wrap(text, font, size, width))


def _wrap(text: str, font: Font, size: float, width: float) -> list[Line]:
    lines: list[Line] = []
    for paragraph in cleaned(text).split("\n"):
        if not is_right_to_left(paragraph):
            lines += map(Line, _cut(paragraph, font, size, width))
            continue
        from_right = reads_right_to_left(paragraph)
        for line in _cut(joined(paragraph), font, size, width):
            lines.append(Line(displayed(line, right_to_left=from_right), from_right))
    return lines


@lru_cache(MOST_KEPT)
def _wrapped(text: str, font: Font, size: float, width: float) -> tuple[Line, ...]:
    return tuple(_wrap(text, font, size, width))


def one_line(text: str) -> str:
    """Return a text as a single line, in visual order."""
    if text.isascii() and text.isprintable():
        return text
    text = " ".join(cleaned(text).split("\n"))
    return displayed(joined(text), right_to_left=reads_right_to_left(text)) if is_right_to_left(text) else text


def shortened(text: str, font: Font, size: float, width: float) -> str:
    """Return a text as one line that fits; if it is too long, its end is replaced by an ellipsis."""
    text = one_line(text)
    if font.width(text, size) <= width:
        return text
    while text and font.width(text + "…", size) > width:
        text = text[: max(0, min(len(text) - 1, int(len(text) * width / font.width(text + "…", size))))]
    return text + "…"


def _cut(paragraph: str, font: Font, size: float, width: float) -> list[str]:
    paragraph = paragraph.rstrip()
    if font.width(paragraph, size) <= width:
        return [paragraph]
    lines: list[str] = []
    line, used = "", 0.0
    for found in _PIECES.findall(paragraph):
        piece, word = found, found.rstrip()
        needed = font.width(word, size)
        if line and used + needed > width:
            lines.append(line.rstrip())
            line, used = "", 0.0
        if needed > width:
            *full, piece = _chopped(piece, font, size, width)
            lines += full
            word = piece.rstrip()
            needed = font.width(word, size)
        line += piece
        used += needed if piece == word else font.width(piece, size)
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _chopped(word: str, font: Font, size: float, width: float) -> list[str]:
    """Return a word longer than a line in pieces that fit, each of at least one character."""
    pieces: list[str] = []
    start = 0
    while True:
        ahead = word[start : start + LONGEST]
        count = _fitting(ahead, font, size, width)
        if start + count >= len(word):
            return [*pieces, ahead]
        pieces.append(ahead[:count])
        start += count


def _fitting(word: str, font: Font, size: float, width: float) -> int:
    """Return the number of characters of a word that fit, at least 1."""
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        if font.width(word[:middle], size) <= width:
            low = middle
        else:
            high = middle - 1
    return low


# Rich text -----------------------------------------------------------------------------------------------------------


def face(base: Font, style: int) -> Font:
    """Return the font for a run of a rich text."""
    bold = style & BOLD or base is not fonts()[0]
    return (slanted() if style & ITALIC else fonts())[bool(bold)]


def _wrap_paragraph(paragraph: Paragraph, font: Font, size: float, width: float) -> list[Line]:
    runs = [(cleaned(text).replace("\n", " "), style) for text, style in paragraph.runs]
    whole = "".join(text for text, _ in runs)
    marker = paragraph.marker
    if is_right_to_left(whole):
        # Runs would have to be reordered: the paragraph is written in one style, with the bullet as part of the text
        style = runs[0][1] if len({style for _, style in runs}) == 1 else 0
        lines = wrap(f"{marker} {whole}" if marker else whole, face(font, style), size, width)
        return [line._replace(runs=((line.text, style),)) if style else line for line in lines]
    indent = min(paragraph.indent, DEEPEST) * STEP * size
    marked = max(0.0, indent - STEP * size)
    if marker:
        indent = max(indent, marked + font.width(marker, size) + BEHIND * size)
    indent = min(indent, width / 2)
    if not any(style for _, style in runs):
        found = [Line(text, indent=indent) for text in _cut(whole, font, size, width - indent)]
    else:
        found = [_line_of(line, indent) for line in _filled(runs, whole, font, size, width - indent)]
    if marker:
        found[0] = found[0]._replace(marker=marker, marked=min(marked, indent))
    return found


def _line_of(runs: list[Run], indent: float) -> Line:
    """Return a line of runs; adjacent runs of one style are joined, and trailing spaces are removed."""
    alike: list[Run] = []
    for text, style in runs:
        before = alike.pop()[0] if alike and alike[-1][1] == style else ""
        alike.append((before + text, style))
    while alike and not alike[-1][0].strip(" "):
        alike.pop()
    if alike:
        alike[-1] = (alike[-1][0].rstrip(" "), alike[-1][1])
    styled = any(style for _, style in alike)
    return Line("".join(text for text, _ in alike), indent=indent, runs=tuple(alike) if styled else ())


def _filled(runs: list[Run], whole: str, font: Font, size: float, width: float) -> Iterator[list[Run]]:
    """Yield the runs of each line."""
    line: list[Run] = []
    used = 0.0
    for word in _words(runs, whole):
        last, style = word[-1]
        blank = last.rstrip(" ")
        parts = [face(font, style).width(text, size) for text, style in word[:-1]]
        needed = sum(parts) + face(font, style).width(blank, size)
        if line and used + needed > width:
            yield line
            line, used = [], 0.0
        if needed > width:
            *full, line = _pieces(word, font, size, width)
            yield from full
            used = sum(face(font, style).width(text, size) for text, style in line)
            continue
        line += word
        used += needed if blank == last else sum(parts) + face(font, style).width(last, size)
    yield line


def _words(runs: list[Run], whole: str) -> Iterator[list[Run]]:
    """Yield the words of a text with the spaces after them, each as one run per style."""
    start, place = 0, 0
    text, style = runs[0]
    end_of_run = len(text)
    for found in _PIECES.finditer(whole):
        word: list[Run] = []
        while start < found.end():
            while end_of_run <= start:
                place += 1
                text, style = runs[place]
                end_of_run += len(text)
            end = min(found.end(), end_of_run)
            word.append((whole[start:end], style))
            start = end
        yield word


def _pieces(word: list[Run], font: Font, size: float, width: float) -> list[list[Run]]:
    """Return the lines of a word that is longer than a line."""
    lines: list[list[Run]] = [[]]
    used = 0.0
    for text, style in word:
        written, start = face(font, style), 0
        while start < len(text):
            ahead = text[start : start + LONGEST]
            if lines[-1] and used + written.width(ahead[0], size) > width:
                lines.append([])
                used = 0.0
            ahead = ahead[: _fitting(ahead, written, size, width - used)]
            lines[-1].append((ahead, style))
            used += written.width(ahead, size)
            start += len(ahead)
    return lines


#: rules of underlined and struck text: the distance below the baseline and the thickness, relative to the font size
RULES = ((UNDERLINE, 0.13), (STRUCK, -0.28))
THICK = 0.055


def write(
    sheets: Sheets, line: Line, left: float, right: float, y: float, size: float,
    *, bold: bool = False, colour: str = BLACK,
) -> None:  # fmt: skip
    """Write a line at the left edge, or at the right edge if it is right-aligned.

    :param bold: whether the whole line is bold
    """
    if line.marker:
        sheets.text(left + line.marked, y, line.marker, size, bold=bold, colour=colour)
    if line.runs:
        _write_runs(sheets, line, left, right, y, size, bold=bold, colour=colour)
    elif line.from_right:
        sheets.right(right, y, line.text, size, bold=bold, colour=colour)
    else:
        sheets.text(left + line.indent, y, line.text, size, bold=bold, colour=colour)


def _write_runs(
    sheets: Sheets, line: Line, left: float, right: float, y: float, size: float, *, bold: bool, colour: str
) -> None:
    ways = [(text, style, bool(bold or style & BOLD), bool(style & ITALIC)) for text, style in line.runs]
    widths = [sheets.font(heavy, italic).width(text, size) for text, _, heavy, italic in ways]
    x = right - sum(widths) if line.from_right else left + line.indent
    for (text, style, heavy, italic), width in zip(ways, widths, strict=True):
        sheets.text(x, y, text, size, bold=heavy, italic=italic, colour=colour)
        for rule, below in RULES:
            if style & rule:
                at = y + below * size
                sheets.line(x, at, x + width, at, colour=colour, width=round(THICK * size, 2))
        x += width

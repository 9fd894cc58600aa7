"""Text in lines that fit."""

from __future__ import annotations

import re
from typing import NamedTuple

from .fonts import Font
from .scripts import cleaned, displayed, is_right_to_left, joined, reads_right_to_left

#: a line may break after spaces, and around a letter of a script that is written without them
_PIECES = re.compile(
    "[\u3000-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0002ffff] *"
    "|[^ \u3000-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0002ffff]+ *"
    "| +"
)


#: letters that are tried for one line at the most
LONGEST = 256


class Line(NamedTuple):
    """A line as it is drawn; `from_right`: it stands at the right edge."""

    text: str
    from_right: bool = False


def wrap(text: str, font: Font, size: float, width: float) -> list[Line]:
    """Cut a text into lines of a width in points. Line feeds stay; a word that is longer than a line is cut."""
    lines: list[Line] = []
    for paragraph in cleaned(text).split("\n"):
        if not is_right_to_left(paragraph):
            lines += map(Line, _cut(paragraph, font, size, width))
            continue
        from_right = reads_right_to_left(paragraph)
        for line in _cut(joined(paragraph), font, size, width):
            lines.append(Line(displayed(line, right_to_left=from_right), from_right))
    return lines


def one_line(text: str) -> str:
    """A text as a single line, in the order of the page."""
    text = " ".join(cleaned(text).split("\n"))
    return displayed(joined(text), right_to_left=reads_right_to_left(text)) if is_right_to_left(text) else text


def shortened(text: str, font: Font, size: float, width: float) -> str:
    """A text of one line that fits; its end is cut off where it must be."""
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
    """A word that is longer than a line, in pieces that fit, of one letter at least."""
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
    """How many letters of a word fit, one at least."""
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        if font.width(word[:middle], size) <= width:
            low = middle
        else:
            high = middle - 1
    return low

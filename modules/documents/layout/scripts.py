"""Text as it is drawn: composed letters, joined Arabic, and lines from right to left in the order of the page."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

RIGHT_TO_LEFT = frozenset(("R", "AL"))
#: where Unicode has such letters, and a few others
_BLOCKS = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
#: categories of characters that are not drawn: controls, marks of direction
INVISIBLE = frozenset(("Cc", "Cf"))
#: categories of codes that are no characters: surrogates, private ones, unassigned ones
NO_CHARACTER = frozenset(("Cs", "Co", "Cn"))
#: line and paragraph separators end lines; spaces that do not break, and what parts or joins letters, stay
KEPT = {
    "\n": "\n", "\u2028": "\n", "\u2029": "\n", "\xa0": "\xa0", "\u202f": "\u202f", "\u2009": "\u2009",
    "\u3000": "\u3000", "\u200c": "\u200c", "\u200d": "\u200d",
}  # fmt: skip
#: replaces a character that no font has
UNKNOWN = "\ufffd"


def cleaned(text: str) -> str:
    """The text without what cannot be drawn: line feeds stay, tabs are spaces, letters and their accents are one."""
    if text.isascii() and text.isprintable():
        return text
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    "))
    if text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in KEPT:
        return KEPT[character]
    category = unicodedata.category(character)
    if category in INVISIBLE:
        return ""
    return UNKNOWN if category in NO_CHARACTER else character


def is_right_to_left(text: str) -> bool:
    """Whether a text has letters that are written from right to left."""
    if text.isascii():
        return False
    return any(unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in _BLOCKS.findall(text))


def reads_right_to_left(text: str) -> bool:
    """Whether a text as a whole reads from right to left: its first letter says so."""
    # Only processes that print such texts hold what they need
    from bidi.algorithm import get_base_level

    return bool(get_base_level(text) == 1)


def joined(text: str) -> str:
    """Arabic letters in the forms they have beside their neighbours."""
    return str(_reshaper().reshape(text))


def displayed(line: str, *, right_to_left: bool) -> str:
    """The characters of a line in the order they stand on the page, from left to right."""
    from bidi.algorithm import get_display

    return str(get_display(line, base_dir="R" if right_to_left else "L"))


@cache
def _reshaper() -> Any:
    from arabic_reshaper import ArabicReshaper

    # The font has the letters alone where it lacks their isolated forms
    return ArabicReshaper({"use_unshaped_instead_of_isolated": True, "support_ligatures": False})

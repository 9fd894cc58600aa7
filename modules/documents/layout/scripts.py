"""Text as it is drawn: composed letters, joined Arabic, and right-to-left lines in visual order."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

RIGHT_TO_LEFT = frozenset(("R", "AL"))
#: Unicode ranges with right-to-left letters and a few other characters
_BLOCKS = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
#: categories of characters that are not drawn: control and format characters
INVISIBLE = frozenset(("Cc", "Cf"))
#: categories of code points without a character: surrogates, private use, unassigned
NO_CHARACTER = frozenset(("Cs", "Co", "Cn"))
#: line and paragraph separators become line feeds; special spaces and zero-width (non-)joiners are kept
KEPT = {
    "\n": "\n", "\u2028": "\n", "\u2029": "\n", "\xa0": "\xa0", "\u202f": "\u202f", "\u2009": "\u2009",
    "\u3000": "\u3000", "\u200c": "\u200c", "\u200d": "\u200d",
}  # fmt: skip
#: replaces a character that no font has
UNKNOWN = "\ufffd"


def cleaned(text: str) -> str:
    """Return a text without undrawable characters; line feeds stay, tabs become spaces, accents are composed."""
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
    """Return whether a text has right-to-left letters."""
    if text.isascii():
        return False
    return any(unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in _BLOCKS.findall(text))


def reads_right_to_left(text: str) -> bool:
    """Return whether the base direction of a text is right to left; its first letter decides."""
    # Imported on first use: only processes that print such texts need it
    from bidi.algorithm import get_base_level

    return bool(get_base_level(text) == 1)


def joined(text: str) -> str:
    """Return a text with Arabic letters in their contextual forms."""
    return str(_reshaper().reshape(text))


def displayed(line: str, *, right_to_left: bool) -> str:
    """Return the characters of a line in visual order, from left to right."""
    from bidi.algorithm import get_display

    return str(get_display(line, base_dir="R" if right_to_left else "L"))


@cache
def _reshaper() -> Any:
    from arabic_reshaper import ArabicReshaper

    # The font lacks some isolated forms but has the base letters
    return ArabicReshaper({"use_unshaped_instead_of_isolated": True, "support_ligatures": False})

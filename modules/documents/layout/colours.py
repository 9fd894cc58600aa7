"""Colours, and letters that can be read on them."""

from __future__ import annotations

import re
from functools import lru_cache

#: the constant that holds the company's colour
ACCENT = "DOCUMENT_ACCENT_COLOUR"
WHITE, BLACK = "#ffffff", "#000000"
#: contrast that letters need (WCAG 2, success criterion 1.4.3)
LEGIBLE = 4.5
#: share of the colour in the light one behind headings
TINT = 0.1

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def is_colour(text: str) -> bool:
    """Whether a text is a colour such as ``#1b3a5c``."""
    return _COLOUR.fullmatch(text) is not None


def tint_of(accent: str) -> str:
    """The light colour that goes with a colour."""
    return mixed(accent, WHITE, 1 - TINT)


@lru_cache(maxsize=256)
def ink_on(ground: str) -> str:
    """The colour of letters on a coloured ground: white where that can be read, else black, which then can."""
    return WHITE if contrast(WHITE, ground) >= LEGIBLE else BLACK


@lru_cache(maxsize=256)
def ink_of(accent: str) -> str:
    """A colour as letters on white and on its own tint: darkened as far as they need it to be read."""
    ground = tint_of(accent)
    shades = (mixed(accent, BLACK, share / 10) for share in range(10))
    return next((shade for shade in shades if contrast(shade, ground) >= LEGIBLE), BLACK)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG, 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def mixed(one: str, other: str, share: float) -> str:
    """A colour with a share of another one in it."""
    pairs = zip(_parts(one), _parts(other), strict=True)
    return "#" + "".join(f"{round(mine + (its - mine) * share):02x}" for mine, its in pairs)


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))


def _luminance(colour: str) -> float:
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in _parts(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

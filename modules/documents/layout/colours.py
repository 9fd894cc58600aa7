"""Colours, and text colours with enough contrast on them."""

from __future__ import annotations

import re
from functools import lru_cache

#: the constant that holds the company's colour
ACCENT = "DOCUMENT_ACCENT_COLOUR"
WHITE, BLACK = "#ffffff", "#000000"
#: contrast that text needs (WCAG 2, success criterion 1.4.3)
LEGIBLE = 4.5
#: share of the accent colour in the tint of heading backgrounds
TINT = 0.1

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def is_colour(text: str) -> bool:
    """Return whether a text is a colour such as ``#1b3a5c``."""
    return _COLOUR.fullmatch(text) is not None


def check_colour(name: str, text: str) -> None:
    """Check the constant with the company's colour.

    :raises ValueError: it isn't a colour
    """
    if not is_colour(text):
        raise ValueError("expected a colour such as #1b3a5c")


def tint_of(accent: str) -> str:
    """Return the light tint of a colour."""
    return mixed(accent, WHITE, 1 - TINT)


@lru_cache(maxsize=256)
def ink_on(ground: str) -> str:
    """Return the text colour for a background: white if its contrast is sufficient, otherwise black."""
    return WHITE if contrast(WHITE, ground) >= LEGIBLE else BLACK


@lru_cache(maxsize=256)
def ink_of(accent: str) -> str:
    """Return a colour darkened until text in it is readable on white and on the colour's tint."""
    ground = tint_of(accent)
    shades = (mixed(accent, BLACK, share / 10) for share in range(10))
    return next((shade for shade in shades if contrast(shade, ground) >= LEGIBLE), BLACK)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours as WCAG defines it, 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def mixed(one: str, other: str, share: float) -> str:
    """Return a mixture of two colours; the share is that of the second one, 0 to 1."""
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

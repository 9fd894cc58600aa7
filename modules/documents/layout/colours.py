"""Colours: the company's own in the place of a template's, and letters that can be read on them."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from .style import Style

#: the constant that holds the company's colour
ACCENT = "DOCUMENT_ACCENT_COLOUR"
WHITE, BLACK = "#ffffff", "#000000"
#: contrast that letters need (WCAG 2, success criterion 1.4.3)
LEGIBLE = 4.5
#: share of the colour in the light one behind headings
TINT = 0.1

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@lru_cache(maxsize=64)
def coloured(style: Style, accent: str) -> Style:
    """A style in another colour; as it is where the text is no colour such as ``#1b3a5c``."""
    if not _COLOUR.fullmatch(accent):
        return style
    return replace(style, accent=accent, tint=mixed(accent, WHITE, 1 - TINT))


def colour_fault(text: str) -> str:
    """What is expected of a text that is no colour; empty: it is one."""
    return "" if _COLOUR.fullmatch(text) else f"a colour such as #1b3a5c (got {text!r:.60})"


@lru_cache(maxsize=256)
def ink_on(ground: str) -> str:
    """The colour of letters on a coloured ground: white where that can be read, else black, which then can."""
    return WHITE if contrast(WHITE, ground) >= LEGIBLE else BLACK


@lru_cache(maxsize=256)
def ink_of(accent: str) -> str:
    """A colour as letters on white and on its own tint: darkened as far as they need it to be read."""
    ground = mixed(accent, WHITE, 1 - TINT)
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

"""The properties in which templates differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

from .colours import ink_of, ink_on, is_colour, tint_of

#: the columns between discount and total are for work billed in parts; `PrintedLine.more` holds their cells
Column = Literal[
    "number", "ref", "text", "vat", "price", "qty", "discount", "contract", "before", "done", "remaining", "total"
]


@dataclass(frozen=True)
class Style:
    """The look of a template: one of its own, or `QUIET` or `DENSE` with some properties replaced.

    :param accent: colour of titles and rules, such as ``#1b3a5c``
    :param tint: light background colour of headings
    :param head: ``plain``: logo left, title right; ``band``: both on a coloured band
    :param facts: dates and references: ``strip``: side by side below the address, and the title at the head;
        ``block``: one below the other beside the address, and the title below both
    :param table: ``framed``: columns between rules; ``ruled``: a rule below each line; ``striped``: every
        other line tinted
    :param columns: the columns of the lines, from the left; a column without content is left out
    :param size: font size of the lines in points
    :param leading: line spacing, in font sizes
    :param padding: space above and below a line of the table, in points
    :param title: font size of the title in points
    :param totals: the final amount: ``box``: on the accent colour; ``rule``: between rules, in a large font
    :param subtotals: whether a subtotal follows the lines of a title
    """

    accent: str = "#1b3a5c"
    tint: str = "#e9edf2"
    head: Literal["plain", "band"] = "plain"
    facts: Literal["strip", "block"] = "strip"
    table: Literal["framed", "ruled", "striped"] = "framed"
    columns: tuple[Column, ...] = ("text", "vat", "price", "qty", "discount", "total")
    size: float = 8.5
    leading: float = 1.28
    padding: float = 3.0
    title: float = 17.0
    totals: Literal["box", "rule"] = "box"
    subtotals: bool = False

    def __post_init__(self) -> None:
        # Validated when the template is loaded, before any document is printed
        for name in ("accent", "tint"):
            if not is_colour(getattr(self, name)):
                raise ValueError(f"{name}: expected a colour such as #1b3a5c, got {getattr(self, name)!r}")
        unknown = [each for each in self.columns if each not in get_args(Column)]
        if unknown:
            raise ValueError(f"columns: expected only {', '.join(get_args(Column))}; got {unknown[0]!r}")

    def tight(self) -> Style:
        """Return this style with smaller spacing and font size, which fits more content on a page."""
        return replace(self, padding=min(self.padding / 2, 2.0), leading=min(self.leading, 1.22), size=self.size - 0.5)

    @property
    def ink(self) -> str:
        """The accent colour for text on white."""
        return ink_of(self.accent)

    @property
    def on_accent(self) -> str:
        """The colour of text on the accent colour."""
        return ink_on(self.accent)


#: much space and large letters
QUIET = Style(facts="block", table="ruled", size=9.5, leading=1.38, padding=5.0, title=22.0, totals="rule")
#: a coloured band and many numbered lines
DENSE = Style(
    head="band", table="striped", size=7.8, leading=1.24, padding=2.0,
    columns=("number", "ref", "text", "qty", "price", "discount", "vat", "total"), subtotals=True,
)  # fmt: skip


@lru_cache(maxsize=64)
def coloured(style: Style, accent: str) -> Style:
    """Return a style with another accent colour; unchanged if the text is not a colour such as ``#1b3a5c``."""
    return replace(style, accent=accent, tint=tint_of(accent)) if is_colour(accent) else style

"""How templates differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

from .colours import ink_of, ink_on, is_colour, tint_of

#: those between discount and total show what is billed in parts: `PaperLine.more` holds their cells
Column = Literal[
    "number", "ref", "text", "vat", "price", "qty", "discount", "contract", "before", "done", "remaining", "total"
]


@dataclass(frozen=True)
class Style:
    """The look of a template.

    :param accent: colour of titles and rules, such as ``#1b3a5c``
    :param tint: a light colour behind headings
    :param head: ``plain``: logo left, title right; ``band``: both on a coloured band
    :param facts: dates and references: ``strip``: side by side below the address, and the title at the head;
        ``block``: one below the other beside the address, and the title below both
    :param table: ``framed``: columns between rules; ``ruled``: a rule below each line; ``striped``: every
        other line tinted
    :param columns: the columns of the lines, from the left; one in which no line says anything does not show
    :param size: size of the lines' letters in points
    :param leading: from line to line, in sizes
    :param padding: space above and below a line of the table, in points
    :param title: size of the title's letters in points
    :param totals: the amount that counts: ``box``: on a ground of the accent; ``rule``: between rules, in large letters
    :param subtotals: whether a title's lines are summed behind them
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
        # A mistake is found when the template is loaded, not when somebody waits for a paper
        for name in ("accent", "tint"):
            if not is_colour(getattr(self, name)):
                raise ValueError(f"{name}: expected a colour such as #1b3a5c, got {getattr(self, name)!r}")
        unknown = [each for each in self.columns if each not in get_args(Column)]
        if unknown:
            raise ValueError(f"columns: expected only {', '.join(get_args(Column))}; got {unknown[0]!r}")

    def tight(self) -> Style:
        """The same with lines closer together, for a page on which a little more has to stand."""
        return replace(self, padding=min(self.padding / 2, 2.0), leading=min(self.leading, 1.22), size=self.size - 0.5)

    @property
    def ink(self) -> str:
        """The accent as letters on white."""
        return ink_of(self.accent)

    @property
    def on_accent(self) -> str:
        """Letters on the accent."""
        return ink_on(self.accent)


@lru_cache(maxsize=64)
def coloured(style: Style, accent: str) -> Style:
    """A style in another colour; as it is where the text is no colour such as ``#1b3a5c``."""
    return replace(style, accent=accent, tint=tint_of(accent)) if is_colour(accent) else style

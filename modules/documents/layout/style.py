"""How templates differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

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
            if not re.fullmatch(r"#[0-9a-fA-F]{6}", getattr(self, name)):
                raise ValueError(f"{name}: expected a colour such as #1b3a5c, got {getattr(self, name)!r}")
        unknown = [each for each in self.columns if each not in get_args(Column)]
        if unknown:
            raise ValueError(f"columns: there is no column {unknown[0]!r}; there are {', '.join(get_args(Column))}")

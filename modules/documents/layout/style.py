"""How templates differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

Column = Literal["number", "ref", "text", "vat", "price", "qty", "discount", "total"]


@dataclass(frozen=True)
class Style:
    """The look of a template.

    :param accent: colour of titles and rules, such as ``#1b3a5c``
    :param tint: a light colour behind headings
    :param head: ``plain``: logo left, title right; ``band``: both on a coloured band
    :param table: ``framed``: columns between rules; ``ruled``: a rule below each line; ``striped``: every
        other line tinted
    :param columns: the columns of the lines, from the left; that of discounts only shows where there are any
    :param size: size of the lines' letters in points
    :param subtotals: whether a title's lines are summed behind them
    """

    accent: str = "#1b3a5c"
    tint: str = "#e9edf2"
    head: Literal["plain", "band"] = "plain"
    table: Literal["framed", "ruled", "striped"] = "framed"
    columns: tuple[Column, ...] = ("text", "vat", "price", "qty", "discount", "total")
    size: float = 8.5
    subtotals: bool = False

    def __post_init__(self) -> None:
        # A mistake is found when the template is loaded, not when somebody waits for a paper
        for name in ("accent", "tint"):
            if not re.fullmatch(r"#[0-9a-fA-F]{6}", getattr(self, name)):
                raise ValueError(f"{name}: expected a colour such as #1b3a5c, got {getattr(self, name)!r}")
        unknown = [each for each in self.columns if each not in get_args(Column)]
        if unknown:
            raise ValueError(f"columns: there is no column {unknown[0]!r}; there are {', '.join(get_args(Column))}")

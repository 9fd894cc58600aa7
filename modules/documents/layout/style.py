"""How templates differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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

"""The segment of customers that a third party belongs to."""

from __future__ import annotations

from typing import Any

from core import Refused

from ..products.price_modes import modes
from ..products.price_rules import unfit
from ..thirdparties.thirdparties import thirdparties


def set_price_level(thirdparty: int, level: int) -> dict[str, Any]:
    """Set the segment of a third party; answers the third party.

    :raises Refused: segments have no prices of their own here
    :raises BadRequest: there is no such segment
    """
    if not modes().segments:
        raise Refused("Multiprices features activation needed for this request")
    if not modes().has_segment(level):
        raise unfit("priceLevel", f"Price level must be between 1 and {modes().segments}")
    thirdparties.change(thirdparty, {}, price_level=level)
    return thirdparties.answer(thirdparty)

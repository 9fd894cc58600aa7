"""The segment of customers that a third party belongs to."""

from __future__ import annotations

from typing import Any

from core import Refused, wrong_fields

from ..products.price_modes import modes
from ..thirdparties.thirdparties import thirdparties


def set_price_level(thirdparty: int, level: int) -> dict[str, Any]:
    """Set the segment of a third party; answers the third party.

    :raises Refused: segments have no prices of their own here
    :raises BadRequest: there is no such segment
    """
    if not modes().segments:
        theirs = "Multiprices features activation needed for this request"
        raise Refused("price segments are disabled; set the constant PRODUIT_MULTIPRICES to 1", dolibarr=theirs)
    if not modes().has_segment(level):
        theirs = f"Price level must be between 1 and {modes().segments}"
        reason = f"`priceLevel`: expected a segment from 1 to {modes().segments}, got {level}"
        raise wrong_fields([("priceLevel", reason)], reason, dolibarr=theirs)
    thirdparties.change(thirdparty, {}, price_level=level)
    return thirdparties.answer(thirdparty)

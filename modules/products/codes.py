"""Generated references, by the method in the constant PRODUCT_CODEPRODUCT_ADDON."""

from __future__ import annotations

from core import BadRequest, Refused, shown, today

from ..numbering.counters import Column, company_context, count_in, next_number, step_back
from ..numbering.masks import Context
from ..setup.constants import constant
from .models import Product

ADDON = "PRODUCT_CODEPRODUCT_ADDON"
LEOPARD = "mod_codeproduct_leopard"
ELEPHANT = "mod_codeproduct_elephant"
#: type → the constant with the mask of its references
MASKS = {0: "PRODUCT_ELEPHANT_MASK_PRODUCT", 1: "PRODUCT_ELEPHANT_MASK_SERVICE"}
#: one series for both types: a reference exists once
SERIES = "products"


def next_ref(type: int) -> str:
    """Take the next reference, inside the transaction that stores it.

    :param type: 0 product, 1 service
    :raises BadRequest: references are free text, so no next one can be generated
    :raises Refused: the constants define no numbering method, or the mask has no number left
    """
    return next_number(SERIES, mask_of_next(type), _today(), Column(Product.ref))


def mask_of_next(type: int) -> str:
    """Return the mask of the next reference.

    :raises BadRequest: references are free text, so no next one can be generated
    :raises Refused: the constants define no numbering method
    """
    manner = constant(ADDON) or LEOPARD
    if manner not in (LEOPARD, ELEPHANT):
        raise Refused(
            f"the constant {ADDON}: expected {LEOPARD} or {ELEPHANT}, got {shown(manner)}", reason="not_configured"
        )
    if manner == LEOPARD:
        hint = f"; to number products automatically, set the constant {ADDON} to {ELEPHANT}"
        raise BadRequest(errors=[BadRequest.missing("ref", hint)])
    mask = constant(MASKS[type])
    if not mask:
        reason = f"the constant {MASKS[type]} has no numbering mask; set one such as P{{00000}}"
        raise Refused(reason, dolibarr=f"NotConfigured: {reason}", reason="not_configured")
    return mask


def check_manner(name: str, value: str) -> None:
    """Reject a value of the constant `ADDON` that is not a known numbering method; an empty one unsets it.

    :raises BadRequest: the value is unknown
    """
    if name == ADDON and value not in ("", LEOPARD, ELEPHANT):
        reason = f"{ADDON}: expected {LEOPARD} or {ELEPHANT}, got {shown(value)}"
        raise BadRequest(errors=[("value", reason)])


def count_ref(type: int, ref: str) -> None:
    """Advance the counter past a reference that a user chose. Call this inside the transaction that stores it."""
    if mask := _mask(type):
        count_in(SERIES, mask, ref, _today())


def release_ref(type: int, ref: str) -> None:
    """Free the number of a deleted product's reference if it is the last one. Call this inside the transaction."""
    if mask := _mask(type):
        step_back(SERIES, mask, ref, _today())


def _mask(type: int) -> str:
    return constant(MASKS[type]) if constant(ADDON) == ELEPHANT else ""


def _today() -> Context:
    """Return the values that fill masks, for the company's current date."""
    return company_context(today())

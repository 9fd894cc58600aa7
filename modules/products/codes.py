"""Generated references, in the way that the constant PRODUCT_CODEPRODUCT_ADDON chooses."""

from __future__ import annotations

from core import Refused, wrong_fields

from ..numbering.counters import Column, company_context, count_in, next_number, step_back
from ..numbering.masks import Context
from ..setup.company import today
from ..setup.constants import constant
from .models import Product

ADDON = "PRODUCT_CODEPRODUCT_ADDON"
LEOPARD = "mod_codeproduct_leopard"
ELEPHANT = "mod_codeproduct_elephant"
#: type → the constant that holds the mask of its references
MASKS = {0: "PRODUCT_ELEPHANT_MASK_PRODUCT", 1: "PRODUCT_ELEPHANT_MASK_SERVICE"}
#: one series for both types: a reference exists once
SERIES = "products"


def next_ref(type: int) -> str:
    """Take the next reference, inside the transaction that stores it.

    :param type: 0 product, 1 service
    :raises BadRequest: references are free text, so there is no next one
    :raises Refused: the constants do not say how, or the mask has no number left
    """
    manner = constant(ADDON) or LEOPARD
    if manner not in (LEOPARD, ELEPHANT):
        raise Refused(
            f"the constant {ADDON}: expected {LEOPARD} or {ELEPHANT}, got {manner!r:.80}", reason="not_configured"
        )
    if manner == LEOPARD:
        reason = f"`ref` is required; to number products automatically, set the constant {ADDON} to {ELEPHANT}"
        raise wrong_fields([("ref", reason)])
    mask = constant(MASKS[type])
    if not mask:
        reason = f"the constant {MASKS[type]} has no numbering mask; set one such as P{{00000}}"
        raise Refused(reason, dolibarr=f"NotConfigured: {reason}", reason="not_configured")
    return next_number(SERIES, mask, _today(), Column(Product.ref))


def check_manner(name: str, value: str) -> None:
    """Refuse a value of the constant `ADDON` that is no manner of giving references; an empty one unsets it.

    :raises BadRequest: it is none
    """
    if name == ADDON and value not in ("", LEOPARD, ELEPHANT):
        reason = f"{ADDON}: expected {LEOPARD} or {ELEPHANT}, got {value!r:.80}"
        raise wrong_fields([("value", reason)])


def count_ref(type: int, ref: str) -> None:
    """Let a reference that somebody chose count: the next generated one is behind it. Inside the transaction."""
    if mask := _mask(type):
        count_in(SERIES, mask, ref, _today())


def release_ref(type: int, ref: str) -> None:
    """Free the number of a reference whose product is being deleted, if it is the last one. Inside the transaction."""
    if mask := _mask(type):
        step_back(SERIES, mask, ref, _today())


def _mask(type: int) -> str:
    return constant(MASKS[type]) if constant(ADDON) == ELEPHANT else ""


def _today() -> Context:
    """What masks are filled from: the company's own today."""
    return company_context(today())

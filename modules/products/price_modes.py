"""Which kinds of selling prices are in use, as constants say; all are off until somebody switches them on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core import BadRequest, cached, wrong_fields

from ..setup.constants import constant

SEGMENTS, CUSTOMERS, QUANTITIES = "PRODUIT_MULTIPRICES", "PRODUIT_CUSTOMER_PRICES", "PRODUIT_CUSTOMER_PRICES_BY_QTY"
#: switches segments and quantities on together
BOTH = "PRODUIT_CUSTOMER_PRICES_BY_QTY_MULTIPRICES"
#: the constant that holds how many segments there are, and how many there may be
LIMIT, DEFAULT_LIMIT, MOST_SEGMENTS = "PRODUIT_MULTIPRICES_LIMIT", 5, 50
_LIMITS = tuple(map(str, range(1, MOST_SEGMENTS + 1)))


@dataclass(frozen=True)
class Modes:
    """The kinds of selling prices that are in use.

    :param segments: how many segments of customers there are; 0: none have prices of their own
    :param customers: customers have prices of their own
    :param quantities: prices depend on the quantity
    """

    segments: int = 0
    customers: bool = False
    quantities: bool = False

    def __bool__(self) -> bool:
        return bool(self.segments or self.customers or self.quantities)

    def has_segment(self, level: int | None) -> bool:
        """Whether a price level is one of the segments."""
        return 1 <= (level or 0) <= self.segments


@cached
def modes() -> Modes:
    """The kinds that are in use now."""
    limit = constant(LIMIT).strip()
    return Modes(
        segments=(int(limit) if limit in _LIMITS else DEFAULT_LIMIT) if _is_on(SEGMENTS, BOTH) else 0,
        customers=_is_on(CUSTOMERS),
        quantities=_is_on(QUANTITIES, BOTH),
    )


def _is_on(*names: str) -> bool:
    return any(constant(name).strip() not in ("", "0") for name in names)


def require(kind: Literal["segments", "customers", "quantities"]) -> None:
    """Refuse prices of a kind that is not in use.

    :raises BadRequest: it is off
    """
    if not getattr(modes(), kind):
        theirs = "API not available: this mode of pricing is not enabled by setup"
        name = {"segments": SEGMENTS, "customers": CUSTOMERS, "quantities": QUANTITIES}[kind]
        reason = f"prices of this kind are disabled; an administrator can set the constant {name} to 1"
        raise BadRequest(reason, dolibarr=theirs)


def check_limit(name: str, value: str) -> None:
    """Refuse a value of the constant `LIMIT` that is no number of segments; an empty one unsets it.

    :raises BadRequest: it is none
    """
    if name == LIMIT and value.strip() not in ("", *_LIMITS):
        reason = f"{LIMIT}: expected a number of segments from 1 to {MOST_SEGMENTS}, got {value!r:.60}"
        raise wrong_fields([("value", reason)])

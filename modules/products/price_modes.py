"""The kinds of selling prices in use, as set by constants; all are off by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core import BadRequest, setting
from core.for_natives import cached

from ..setup.constants import is_on

SEGMENTS, CUSTOMERS, QUANTITIES = "PRODUIT_MULTIPRICES", "PRODUIT_CUSTOMER_PRICES", "PRODUIT_CUSTOMER_PRICES_BY_QTY"
#: enables both segments and quantities
BOTH = "PRODUIT_CUSTOMER_PRICES_BY_QTY_MULTIPRICES"
#: the constant with the number of segments
LIMIT = "PRODUIT_MULTIPRICES_LIMIT"


@dataclass(frozen=True)
class Modes:
    """The kinds of selling prices in use.

    :param segments: number of customer segments; 0: segments have no prices
    :param customers: customers have prices of their own
    :param quantities: prices depend on the quantity
    """

    segments: int = 0
    customers: bool = False
    quantities: bool = False

    def __bool__(self) -> bool:
        return bool(self.segments or self.customers or self.quantities)

    def has_segment(self, level: int | None) -> bool:
        """Return whether a price level is one of the segments."""
        return 1 <= (level or 0) <= self.segments


@cached
def modes() -> Modes:
    """Return the kinds of selling prices in use."""
    return Modes(
        segments=setting(LIMIT) if is_on(SEGMENTS, BOTH) else 0,
        customers=is_on(CUSTOMERS),
        quantities=is_on(QUANTITIES, BOTH),
    )


def require(kind: Literal["segments", "customers", "quantities"]) -> None:
    """Reject prices of a kind that is not in use.

    :raises BadRequest: the kind is off
    """
    if not getattr(modes(), kind):
        theirs = "API not available: this mode of pricing is not enabled by setup"
        name = {"segments": SEGMENTS, "customers": CUSTOMERS, "quantities": QUANTITIES}[kind]
        reason = f"prices of this kind are disabled; set the constant {name} to 1: `PUT /setup/conf/{name}`"
        raise BadRequest(reason, dolibarr=theirs)

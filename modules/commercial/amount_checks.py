"""Checks of what bodies say about amounts: names that documents and lines don't have, and discounts.

A client that sends such a name means an amount that isn't stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import BadRequest, Records, profile
from core.for_natives import asks_strict

from ..setup.one_currency import is_empty
from .models import ZERO

#: a name that lines don't have → the field that is meant
OF_LINES = {
    **dict.fromkeys(("unit_price", "unitprice", "price_ht", "pu", "pu_ht", "amount", "amount_ht"), "subprice"),
    **dict.fromkeys(("unit_price_ttc", "price_ttc", "pu_ttc", "amount_ttc"), "subprice_ttc"),
    **dict.fromkeys(("discount", "discount_percent", "discount_rate", "reduction"), "remise_percent"),
    **dict.fromkeys(("vat", "vat_rate", "vat_tx", "tva", "tax", "tax_rate", "tax_percent"), "tva_tx"),
    **dict.fromkeys(("quantity", "qte"), "qty"),
    "total": "subprice",
    "price": "subprice",
}
#: the same for documents, whose amounts come from their lines
OF_DOCUMENTS = dict.fromkeys(
    (*OF_LINES, "discount_amount", "subprice", "subprice_ttc", "tva_tx", "qty", "items"), "lines"
)
#: the fields that give a line its price
PRICES = ("subprice", "subprice_ttc")
MAX_PERCENT = 100


def mistaken_names(records: Records[Any], names: Mapping[str, str], body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the names of a body that mean an amount and that its kind of record doesn't have, each with the reason.

    Empty values and 0 pass. `price`, which a line shows, passes together with a price that it takes.
    """
    # Strict handling rejects every unknown name
    if asks_strict() or not profile().mistaken_names_are_refused or names.keys().isdisjoint(body):
        return []
    meta: Any = records.model._meta
    known = {*meta.fields, *meta.aliases, *meta.answers.__annotations__, *records.extra_keys}
    if not any(name in body for name in PRICES):
        known.discard("price" if names is OF_LINES else "")
    return [
        (name, f"`{name}` is unknown here and would be lost; expected `{meant}`")
        for name, meant in names.items()
        if name in body and name not in known and not is_empty(body[name])
    ]


def require_percent(values: Mapping[str, Any], *, is_credit: bool = False) -> None:
    """Check the discount of a line or a document. Dolibarr 16 limits none; above 100, a credit note would take money.

    :raises BadRequest: it isn't between 0 and 100 percent
    """
    discount = values.get("remise_percent") or ZERO
    is_limited = profile().discounts_are_limited
    if (discount > MAX_PERCENT and (is_limited or is_credit)) or (discount < 0 and is_limited):
        raise BadRequest(errors=[("remise_percent", f"expected a discount from 0 to 100, got {discount:f}")])

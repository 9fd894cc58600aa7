"""The bodies of priced lines: what is accepted, what they take from the product, what is shown besides fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, TypeVar

from core import ExactField, Records, Values, as_column, settings, warn

from ..dictionaries.entries import entry
from ..dictionaries.models import Unit
from ..prices.choice import Offer, PriceTerms
from ..prices.offers import LineOffers
from ..products.models import Product
from ..thirdparties.discounts import plain_amount
from .models import Line
from .plain_lines import PlainLines
from .precision import currency
from .totals import half_up

L = TypeVar("L", bound=Line)

#: key of a body that says whether its price is one before taxes (HT) or taxes included (TTC); it is no field
BASE = "price_base_type"
#: places of a price, and of a discount in release 16
PLACES, CENTS = 8, 2

#: how a rate that is worked out is answered
RATE = ExactField(24, 4)

_RATE = re.compile(r"\s*([^()\s]*)\s*\(([^()]{1,10})\)\s*")


def _not_negative(text: str) -> str:
    if text.lstrip().startswith("-"):
        raise ValueError("expected a rate of at least 0")
    return text


class LineRecords(PlainLines[L]):
    """The records of lines with prices; see `Lines`."""

    joins = {
        "p": (Product, "fk_product", ("ref", "label", "description", "barcode", "type")),
        "u": (Unit, "fk_unit", ("code", "short_label")),
    }
    answers = {
        "product_ref": "p.ref",
        "product_label": "p.label",
        "product_desc": "p.description",
        "product_barcode": "p.barcode",
        "fk_product_type": "p.type",
        "product_tosell": "p.status",
        "product_tobuy": "p.status_buy",
        "product_tobatch": "p.status_batch",
        "weight": "p.weight",
        "weight_units": "p.weight_units",
        "volume": "p.volume",
        "volume_units": "p.volume_units",
    }
    #: what release 16 leaves empty in lines of this kind
    unsaid: Collection[str] = ()
    extra_keys = (BASE,)
    cleaners = {"tva_tx": _not_negative}

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the second names of what comes from the product, the price less discount, and the margins."""
        as_recorded = settings().profile.documents_as_recorded
        price = _recorded_price if as_recorded else _price
        empty, own = dict.fromkeys(self.unsaid if as_recorded else ()), currency()
        none, whole = ("", 100) if settings().profile.text_values else (None, as_column(RATE, Decimal(100)))
        for record in records:
            record["ref"] = record["product_ref"]
            record["libelle"] = record["product_label"]
            sold, discount = record["subprice"], record["remise_percent"]
            record["price"] = price(sold, discount)
            record["multicurrency_code"] = record["multicurrency_code"] or own
            margin, mark = _margins(record["pa_ht"], sold, discount)
            record["marge_tx"], record["marque_tx"] = (none, whole) if margin is None else (margin, mark)
            if empty:
                record.update(empty)

    # Checking --------------------------------------------------------------------------------------------------------

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a line; `tva_tx` may be ``20 (CODE)``.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        """
        body = dict(body)
        # Without the blanks around it: a long row of them could be shared out in too many ways
        if isinstance(body.get("tva_tx"), str) and (found := _RATE.fullmatch(body["tva_tx"].strip())):
            body["tva_tx"], body["vat_src_code"] = found[1], found[2]
        elif "tva_tx" in body:
            # The code belongs to the rate
            body.setdefault("vat_src_code", "")
        values, extras = super().accept(body, creating=creating, replace=replace)
        if body.get(BASE) == "TTC" and "subprice" in body:
            values.context[BASE] = "TTC"
        return values, extras

    def unfit(self, values: Mapping[str, Any], body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What does not fit beyond types and choices: field and reason."""
        wrong = []
        base = body.get(BASE) or "HT"
        if base not in ("HT", "TTC"):
            wrong.append((BASE, f"expected HT or TTC, got {base!r:.60}"))
        wrong += super().unfit(values, body)
        if values.get("fk_unit"):
            # An empty dictionary is filled when it is asked
            entry(Unit, values["fk_unit"])
        start, end = values.get("date_start"), values.get("date_end")
        if start and end and end < start:
            wrong.append(
                ("date_end", f"expected a date on or after `date_start` ({start:%Y-%m-%d}), got {end:%Y-%m-%d}")
            )
        return wrong


def take_from_product(
    values: dict[str, Any], product: Product | None, context: dict[str, Any], offers: LineOffers
) -> None:
    """Price, VAT, type, unit and text of the product, where the line gives none.

    :param values: of the line; changed in place
    :param context: that of the values, with `price_base_type`
    :param offers: the prices that the document's customer is offered
    """
    if product is None:
        return
    quantity = _quantity(values)
    taxes: PriceTerms = product
    if "subprice" not in values:
        if context.pop(BASE, None):
            warn(f"ignored: {BASE}, because the price comes from the product")
        taxes = _take_price(values, product, context, offers.price(product, quantity))
    if "tva_tx" not in values:
        values["tva_tx"] = taxes.tva_tx
        values.setdefault("vat_src_code", taxes.default_vat_code or "")
        values.setdefault("localtax1_tx", taxes.localtax1_tx)
        values.setdefault("localtax2_tx", taxes.localtax2_tx)
    values.setdefault("product_type", product.type)
    values.setdefault("fk_unit", product.fk_unit)
    if "pa_ht" not in values:
        values["pa_ht"] = offers.cost(product, quantity)
    if not values.get("desc"):
        values["desc"] = product.description or ""


def _take_price(values: dict[str, Any], product: Product, context: dict[str, Any], offer: Offer | None) -> PriceTerms:
    """Set the price of a line; answers whose rate of VAT goes with it."""
    if offer is None:
        # The product's own price is taken before taxes
        values["subprice"] = product.price
        return product
    values["subprice"] = offer.amount
    if offer.taxed:
        context[BASE] = "TTC"
    if offer.discount:
        values.setdefault("remise_percent", offer.discount)
    return offer.source


def _quantity(values: Mapping[str, Any]) -> Decimal:
    """The quantity of a line, also of a body that is yet to be checked; 0 where that holds none."""
    try:
        quantity = Decimal(str(values.get("qty") or 0))
    except InvalidOperation:
        return Decimal(0)
    return quantity if quantity.is_finite() else Decimal(0)


def same_extras(target: Records[Any], record: Mapping[str, Any]) -> dict[str, Any] | None:
    """The extra fields of a record that records of another kind have, too, ready to be written there.

    :param target: the other kind
    """
    known = {f"options_{name}" for name in target.extra_names()}
    values = {name: value for name, value in dict(record.get("array_options") or {}).items() if name in known}
    return target.accept({"array_options": values}, creating=False)[1] if values else None


# Kept: a list holds many equal ones
@lru_cache(maxsize=4096)
def _price(price: str, discount: str) -> str:
    """What one unit costs, less discount."""
    percent = Decimal(discount)
    return f"{half_up(Decimal(price) * (1 - percent / 100), PLACES):f}" if percent else price


@lru_cache(maxsize=4096)
def _recorded_price(price: str, discount: str) -> str:
    """The same as release 16 says it: the discount of one unit is rounded to cents first."""
    amount = Decimal(price)
    return plain_amount(amount - half_up(amount * Decimal(discount) / 100, CENTS))


@lru_cache(maxsize=4096)
def _margins(cost_price: str | None, price: str | None, discount: str | None) -> tuple[Any, Any]:
    """Margin rate on the cost and mark rate on the price, percent; without a cost there is none to speak of."""
    cost = Decimal(cost_price or 0)
    if not cost:
        return None, None
    sold = Decimal(price or 0) * (1 - Decimal(discount or 0) / 100)
    margin = sold - cost
    return as_column(RATE, margin * 100 / cost), as_column(RATE, margin * 100 / sold) if sold else None

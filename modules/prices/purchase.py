"""Purchase prices: the fields that are sent, and the values that are stored."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from core import BadRequest, Records, now, shown
from core.for_natives import current_user_id, default_context

from ..dictionaries.entries import entry
from ..dictionaries.models import Availability
from ..products.price_rules import unfit, unit_places
from ..products.prices import rounded, without_vat
from .models import ZERO, PurchasePrice

_rows = Records(PurchasePrice)
#: items of `localtaxes_array`
LOCAL_TAXES = ("localtax1_type", "localtax1_tx", "localtax2_type", "localtax2_tx")


@dataclass(frozen=True)
class Purchase:
    """The price of a supplier for a quantity of a product.

    :param qty: minimum quantity, above 0 {@max 9999999999}
    :param buyprice: price of the whole quantity, in the company's currency {@min 0} {@max 9999999999}
    :param price_base_type: HT: before VAT; TTC: with VAT, which is taken out
    :param fourn_id: supplier ID {@min 1}
    :param availability: entry of the dictionary of availabilities; 0: none {@min 0}
    :param ref_fourn: supplier's product reference {@min 1} {@max 128}
    :param tva_tx: VAT, percent {@min 0} {@max 100}
    :param charges: kept, not computed with {@min 0} {@max 9999999999}
    :param remise_percent: discount, percent {@min 0} {@max 100}
    :param remise: discount amount; stored only {@min 0} {@max 9999999999}
    :param newnpr: 1: VAT is not charged {@min 0} {@max 1}
    :param delivery_time_days: days until it is delivered {@min 0} {@max 100000}
    :param supplier_reputation: supplier rating
    :param localtaxes_array: kind and rate of the first local tax, kind and rate of the second one {@max 4}
    :param newdefaultvatcode: code of the rate of VAT {@max 10}
    :param multicurrency_buyprice: price of the whole quantity in the supplier's currency {@min 0} {@max 9999999999}
    :param multicurrency_price_base_type: HT or TTC, as price_base_type
    :param multicurrency_tx: exchange rate from the company's to the supplier's currency {@min 0} {@max 9999999999}
    :param multicurrency_code: ISO 4217 code of the supplier's currency {@max 3}
    :param desc_fourn: the supplier's description {@max 20000}
    :param barcode: the supplier's barcode {@max 180}
    :param fk_barcode_type: kind of that barcode
    """

    qty: Decimal
    buyprice: Decimal
    price_base_type: Literal["HT", "TTC"]
    fourn_id: int
    availability: int
    ref_fourn: str
    tva_tx: Decimal
    charges: Decimal = ZERO
    remise_percent: Decimal = ZERO
    remise: Decimal = ZERO
    newnpr: int = 0
    delivery_time_days: int = 0
    supplier_reputation: Literal["", "FAVORITE", "NOTTHGOOD", "DONOTORDER"] = ""
    localtaxes_array: list[Any] | None = None
    newdefaultvatcode: str = ""
    multicurrency_buyprice: Decimal = ZERO
    multicurrency_price_base_type: Literal["HT", "TTC"] = "HT"
    multicurrency_tx: Decimal = Decimal(1)
    multicurrency_code: str = ""
    desc_fourn: str = ""
    barcode: str = ""
    fk_barcode_type: int | None = None


@default_context
def values_of(purchase: Purchase) -> dict[str, Any]:
    """Return the columns to write of a purchase price."""
    quantity, places = rounded(purchase.qty, 8), unit_places()
    if quantity <= 0:
        raise unfit("qty", f"expected a quantity above 0, got {purchase.qty}")
    if purchase.availability and entry(Availability, purchase.availability) is None:
        raise unfit("availability", f"expected the ID of a delivery time, got {purchase.availability}")
    price = _before_vat(purchase.buyprice, purchase.price_base_type, purchase.tva_tx, places)
    foreign = _before_vat(
        purchase.multicurrency_buyprice, purchase.multicurrency_price_base_type, purchase.tva_tx, places
    )
    return {
        "ref_supplier": purchase.ref_fourn,
        "desc_supplier": purchase.desc_fourn or None,
        "fk_availability": purchase.availability or None,
        "fourn_qty": quantity,
        "fourn_price": price,
        "fourn_unitprice": rounded(price / quantity, places),
        "fourn_remise_percent": purchase.remise_percent,
        "fourn_remise": purchase.remise,
        "fourn_charges": purchase.charges,
        "fourn_tva_tx": purchase.tva_tx,
        "fourn_tva_npr": purchase.newnpr,
        "default_vat_code": purchase.newdefaultvatcode or None,
        "delivery_time_days": purchase.delivery_time_days or None,
        "supplier_reputation": purchase.supplier_reputation or None,
        "supplier_barcode": purchase.barcode or None,
        "supplier_fk_barcode_type": purchase.fk_barcode_type or None,
        "fourn_multicurrency_code": purchase.multicurrency_code or None,
        "fourn_multicurrency_tx": purchase.multicurrency_tx,
        "fourn_multicurrency_price": foreign or None,
        "fourn_multicurrency_unitprice": rounded(foreign / quantity, places) or None,
        "fk_user": current_user_id(),
        "date_modification": now(),
        **_local_taxes(purchase.localtaxes_array),
    }


def _before_vat(price: Decimal, base: str, rate: Decimal, places: int) -> Decimal:
    return without_vat(price, rate, places) if base == "TTC" else rounded(price, places)


def _local_taxes(sent: list[Any] | None) -> dict[str, Any]:
    """Return kinds and rates of local taxes."""
    named = dict(zip(LOCAL_TAXES, sent or (), strict=False))
    try:
        return _rows.accept(named, creating=False)[0]
    except BadRequest as error:
        reason = f"expected type and rate of one or two local taxes, got {shown(sent)}"
        raise BadRequest(errors=[("localtaxes_array", reason)]) from error

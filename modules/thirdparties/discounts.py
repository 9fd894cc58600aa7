"""Discounts: amounts that a third party may use once, on one of its invoices.

The invoices module creates and uses discounts; this file lists those of a third party.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from core import BadRequest, Records, profile, query, shown
from core.for_natives import as_column, default_context

from .models import Discount
from .shapes import LEFT

CREDIT_NOTE = "(CREDIT_NOTE)"
DEPOSIT = "(DEPOSIT)"
EXCESS = "(EXCESS RECEIVED)"

# Summed in Python: grouping by a text makes MariaDB create a table, which takes longer than the rest
_AVAILABLE = (
    "SELECT description, amount_ttc FROM llx_societe_remise_except "
    "WHERE fk_soc = ? AND fk_facture IS NULL AND fk_facture_line IS NULL"
)


class Discounts(Records[Discount]):
    """Discounts."""

    model = Discount
    noun = "Discount"

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add reference and type of the source invoices, by one statement for all."""
        sources = _sources({int(record["fk_facture_source"] or 0) for record in records})
        for record in records:
            ref, kind = sources.get(int(record["fk_facture_source"] or 0), (None, None))
            record["ref_facture_source"] = ref
            shown = str(kind) if profile().text_values and kind is not None else kind
            record["type_facture_source"] = record["factype"] = shown


discounts = Discounts()


def _sources(identifiers: set[int]) -> dict[int, tuple[str | None, int | None]]:
    numbers = sorted(identifiers - {0})
    if not numbers:
        return {}
    # Table by name, because the invoices module depends on this one
    rows = query(f"SELECT rowid, ref, type FROM llx_facture WHERE rowid IN ({','.join(map(str, numbers))})")
    return {identifier: (ref, kind) for identifier, ref, kind in rows}


def amount_of(stored: Any) -> Decimal:
    """Return the amount of a column; 0 for NULL."""
    return Discount.amount_ttc.python_value(stored) or Decimal(0)


def plain_amount(amount: Decimal) -> str:
    """Return an amount as text without trailing zeros: ``303``, ``305.77``, ``0``."""
    text = f"{amount:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("", "-0") else text


@default_context
def available(thirdparty_id: int) -> tuple[str, str]:
    """Return what is left to use, taxes included: deposits and granted discounts, and amounts from credit notes."""
    discount = credit = Decimal(0)
    for description, stored in query(_AVAILABLE, (thirdparty_id,)):
        amount = amount_of(stored)
        if description in (CREDIT_NOTE, EXCESS):
            credit += amount
        else:
            discount += amount
    return as_column(LEFT, discount), as_column(LEFT, credit)


def list_discounts(
    thirdparty_id: int, state: str = "none", sortfield: str = "f.type", sortorder: str = "ASC"
) -> list[dict[str, Any]]:
    """Return the discounts of a third party.

    :param state: ``none``: all, ``available``: unused ones, ``used``: used ones
    :param sortfield: fields separated by commas; ``f.type`` and ``f.ref`` are those of the source invoice
    :param sortorder: ``ASC`` or ``DESC`` for each field; the last one also applies to the fields after it
    :raises BadRequest: the field or order does not exist
    """
    found = discounts.every({"fk_soc": thirdparty_id})
    if state != "none":
        used = state == "used"
        found = [record for record in found if bool(record["fk_facture"] or record["fk_facture_line"]) == used]
    orders = [order.strip().upper() or "ASC" for order in sortorder.split(",")]
    if set(orders) - {"ASC", "DESC"}:
        raise BadRequest(errors=[("sortorder", f"expected ASC or DESC, got {shown(sortorder)}")])
    fields = [_field(name.strip()) for name in sortfield.split(",") if name.strip()]
    # The sort is stable, so the last field comes first
    for place, name in reversed(list(enumerate(fields))):
        descending = orders[min(place, len(orders) - 1)] == "DESC"
        found.sort(key=lambda record: _sortable(record[name]), reverse=descending)
    return found


def _field(name: str) -> str:
    known = {"f.type": "type_facture_source", "f.ref": "ref_facture_source"}
    plain: str = known.get(name) or name.removeprefix("t.")
    meta: Any = Discount._meta
    columns = {field.column_name: field.name for field in meta.sorted_fields}
    plain = columns.get(plain, plain)
    if plain not in (*known.values(), *meta.fields, *meta.aliases):
        raise BadRequest(errors=[BadRequest.unknown("sortfield", name)])
    return plain


def _sortable(value: Any) -> tuple[int, Decimal, str]:
    if value in (None, ""):
        return 0, Decimal(0), ""
    text = str(value)
    number = text.removeprefix("-").replace(".", "", 1)
    return (1, Decimal(text), "") if number.isascii() and number.isdigit() else (2, Decimal(0), text)

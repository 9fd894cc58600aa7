"""Dictionaries as the interface lists them."""

from __future__ import annotations

from typing import Any

from core import ListQuery, Model, Page, Records

from .entries import fill
from .models import (
    Availability,
    ContactRole,
    Origin,
    PaymentTerm,
    PaymentType,
    ShippingMethod,
    Unit,
    VatRate,
)


class Dictionary(Records[Model]):
    """A dictionary that is listed.

    :param shown: the fields that are answered, separated by spaces
    :param sort: the field it is sorted by when the caller names none
    """

    noun = "Entry"

    def __init__(self, model: type[Model], shown: str, sort: str = "code") -> None:
        self.shown = shown.split()
        self.sort = f"t.{sort}"
        super().__init__(model)

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Leave what is shown, in that order."""
        for record in records:
            shown = {name: record[name] for name in self.shown}
            record.clear()
            record.update(shown)

    def listed(self, query: ListQuery, **where: Any) -> Page:
        """List the entries that have these values; an empty value asks for nothing."""
        fill(self.model)
        return self.page(query, {name: value for name, value in where.items() if value not in ("", None)})


#: by their names in the interface
DICTIONARIES = {
    "payment_terms": Dictionary(
        PaymentTerm, "id code sortorder label descr type_cdr nbjour decalage module", "sortorder"
    ),
    "payment_types": Dictionary(PaymentType, "id code type label module"),
    "vat_rates": Dictionary(
        VatRate,
        "id country_id code rate localtax1 localtax1_type localtax2 localtax2_type recuperableonly note active",
        "country_id,rowid",
    ),
    "units": Dictionary(Unit, "rowid code label short_label active scale unit_type", "rowid"),
    "contact_types": Dictionary(ContactRole, "rowid code type label source module position"),
    "availability": Dictionary(Availability, "rowid code label"),
    "ordering_origins": Dictionary(Origin, "rowid code label module"),
    "shipping_methods": Dictionary(ShippingMethod, "id code label description tracking module"),
}


def listed(name: str, query: ListQuery, **where: Any) -> Page:
    """List the entries of a dictionary, by its name in the interface.

    :param where: field → value the entries must have; an empty text or None asks for nothing
    :raises BadRequest: a filter, field or number that cannot be used
    """
    return DICTIONARIES[name].listed(query, **where)

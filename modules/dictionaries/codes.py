"""Codes of dictionary entries instead of IDs, in bodies and parameters: ``"VIR"`` for the ID of a payment method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core import Model, settings

from .entries import coded
from .models import Availability, Country, Origin, PaymentTerm, PaymentType, ShippingMethod, Unit
from .places import Incoterm
from .subjects import CompanyType, Staff

#: field that holds the ID of an entry → its dictionary
_DICTIONARIES: dict[str, type[Model]] = {
    "country_id": Country,
    "mode_reglement_id": PaymentType,
    "mode_reglement_supplier_id": PaymentType,
    "cond_reglement_id": PaymentTerm,
    "cond_reglement_supplier_id": PaymentTerm,
    "availability_id": Availability,
    "fk_availability": Availability,
    "demand_reason_id": Origin,
    "shipping_method_id": ShippingMethod,
    "fk_unit": Unit,
    "fk_incoterms": Incoterm,
    "typent_id": CompanyType,
    "effectif_id": Staff,
}


def id_by_code(model: type[Model]) -> Callable[[str], str | None]:
    """Return a function that replaces a code by its ID; numbers and empty texts stay unchanged."""

    def clean(text: str) -> str:
        # JSON may contain 4.0 instead of 4
        word = text.strip().removesuffix(".0")
        if not word or word.lstrip("-").isdigit() or not settings().profile.accepts_other_forms:
            return word
        found: Any = coded(model).get(word) or coded(model).get(word.upper())
        if found is None:
            raise ValueError("expected the ID or the code of an entry of the dictionary")
        return str(found.id)

    return clean


def code_cleaners(model: Any) -> dict[str, Callable[[str], str | None]]:
    """Return the cleaners, by field, for all fields of a model that hold the ID of an entry of a dictionary."""
    return {name: id_by_code(each) for name, each in _DICTIONARIES.items() if name in model._meta.fields}

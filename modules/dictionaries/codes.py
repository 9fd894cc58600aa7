"""Codes of dictionary entries instead of IDs, in bodies and parameters: ``"VIR"`` for the ID of a payment method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypedDict, TypeVar, cast

from core import BadRequest, Model, Records, Values, profile, shown

from .entries import add_codes, code_of, coded, entries
from .models import Availability, Country, Origin, PaymentTerm, PaymentType, ShippingMethod, Unit
from .places import Incoterm, Region, State
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

M = TypeVar("M", bound=Model)
#: key for the IDs of codes that a body has beside another ID, in the context of accepted values
CODES = "codes"
#: key of the code of a state; codes repeat between countries
STATE_CODE = "state_code"


class PlaceCodes(TypedDict, total=False):
    """Keys of bodies with a country and a state."""

    country_code: Annotated[str | None, "ISO 3166-1 code of two letters, in place of country_id"]
    state_code: Annotated[str | None, "code of a state or county of the country, in place of state_id"]


class CodedRecords(Records[M]):
    """Records that have the codes of dictionary entries beside their IDs. A body may contain either.

    If it has both, they must agree. In a change, one of them may also be as it was read; then the other one counts. An
    empty code clears the ID, and beside an ID means nothing. A body with a state may have the state's code instead.

    :cvar codes: key of the code → field with the ID, and the dictionary
    """

    codes: Mapping[str, tuple[str, type[Model]]] = {}

    def __init__(self, *records: Any, **more: Any) -> None:
        super().__init__(*records, **more)
        self.has_state = "state_id" in cast(Any, self.model)._meta.fields
        self.extra_keys = (*self.extra_keys, *self.codes, *([STATE_CODE] if self.has_state else []))

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the codes."""
        super().complete(records)
        for key, (field, model) in self.codes.items():
            add_codes(records, key, model, field)

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Set the IDs of the codes in a body; return the errors, such as an unknown code."""
        wrong = super().unfit(values, body)
        meta: Any = self.model._meta
        sent = {meta.aliases.get(key, key) for key in body}
        for key in self.codes.keys() & body.keys():
            field, model = self.codes[key]
            code = str(body[key] or "").strip()
            found: Any = find_by_word(model, code)
            if code and found is None:
                wrong.append((key, f"expected the code of an entry of the dictionary, got {shown(body[key])}"))
            elif field not in sent and code:
                values[field] = found.id
            elif field not in sent:
                values.context.setdefault(CODES, {})[key] = None
            elif found is not None and found.code != code_of(model, values.get(field)):
                values.context.setdefault(CODES, {})[key] = found.id
        if self.has_state and body.get(STATE_CODE):
            values.context[STATE_CODE] = str(body[STATE_CODE]).strip()
        return wrong

    def prepare(self, values: Values, before: M | None) -> None:
        """Choose between an ID and a code that disagree.

        :raises BadRequest: both differ from the stored record
        """
        super().prepare(values, before)
        for key, coded_id in values.context.get(CODES, {}).items():
            field, _ = self.codes[key]
            stored = getattr(before, field, None) or None
            if coded_id is None:
                values |= {} if before is None else {field: None}
            elif (values.get(field) or None) == stored:
                values[field] = coded_id
            elif coded_id != stored:
                reason = f"`{field}` and `{key}` refer to different entries; send one of them"
                raise BadRequest(errors=[(field, reason), (key, reason)])
        if code := values.context.get(STATE_CODE):
            country = values.get("country_id", getattr(before, "country_id", None))
            state_id = _state_of(code, country)
            if (values.get("state_id") or state_id) not in (state_id, getattr(before, "state_id", None)):
                reason = f"`state_id` and `{STATE_CODE}` refer to different entries; send one of them"
                raise BadRequest(errors=[("state_id", reason), (STATE_CODE, reason)])
            values["state_id"] = state_id


def _state_of(code: str, country: int | None) -> int:
    """Return the ID of the state of a country with a code; without a country, of the only state with it.

    :raises BadRequest: there are none or several
    """
    countries = {row.code_region: row.country_id for row in entries(Region).values()}
    found = [
        row.id
        for row in entries(State).values()
        if row.code_departement.upper() == code.upper() and (not country or countries.get(row.region_code) == country)
    ]
    if len(found) == 1:
        return int(found[0])
    where = " of the record's country" if country else ""
    reason = f"expected the code of a state{where}, got {shown(code)}"
    if found and not country:
        reason = f"several countries have a state {shown(code)}; send `country_id` or `country_code` too"
    raise BadRequest(errors=[(STATE_CODE, reason)])


def find_by_word(model: type[M], word: str) -> M | None:
    """Return the entry of a dictionary with a code, whose case is ignored if it is in capitals; or None."""
    return coded(model).get(word) or coded(model).get(word.upper())


def id_by_code(model: type[Model]) -> Callable[[str], str | None]:
    """Return a function that replaces a code by its ID; numbers and empty texts stay unchanged."""

    def clean(text: str) -> str:
        # JSON may contain 4.0 instead of 4
        word = text.strip().removesuffix(".0")
        if not word or word.lstrip("-").isdigit() or not profile().accepts_other_forms:
            return word
        found: Any = find_by_word(model, word)
        if found is None:
            raise ValueError("expected the ID or the code of an entry of the dictionary")
        return str(found.id)

    return clean


def code_cleaners(model: Any) -> dict[str, Callable[[str], str | None]]:
    """Return the cleaners, by field, for all fields of a model that hold the ID of an entry of a dictionary."""
    return {name: id_by_code(each) for name, each in _DICTIONARIES.items() if name in model._meta.fields}

"""Establishments: the company's places of work."""

from __future__ import annotations

from core import BadRequest, Values

from ..dictionaries.codes import CodedRecords
from ..dictionaries.entries import entry
from ..dictionaries.models import Country, State
from .models import Establishment
from .stamps import stamp, unset_zeros

#: field → the dictionary with its entries, and the noun for messages
_PLACES = {"country_id": (Country, "a country"), "state_id": (State, "a state")}


class Establishments(CodedRecords[Establishment]):
    """Establishments."""

    model = Establishment
    noun = "Establishment"
    codes = {"country_code": ("country_id", Country)}

    def prepare(self, values: Values, before: Establishment | None) -> None:
        """Check that the label is set and that the referenced dictionary entries exist."""
        super().prepare(values, before)
        unset_zeros(values, *_PLACES)
        wrong = [
            (name, f"expected the ID of {noun}, got {values[name]}")
            for name, (model, noun) in _PLACES.items()
            if values.get(name) is not None and entry(model, values[name]) is None
        ]
        if values.get("label") == "":
            wrong.append(BadRequest.missing("label"))
        if wrong:
            raise BadRequest(errors=wrong)
        stamp(values, new=before is None)


establishments = Establishments()

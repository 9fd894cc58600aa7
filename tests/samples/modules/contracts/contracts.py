"""Contracts: how they are numbered, which states they have, what must hold."""

from typing import Any

from core import BadRequest, Refused, Values, today

from ..commercial.documents import Documents
from ..commercial.lines import Lines
from ..commercial.states import Transition
from ..numbering.series import Series
from .models import STATES, Contract, ContractLine


class Contracts(Documents[Contract]):
    """Contracts."""

    model, service, noun = Contract, "contracts", "Contract"
    roles = {"CUSTOMER": "Customer's contact"}
    lines = Lines(ContractLine)
    series = Series("contracts", "CT{yy}{mm}-{0000}", setting="CONTRACTS_MASK")
    states = STATES

    def prepare(self, values: Values, before: Contract | None) -> None:
        """A contract does not end before it begins."""
        super().prepare(values, before)
        begin, end = (values.get(name, getattr(before, name, None)) for name in ("begin", "end"))
        if begin and end and end < begin:
            raise BadRequest(errors=[("end", "expected a day that is not before `begin`")])

    def before_transition(self, transition: Transition, row: Contract, values: dict[str, Any]) -> None:
        """A contract runs from its first day on, and notes when it is closed."""
        if transition.name == "start" and row.begin and row.begin > today():
            raise Refused(f"{self.noun} {row.ref} begins on {row.begin:%Y-%m-%d}")
        values["closed"] = today() if transition.name == "close" else None


contracts = Contracts()

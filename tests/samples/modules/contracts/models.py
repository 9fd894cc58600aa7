"""Contracts and their lines: the tables."""

from peewee import DateField

from core import RecordField

from ..commercial.models import Document, Line, state_field
from ..commercial.states import State, States, Transition

STATES = States(
    {0: "draft", 1: State("validated", permits=("change",)), 2: State("running", permits=("open",)), 3: "closed"},
    (
        Transition("validate", [0], 1, event="validated"), Transition("settodraft", [1], 0, event="set_to_draft"),
        Transition("start", [1], 2, event="started"), Transition("close", [1, 2], 3, event="closed"),
        Transition("reopen", [3], 2, event="reopened"),
    ),
)  # fmt: skip


class Contract(Document):
    """A contract about services that run for a time."""

    statut = state_field(STATES)
    begin = DateField(null=True, help_text="first day of service")
    end = DateField(null=True, help_text="last day of service, not before the first")
    closed = DateField(null=True, help_text="day on which it was closed")

    class Meta:
        table_name = "contracts_contract"
        extrafields = "contract"
        managed = ("closed",)


class ContractLine(Line):
    """A line of a contract."""

    contract = RecordField(Contract, "Contract")

    class Meta:
        table_name = "contracts_line"
        extrafields = "contractline"
        managed = ("contract",)
        thirdparty = "contract.socid"

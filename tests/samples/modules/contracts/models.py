"""Contracts and their lines: the tables."""

from peewee import DateField

from core import RecordField

from ..commercial.models import MANAGED, Document, Line


class Contract(Document):
    """A contract about services that run for a time."""

    begin = DateField(null=True, help_text="first day of service")
    end = DateField(null=True, help_text="last day of service, not before the first")
    closed = DateField(null=True, help_text="day on which it was closed")

    class Meta:
        table_name = "contracts_contract"
        extrafields = "contract"
        managed = (*MANAGED, "closed")


class ContractLine(Line):
    """A line of a contract."""

    contract = RecordField(Contract, "Contract")

    class Meta:
        table_name = "contracts_line"
        extrafields = "contractline"
        thirdparty = "contract.socid"

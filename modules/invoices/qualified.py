"""The invoices of a third party that can be credited or replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from peewee import IntegerField

from core import profile

from ..commercial.states import DRAFT
from ..thirdparties.thirdparties import thirdparties
from .invoices import invoices
from .models import Invoice
from .sources import Facts, facts_of, why_not_credited, why_not_replaced
from .states import PAID, VALIDATED


class Creditable(TypedDict):
    """An invoice of which a credit note can be made."""

    id: Annotated[int, IntegerField, "ID of the invoice"]
    ref: Annotated[str, "reference of the invoice"]
    status: Annotated[int, Invoice.statut]
    type: Annotated[int, Invoice.type]
    paye: Annotated[int, Invoice.paye]
    paymentornot: Annotated[int, IntegerField, "1: it has payments"]
    total_ttc: Annotated[str, Invoice.total_ttc]
    alreadyrefunded: Annotated[str, Invoice.total_ttc, "amount of its validated credit notes"]


class Replaceable(TypedDict):
    """An invoice that can be replaced."""

    id: Annotated[int, IntegerField, "ID of the invoice"]
    ref: Annotated[str, "reference of the invoice"]
    status: Annotated[int, Invoice.statut]
    type: Annotated[int, Invoice.type]
    paid: Annotated[int, Invoice.paye]
    alreadyreplaced: Annotated[int, IntegerField, "1: it has a draft replacement invoice"]


def creditable(thirdparty: int) -> dict[str, Creditable]:
    """Return the invoices of a third party that can be credited, by ID.

    :raises NotFound: no such third party, or the caller may not see it
    """
    found: dict[str, Creditable] = _qualified(thirdparty, why_not_credited, _creditable)
    return found


def replaceable(thirdparty: int) -> dict[str, Replaceable]:
    """Return the invoices of a third party that can be replaced, by ID.

    :raises NotFound: no such third party, or the caller may not see it
    """
    found: dict[str, Replaceable] = _qualified(thirdparty, why_not_replaced, _replaceable)
    return found


def _qualified(
    thirdparty: int, why_not: Callable[[Invoice, Facts], str], shown: Callable[[Invoice, Facts, Any], Any]
) -> Any:
    thirdparties.load(thirdparty)
    rows = invoices.rows({"socid": thirdparty, "statut": [VALIDATED, PAID]}, "t.rowid")
    facts = facts_of(rows)
    number: Any = str if profile().text_values else int
    found = {str(row.id): shown(row, facts[row.id], number) for row in rows if not why_not(row, facts[row.id])}
    return found or invoices.select_plan().empty_map()


def _creditable(row: Invoice, facts: Facts, number: Any) -> Creditable:
    return {
        "id": number(row.id),
        "ref": str(row.ref),
        "status": number(row.statut),
        "type": number(row.type),
        "paye": number(row.paye),
        "paymentornot": number(int(facts.balance.paid != 0)),
        "total_ttc": f"{row.total_ttc:.8f}",
        "alreadyrefunded": f"{facts.credited:.8f}",
    }


def _replaceable(row: Invoice, facts: Facts, number: Any) -> Replaceable:
    return {
        "id": number(row.id),
        "ref": str(row.ref),
        "status": number(row.statut),
        "type": number(row.type),
        "paid": number(row.paye),
        "alreadyreplaced": number(int(DRAFT in facts.replacing)),
    }

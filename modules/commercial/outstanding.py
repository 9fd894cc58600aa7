"""The open balance of a third party: the amount due on its documents of one kind, and their references.

A kind declares which documents are open: those in a state that permits `OPEN`, and with the fields in `still_open`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict

from core import profile
from core.for_natives import default_context

from ..thirdparties.thirdparties import thirdparties
from .documents import Documents
from .states import OPEN

#: documents for customers, or from suppliers; the server stores none from suppliers
Mode = Literal["customer", "supplier"]
ZERO = Decimal(0)


class Outstanding(TypedDict):
    """What is open of a third party's documents of one kind."""

    opened: Annotated[str | float, "amount still due, including taxes; in dolibarr16 a number"]
    total_ht: Annotated[str | float, "total before taxes"]
    total_ttc: Annotated[str | float, "total including taxes"]
    refs: Annotated[dict[str, str], "open documents: ID → reference"]
    refsopened: Annotated[dict[str, str], "same as `refs`"]


@default_context
def outstanding(documents: Documents[Any], thirdparty: int, mode: Mode = "customer") -> Outstanding:
    """Return the open balance of a third party's documents of one kind that the caller may see.

    :param mode: for ``supplier`` nothing is open, because the server stores no documents from suppliers
    :raises NotFound: no such third party, or the caller may not see it
    """
    thirdparties.load(thirdparty)
    states = documents.states.allowing(OPEN)
    if mode == "supplier" or not states:
        return _answer(documents, ZERO, ZERO, ZERO, {})
    where = {"socid": thirdparty, "statut": states, **documents.still_open}
    (sums,) = documents.group((), where, net=("sum", "total_ht"), taxed=("sum", "total_ttc"))
    refs = {row["id"]: str(row["ref"]) for row in documents.group(("id", "ref"), where, number="count")}
    opened = documents.amount_open(thirdparty, list(refs), sums["taxed"])
    return _answer(documents, opened, sums["net"], sums["taxed"], {str(number): ref for number, ref in refs.items()})


def _answer(
    documents: Documents[Any], opened: Decimal, net: Decimal, taxed: Decimal, refs: dict[str, str]
) -> Outstanding:
    shown: Any = refs or documents.select_plan().empty_map()
    return {
        "opened": _amount(opened),
        "total_ht": _amount(net),
        "total_ttc": _amount(taxed),
        "refs": shown,
        "refsopened": shown,
    }


def _amount(amount: Decimal) -> str | float:
    """Return an amount; as a number in the profile of Dolibarr 16, which computes with floats."""
    if not profile().text_values:
        return f"{amount:.8f}"
    return int(amount) if amount == int(amount) else float(amount)

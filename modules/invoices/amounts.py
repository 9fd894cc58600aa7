"""The amounts of a payment of several invoices, as they are sent."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict

from core import BadRequest, wrong_fields

from ..commercial.precision import rounding
from ..commercial.totals import half_up
from .payments import shares

AMOUNTS = "arrayofamounts"
REMAIN = "remain"


class Share(TypedDict, total=False):
    """What a payment pays of one invoice: one of both."""

    amount: Annotated[Decimal | Literal["remain", ""] | None, "in the company's currency; remain: what is left to pay"]
    multicurrency_amount: Annotated[Decimal | Literal["remain", ""] | None, "in the invoice's currency"]


#: invoices of one payment: each is locked and written
MOST_INVOICES = 1000


def read_amounts(sent: Any) -> dict[int, Decimal | None]:
    """The amounts of a payment of several invoices, ``{"18": {"amount": "10"}, "19": "remain"}``.

    :returns: identifier of an invoice → its amount; None: what remains
    :raises BadRequest: one of them does not fit; all of them are named
    """
    if not isinstance(sent, dict) or not sent:
        reason = 'expected invoice IDs and amounts such as {"1": {"amount": "99.99"}, "2": "remain"}'
        raise wrong_fields([(AMOUNTS, f"{reason}; got {sent!r:.60}")])
    if len(sent) > MOST_INVOICES:
        raise wrong_fields([(AMOUNTS, f"expected at most {MOST_INVOICES} invoices, got {len(sent)}")])
    amounts: dict[int, Decimal | None] = {}
    wrong: list[tuple[str, str]] = []
    for key, value in sent.items():
        text = str(key).strip()
        if not (text.isascii() and text.isdigit() and 0 < len(text) < 10) or not int(text):
            wrong.append((f"{AMOUNTS}.{text:.20}", f"expected the ID of an invoice, got {text!r:.20}"))
            continue
        if int(text) in amounts:
            wrong.append((f"{AMOUNTS}.{text}", f"expected each invoice only once, got {int(text)} twice"))
            continue
        try:
            amounts[int(text)] = _read_amount(value)
        except ValueError as error:
            wrong.append((f"{AMOUNTS}.{text}", str(error)))
    if wrong:
        raise wrong_fields(wrong)
    return amounts


def _read_amount(sent: Any) -> Decimal | None:
    if isinstance(sent, dict):
        given = [sent[name] for name in ("amount", "multicurrency_amount") if sent.get(name) not in (None, "")]
        if len(given) != 1:
            raise ValueError(
                f"expected either `amount` or `multicurrency_amount`, got {'both' if given else 'neither'}"
            )
        sent = given[0]
    if sent == REMAIN:
        return None
    try:
        amount = shares.accept({"amount": sent})[0]["amount"]
    except BadRequest as error:
        raise ValueError(error.errors[0][1]) from error
    except KeyError:
        amount = Decimal(0)
    amount = half_up(amount, rounding().total)
    if amount <= 0:
        raise ValueError(f"expected an amount above 0 or `{REMAIN}`, got {sent!r:.60}")
    return amount

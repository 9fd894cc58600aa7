"""The payment instructions of a document: a sentence, a QR code, a Swiss slip, a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from ...thirdparties.models import Thirdparty
from ..payment.account import Account, own_account
from ..payment.demand import Demand
from ..payment.link import payment_link
from ..payment.swiss_slip import slip_reference, swiss_slip, takes_slip
from ..payment.transfer_code import transfer_code
from .language import Language
from .printed_document import PaymentPart
from .record_values import ZERO


@dataclass(frozen=True)
class Mode:
    """The instructions for a payment mode.

    :param sentence: English sentence without a due date
    :param dated: English sentence with a due date
    :param transfer: whether it is paid into the company's account
    :param link: whether it may be paid online
    """

    sentence: str
    dated: str
    transfer: bool = False
    link: bool = False


#: bank transfer, and the default if no mode is agreed
TRANSFER = Mode("To pay: {amount}", "To pay: {amount} by {day}", transfer=True, link=True)
#: modes not listed in `MODES`
OTHER = Mode("To pay: {amount}", "To pay: {amount} by {day}", link=True)
#: maximum length of a URL in a QR code of 28 mm
LARGEST_LINK = 300
CARD = Mode("To pay by card: {amount}", "To pay by card: {amount} by {day}", link=True)
MODES = {
    "": TRANSFER,
    "VIR": TRANSFER,
    "PRE": Mode("{amount} will be debited from your account", "{amount} will be debited from your account on {day}"),
    "LIQ": Mode("To pay in cash: {amount}", "To pay in cash: {amount} by {day}"),
    "CHQ": Mode("To pay by cheque: {amount}", "To pay by cheque: {amount} by {day}"),
    "CB": CARD,
    "VAD": CARD,
}


def payment_part(
    record: Mapping[str, Any],
    own: Mapping[str, Any],
    thirdparty: Thirdparty,
    words: Language,
    retained: tuple[Decimal, date | None] = (ZERO, None),
) -> PaymentPart | None:
    """Return the payment instructions for the remaining amount of a record; None if nothing remains.

    :param record: as returned by `documents.read()`, with `remaintopay`
    :param own: the fields of the company
    :param retained: amount that the customer retains, and its due date
    """
    demand = Demand.of(record).without(*retained)
    if demand.amount <= 0:
        return None
    mode = MODES.get(demand.mode, OTHER)
    part = PaymentPart(_sentence(demand, mode, words))
    if mode.link:
        part.link = payment_link(demand, record, thirdparty)
    account = own_account(own) if mode.transfer else None
    if account:
        part.slip = swiss_slip(demand, account, own, thirdparty, words.locale.language)
        part.code = "" if part.slip else transfer_code(demand, account)
    if not (part.code or part.slip or account) and len(part.link) <= LARGEST_LINK:
        part.code = part.link
    if part.code:
        part.code_label = words.say("Scan to pay")
    return part


def payment_reference(record: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """Return the payment reference of a record, as in the codes on the document.

    :param own: the fields of the company
    """
    demand = Demand.of(record)
    account: Account | None = own_account(own) if MODES.get(demand.mode, OTHER).transfer else None
    if account and takes_slip(demand, account, own):
        return slip_reference(demand, account)[1] or demand.ref
    return demand.ref


def _sentence(demand: Demand, mode: Mode, words: Language) -> str:
    said = words.say(mode.dated if demand.due else mode.sentence)
    said = said.replace("{amount}", words.money(demand.amount, demand.currency))
    said = said.replace("{day}", words.day(demand.due) if demand.due else "")
    if not demand.retained:
        return said
    kept = words.say("retained warranty of {amount} deducted")
    return f"{said} ({kept.replace('{amount}', words.money(demand.retained, demand.currency))})"

"""When there is a Swiss QR-bill, and what stands on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from stdnum.ch import esr
from stdnum.iso7064 import mod_97_10

from ...dictionaries.entries import country_code
from ...thirdparties.models import Thirdparty
from ..papers.slip import DOMESTIC, Address, SwissSlip
from .account import Account
from .characters import latin
from .demand import Demand

CURRENCIES = ("CHF", "EUR")
#: numbers of the institutions whose IBANs are for bills with a QR reference alone
FIRST_OF_QR, LAST_OF_QR = 30000, 31999
QR, CREDITOR, NONE = "QRR", "SCOR", "NON"
#: characters of a name and a street, a building's number, a postal code, a town, a message
NAME, BUILDING, CODE, TOWN, MESSAGE = 70, 16, 16, 35, 140

_BUILDING = re.compile(r"(.*\S) +([0-9]\S*(?: [A-Za-z])?)")
_PREFIX = re.compile(r"(?:CH|LI|FL) ?- ?", re.IGNORECASE)


def swiss_slip(
    demand: Demand, account: Account, own: Mapping[str, Any], thirdparty: Thirdparty, language: str
) -> SwissSlip | None:
    """The payment part of a demand; None where there can be none, as the company's address is not known, say.

    :param own: the own company
    :param language: of the paper, two letters
    """
    if not takes_slip(demand, account, own):
        return None
    home = own["country_code"]
    creditor = _address(account.owner, own["address"], own["zip"], own["town"], home)
    if creditor is None:
        return None
    other = country_code(thirdparty.country_id) or home
    kind, reference = slip_reference(demand, account)
    return SwissSlip(
        iban=account.iban,
        creditor=creditor,
        debtor=_address(thirdparty.name, thirdparty.address, thirdparty.zip, thirdparty.town, other),
        amount=demand.cents,
        currency=demand.currency,
        kind=kind,
        reference=reference,
        message=latin(demand.ref, MESSAGE),
        language=language,
    )


def takes_slip(demand: Demand, account: Account, own: Mapping[str, Any]) -> bool:
    """Whether a demand is one that a Swiss slip is for: company and account there, francs or euros."""
    return (
        own["country_code"] in DOMESTIC
        and account.country in DOMESTIC
        and demand.currency in CURRENCIES
        and demand.codable
    )


def slip_reference(demand: Demand, account: Account) -> tuple[str, str]:
    """The kind of the reference and the reference of a demand."""
    if is_qr_iban(account.iban):
        return QR, qr_reference(demand.ref, demand.identifier)
    reference = creditor_reference(demand.ref)
    return (CREDITOR, reference) if reference else (NONE, "")


def is_qr_iban(iban: str) -> bool:
    """Whether an account is for bills with a QR reference alone."""
    return iban[:2] in DOMESTIC and iban[4:9].isdigit() and FIRST_OF_QR <= int(iban[4:9]) <= LAST_OF_QR


def _address(name: str | None, street: str | None, code: str | None, town: str | None, country: str) -> Address | None:
    """A structured address; None where what must be there is not."""
    lines = [line for line in (latin(each, 200) for each in (street or "").splitlines()) if line]
    # Of several lines the last one with a digit is the street: the others name houses, floors, persons
    line = next((each for each in reversed(lines) if any(map(str.isdigit, each))), lines[-1] if lines else "")
    split = _BUILDING.fullmatch(line)
    road, building = (split[1], split[2]) if split and len(split[2]) <= BUILDING else (line, "")
    found = Address(
        latin(name or "", NAME),
        latin(road, NAME),
        building,
        latin(_PREFIX.sub("", code or ""), CODE),
        latin(town or "", TOWN),
        country,
    )
    return found if found.name and found.code and found.town and len(found.country) == 2 else None


# References with check digits: of a QR-IBAN (QRR), and of creditors everywhere (ISO 11649, ``RF…``) -------------------

#: digits of a QR reference without its check digit: these of the document's number, then its identifier
NUMBER, IDENTIFIER = 14, 12
#: what may follow the check digits of a creditor reference
LONGEST = 21


def qr_reference(ref: str, identifier: int) -> str:
    """A reference of 27 digits: the digits of a document's number, its identifier, a check digit (modulo 10,
    recursive).

    :param identifier: keeps two documents apart whose numbers have the same digits
    """
    digits = "".join(each for each in ref if each in "0123456789")[-NUMBER:]
    body = f"{digits:0>{NUMBER}}{identifier:0{IDENTIFIER}}"[-(NUMBER + IDENTIFIER) :]
    return body + str(esr.calc_check_digit(body))


def creditor_reference(ref: str) -> str:
    """A creditor reference of a document's number; empty where that has no letters and digits, or too many."""
    body = "".join(each for each in ref.upper() if each.isascii() and each.isalnum())
    if not body or len(body) > LONGEST:
        return ""
    return f"RF{mod_97_10.calc_check_digits(f'{body}RF')}{body}"

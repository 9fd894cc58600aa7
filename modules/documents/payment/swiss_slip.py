"""The Swiss QR-bill: its conditions and its content."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from stdnum.ch import esr
from stdnum.iso7064 import mod_97_10

from ...dictionaries.entries import country_code
from ...thirdparties.models import Thirdparty
from ..content.slip import DOMESTIC, Address, SwissSlip
from .account import Account
from .demand import Demand

CURRENCIES = ("CHF", "EUR")
#: institution numbers of QR-IBANs, which require a QR reference
FIRST_OF_QR, LAST_OF_QR = 30000, 31999
QR, CREDITOR, NONE = "QRR", "SCOR", "NON"
#: maximum length in characters of a name or a street, a building number, a postal code, a town, a message
NAME, BUILDING, CODE, TOWN, MESSAGE = 70, 16, 16, 35, 140

#: Basic Latin, Latin-1 Supplement and Latin Extended-A without control characters, and five further characters
ALLOWED = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x180)))) | frozenset("ȘșȚț€")
#: forbidden character → its replacement
OTHERWISE = {
    "‘": "'", "’": "'", "‚": ",", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‐": "-", "‑": "-",  # noqa: RUF001
    "…": "...", "•": "-", "ẞ": "SS", "™": "(TM)", "−": "-",  # noqa: RUF001
}  # fmt: skip

_BUILDING = re.compile(r"(.*\S) +([0-9]\S*(?: [A-Za-z])?)")
#: a country before a postal code, even without an ISO code, such as D-79539
_PREFIX = re.compile(r"[A-Z]{1,3} ?- ?(?=[0-9])", re.IGNORECASE)


def swiss_slip(
    demand: Demand, account: Account, own: Mapping[str, Any], thirdparty: Thirdparty, language: str
) -> SwissSlip | None:
    """Return the payment part of a demand; None if it can't have one, such as without the company's address.

    :param own: the own company
    :param language: two-letter code of the document's language
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
    """Return whether a demand can have a Swiss QR-bill: company and account are domestic, in francs or euros."""
    return (
        own["country_code"] in DOMESTIC
        and account.country in DOMESTIC
        and demand.currency in CURRENCIES
        and demand.codable
    )


def slip_reference(demand: Demand, account: Account) -> tuple[str, str]:
    """Return the type of reference and the reference of a demand."""
    if is_qr_iban(account.iban):
        return QR, qr_reference(demand.ref, demand.identifier)
    reference = creditor_reference(demand.ref)
    return (CREDITOR, reference) if reference else (NONE, "")


def is_qr_iban(iban: str) -> bool:
    """Return whether an IBAN is a QR-IBAN, which requires a QR reference."""
    return iban[:2] in DOMESTIC and iban[4:9].isdigit() and FIRST_OF_QR <= int(iban[4:9]) <= LAST_OF_QR


def _address(name: str | None, street: str | None, code: str | None, town: str | None, country: str) -> Address | None:
    """Return a structured address; None if name, postal code, town or country is missing."""
    lines = [line for line in (latin(each, 200) for each in (street or "").splitlines()) if line]
    # The street is the last line with a digit, if any: other lines are buildings, floors or persons
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


def latin(text: str, most: int) -> str:
    """Return a text on one line, with its forbidden characters replaced, stripped of accents, or removed.

    :param most: maximum length in characters; the rest is cut off
    """
    found = "".join(character if character in ALLOWED else _otherwise(character) for character in text)
    return " ".join(found.split())[:most].strip()


def _otherwise(character: str) -> str:
    if character.isspace():
        return " "
    if character in OTHERWISE:
        return OTHERWISE[character]
    return "".join(each for each in unicodedata.normalize("NFKD", character) if each in ALLOWED)


# References with check digits: QR references (QRR), and creditor references (ISO 11649, ``RF…``) ----------------------

#: digits of a QR reference for the document's number, then for its ID; a check digit follows
NUMBER, IDENTIFIER = 14, 12
#: maximum length of a creditor reference after its check digits
LONGEST = 21


def qr_reference(ref: str, identifier: int) -> str:
    """Return a reference of 27 digits: those of the document's number, its ID, a check digit (modulo 10, recursive).

    :param identifier: ID of the document; distinguishes documents whose numbers have the same digits
    """
    digits = "".join(each for each in ref if each in "0123456789")[-NUMBER:]
    body = f"{digits:0>{NUMBER}}{identifier:0{IDENTIFIER}}"[-(NUMBER + IDENTIFIER) :]
    return body + str(esr.calc_check_digit(body))


def creditor_reference(ref: str) -> str:
    """Return a creditor reference for a document's number; empty if that has no letters and digits, or too many."""
    body = "".join(each for each in ref.upper() if each.isascii() and each.isalnum())
    if not body or len(body) > LONGEST:
        return ""
    return f"RF{mod_97_10.calc_check_digits(f'{body}RF')}{body}"

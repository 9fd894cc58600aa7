"""The QR code of a SEPA credit transfer, for banking apps: EPC069-12, version 002."""

from __future__ import annotations

from ...dictionaries.union import UNION
from .account import Account
from .demand import Demand

#: countries of the European Economic Area: transfers within it don't need a BIC
WITHOUT_BIC = (*UNION, "IS", "LI", "NO")
#: the other SEPA countries
WITH_BIC = (
    "AD", "AL", "CH", "GB", "GI", "MC", "MD", "ME", "MK", "RS", "SM", "VA",
)  # fmt: skip
#: codes for the character set UTF-8 and for a credit transfer
CHARACTERS, TRANSFER = "1", "SCT"
LONGEST_NAME, LONGEST_MESSAGE = 70, 140
#: maximum size of the content in bytes
LARGEST = 331


def transfer_code(demand: Demand, account: Account) -> str:
    """Return the content of the code; empty if there can't be one, as for a currency other than EUR."""
    owner = _plain(account.owner, LONGEST_NAME)
    reachable = account.country in WITHOUT_BIC or (account.country in WITH_BIC and account.bic)
    if demand.currency != "EUR" or not (demand.codable and owner and reachable):
        return ""
    lines = (
        "BCD", "002", CHARACTERS, TRANSFER, account.bic, owner, account.iban, f"EUR{demand.cents}",
        "", "", _plain(demand.ref, LONGEST_MESSAGE),
    )  # fmt: skip
    code = "\n".join(lines)
    return code if len(code.encode()) <= LARGEST else ""


def _plain(text: str, most: int) -> str:
    """Return a text on one line, without control characters.

    :param most: maximum length in characters; the rest is cut off
    """
    found = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(found.split())[:most].strip()

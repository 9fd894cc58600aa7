"""The code of a SEPA credit transfer, as banks' programs scan it: EPC069-12, version 002."""

from __future__ import annotations

from ...dictionaries.union import UNION
from .account import Account
from .characters import plain
from .demand import Demand

#: members of the European Economic Area, whose transfers need no BIC
WITHOUT_BIC = (*UNION, "IS", "LI", "NO")
#: the other countries that take part in SEPA
WITH_BIC = (
    "AD", "AL", "CH", "GB", "GI", "MC", "MD", "ME", "MK", "RS", "SM", "VA",
)  # fmt: skip
#: UTF-8, and the transfer
CHARACTERS, TRANSFER = "1", "SCT"
LONGEST_NAME, LONGEST_MESSAGE = 70, 140
#: bytes it may have
LARGEST = 331


def transfer_code(demand: Demand, account: Account) -> str:
    """What the code holds; empty where there can be none: another currency than euros, an account outside of SEPA."""
    owner = plain(account.owner, LONGEST_NAME)
    reachable = account.country in WITHOUT_BIC or (account.country in WITH_BIC and account.bic)
    if demand.currency != "EUR" or not (demand.codable and owner and reachable):
        return ""
    lines = (
        "BCD", "002", CHARACTERS, TRANSFER, account.bic, owner, account.iban, f"EUR{demand.cents}",
        "", "", plain(demand.ref, LONGEST_MESSAGE),
    )  # fmt: skip
    code = "\n".join(lines)
    return code if len(code.encode()) <= LARGEST else ""

"""Demonstration data: two bank accounts with lines, and the accounts of some third parties."""

from __future__ import annotations

import datetime
import random as randomness
from decimal import Decimal

from stdnum import iban

from ..thirdparties.models import Thirdparty
from .accounts import bank_accounts
from .lines import lines, transfer
from .thirdparty_accounts import thirdparty_accounts

#: made after the invoices, so most of their payments have no account
AFTER = ("invoices", "thirdparties")
ACCOUNTS = (
    {
        "ref": "MAIN", "label": "Main account", "type": 1, "bank": "Banque du Port",
        "iban": "FR7630006000011234567890189", "bic": "AGRIFRPP", "solde": "12500",
    },
    {"ref": "CASH", "label": "Cash box", "type": 2, "solde": "300"},
)  # fmt: skip
#: other movements: label, amount, code of the payment mode
MOVEMENTS = (
    ("Rent", "-1250", "PRE"), ("Electricity", "-184.20", "PRE"), ("Bank charges", "-12.50", "PRE"),
    ("Grant of the region", "2000", "VIR"), ("Insurance", "-96", "PRE"), ("Tax refund", "410.35", "VIR"),
)  # fmt: skip
MONTHS = 6


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    begin = today - datetime.timedelta(days=30 * MONTHS)
    main, cash = (bank_accounts.create(body | {"date_solde": str(begin)}) for body in ACCOUNTS)
    for month in range(MONTHS):
        for label, amount, code in MOVEMENTS:
            day = begin + datetime.timedelta(days=30 * month + random.randint(0, 27))
            body = {"dateo": str(day), "fk_type": code, "label": label, "amount": amount}
            found = {"rappro": 1, "num_releve": f"{day:%Y%m}"} if month < MONTHS - 2 else {}
            lines.add(main, body | found)
        day = begin + datetime.timedelta(days=30 * month + 15)
        transfer(main, cash, day, "Cash for the counter", Decimal(random.randint(5, 20) * 10), None)
    rows = Thirdparty.select(Thirdparty.id).where(Thirdparty.status == 1).order_by(Thirdparty.id)
    for row in rows.limit(12):
        body = {"label": "Main account", "iban": _iban(random), "frstrecur": random.choice(("FRST", "RCUR"))}
        thirdparty_accounts.add(row.id, body)


def _iban(random: randomness.Random) -> str:
    """Return a random German IBAN with valid check digits."""
    rest = f"{random.randrange(10**8):08d}{random.randrange(10**10):010d}"
    return f"DE{iban.calc_check_digits(f'DE00{rest}')}{rest}"

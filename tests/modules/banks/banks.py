"""What the tests of bank accounts and mandates say to the server."""

from __future__ import annotations

from itertools import count
from typing import Any

from core.testing import Client

#: 2026-11-21, midnight UTC
DAY = 1795219200
IBAN, OTHER = "DE89370400440532013000", "FR7630006000011234567890189"
_numbers = count(1)


def opened(admin: Client, **more: Any) -> int:
    """A new account of the company."""
    number = next(_numbers)
    made: int = admin.ask("POST", "/bankaccounts", {"ref": f"A{number}", "label": f"Account {number}", **more})
    return made


def line(admin: Client, account: int, amount: str = "10", **more: Any) -> int:
    """A new line."""
    body = {"date": "2026-11-21", "type": "VIR", "label": "Rent", "amount": amount, **more}
    made: int = admin.ask("POST", f"/bankaccounts/{account}/lines", body)
    return made


def new_debtor(admin: Client) -> int:
    """A third party."""
    body = {"name": f"Debtor {next(_numbers)}", "client": 1, "address": "1 rue Longue", "zip": "69003", "town": "Lyon"}
    made: int = admin.ask("POST", "/thirdparties", body)
    return made


def add(admin: Client, debtor: int, **fields: Any) -> dict[str, Any]:
    """A new account of a third party."""
    made: dict[str, Any] = admin.ask("POST", f"/thirdparties/{debtor}/bankaccounts", {"iban": IBAN} | fields)
    return made

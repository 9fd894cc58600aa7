"""What the tests of bank accounts and mandates say to the server."""

from itertools import count

#: 2026-11-21, midnight UTC
DAY = 1795219200
IBAN, OTHER = "DE89370400440532013000", "FR7630006000011234567890189"
_numbers = count(1)


def opened(admin, **more):
    """A new account of the company."""
    number = next(_numbers)
    return admin.ask("POST", "/bankaccounts", {"ref": f"A{number}", "label": f"Account {number}", **more})


def line(admin, account, amount="10", **more):
    """A new line."""
    body = {"date": "2026-11-21", "type": "VIR", "label": "Rent", "amount": amount, **more}
    return admin.ask("POST", f"/bankaccounts/{account}/lines", body)


def new_debtor(admin):
    """A third party."""
    body = {"name": f"Debtor {next(_numbers)}", "client": 1, "address": "1 rue Longue", "zip": "69003", "town": "Lyon"}
    return admin.ask("POST", "/thirdparties", body)


def add(admin, debtor, **fields):
    """A new account of a third party."""
    return admin.ask("POST", f"/thirdparties/{debtor}/bankaccounts", {"iban": IBAN} | fields)

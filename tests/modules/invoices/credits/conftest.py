"""Customers of their own, validated invoices, credit notes and deposits that give discounts."""

import pytest

from tests.modules.invoices.credits.credits import LINE, TERMS, act


@pytest.fixture
def customer(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})


@pytest.fixture
def make(admin, customer):
    """An invoice of 120.00, validated unless `draft`."""

    def make(*lines, draft=False, **fields):
        body = {"socid": customer, "date": "2026-11-21", "lines": list(lines or (LINE,)), **fields}
        identifier = admin.ask("POST", "/invoices", body)
        if not draft:
            act(admin, identifier, "validate")
        return identifier

    return make


@pytest.fixture
def credit(admin, make):
    """A credit note of 12.00 that has been made available: its identifier, and that of its discount."""

    def credit(**fields):
        identifier = make({"qty": 1, "subprice": 10, "tva_tx": 20}, type=2, **fields)
        act(admin, identifier, "markAsCreditAvailable", {})
        return identifier, admin.get(f"/invoices/{identifier}/discount")["id"]

    return credit


@pytest.fixture
def deposit(admin, make):
    """A paid deposit of 36.00 that has been made available."""

    def deposit(**fields):
        identifier = make({"desc": "deposit", "qty": 1, "subprice": 30, "tva_tx": 20}, type=3, **fields)
        act(admin, identifier, "payments", TERMS | {"closepaidinvoices": "yes"})
        act(admin, identifier, "markAsCreditAvailable")
        return identifier, admin.get(f"/invoices/{identifier}/discount")["id"]

    return deposit

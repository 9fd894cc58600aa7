"""Customers of their own, validated invoices, credit notes and deposits that give discounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.testing import Client
from tests.modules.invoices.credits.credits import LINE, TERMS, Make, act


@pytest.fixture
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Make:
    """An invoice of 120.00, validated unless `draft`."""

    def make(*lines: dict[str, Any], draft: bool = False, **fields: Any) -> int:
        body = {"socid": customer, "date": "2026-11-21", "lines": list(lines or (LINE,)), **fields}
        identifier: int = admin.ask("POST", "/invoices", body)
        if not draft:
            act(admin, identifier, "validate")
        return identifier

    return make


@pytest.fixture
def credit(admin: Client, make: Make) -> Callable[..., tuple[int, int]]:
    """A credit note of 12.00 that has been made available: its identifier, and that of its discount."""

    def credit(**fields: Any) -> tuple[int, int]:
        identifier = make({"qty": 1, "subprice": 10, "tva_tx": 20}, type=2, **fields)
        act(admin, identifier, "markAsCreditAvailable", {})
        return identifier, admin.get(f"/invoices/{identifier}/discount")["id"]

    return credit


@pytest.fixture
def deposit(admin: Client, make: Make) -> Callable[..., tuple[int, int]]:
    """A paid deposit of 36.00 that has been made available."""

    def deposit(**fields: Any) -> tuple[int, int]:
        identifier = make({"desc": "deposit", "qty": 1, "subprice": 30, "tva_tx": 20}, type=3, **fields)
        act(admin, identifier, "payments", TERMS | {"closepaidinvoices": "yes"})
        act(admin, identifier, "markAsCreditAvailable")
        return identifier, admin.get(f"/invoices/{identifier}/discount")["id"]

    return deposit

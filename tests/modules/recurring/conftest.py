"""A customer, and templates of its invoices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from core.testing import Client

LINE = {"desc": "Care", "qty": 1, "subprice": "49.90", "tva_tx": 20}
Make = Callable[..., int]

_numbers = count(1)


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Make:
    """Makes a template with one line."""

    def make(**fields: Any) -> int:
        body = {"title": f"Care {next(_numbers)}", "socid": customer, "lines": [LINE], **fields}
        return admin.ask("POST", "/invoices/templates", body)  # type: ignore[no-any-return]

    return make

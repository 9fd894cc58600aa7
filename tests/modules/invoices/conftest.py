"""A customer, drafts and validated invoices."""

from __future__ import annotations

from typing import Any

import pytest

from core.testing import Client
from tests.modules.invoices.invoices import DAY, LINE, Make, act


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Make:
    def make(*lines: dict[str, Any], **fields: Any) -> int:
        body = {"socid": customer, "date": DAY, "lines": list(lines), **fields}
        return admin.ask("POST", "/invoices", body)  # type: ignore[no-any-return]

    return make


@pytest.fixture
def validated(admin: Client, make: Make) -> Make:
    def validated(*lines: dict[str, Any], **fields: Any) -> int:
        identifier = make(*(lines or (LINE,)), **fields)
        act(admin, identifier, "validate")
        return identifier

    return validated

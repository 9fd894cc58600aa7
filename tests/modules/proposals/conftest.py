"""A customer and proposals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.testing import Client
from tests.modules.proposals.proposals import DAY


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd"})  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Callable[..., int]:
    def make(*lines: dict[str, Any], **fields: Any) -> int:
        body = {
            "socid": customer,
            "date": DAY,
            "lines": [{"subprice": 0, **each} if each.keys() <= {"qty", "special_code"} else each for each in lines],
            **fields,
        }
        return admin.ask("POST", "/proposals", body)  # type: ignore[no-any-return]

    return make

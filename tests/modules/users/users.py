"""What the tests of users say to the server."""

from __future__ import annotations

import itertools
from typing import Any

from core.access.accounts import Account
from core.testing import Client

_numbers = itertools.count(1)
PASSWORD = "Secret#12345x"


def name(stem: str = "person") -> str:
    return f"{stem}.{next(_numbers)}"


def make(client: Client, **fields: Any) -> int:
    return int(client.ask("POST", "/users", {"login": name(), "lastname": "Test", **fields}))


def row(user_id: int) -> Account:
    return Account.get_by_id(user_id)


def own_id(client: Client) -> int:
    return int(client.get("/users/info")["id"])

"""What the tests of contacts say to the server."""

from __future__ import annotations

from typing import Any

from core.testing import Client


def make(client: Client, lastname: str = "Doe", /, **fields: Any) -> int:
    identifier = client.ask("POST", "/contacts", {"lastname": lastname, **fields})
    assert isinstance(identifier, int)
    return identifier


def company(client: Client, name: str = "Company", /, **fields: Any) -> int:
    return int(client.ask("POST", "/thirdparties", {"name": name, **fields}))

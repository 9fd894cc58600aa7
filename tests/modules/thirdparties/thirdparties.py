"""What the tests of third parties say to the server."""

from __future__ import annotations

from typing import Any

from core.testing import Client


def make(client: Client, name: str = "Somebody", /, **fields: Any) -> int:
    identifier = client.ask("POST", "/thirdparties", {"name": name, **fields})
    assert isinstance(identifier, int)
    return identifier


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


def wrong_fields(client: Client, body: Any, verb: str = "POST", path: str = "/thirdparties") -> dict[str, str]:
    error = client.ask(verb, path, body, status=400)["error"]
    return {each["field"]: each["message"] for each in error["errors"]}

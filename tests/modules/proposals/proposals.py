"""What the tests of proposals say to the server."""

from __future__ import annotations

from typing import Any

from core.testing import Client

#: 2026-11-21, midnight UTC
DAY = 1795219200
DAYS = 86400


def read(admin: Client, identifier: int) -> dict[str, Any]:
    return admin.get(f"/proposals/{identifier}")  # type: ignore[no-any-return]


def put(admin: Client, identifier: int, body: dict[str, Any]) -> dict[str, Any]:
    return admin.ask("PUT", f"/proposals/{identifier}", body)  # type: ignore[no-any-return]

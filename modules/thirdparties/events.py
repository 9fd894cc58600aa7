"""Handlers of third parties for other records."""

from __future__ import annotations

from typing import Any

from core import on, warn
from core.for_natives import after_commit

from .models import Representative


@on("users.deleted", when="before")
def warn_of_representatives(record: dict[str, Any]) -> None:
    """Report the third parties that a deleted user no longer represents."""
    count = Representative.select().where(Representative.user == int(record["id"])).count()
    if count:
        told = f"{count} third party" if count == 1 else f"{count} third parties"
        # A later handler may still refuse the deletion
        after_commit(lambda: warn(f"user {record['id']} no longer represents {told}"))

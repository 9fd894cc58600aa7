"""Checks of the constants of third parties before they are set."""

from __future__ import annotations

from typing import Any

from core import on, warn
from core.for_natives import after_commit

from .codes import SERIES
from .models import Representative


@on("setup.constant_set", when="before")
def check_constant(record: dict[str, Any]) -> None:
    """Check the numbering scheme of codes: with an unknown one, no third party could be added."""
    SERIES["customer"].check_scheme(record)


@on("users.deleted", when="before")
def warn_of_representatives(record: dict[str, Any]) -> None:
    """Report the third parties that a deleted user no longer represents."""
    count = Representative.select().where(Representative.user == int(record["id"])).count()
    if count:
        told = f"{count} third party" if count == 1 else f"{count} third parties"
        # A later handler may still refuse the deletion
        after_commit(lambda: warn(f"user {record['id']} no longer represents {told}"))

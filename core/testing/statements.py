"""Counting the SQL statements that a call costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..storage.database import database, ensure_connected


class statements:
    """Collects the statements that run meanwhile: ``with statements() as seen: …; assert len(seen) == 3``."""

    def __enter__(self) -> list[str]:
        self.seen: list[str] = []
        ensure_connected()
        database.obj.query_hooks.append(self._note)
        return self.seen

    def __exit__(self, *error: object) -> None:
        database.obj.query_hooks.remove(self._note)

    def _note(self, event: Any) -> None:
        self.seen.append(str(event.sql))


def cost(call: Callable[[], object]) -> int:
    """How many statements a call costs, once what is kept in memory is there."""
    call()
    with statements() as seen:
        call()
    return len(seen)

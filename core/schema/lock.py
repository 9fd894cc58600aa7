"""The lock under which tables are changed, by one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ..storage.database import backend, ensure_connected, transaction


@contextmanager
def schema_lock() -> Iterator[None]:
    """Let one server at a time change tables: all of it or nothing, if the database undoes such changes."""
    ensure_connected()
    opened = backend()
    whole = transaction() if opened.transactional_ddl else nullcontext()
    with opened.unchecked_references(), whole, opened.schema_lock():
        yield


class _Undone(BaseException):
    """Ends a trial."""


@contextmanager
def trial() -> Iterator[None]:
    """Change tables under the lock, and undo all of it; only rows, if the database can't undo more."""
    opened = backend()
    try:
        with opened.unchecked_references(), transaction():
            with schema_lock() if opened.transactional_ddl else nullcontext():
                yield
            raise _Undone
    except _Undone:
        pass

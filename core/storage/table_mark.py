"""Eight bytes beside a SQLite database that all its processes see: whether its tables may have been changed just now.

Before an answer is sent it must be sure that no column has changed its meaning meanwhile (`table_generation.py`).
To ask the database takes a twentieth of a short request; these bytes are mapped into memory, and cost nothing. They are
only a hint: where they are not those that were seen last, the database is asked.

Whoever changes tables writes that a change is under way before it can be seen, and that it is over behind it. All
processes that use a file of SQLite are on one machine, as its own `-shm` beside it asks for.
"""

from __future__ import annotations

import mmap
import os
import secrets
from pathlib import Path
from typing import Any

from ..common.in_force import InForce
from .database import database, dialect_name

_SIZE = 8
_ENDING = "-tables"
#: what the first byte is while a change is under way; what another database is asked instead
_UNDER_WAY, _QUIET = b"\x01", b"\x00"
UNKNOWN = _UNDER_WAY + bytes(_SIZE - 1)

#: the database that was asked last, and its bytes; None: it has none
_mapped: InForce[tuple[Any, mmap.mmap | None]] = InForce((None, None))

#: what this process has announced and not settled
_announced = InForce(b"")


def mark() -> bytes:
    """The bytes as they are now; `UNKNOWN` where there are none."""
    opened, mapped = _mapped.value
    if opened is not database.obj:
        opened, mapped = _mapped.value = database.obj, _map()
    return UNKNOWN if mapped is None else mapped[:_SIZE]


def is_quiet(seen: bytes) -> bool:
    """Whether no change was under way."""
    return seen[:1] == _QUIET


def announce() -> None:
    """Say that tables are about to be changed: inside the transaction that does it."""
    _announced.value = _write(_UNDER_WAY)


def settle() -> None:
    """Say that what this process has announced is done, or undone."""
    if _announced.value and mark() == _announced.value:
        _write(_QUIET)
    _announced.value = b""


def forget(path: Path) -> None:
    """Remove the bytes beside a database that nobody serves, such as one in a backup."""
    path.with_name(path.name + _ENDING).unlink(missing_ok=True)


def _write(first: bytes) -> bytes:
    mark()
    mapped, written = _mapped.value[1], first + secrets.token_bytes(_SIZE - 1)
    if mapped is not None:
        mapped[:_SIZE] = written
    return written


def _map() -> mmap.mmap | None:
    """The bytes of the database in force, made where they are missing."""
    path = str(getattr(database.obj, "database", ""))
    if dialect_name() != "sqlite" or path.startswith((":", "file:")) or not path:
        return None
    try:
        # As the database itself: who may write the one may write the other
        mode = Path(path).stat().st_mode & 0o777
        file = os.open(path + _ENDING, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode)
        try:
            if os.fstat(file).st_size < _SIZE:
                os.pwrite(file, bytes(_SIZE), 0)
            return mmap.mmap(file, _SIZE)
        finally:
            os.close(file)
    except (OSError, ValueError):
        return None

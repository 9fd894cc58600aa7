"""Copies of a database's file that are saved beside it before migrations."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import peewee

from ..storage.database import backend
from .table import MigrationError

_log = logging.getLogger("comptoir.tables")

#: maximum number of copies
MAX_COPIES = 3


@contextmanager
def kept_copies() -> Iterator[list[Path]]:
    """Yield a list for the copies that are made meanwhile; they are deleted if the migrations fail."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        for copy in made:
            copy.unlink(missing_ok=True)
        raise
    for copy in made:
        _log.info("saved a copy of the database before the migrations: %s", copy)
    for old in safety_copies()[:-MAX_COPIES] if made else ():
        old.unlink(missing_ok=True)


def make_safety_copy(purpose: str) -> Path | None:
    """Copy the database as it was before this transaction; return the copy, or None if the database isn't a file.

    :param purpose: a part of the copy's name
    :raises MigrationError: the copy can't be written
    """
    file = backend().file
    if file is None:
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    copy = file.with_name(f"{file.stem}.before-{re.sub(r'[^A-Za-z0-9_-]', '-', purpose)}.{stamp}.db")
    try:
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        backend().copy_to(copy)
    except (peewee.PeeweeException, OSError) as error:
        copy.unlink(missing_ok=True)
        raise MigrationError(
            f"can't save a copy of the database in its folder, so nothing was changed: {_words(error)}"
        ) from error
    return copy


def _words(error: Exception) -> str:
    return (error.strerror or "the file can't be written") if isinstance(error, OSError) else str(error)


def safety_copies() -> list[Path]:
    """Return the existing copies, the oldest first."""
    file = backend().file
    if file is None:
        return []
    found = file.parent.glob(f"{file.stem}.before-*.db")
    return sorted(found, key=lambda each: each.name.rpartition(".before-")[2].split(".")[-2])

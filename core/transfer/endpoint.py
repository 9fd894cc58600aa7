"""The two ends of a copy: a database that is read as it is at one instant, and one that is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import peewee

from ..storage.backend import Backend
from ..storage.database import database, open_database


class TransferError(Exception):
    """A copy, backup or restore that failed, with the reason and what to do."""


class CopyEndpoint:
    """A database at one end of a copy, with this thread's connection to it.

    The other end may be of another kind, so each uses its own `database`, and not the current one.

    :raises TransferError: the database can't be copied through this connection
    """

    def __init__(self, database: Backend) -> None:
        self.database = database
        #: the connection that reads the instant
        self._reading: Any = None
        self.connect()

    def connect(self) -> None:
        """Open the connection, unless it is open; its statements may take unlimited time."""
        self.database.own.unlimited = True
        if self.database.is_closed():
            self.database.connect()
        if self.database.own.pooled:
            # The pool would reuse the session with its settings for other clients
            raise TransferError(
                "this command can't run through a connection pool such as PgBouncer; use the address of PostgreSQL "
                "itself (usually port 5432)"
            )

    def close(self) -> None:
        """Close the connection."""
        with suppress(peewee.PeeweeException):
            self.database.close()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement that only reads.

        :raises TransferError: the connection that reads the instant was lost
        """
        found = list(self.database.read(sql).fetchall())
        if self._reading is not None and self.database.connection() is not self._reading:
            # A retry used another connection
            raise TransferError("the connection to the database was lost while reading; run the command again")
        return found

    def tables(self) -> list[str]:
        """Return the names of all tables."""
        return sorted(self.database.get_tables())

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read the database at the present instant within a `with` block."""
        self.connect()
        self.database.begin_snapshot()
        self._reading = self.database.connection()
        try:
            yield
        finally:
            self._reading = None
            with suppress(peewee.PeeweeException):
                self.database.run("ROLLBACK")


def open_endpoint(url: str, *, beside: CopyEndpoint | None = None) -> CopyEndpoint:
    """Make a database the active one, and return it as an endpoint.

    :param beside: the other endpoint, whose connection stays open
    """
    if beside is not None and database.obj is beside.database:
        # The connection of the active database would be closed
        database.initialize(None)
    return CopyEndpoint(open_database(url))

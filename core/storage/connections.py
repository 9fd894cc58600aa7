"""The connection of a thread: made, and given up where it has failed."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import Any

import peewee

from .outage import Outage
from .own import Own

#: seconds for which a transaction may stand idle before the database ends it: its worker's host may be gone
IDLE = 60
#: seconds beyond those of a statement after which a server that has not ended it is given up
SLACK = 5


class Connections(peewee.Database):
    """A database as its connections know it.

    :param limit: seconds that a statement may take
    """

    _state: Any

    def __init__(self, *arguments: Any, limit: int = 10, **options: Any) -> None:
        self.own = Own()
        #: whether the database is away
        self.outage = Outage()
        self._limit = limit
        super().__init__(*arguments, **options)
        # Peewee lets one thread connect at a time, and none go on without a connection meanwhile: one host that does
        # not answer would stop them all. A connection belongs to its thread, so there is nothing to guard
        self._lock = nullcontext()

    def limits(self) -> tuple[float, int]:
        """Seconds that a statement may take, and seconds that it may wait for a lock; 0: without end.

        A lock is given up first, so that the error says which of the two it was.
        """
        if self.own.patient:
            return 0, 0
        lock = max(1, self._limit * 9 // 10)
        return max(self._limit, lock + 0.5), lock

    def connect(self, reuse_if_open: bool = False) -> bool:
        """Open this thread's connection.

        :raises Unreachable: it could not be opened a moment ago
        """
        try:
            made: bool = super().connect(reuse_if_open)
        except peewee.PeeweeException:
            if not self.is_closed():
                self.drop()
            raise
        self.outage.ended()
        return made

    def _connect(self) -> Any:
        if self.own.pinned:
            raise peewee.OperationalError(2013, "the connection that held a lock was lost, and the lock with it")
        self.outage.insist()
        connection = None
        try:
            connection = self._open()
            self._settle(connection)
        except peewee.ImproperlyConfigured:
            raise
        except Exception as error:
            self.outage.began(error)
            end(connection)
            raise
        return connection

    def _open(self) -> Any:
        return super()._connect()  # type: ignore[misc]

    def _settle(self, connection: Any) -> None:
        """Tell a new connection what holds for it."""

    def replace(self) -> None:
        """Give this thread another connection, whatever it is in the middle of."""
        end(self._state.conn)
        with peewee.__exception_wrapper__:  # type: ignore[attr-defined]
            self._state.conn = self._connect()
        self.outage.ended()

    def drop(self) -> None:
        """Give this thread's connection up, whatever state it is in; the database undoes what it began."""
        connection, self.own.spoilt, self.own.trail = self._state.conn, None, None
        self.own.begun = self.own.untold = False
        self.dispose()
        end(connection)


def end(connection: Any) -> None:
    """Close a connection that is given up."""
    with suppress(Exception):
        # It is given up because it fails
        connection.close()

"""The connection of a thread: made, given up where it has failed, and, where a standby is read, one of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import peewee

from .hosts import Hosts
from .outage import Outage
from .own import Own

#: seconds for which a transaction may stand idle before the database ends it: its worker's host may be gone
IDLE = 60
#: seconds beyond those of a statement after which a server that has not ended it is given up
SLACK = 5


class Connections(peewee.Database):
    """A database as its connections know it.

    :param limit: seconds that a statement may take
    :param hosts: host and port of each that a URL of several names
    """

    _state: Any

    def __init__(self, *arguments: Any, limit: int = 10, hosts: Sequence[tuple[str, int]] = (), **options: Any) -> None:
        self.own = Own()
        self._outages = {False: Outage(), True: Outage(silent=True)}
        #: what a connection to the standby is opened with; None: there is none
        self.standby: dict[str, Any] | None = None
        #: how far that has come
        self.marks: Any = None
        self._limit = limit
        self.hosts = Hosts(hosts)
        super().__init__(*arguments, **options)
        # Peewee lets one thread connect at a time, and none go on without a connection meanwhile: one host that does
        # not answer would stop them all. A connection belongs to its thread, so there is nothing to guard
        self._lock = nullcontext()

    @property
    def outage(self) -> Outage:
        """Whether what this thread asks now is away: the database, or its standby."""
        return self._outages[self.own.at_standby]

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

    @contextmanager
    def elsewhere(self, *, standby: bool) -> Iterator[None]:
        """Use this thread's connection to the standby meanwhile, or, within that, the usual one; in no transaction."""
        if self.own.at_standby == standby:
            yield
            return
        self._change_places()
        try:
            if self.is_closed():
                self.connect()
            yield
        finally:
            self._change_places()

    def _change_places(self) -> None:
        own, state = self.own, self._state
        now = state.conn, state.closed, own.pooled
        (state.conn, state.closed, own.pooled), own.other = own.other, now
        own.at_standby = not own.at_standby

    def drop_other(self) -> None:
        """Give up the connection that this thread does not use now."""
        other, self.own.other = self.own.other[0], (None, True, False)
        if other is not None:
            end(other)

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

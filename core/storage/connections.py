"""Connections that come back: what is done when one is lost, and when part of a transaction has been undone.

A connection belongs to a thread. One that has failed is dropped and opened anew; what only reads and stands outside of
any transaction is then tried once more. What fails inside a transaction undoes all of it, whoever catches the error.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import peewee

from ..common.request_state import current_state
from .outage import Outage
from .troubles import MISSING, OutcomeUnknown, trouble_of

#: statements that write nothing: what has been read stays true
_SAVEPOINTS = ("SAVEPOINT", "RELEASE")
#: statements outside of a transaction that leave nothing behind
_SETTINGS = ("BEGIN", "START", "PRAGMA", "SET", "ROLLBACK", *_SAVEPOINTS)


class _Own(threading.local):
    #: what spoilt the transaction of this thread
    spoilt: BaseException | None = None
    #: whether statements of this thread may take as long as they like
    patient = False
    #: seconds for which this thread waits for SQLite's lock; 0: as long as a statement may
    hurry = 0.0
    #: when SQLite ends the statement that is running
    deadline = 0.0
    #: instructions of SQLite between two looks at the clock
    steps = 0
    #: whether a pool of connections stands between this thread and PostgreSQL
    pooled = False
    #: what the recorder has noted of the transaction of this thread
    trail: Any = None
    #: the generation of the tables that what this thread does outside of a request was begun at; -1: it minds none
    generation = -1
    #: told of each statement of this thread before it is run
    watch: Callable[[str], None] | None = None
    #: whether a transaction has begun, also one that peewee does not know of
    begun = False


class Recorder(Protocol):
    """What is told of every statement that may write, and writes down what it has seen."""

    def run(self, database: Any, sql: str, params: Any) -> Any:
        """Run a statement and note what it changes."""

    def settle(self, database: Any) -> None:
        """Write down what a transaction has changed, which is about to be committed."""


class Lasting(peewee.Database):
    """What the three kinds of database share.

    :param limit: seconds that a statement may take
    """

    _state: Any
    _execute_cursor: Any
    #: whoever keeps the audit trail; None: nobody does
    recorder: Recorder | None = None
    #: told of each connection that has begun a transaction; what it raises undoes that. None: nobody asks
    when_begun: Callable[[Any], None] | None = None

    def __init__(self, *arguments: Any, limit: int = 10, **options: Any) -> None:
        self.own = _Own()
        self._outage = Outage()
        self._limit = limit
        super().__init__(*arguments, **options)

    def limits(self) -> tuple[float, int]:
        """Seconds that a statement may take, and seconds that it may wait for a lock; 0: without end.

        A lock is given up first, so that the error says which of the two it was.
        """
        if self.own.patient:
            return 0, 0
        lock = max(1, self._limit * 9 // 10)
        return max(self._limit, lock + 0.5), lock

    def table_settings(self) -> list[str]:
        """What the statement that makes a table ends with."""
        return []

    # Connecting

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
        self._outage.ended()
        return made

    def _connect(self) -> Any:
        self._outage.insist()
        connection = None
        try:
            connection = self._open()
            self._settle(connection)
        except peewee.ImproperlyConfigured:
            raise
        except Exception as error:
            self._outage.began(error)
            _end(connection)
            raise
        return connection

    def _open(self) -> Any:
        return super()._connect()  # type: ignore[misc]

    def _settle(self, connection: Any) -> None:
        """Tell a new connection what holds for it."""

    def drop(self) -> None:
        """Give this thread's connection up, whatever state it is in; the database undoes what it began."""
        connection, self.own.spoilt, self.own.trail = self._state.conn, None, None
        self.own.begun = False
        self.dispose()
        _end(connection)

    # Statements

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Run a statement; what it changes is noted where an audit trail is kept."""
        watch = self.own.watch
        if watch is not None:
            watch(sql)
        if sql.startswith("SELECT"):
            return self.run(sql, params)
        state = current_state()
        if state is not None and not sql.startswith(_SAVEPOINTS):
            state.writes += 1
            if state.seen:
                state.seen.clear()
        done = self.run(sql, params) if self.recorder is None else self.recorder.run(self, sql, params)
        if state is not None and not self.in_transaction() and not sql.startswith(_SETTINGS):
            # It has committed itself
            state.kept = True
        return done

    def run(self, sql: str, params: Any = None) -> Any:
        """Run a statement; one that reads, outside of a transaction, once more where the connection was lost."""
        reads = sql.startswith("SELECT")
        self._insist_on_whole()
        try:
            return self._execute_cursor(sql, params)
        except peewee.PeeweeException as error:
            if not self._note(error) or self.in_transaction():
                raise
            if not reads:
                raise OutcomeUnknown(str(error)) from error
        self.connect()
        try:
            return self._execute_cursor(sql, params)
        except peewee.PeeweeException as error:
            self._note(error)
            raise

    def _note(self, error: peewee.PeeweeException) -> bool:
        """Do what a failed statement asks for; answers whether the connection was lost."""
        trouble = trouble_of(error)
        if trouble is None and not isinstance(error, (peewee.OperationalError, peewee.InterfaceError)):
            return False
        if trouble is MISSING:
            return False
        # What is not in the table may be an error of the connection, too
        lost = trouble is None or trouble.lost
        if lost and not self.is_closed():
            self._outage.lost(error)
        if self.in_transaction():
            self.own.spoilt = error
            if lost:
                # Peewee's blocks are left one by one, the last one drops it
                _end(self._state.conn)
        elif lost:
            self.drop()
        return lost

    def _insist_on_whole(self) -> None:
        """Go on only if nothing of the transaction has been undone: the rest of it must not be written alone."""
        if self.own.spoilt is not None:
            raise self.own.spoilt

    # Transactions

    def begin(self, *arguments: Any) -> None:
        """Begin a transaction, on a new connection where the old one was lost."""
        self.own.trail = None
        try:
            self._begin(*arguments)
            self.own.begun = True
        except peewee.PeeweeException as error:
            if not self._note(error):
                raise
            self.connect()
            self._begin(*arguments)
            self.own.begun = True
        if self.when_begun is not None:
            try:
                self.when_begun(self._state.conn)
            except BaseException:
                self.rollback()
                raise

    def _begin(self, *arguments: Any) -> None:
        super().begin(*arguments)

    def commit(self) -> None:
        """Commit a transaction.

        :raises OutcomeUnknown: the connection was lost meanwhile
        """
        self._insist_on_whole()
        if self.own.trail is not None and self.recorder is not None:
            self.recorder.settle(self)
        self.own.begun = False
        try:
            super().commit()
        except peewee.PeeweeException as error:
            if self._note(error):
                raise OutcomeUnknown(str(error)) from error
            raise
        state = current_state()
        if state is not None and state.writes:
            state.kept = True

    def rollback(self) -> None:
        """Undo a transaction; where the database does not listen any more, by giving the connection up."""
        self.own.trail, self.own.begun = None, False
        if self.is_closed():
            return
        spoilt, self.own.spoilt = self.own.spoilt, None
        trouble = trouble_of(spoilt) if spoilt is not None else None
        if spoilt is not None and (trouble is None or trouble.lost):
            self.drop()
            return
        try:
            super().rollback()
        except peewee.PeeweeException:
            self.drop()


def _end(connection: Any) -> None:
    with suppress(Exception):
        # It is given up because it fails
        connection.close()

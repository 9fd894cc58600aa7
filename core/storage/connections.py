"""Connections that come back: what is done when one is lost, and when part of a transaction has been undone.

A connection belongs to a thread. One that has failed is dropped and opened anew; what only reads and stands outside of
any transaction is then tried once more. What fails inside a transaction undoes all of it, whoever catches the error.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

import peewee

from ..common.request_state import current_state
from .outage import Outage
from .search_names import is_search_name
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
    #: whether MariaDB answers the identifiers of rows that are inserted, as from 10.5 on
    returning = False
    #: rows that this thread has asked for before they are needed, by statement and what is bound
    ahead: Any = None
    #: what the recorder has noted of the transaction of this thread
    trail: Any = None
    #: the generation of the tables that what this thread does outside of a request was begun at; -1: it minds none
    generation = -1
    #: told of each statement of this thread before it is run
    watch: Callable[[str], None] | None = None
    #: whether a transaction has begun, also one that peewee does not know of
    begun = False
    #: whether the database is still to be told so: BEGIN goes out with the first statement
    untold = False


class Recorder(Protocol):
    """What is told of every statement that may write, and writes down what it has seen."""

    def run(self, database: Any, sql: str, params: Any) -> Any:
        """Run a statement and note what it changes."""

    def settle(self, database: Any) -> tuple[str, list[Any]] | None:
        """Write down what a transaction has changed, which is about to be committed; answers what is still to run."""


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
    #: whether each message to the database is a way there and back
    distant = True

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

    def looked_at(self, sql: str) -> str:
        """What of a text a pattern is compared with, as SQL."""
        return sql

    def compared(self, sql: str) -> str:
        """A text that is compared as less or greater, as SQL."""
        return sql

    def sort_key(self, sql: str, *, indexed: bool = False) -> str:
        """What a text is sorted by, as SQL: its small letters, by their code points.

        :param indexed: whether it has an index in this order
        """
        return sql

    def table_settings(self) -> list[str]:
        """What the statement that makes a table ends with."""
        return []

    # What there is

    def get_tables(self, schema: str | None = None) -> list[str]:
        """The tables that hold something of their own, not those that only find it."""
        return [name for name in super().get_tables(schema) if not is_search_name(name)]

    def get_indexes(self, table: str, schema: str | None = None) -> list[Any]:
        """The indexes of a table that its model's fields ask for."""
        return [each for each in super().get_indexes(table, schema) if not is_search_name(each.name)]

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
        self.own.begun = self.own.untold = False
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
        self.own.ahead = None
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
        first = self.own.untold
        try:
            return self._execute_cursor(sql, params)
        except peewee.PeeweeException as error:
            if first and self._is_lost(error):
                # Nothing has been done yet that could be lost with it
                self._begin_anew(error)
                return self._execute_cursor(sql, params)
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

    def read_together(self, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
        """The rows of several statements that only read, asked in one message."""
        self._insist_on_whole()
        for sql, _ in statements:
            if self.own.watch is not None:
                self.own.watch(sql)
        first = self.own.untold
        try:
            return self._read_together(statements)
        except peewee.PeeweeException as error:
            if first and self._is_lost(error):
                self._begin_anew(error)
                return self._read_together(statements)
            if self.in_transaction():
                self._note(error)
                raise
        # One by one each is tried again where the connection was lost
        return [list(self.run(sql, params).fetchall()) for sql, params in statements]

    def _read_together(self, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
        return [list(self._execute_cursor(sql, params).fetchall()) for sql, params in statements]

    def _is_trouble(self, error: peewee.PeeweeException) -> bool:
        """Whether an error is of the database, and not of what it was asked."""
        trouble = trouble_of(error)
        if trouble is None:
            return isinstance(error, (peewee.OperationalError, peewee.InterfaceError))
        return trouble is not MISSING

    def _is_lost(self, error: peewee.PeeweeException) -> bool:
        trouble = trouble_of(error)
        # What is not in the table may be an error of the connection, too
        return self._is_trouble(error) and (trouble is None or trouble.lost)

    def _note(self, error: peewee.PeeweeException) -> bool:
        """Do what a failed statement asks for; answers whether the connection was lost."""
        if not self._is_trouble(error):
            return False
        lost = self._is_lost(error)
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
        """Begin a transaction, on a new connection where the old one was lost; a distant database is told later."""
        self.own.trail = None
        if self.distant and not arguments:
            if self.is_closed():
                self.connect()
            self.own.begun = self.own.untold = True
            return
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

    def _begin_anew(self, error: peewee.PeeweeException) -> None:
        """Have the transaction of this thread, of which the database knows nothing, on a new connection."""
        state, trail = self._state, self.own.trail
        transactions, callbacks = state.transactions, state.commit_callbacks
        self._outage.lost(error)
        self.drop()
        self.connect()
        state.transactions, state.commit_callbacks = transactions, callbacks
        self.own.trail, self.own.begun, self.own.untold = trail, True, True

    def connection(self) -> Any:
        """The connection of this thread; whoever asks for it goes on without `execute_sql`."""
        if self.own.untold:
            self._begin()
            self.own.untold = False
        return super().connection()  # type: ignore[no-untyped-call]

    def commit(self) -> None:
        """Commit a transaction.

        :raises OutcomeUnknown: the connection was lost meanwhile
        """
        self._insist_on_whole()
        last = None
        if self.own.trail is not None and self.recorder is not None:
            last = self.recorder.settle(self)
        self.own.begun = False
        if last is None and self.own.untold:
            self.own.untold = False
            return
        try:
            if last is None:
                super().commit()
            else:
                if self.distant and (state := current_state()) is not None:
                    state.statements += 1
                self._commit_with(*last)
        except peewee.PeeweeException as error:
            if self._note(error):
                raise OutcomeUnknown(str(error)) from error
            raise
        state = current_state()
        if state is not None and state.writes:
            state.kept = True

    def _commit_with(self, sql: str, params: Any) -> None:
        """Run the last statement of a transaction, and commit it."""
        self._execute_cursor(sql, params)
        super().commit()

    def rollback(self) -> None:
        """Undo a transaction; where the database does not listen any more, by giving the connection up."""
        self.own.trail, self.own.begun, self.own.untold = None, False, False
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

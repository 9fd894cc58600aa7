"""Databases that last: what is done when a connection is lost, and when part of a transaction has been undone.

A connection belongs to a thread. One that has failed is dropped and opened anew; what only reads and stands outside of
any transaction is then tried once more. What fails inside a transaction undoes all of it, whoever catches the error.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, Protocol

import peewee

from ..common.request_state import current_state
from .database_errors import DENIED, MISSING, UNREACHABLE, OutcomeUnknown, Unreachable, classify_error, reason_of
from .search_names import is_search_name


class ThreadState(threading.local):
    """The state of a thread's connection."""

    #: what made the transaction of this thread fail
    failure: BaseException | None = None
    #: whether statements of this thread may take as long as they like
    unlimited = False
    #: seconds for which this thread waits for SQLite's lock; 0: as long as a statement may
    lock_seconds = 0.0
    #: when SQLite ends the statement that is running
    deadline = 0.0
    #: whether a pool of connections stands between this thread and PostgreSQL
    pooled = False
    #: what the recorder has noted of the transaction of this thread
    trail: Any = None
    #: the generation of the tables that what this thread does outside of a request was begun at; -1: it minds none
    generation = -1
    #: a connection to SQLite, the generation of models that fitted its tables, and its `data_version` then
    checked_version: Any = None
    #: whether this thread's connection holds a lock, so that another one can't replace it
    holds_lock = False
    #: whether a transaction has begun, also one that peewee does not know of
    in_transaction = False
    #: whether PostgreSQL is still to be sent BEGIN, with the first statement
    begin_pending = False
    #: whether something has been done that a rollback doesn't undo, such as a COMMIT (`retry.py`)
    irreversible = False


#: seconds within which the loss of further connections is not told again
QUIET = 10.0

_log = logging.getLogger("comptoir.database")


class CircuitBreaker:
    """Whether the database is away; says so once, however many requests find out."""

    #: seconds for which nobody tries after a failure: each try may take as long as a connection is waited for
    PAUSE = 0.25

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._since = self._tried = self._told = 0.0
        self._reason = ""

    def check(self) -> None:
        """Go on only if it makes sense to try.

        :raises Unreachable: somebody has just tried
        """
        if self._since and time.monotonic() - self._tried < self.PAUSE:
            raise Unreachable(self._reason)

    def began(self, error: BaseException) -> None:
        """A connection could not be made."""
        with self._turn:
            self._tried = time.monotonic()
            self._reason = reason_of(error)
            if not self._since:
                self._since = self._tried
                _log.error(
                    "can't reach the database: %s; requests fail with 503 until it responds: %s",
                    self._reason, UNREACHABLE.advice,
                )  # fmt: skip

    def ended(self) -> None:
        """A connection was made."""
        if self._since:
            with self._turn:
                if self._since:
                    _log.warning("the database responds again, after %.1f s", time.monotonic() - self._since)
                self._since = 0.0

    def lost(self, error: BaseException) -> None:
        """A connection was lost; a restart costs all of them, and is told once."""
        with self._turn:
            now = time.monotonic()
            if not self._since and now - self._told > QUIET:
                self._told = now
                _log.warning("a connection to the database was lost: %s; reconnecting", reason_of(error))


#: seconds for which a transaction may stand idle before the database ends it: its worker's host may be gone
IDLE = 60
#: seconds beyond those of a statement after which a server that has not ended it is given up
SLACK = 5


def end(connection: Any) -> None:
    """Close a connection that is given up."""
    with suppress(Exception):
        # It is given up because it fails
        connection.close()


#: statements that write nothing: what has been read stays true
_SAVEPOINTS = ("SAVEPOINT", "RELEASE")
#: statements outside of a transaction that leave nothing behind
_SETTINGS = ("BEGIN", "START", "PRAGMA", "SET", "ROLLBACK", *_SAVEPOINTS)


class Recorder(Protocol):
    """What is told of every statement that may write, and writes down what it has seen."""

    def run(self, database: Any, sql: str, params: Any) -> Any:
        """Run a statement and note what it changes."""

    def settle(self, database: Any) -> list[tuple[str, list[Any]]]:
        """Return the statements that note what a transaction has changed, to be run before its COMMIT."""


class RetryingDatabase(peewee.Database):
    """A database whose lost connections are opened again, and whose failed transactions stay failed.

    :param limit: seconds that a statement may take
    """

    _state: Any
    _execute_cursor: Any
    #: whoever keeps the audit trail; None: nobody does
    recorder: Recorder | None = None
    #: told of each connection that has begun a transaction; what it raises undoes that. None: nobody asks
    when_begun: Callable[[Any], None] | None = None
    #: whether several statements that only read can be sent in one message, by `read_together`
    pipelines = False

    # Connections

    def __init__(self, *arguments: Any, limit: int = 10, **options: Any) -> None:
        self.own = ThreadState()
        #: whether the database is away
        self.circuit_breaker = CircuitBreaker()
        self._limit = limit
        super().__init__(*arguments, **options)
        # Peewee lets one thread connect at a time, and none go on without a connection meanwhile: one host that does
        # not answer would stop them all. A connection belongs to its thread, so there is nothing to guard
        self._lock = nullcontext()

    def limits(self) -> tuple[float, int]:
        """Seconds that a statement may take, and seconds that it may wait for a lock; 0: without end.

        A lock is given up first, so that the error says which of the two it was.
        """
        if self.own.unlimited:
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
        self.circuit_breaker.ended()
        return made

    def _connect(self) -> Any:
        if self.own.holds_lock:
            raise peewee.OperationalError(2013, "the connection that held a lock was lost, and the lock with it")
        self.circuit_breaker.check()
        connection = None
        try:
            connection = self._open()
            self._settle(connection)
        except peewee.ImproperlyConfigured:
            end(connection)
            raise
        except Exception as error:
            self.circuit_breaker.began(error)
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
        self.circuit_breaker.ended()

    def drop(self) -> None:
        """Give this thread's connection up, whatever state it is in; the database undoes what it began."""
        connection, self.own.failure, self.own.trail = self._state.conn, None, None
        self.own.in_transaction = self.own.begin_pending = False
        self.dispose()
        end(connection)

    # What there is

    def get_tables(self, schema: str | None = None) -> list[str]:
        """The tables that hold something of their own, not those that only find it, nor SQLite's own."""
        names = super().get_tables(schema)
        return [name for name in names if not is_search_name(name) and not name.startswith("sqlite_")]

    def get_indexes(self, table: str, schema: str | None = None) -> list[Any]:
        """The indexes of a table that its model's fields ask for."""
        return [each for each in super().get_indexes(table, schema) if not is_search_name(each.name)]

    # Statements

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Run a statement; what it changes is noted where an audit trail is kept."""
        if sql.startswith("SELECT"):
            return self.run(sql, params)
        state = current_state()
        if state is not None and not sql.startswith(_SAVEPOINTS):
            state.writes += 1
            if state.seen:
                state.seen.clear()
        done = self.run(sql, params) if self.recorder is None else self.recorder.run(self, sql, params)
        if not self._is_inside() and not sql.startswith(_SETTINGS):
            # It has committed itself
            self.own.irreversible = True
        return done

    def run(self, sql: str, params: Any = None) -> Any:
        """Run a statement; one that reads, outside of a transaction, once more where the connection was lost."""
        reads = sql.startswith("SELECT")
        self._ensure_not_failed()
        try:
            return self._execute_cursor(sql, params)
        except peewee.PeeweeException as error:
            if not self._note(error) or self._is_inside():
                raise
            if not reads:
                self.own.irreversible = True
                raise OutcomeUnknown(str(error)) from error
        self.connect()
        try:
            return self._execute_cursor(sql, params)
        except peewee.PeeweeException as error:
            self._note(error)
            raise

    def _is_trouble(self, error: peewee.PeeweeException) -> bool:
        """Whether an error is of the database, and not of what it was asked."""
        trouble = classify_error(error)
        if trouble is None:
            return isinstance(error, (peewee.OperationalError, peewee.InterfaceError))
        return trouble not in (MISSING, DENIED)

    def is_lost(self, error: peewee.PeeweeException) -> bool:
        """Whether a connection is of no use after an error."""
        trouble = classify_error(error)
        # What is not in the table may be an error of the connection, too
        return self._is_trouble(error) and (trouble is None or trouble.lost)

    def _note(self, error: peewee.PeeweeException) -> bool:
        """Do what a failed statement asks for; answers whether the connection was lost."""
        if not self._is_trouble(error):
            return False
        lost = self.is_lost(error)
        if lost and not self.is_closed():
            self.circuit_breaker.lost(error)
        if self._is_inside():
            self.own.failure = error
            if lost:
                # Peewee's blocks are left one by one, the last one drops it
                end(self._state.conn)
        elif lost:
            self.drop()
        return lost

    def _is_inside(self) -> bool:
        """Whether a statement is one of a transaction; to peewee one that is being committed is over."""
        return self.own.in_transaction or self.in_transaction()

    def _ensure_not_failed(self) -> None:
        """Go on only if nothing of the transaction has been undone: the rest of it must not be written alone."""
        if self.own.failure is not None:
            raise self.own.failure

    # Transactions

    def begin(self, *arguments: Any) -> None:
        """Begin a transaction, on a new connection if the old one was lost."""
        self.own.trail = None
        try:
            self._begin(*arguments)
        except peewee.PeeweeException as error:
            if not self._note(error):
                raise
            self.connect()
            self._begin(*arguments)
        self.own.in_transaction = True
        if self.when_begun is not None:
            try:
                self.when_begun(self._state.conn)
            except BaseException:
                self.rollback()
                raise

    def _begin(self, *arguments: Any) -> None:
        super().begin(*arguments)

    def commit(self) -> None:
        """Commit a transaction, with the lines of the audit trail about it.

        :raises OutcomeUnknown: the connection was lost meanwhile
        """
        self._ensure_not_failed()
        trail: list[tuple[str, list[Any]]] = []
        if self.own.trail is not None and self.recorder is not None:
            trail = self.recorder.settle(self)
            # Also of what has failed in there, whoever caught it
            self._ensure_not_failed()
        self._commit(trail)

    def _commit(self, trail: Sequence[tuple[str, Any]]) -> None:
        """Run the last statements of a transaction, and commit it."""
        for sql, params in trail:
            self.run(sql, params)
        self.own.in_transaction = False
        with self._outcome_known():
            super().commit()

    @contextmanager
    def _outcome_known(self) -> Iterator[None]:
        """Tell a transaction that failed from one that may have been committed."""
        try:
            yield
        except peewee.PeeweeException as error:
            if self._note(error):
                self.own.irreversible = True
                raise OutcomeUnknown(str(error)) from error
            raise
        self.own.irreversible = True

    def rollback(self) -> None:
        """Undo a transaction; where the database does not listen any more, by giving the connection up."""
        self.own.trail, self.own.in_transaction = None, False
        if self.is_closed():
            return
        failure, self.own.failure = self.own.failure, None
        trouble = classify_error(failure) if failure is not None else None
        if failure is not None and (trouble is None or trouble.lost):
            self.drop()
            return
        try:
            super().rollback()
        except peewee.PeeweeException:
            self.drop()


def count_statements(statements: Sized) -> None:
    """Count statements that a request runs otherwise than one by one."""
    state = current_state()
    if state is not None:
        state.statements += len(statements)

"""Connections that are opened again when they are lost, and transactions that stay failed once they have failed.

Each thread has its own connection. A failed connection is closed and opened again; a statement that only reads, outside
a transaction, is then run once more. An error inside a transaction undoes all of it, even if the caller catches it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from enum import Enum
from time import perf_counter
from typing import Any, Protocol

import peewee

from ..common.request_state import current_state
from .error_kinds import (
    DENIED,
    MISSING,
    UNREACHABLE,
    DatabaseErrorKind,
    OutcomeUnknown,
    Unreachable,
    reason_of,
)
from .texts import is_search_name

#: seconds for which a transaction may be idle before the database ends it: the host of its worker may be gone
IDLE_TRANSACTION_SECONDS = 60
#: seconds after the statement's own limit at which the client gives up a server that hasn't ended the statement
SLACK_SECONDS = 5
#: seconds within which the log doesn't repeat that a connection was lost
QUIET_SECONDS = 10.0

_log = logging.getLogger("comptoir.database")


class State(Enum):
    """The states of a transaction."""

    #: nothing has begun, or it was undone
    NONE = "none"
    #: its statements are neither committed nor undone
    BEGUN = "begun"
    #: an error undoes it: no further statement is sent
    FAILED = "failed"
    #: its COMMIT was sent
    DONE = "done"


class Transaction:
    """A transaction of a thread.

    :ivar failure: the error that made it fail
    :ivar savepoints: how many are open
    :ivar trail: the notes of the audit trail about it; None: there are none
    :ivar closing: what is called before its COMMIT, each with one item; calls of the same function become one
    :ivar actions: what is called after its COMMIT
    """

    def __init__(self, state: State = State.NONE) -> None:
        self.state = state
        self.failure: peewee.PeeweeException | None = None
        self.savepoints = 0
        self.trail: Any = None
        self.closing: list[tuple[Callable[[list[Any]], object], Any]] = []
        self.actions: list[Callable[[], object]] = []

    def fail(self, failure: peewee.PeeweeException) -> None:
        """Let only a rollback follow."""
        self.state, self.failure = State.FAILED, failure


class ThreadState(threading.local):
    """The state of a thread's connection and transaction."""

    #: whether its request or job has done something that a rollback doesn't undo, such as a COMMIT
    irreversible = False
    #: whether statements may take any time
    unlimited = False
    #: seconds to wait for the one lock of a database with `one_writer`; 0: the limit of a statement
    lock_seconds = 0.0
    #: when SQLite ends the running statement
    deadline = 0.0
    #: whether a pooler gives each transaction another connection (PostgreSQL)
    pooled = False
    #: whether the connection holds a lock, so that no other connection can replace it
    holds_lock = False
    #: when the connection was last used by a request or job, from `time.monotonic`
    last_use = 0.0
    #: whether the thread has the turn to write (SQLite)
    has_turn = False

    def __init__(self) -> None:
        #: the newest one; it may be over
        self.transaction = Transaction()


class CircuitBreaker:
    """The state of an outage; the log has it once, however many requests notice."""

    #: seconds without another attempt after a failed one, which may take as long as a connection is waited for
    PAUSE = 0.25

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since = self._tried = self._logged = 0.0
        self._reason = ""

    def check(self) -> None:
        """Check that an attempt makes sense.

        :raises Unreachable: another one has just failed
        """
        if self._since and time.monotonic() - self._tried < self.PAUSE:
            raise Unreachable(self._reason)

    def began(self, error: BaseException) -> None:
        """Note that no connection could be made."""
        with self._lock:
            self._tried = time.monotonic()
            self._reason = reason_of(error)
            if not self._since:
                self._since = self._tried
                _log.error(
                    "can't reach the database: %s; requests fail with 503 until it responds: %s",
                    self._reason, UNREACHABLE.advice,
                )  # fmt: skip

    def ended(self) -> None:
        """Note that a connection was made."""
        if self._since:
            with self._lock:
                if self._since:
                    _log.warning("the database responds again, after %.1f s", time.monotonic() - self._since)
                self._since = 0.0

    def lost(self, error: BaseException) -> None:
        """Note that a connection was lost; a restart of the database ends all of them, and is logged once."""
        with self._lock:
            now = time.monotonic()
            if not self._since and now - self._logged > QUIET_SECONDS:
                self._logged = now
                _log.warning("a connection to the database was lost: %s; reconnecting", reason_of(error))


class Recorder(Protocol):
    """The audit trail of a database: it notes the changes of a transaction."""

    def run(self, database: Any, sql: str, params: Any) -> Any:
        """Run a statement that may write, and note its changes."""

    def is_write(self, sql: str) -> bool:
        """Return whether a statement changes rows."""

    def settle(self, database: Any) -> list[tuple[str, list[Any]]]:
        """Return the statements that write the notes of a transaction, to be run before its COMMIT."""


class RetryingDatabase(peewee.Database):
    """A database whose lost connections are opened again.

    :param limit: seconds that a statement may take
    """

    _state: Any
    _execute_cursor: Any
    #: what keeps the audit trail; None: nothing does
    recorder: Recorder | None = None
    #: whether `read_together` sends several statements in one message
    pipelines = False

    def __init__(self, *arguments: Any, limit: int = 10, **options: Any) -> None:
        self.own = ThreadState()
        self.circuit_breaker = CircuitBreaker()
        self._limit = limit
        super().__init__(*arguments, **options)
        # Peewee lets one thread connect at a time, so one host that doesn't respond would stop all threads. Each
        # connection belongs to a thread, so there is nothing to protect
        self._lock = nullcontext()

    # Connections

    def limits(self) -> tuple[float, int]:
        """Return the seconds that a statement may take and that it may wait for a lock; 0: any time.

        The wait for a lock ends first, so that the error distinguishes the two.
        """
        if self.own.unlimited:
            return 0, 0
        lock = max(1, self._limit * 9 // 10)
        return max(self._limit, lock + 0.5), lock

    def connect(self, reuse_if_open: bool = False) -> bool:
        """Open this thread's connection.

        :raises Unreachable: another thread has just failed to open one
        """
        try:
            made: bool = super().connect(reuse_if_open)
        except peewee.PeeweeException:
            if not self.is_closed():
                self.drop()
            raise
        self.circuit_breaker.ended()
        return made

    def connection(self) -> Any:
        """Return this thread's connection, for what its driver does beyond running statements."""
        return super().connection()  # type: ignore[no-untyped-call]

    def _connect(self) -> Any:
        if self.own.holds_lock:
            raise Unreachable("the connection that held a lock was lost, and the lock with it")
        self.circuit_breaker.check()
        connection = None
        try:
            connection = self._open()
            self._configure(connection)
        except peewee.ImproperlyConfigured:
            end(connection)
            raise
        except Exception as error:
            self.circuit_breaker.began(error)
            end(connection)
            raise
        return connection

    def _open(self) -> Any:
        """Return a new connection of the driver."""
        return super()._connect()  # type: ignore[misc]

    def _configure(self, connection: Any) -> None:
        """Set up a new connection."""

    def drop(self) -> None:
        """Close this thread's connection, whatever state it is in; the database undoes an open transaction."""
        connection, self.own.transaction = self._state.conn, Transaction()
        self.dispose()
        end(connection)

    # Introspection

    def get_tables(self, schema: str | None = None) -> list[str]:
        """Return the tables with data of their own: not those of search indexes, nor SQLite's."""
        with self.untracked_writes():
            names = super().get_tables(schema)
        return [name for name in names if not is_search_name(name) and not name.startswith("sqlite_")]

    def get_columns(self, table: str, schema: str | None = None) -> list[Any]:
        """Return the columns of a table."""
        with self.untracked_writes():
            return list(super().get_columns(table, schema))

    def get_indexes(self, table: str, schema: str | None = None) -> list[Any]:
        """Return the indexes of a table, without those for searching."""
        return [each for each in super().get_indexes(table, schema) if not is_search_name(each.name)]

    # Statements

    def execute(self, query: Any, **options: Any) -> Any:
        """Run a query of peewee; a `Select` only reads."""
        context: Any = self.get_sql_context(**options)
        sql, params = context.sql(query).query()
        # A common table expression may write
        if isinstance(query, peewee.SelectBase) and not getattr(query, "_cte_list", None):
            return self.read(sql, params)
        return self.execute_sql(sql, params)

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Run a statement that may write; the audit trail notes its changes."""
        state = current_state()
        if state is not None:
            state.writes += 1
            if state.seen:
                state.seen.clear()
        done = self.run(sql, params) if self.recorder is None else self.recorder.run(self, sql, params)
        if not self.in_transaction():
            # It has committed itself
            self.own.irreversible = True
        return done

    @contextmanager
    def untracked_writes(self) -> Iterator[None]:
        """Don't count writes meanwhile: records that were read stay valid, and a retry stays possible."""
        state, irreversible = current_state(), self.own.irreversible
        writes = state.writes if state is not None else 0
        try:
            yield
        finally:
            self.own.irreversible = irreversible
            if state is not None:
                state.writes = writes

    def run(self, sql: str, params: Any = None) -> Any:
        """Run a statement that may write; the audit trail doesn't note its changes.

        :raises OutcomeUnknown: the connection was lost outside a transaction
        """
        self._ensure_not_failed()
        began = perf_counter()
        try:
            return self._execute_cursor(sql, params)
        except peewee.PeeweeException as error:
            if not self._note(error) or self.in_transaction():
                raise
            self.own.irreversible = True
            raise OutcomeUnknown(str(error)) from error
        finally:
            add_time(began, 1)

    def read(self, sql: str, params: Any = None) -> Any:
        """Run a statement that only reads; outside a transaction once more if the connection was lost."""
        self._ensure_not_failed()
        is_repeated = False
        while True:
            began = perf_counter()
            try:
                return self._execute_cursor(sql, params)
            except peewee.PeeweeException as error:
                if not self._note(error) or is_repeated or self.in_transaction():
                    raise
            finally:
                add_time(began, 1)
            is_repeated = self.connect()

    def read_together(self, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of several statements that only read: in one round trip if the database has a pipeline."""
        return [self.read(sql, params).fetchall() for sql, params in statements]

    # Errors

    def classify(self, error: BaseException) -> DatabaseErrorKind | None:
        """Return the kind of an error of the database or of its driver; None: another error."""
        raise NotImplementedError

    def _note(self, error: peewee.PeeweeException) -> bool:
        """Act on a failed statement; return whether the connection was lost."""
        kind = self.classify(error)
        # An unknown error may be one of the connection
        lost = kind.lost if kind else isinstance(error, (peewee.OperationalError, peewee.InterfaceError))
        if not lost and kind in (None, MISSING, DENIED):
            # Its cause is the statement, not the database
            return False
        if lost and not self.is_closed():
            self.circuit_breaker.lost(error)
        if self.in_transaction():
            self.own.transaction.fail(error)
            if lost:
                # `rollback` drops it
                end(self._state.conn)
        elif lost:
            self.drop()
        return lost

    def _ensure_not_failed(self) -> None:
        """Raise the error that made the transaction fail: its second half must not be written without the first."""
        if self.own.transaction.failure is not None:
            raise self.own.transaction.failure

    # Transactions

    def in_transaction(self) -> bool:
        """Return whether this thread's transaction is neither committed nor undone."""
        return self.own.transaction.state in (State.BEGUN, State.FAILED)

    def atomic(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Write everything inside, or nothing; inside another transaction it is a savepoint."""
        return self.savepoint() if self.in_transaction() else self._whole()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        self.begin()
        begun = self.own.transaction
        try:
            yield
            self.commit()
        except BaseException:
            # Unless it was undone at the end of its request
            if self.own.transaction is begun:
                self.rollback()
            raise
        for action in begun.actions:
            action()

    def begin(self, *arguments: Any) -> None:
        """Begin a transaction, on a new connection if the old one was lost."""
        began = perf_counter()
        try:
            super().begin(*arguments)
        except peewee.PeeweeException as error:
            if not self._note(error):
                raise
            self.connect()
            super().begin(*arguments)
        finally:
            add_time(began)
        self.own.transaction = Transaction(State.BEGUN)

    @contextmanager
    def savepoint(self) -> Iterator[None]:  # type: ignore[override]
        """Undo the changes inside if they fail."""
        own = self.own.transaction
        notes = len(own.trail.notes) if own.trail is not None else 0
        closing, actions = len(own.closing), len(own.actions)
        own.savepoints += 1
        name = f"comptoir_{own.savepoints}"
        try:
            self.run(f"SAVEPOINT {name}")
            try:
                yield
                self.run(f"RELEASE SAVEPOINT {name}")
            except BaseException:
                del own.closing[closing:]
                del own.actions[actions:]
                self.run(f"ROLLBACK TO SAVEPOINT {name}")
                if own.trail is not None:
                    own.trail.undo(notes)
                raise
        finally:
            own.savepoints -= 1

    def commit(self) -> None:
        """Commit a transaction, after the rows of the audit trail about it.

        A statement that broke a rule, and whose error was caught, has written nothing. The rest is committed, or an
        error undoes it as well: a block that catches such errors needs a `transaction()`, thus a savepoint, of its own.

        :raises OutcomeUnknown: the connection was lost during the COMMIT
        :raises peewee.InternalError: it is undone already, or the database undoes it because a statement has failed
        """
        self._ensure_not_failed()
        if not self.in_transaction() or self._would_be_undone():
            raise peewee.InternalError("an earlier statement of this transaction failed")
        if self.own.transaction.closing:
            self._call_closing()
        if self.own.transaction.trail is not None and self.recorder is not None:
            for sql, params in self.recorder.settle(self):
                self.run(sql, params)
            # A caller may have caught an error of it
            self._ensure_not_failed()
        self.own.transaction.state = State.DONE
        began = perf_counter()
        try:
            super().commit()
        except peewee.PeeweeException as error:
            if not self._note(error):
                raise
            self.own.irreversible = True
            raise OutcomeUnknown(str(error)) from error
        finally:
            add_time(began)
        self.own.irreversible = True

    def _call_closing(self) -> None:
        """Call what is to be called before the COMMIT."""
        own = self.own.transaction
        closing, own.closing = own.closing, []
        calls: dict[Callable[[list[Any]], object], list[Any]] = {}
        for call, item in closing:
            calls.setdefault(call, []).append(item)
        for call, items in calls.items():
            call(items)
        self._ensure_not_failed()

    def _would_be_undone(self) -> bool:
        """Return whether a COMMIT would undo the transaction without an error."""
        return False

    def rollback(self) -> None:
        """Undo a transaction; if the database doesn't respond, by closing the connection."""
        self.own.transaction = Transaction()
        if not self.is_closed():
            try:
                super().rollback()
            except peewee.PeeweeException:
                self.drop()

    def undo_open_transaction(self) -> None:
        """Undo this thread's transaction."""
        if self.has_open_transaction():
            self.rollback()

    def has_open_transaction(self) -> bool:
        """Return whether this thread's connection has a transaction.

        One that a module has begun by a statement counts if the driver knows of it without asking the database. MariaDB
        has to be asked, and commits such a transaction when the next one begins.
        """
        return self.in_transaction()


def end(connection: Any) -> None:
    """Close a connection that has failed."""
    with suppress(Exception):
        connection.close()


def add_time(began: float, statements: int = 0) -> None:
    """Count statements of the request, and the time since a moment, from `time.perf_counter`, as the database's."""
    state = current_state()
    if state is not None:
        state.statements += statements
        state.database_time += perf_counter() - began

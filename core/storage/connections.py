"""Connections that come back: what is done when one is lost, and when part of a transaction has been undone.

A connection belongs to a thread. One that has failed is dropped and opened anew; what only reads and stands outside of
any transaction is then tried once more. What fails inside a transaction undoes all of it, whoever catches the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import peewee

from ..common.request_state import current_state
from .hosts import Hosts
from .outage import Outage
from .own import Own
from .search_names import is_search_name
from .troubles import DENIED, MISSING, OutcomeUnknown, trouble_of

#: statements that write nothing: what has been read stays true
_SAVEPOINTS = ("SAVEPOINT", "RELEASE")
#: statements outside of a transaction that leave nothing behind
_SETTINGS = ("BEGIN", "START", "PRAGMA", "SET", "ROLLBACK", *_SAVEPOINTS)
#: seconds for which a transaction may stand idle before the database ends it: its worker's host may be gone
IDLE = 60


class NeedsPrimary(peewee.OperationalError):
    """What is done is not to be done at a standby: it writes."""


class _Held:
    """What is answered of a change that waits for the COMMIT."""

    rowcount = 1
    description = None


class Recorder(Protocol):
    """What is told of every statement that may write, and writes down what it has seen."""

    def run(self, database: Any, sql: str, params: Any) -> Any:
        """Run a statement and note what it changes."""

    def settle(self, database: Any) -> tuple[str, list[Any]] | None:
        """Write down what a transaction has changed, which is about to be committed; answers what is still to run."""


class Lasting(peewee.Database):
    """What the three kinds of database share.

    :param limit: seconds that a statement may take
    :param hosts: host and port of each that a URL of several names
    """

    _state: Any
    _execute_cursor: Any
    #: whoever keeps the audit trail; None: nobody does
    recorder: Recorder | None = None
    #: told of each connection that has begun a transaction; what it raises undoes that. None: nobody asks
    when_begun: Callable[[Any], None] | None = None
    #: whether each message to the database is a way there and back
    distant = True

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

    @property
    def _outage(self) -> Outage:
        return self._outages[self.own.at_standby]

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
        now = state.conn, state.closed, own.pooled, own.ahead
        (state.conn, state.closed, own.pooled, own.ahead), own.other = own.other, now
        own.at_standby = not own.at_standby

    def drop_other(self) -> None:
        """Give up the connection that this thread does not use now."""
        other, self.own.other = self.own.other[0], (None, True, False, None)
        if other is not None:
            _end(other)

    def drop(self) -> None:
        """Give this thread's connection up, whatever state it is in; the database undoes what it began."""
        connection, self.own.spoilt, self.own.trail = self._state.conn, None, None
        self.own.begun = self.own.untold = False
        self.own.held = ()
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
        if self.own.at_standby and not sql.startswith(_SETTINGS):
            raise NeedsPrimary("something is written")
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
        if self.own.holds and self.own.begun and sql.startswith("UPDATE"):
            self.own.held = (*self.own.held, (sql, params))
            return _Held
        self._send_held()
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
        self._send_held()
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

    def _send_held(self) -> None:
        """Run the changes that wait for the COMMIT: something else is to come before it."""
        held, self.own.held = self.own.held, ()
        for sql, params in held:
            self.run(sql, params)

    def _read_together(self, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
        return [list(self._execute_cursor(sql, params).fetchall()) for sql, params in statements]

    def _is_trouble(self, error: peewee.PeeweeException) -> bool:
        """Whether an error is of the database, and not of what it was asked."""
        trouble = trouble_of(error)
        if trouble is None:
            return isinstance(error, (peewee.OperationalError, peewee.InterfaceError))
        return trouble not in (MISSING, DENIED)

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
        if self.own.at_standby:
            raise NeedsPrimary("a transaction is begun")
        self.own.trail, self.own.held = None, ()
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
        self._send_held()
        if self.own.untold:
            self._begin()
            self.own.untold = False
        return super().connection()  # type: ignore[no-untyped-call]

    def commit(self) -> None:
        """Commit a transaction.

        :raises OutcomeUnknown: the connection was lost meanwhile
        """
        self._insist_on_whole()
        trail = None
        if self.own.trail is not None and self.recorder is not None:
            trail = self.recorder.settle(self)
        last = self.own.held if trail is None else (*self.own.held, trail)
        self.own.begun, self.own.held = False, ()
        if not last and self.own.untold:
            self.own.untold = False
            return
        try:
            if not last:
                super().commit()
            else:
                if self.distant and (state := current_state()) is not None:
                    state.statements += len(last)
                self._commit_with(last)
        except peewee.PeeweeException as error:
            if self._note(error):
                raise OutcomeUnknown(str(error)) from error
            raise
        state = current_state()
        if state is not None and state.writes:
            state.kept = True

    def _commit_with(self, last: Sequence[tuple[str, Any]]) -> None:
        """Run the last statements of a transaction, and commit it."""
        for sql, params in last:
            self._execute_cursor(sql, params)
        super().commit()

    def rollback(self) -> None:
        """Undo a transaction; where the database does not listen any more, by giving the connection up."""
        self.own.trail, self.own.begun, self.own.untold = None, False, False
        self.own.held = ()
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


def count_statements(statements: Sized) -> None:
    """Count statements that a request runs otherwise than one by one."""
    state = current_state()
    if state is not None:
        state.statements += len(statements)

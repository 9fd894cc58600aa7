"""Databases that last: what is done when a connection is lost, and when part of a transaction has been undone.

A connection belongs to a thread. One that has failed is dropped and opened anew; what only reads and stands outside of
any transaction is then tried once more. What fails inside a transaction undoes all of it, whoever catches the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from typing import Any, Protocol

import peewee

from ..common.request_state import current_state
from .connections import Connections, end
from .search_names import is_search_name
from .troubles import DENIED, MISSING, OutcomeUnknown, trouble_of

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


class Lasting(Connections):
    """What the three kinds of database share."""

    _execute_cursor: Any
    #: whoever keeps the audit trail; None: nobody does
    recorder: Recorder | None = None
    #: told of each connection that has begun a transaction; what it raises undoes that. None: nobody asks
    when_begun: Callable[[Any], None] | None = None
    #: whether several statements that only read can be sent in one message, by `read_together`
    pipelines = False

    def looked_at(self, sql: str) -> str:
        """What of a text a pattern is compared with, as SQL."""
        return sql

    def compared(self, sql: str) -> str:
        """A text that is compared as less or greater, as SQL."""
        return sql

    def sort_key(self, sql: str) -> str:
        """Return what a text is sorted by, as SQL: case is ignored, accents count."""
        return sql

    def sort_index(self, sql: str, *, null: bool) -> str:
        """Return a text as an index for sorted lists has it, as SQL; empty: the database can't have such an index.

        :param null: whether the column may be NULL
        """
        return ""

    #: what a column that counts by itself needs so that no ID is given again; empty: nothing
    key_constraint = ""

    def table_settings(self) -> list[str]:
        """What the statement that makes a table ends with."""
        return []

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
        self._insist_on_whole()
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
        trouble = trouble_of(error)
        if trouble is None:
            return isinstance(error, (peewee.OperationalError, peewee.InterfaceError))
        return trouble not in (MISSING, DENIED)

    def is_lost(self, error: peewee.PeeweeException) -> bool:
        """Whether a connection is of no use after an error."""
        trouble = trouble_of(error)
        # What is not in the table may be an error of the connection, too
        return self._is_trouble(error) and (trouble is None or trouble.lost)

    def _note(self, error: peewee.PeeweeException) -> bool:
        """Do what a failed statement asks for; answers whether the connection was lost."""
        if not self._is_trouble(error):
            return False
        lost = self.is_lost(error)
        if lost and not self.is_closed():
            self.outage.lost(error)
        if self._is_inside():
            self.own.spoilt = error
            if lost:
                # Peewee's blocks are left one by one, the last one drops it
                end(self._state.conn)
        elif lost:
            self.drop()
        return lost

    def _is_inside(self) -> bool:
        """Whether a statement is one of a transaction; to peewee one that is being committed is over."""
        return self.own.begun or self.in_transaction()

    def _insist_on_whole(self) -> None:
        """Go on only if nothing of the transaction has been undone: the rest of it must not be written alone."""
        if self.own.spoilt is not None:
            raise self.own.spoilt

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
        """Commit a transaction, with the lines of the audit trail about it.

        :raises OutcomeUnknown: the connection was lost meanwhile
        """
        self._insist_on_whole()
        trail: list[tuple[str, list[Any]]] = []
        if self.own.trail is not None and self.recorder is not None:
            trail = self.recorder.settle(self)
            # Also of what has failed in there, whoever caught it
            self._insist_on_whole()
        self._commit(trail)

    def _commit(self, trail: Sequence[tuple[str, Any]]) -> None:
        """Run the last statements of a transaction, and commit it."""
        for sql, params in trail:
            self.run(sql, params)
        self.own.begun = False
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


def count_statements(statements: Sized) -> None:
    """Count statements that a request runs otherwise than one by one."""
    state = current_state()
    if state is not None:
        state.statements += len(statements)

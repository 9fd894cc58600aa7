"""PostgreSQL: what it is told of each session or transaction, and several statements in one message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import peewee

from .backend import Backend, ColumnDefinition
from .collation import PROBE, fold
from .paramstyle import STANDARD, to_percent_s
from .retrying_database import IDLE, SLACK, count_statements

#: what PostgreSQL is told of small letters, if its database knows those of ASCII alone
LOWERING = ("", ' COLLATE "C.utf8"', ' COLLATE "C.UTF-8"', ' COLLATE "und-x-icu"')
#: the number of the advisory lock under which tables are changed; any that nothing else uses
SCHEMA_LOCK = 0x636F6D70746F6972
#: values of a statement from which on PostgreSQL's driver is spared to read its text
MANY = 100


class Postgresql(Backend, peewee.PostgresqlDatabase):
    """PostgreSQL, also behind PgBouncer or whatever else gives each transaction another connection.

    There nothing may be said to a session or be prepared in it, since it serves others next: the time-outs are said in
    each transaction, and in one message with each statement that stands outside of one.
    """

    name = "postgresql"
    _adapter: Any
    _lowering: str | None = None
    _ordering = ""

    @property
    def pipelines(self) -> bool:  # type: ignore[override]
        """Whether several statements can be sent in one message: not through a pool."""
        return not self.own.pooled

    def _open(self) -> Any:
        try:
            # Only where it is used: the driver need not be installed
            from .bounded_connection import BoundedConnection
        except ImportError as error:
            raise peewee.ImproperlyConfigured(str(error)) from None
        options = self.connect_params
        connection = BoundedConnection.connect(autocommit=True, **{"dbname": self.database, **options})
        connection.patience = float(options.get("connect_timeout") or 0) or None
        return connection

    def _letters(self) -> str:
        if self._lowering is None:
            self.connect(reuse_if_open=True)
        return self._lowering or ""

    def _find_letters(self, connection: Any) -> str:
        rows = connection.execute("SELECT collname FROM pg_collation WHERE collname = ANY(%s)",
                                  ([each.split('"')[1] for each in LOWERING if each],))  # fmt: skip
        there = {f' COLLATE "{name}"' for (name,) in rows.fetchall()} | {""}
        in_language = connection.execute("SELECT 'a' < 'B' OR 'é' < 'z' OR 'a b' > 'aa'").fetchone()[0]
        self._ordering = ' COLLATE "C"' if in_language else ""
        for each in LOWERING:
            if each in there and connection.execute(f"SELECT lower(%s{each})", (PROBE,)).fetchone()[0] == fold(PROBE):
                return each
        return ""

    def _settle(self, connection: Any) -> None:
        if self._lowering is None:
            self._lowering = self._find_letters(connection)
        process = connection.execute("SELECT pg_backend_pid()").fetchone()[0]
        self.own.pooled = process != connection.info.backend_pid
        if self.own.pooled:
            import psycopg

            connection.prepare_threshold = None
            # Binds here, so that several statements are one message
            connection.cursor_factory = psycopg.ClientCursor
        else:
            told = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in self._settings())
            connection.execute(f"SELECT {told}")
        limit, _ = self.limits()
        connection.patience = limit + SLACK if limit else None

    def _settings(self) -> list[tuple[str, int]]:
        """What is told, in milliseconds."""
        limit, lock = self.limits()
        return [
            ("statement_timeout", int(limit * 1000)),
            ("lock_timeout", lock * 1000),
            ("idle_in_transaction_session_timeout", IDLE * 1000 if limit else 0),
        ]

    def _told_each_time(self) -> str:
        return "".join(f"SET LOCAL {name} = {value}; " for name, value in self._settings())

    def begin(self, *arguments: Any) -> None:
        """Begin a transaction: BEGIN is sent with its first statement."""
        if arguments:
            super().begin(*arguments)
            return
        if self.is_closed():
            self.connect()
        self.own.trail, self.own.in_transaction, self.own.begin_pending = None, True, True

    def connection(self) -> Any:
        """Return the connection of this thread, for use without `execute_sql`; a BEGIN that was put off is sent."""
        if self.own.begin_pending:
            self._begin()
            self.own.begin_pending = False
        return super().connection()  # type: ignore[no-untyped-call]

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
        if self.own.begin_pending:
            return self._send_with_begin([(sql, params)])[0]
        return self._send(sql, params, **options)

    def _send_with_begin(self, statements: Sequence[tuple[str, Any]]) -> list[Any]:
        """Send BEGIN and first statements, on a new connection if the old one was lost: nothing was lost with it."""
        try:
            return self._send_together(statements)
        except peewee.PeeweeException as error:
            if not self.is_lost(error):
                raise
            self.circuit_breaker.lost(error)
        self.replace()
        self.own.begin_pending = True
        return self._send_together(statements)

    def _send_together(self, statements: Sequence[tuple[str, Any]], *, last: str = "") -> list[Any]:
        """Send statements in one message, after a BEGIN that was put off; return their cursors.

        :param last: what is sent after them
        """
        if self.own.pooled:
            self.connection()
            return [self._send(sql, params) for sql, params in statements]
        connection = self._state.conn
        try:
            with peewee.__exception_wrapper__, connection.pipeline():  # type: ignore[attr-defined]
                if self.own.begin_pending:
                    connection.execute("BEGIN")
                cursors = [self._send(sql, params) for sql, params in statements]
                if last:
                    connection.execute(last)
        finally:
            # What cannot be sent does not keep BEGIN from being sent
            self.own.begin_pending = self.own.begin_pending and connection.info.transaction_status == 0
        return cursors

    def read_together(self, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of several statements that only read, sent in one message."""
        self._ensure_not_failed()
        count_statements(statements)
        send = self._send_with_begin if self.own.begin_pending else self._send_together
        try:
            return [cursor.fetchall() for cursor in send(statements)]
        except peewee.PeeweeException as error:
            if self._is_inside():
                self._note(error)
                raise
        # One by one each is tried again if the connection was lost
        return [self.run(sql, params).fetchall() for sql, params in statements]

    def _send(self, sql: str, params: Any, **options: Any) -> Any:
        if len(params or ()) > MANY and sql.startswith("INSERT INTO") and not self.own.pooled and "'" not in sql:
            # psycopg reads the text of a statement of many values anew each time, which takes longer than all the rest
            import psycopg

            cursor = psycopg.RawCursor(self._state.conn)
            with peewee.__exception_wrapper__:  # type: ignore[attr-defined]
                cursor.execute(_numbered(sql), params)
            return cursor
        if not self.own.pooled or self._is_inside():
            return super()._execute_cursor(sql, params, **options)
        cursor = super()._execute_cursor(self._told_each_time() + sql, params, **options)
        while cursor.nextset():
            pass
        return cursor

    def _begin(self, *arguments: Any) -> None:
        if self.own.pooled:
            # peewee counts what runs in here as outside of the transaction
            super()._execute_cursor("BEGIN; " + self._told_each_time(), None)
        else:
            super()._begin(*arguments)

    def commit(self) -> None:
        """Commit a transaction; PostgreSQL undoes one in which a statement has failed, and does not say so.

        :raises peewee.InternalError: a statement has failed
        """
        self._ensure_not_failed()
        if not self.is_closed() and self._adapter.txn_status(self._state.conn) == self._adapter.txn_inerror:
            raise peewee.InternalError("an earlier statement of this transaction failed")
        super().commit()

    def _commit(self, trail: Sequence[tuple[str, Any]]) -> None:
        if self.own.begin_pending and not trail:
            # The database was never told of it
            self.own.in_transaction = self.own.begin_pending = False
            return
        if self.own.pooled or not trail:
            super()._commit(trail)
            return
        count_statements(trail)
        self.own.in_transaction = False
        with self._outcome_known():
            self._send_together(trail, last="COMMIT")
        self.own.begin_pending = False

    def rollback(self) -> None:
        """Undo a transaction."""
        self.own.begin_pending = False
        super().rollback()

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL as the driver takes it."""
        return to_percent_s(sql, STANDARD)

    # Values and columns -----------------------------------------------------------------------------------------------

    def literal(self, value: Any) -> str:
        """Return a value as SQL that the driver takes."""
        return f"'\\x{value.hex()}'" if isinstance(value, (bytes, bytearray)) else super().literal(value)

    # Comparing and sorting text ---------------------------------------------------------------------------------------

    like = "ILIKE"

    def like_operand(self, sql: str) -> str:
        """What of a text a pattern is compared with. Said only where it must be: an index has the collation it has."""
        return sql + self._letters()

    def ordering_operand(self, sql: str) -> str:
        """A text that is compared as less or greater: by its code points, whatever the database's language."""
        self._letters()
        return sql + self._ordering

    def sort_key(self, sql: str) -> str:
        """Return what a text is sorted by, as SQL."""
        return f'lower({sql}{self._letters()}) COLLATE "C"'

    def sort_index(self, sql: str, *, null: bool) -> str:
        """Return a text as an index for sorted lists has it. Lists mention NULL only if the column may be NULL."""
        return f"({self.sort_key(sql)}){self.nulls_first if null else ''}"

    # Searching words --------------------------------------------------------------------------------------------------

    # Errors -----------------------------------------------------------------------------------------------------------

    # Tables -----------------------------------------------------------------------------------------------------------

    #: without it an index has NULL last, and a list would be sorted instead of read from it
    nulls_first = " NULLS FIRST"
    column_kinds = {
        **Backend.column_kinds, "BYTEA": "BLOB", "TIMESTAMP WITHOUT TIME ZONE": "DATETIME",
        "TIME WITHOUT TIME ZONE": "TIME",
    }  # fmt: skip

    # Changing tables --------------------------------------------------------------------------------------------------

    @contextmanager
    def schema_lock(self) -> Iterator[None]:
        """Hold an advisory lock until the transaction ends."""
        self.run("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
        yield

    def change_column(self, table: str, column: ColumnDefinition, value: str) -> None:
        """Change a column."""
        name, kind = self.quoted(column.name), column.kind
        parts = ["DROP DEFAULT", f"TYPE {kind} USING CAST({value} AS {kind})"]
        parts.append("DROP NOT NULL" if column.null else "SET NOT NULL")
        parts += [f"SET DEFAULT {column.default}"] if column.default else []
        self.run(f"ALTER TABLE {self.quoted(table)} " + ", ".join(f"ALTER COLUMN {name} {part}" for part in parts))

    def rename_index(self, table: str, name: str, to: str) -> None:
        """Give an index another name."""
        self.run(f"ALTER INDEX {self.quoted(name)} RENAME TO {self.quoted(to)}")

    # Audit trail ------------------------------------------------------------------------------------------------------

    # Copies -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _numbered(sql: str) -> str:
    """A statement whose values are marked by their numbers, as PostgreSQL itself does."""
    first, *others = sql.split("%s")
    return first + "".join(f"${number}{text}" for number, text in enumerate(others, 1))

"""PostgreSQL: what it is told of each session or transaction, and several statements in one message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

import peewee

from ..common.masks import hide_password
from .backend import CONNECT_SECONDS, Backend
from .collation import PROBE, fold
from .database_errors import reason_of
from .paramstyle import STANDARD, to_percent_s
from .retrying_database import IDLE, SLACK, count_statements

#: what PostgreSQL is told of small letters, if its database knows those of ASCII alone
LOWERING = ("", ' COLLATE "C.utf8"', ' COLLATE "C.UTF-8"', ' COLLATE "und-x-icu"')
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

    # URLs and drivers -------------------------------------------------------------------------------------------------

    schemes = ("postgresql", "postgres")
    drivers = ("psycopg",)
    driver_package = "'psycopg[binary]'"
    default_options = {
        # Whatever else is installed
        "prefer_psycopg3": True,
        # A server that is gone without a word is noticed
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,
    }

    @classmethod
    def check_url(cls, url: str) -> None:
        """Check that libpq can use a URL, that it has a database name, and that the driver is installed."""
        cls.check_driver()
        if not _read_conninfo(url).get("dbname"):
            raise ValueError(
                "expected a database name after the host: postgresql://user:password@host/name, got no name"
            )

    @classmethod
    def options_of(cls, url: str) -> dict[str, Any]:
        """Return the options with which the database of a URL is opened; libpq chooses among several hosts."""
        options = {**cls.default_options, **_read_conninfo(url)}
        return {"database": options.pop("dbname"), **options}

    # Connections ------------------------------------------------------------------------------------------------------

    @property
    def pipelines(self) -> bool:  # type: ignore[override]
        """Whether several statements can be sent in one message: not through a pool."""
        return not self.own.pooled

    def _open(self) -> Any:
        options = self.connect_params
        connection = _bounded_connection().connect(autocommit=True, **{"dbname": self.database, **options})
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
        return super().connection()

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
        return f"({self.sort_key(sql)}){' NULLS FIRST' if null else ''}"

    # Searching words --------------------------------------------------------------------------------------------------

    # Errors -----------------------------------------------------------------------------------------------------------

    # Tables -----------------------------------------------------------------------------------------------------------

    # Changing tables --------------------------------------------------------------------------------------------------

    # Audit trail ------------------------------------------------------------------------------------------------------

    # Copies -----------------------------------------------------------------------------------------------------------

    _schema = "current_schema()"

    def begin_snapshot(self) -> None:
        """Begin a transaction that reads what there is at this instant."""
        self.execute_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """Take rows in any order meanwhile, without foreign keys.

        Only a superuser can switch the checks off, but a table's owner can drop its constraints and add them again.
        """
        self.execute_sql("SET synchronous_commit = off")
        references = self.execute_sql(
            "SELECT quote_ident(conname), conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
        ).fetchall()
        for name, table, _ in references:
            self.execute_sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        yield
        for name, table, definition in references:
            try:
                self.execute_sql(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
            except peewee.IntegrityError as error:
                raise peewee.IntegrityError(f"a row in {table} references a missing row: {reason_of(error)}") from error
        self.execute_sql("SET synchronous_commit = on")

    def load_rows(self, table: str, columns: Sequence[str], rows: Sequence[Any]) -> None:
        """Insert rows, all or none of them."""
        names = ", ".join(f'"{name}"' for name in columns)
        with self.connection().cursor() as cursor, cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)

    def _stream_cursor(self) -> Any:
        # A cursor with a name stays on the server and is read part by part
        return self.connection().cursor(name="comptoir_copy")

    def _sequence(self, table: str, key: str) -> str | None:
        """Return the sequence that a table's IDs come from."""
        found = self.execute_sql("SELECT pg_get_serial_sequence(%s, %s)", (f'"{table}"', key))
        name: str | None = found.fetchone()[0]
        return name

    def id_counter(self, table: str, key: str) -> int | None:
        """Return the last ID that a table has generated."""
        sequence = self._sequence(table, key)
        if sequence is None:
            return None
        number, called = self.execute_sql(f"SELECT last_value, is_called FROM {sequence}").fetchone()
        return int(number) if called else 0

    def set_id_counter(self, table: str, key: str, number: int) -> None:
        """Set the last ID that a table has generated."""
        sequence = self._sequence(table, key)
        if sequence is not None and number > 0:
            self.execute_sql("SELECT setval(%s::regclass, %s)", (sequence, number))

    def remove_tables(self, names: Sequence[str]) -> None:
        """Drop tables and the constraints that reference them."""
        for name in names:
            self.execute_sql(f'DROP TABLE IF EXISTS "{name}" CASCADE')


@cache
def _bounded_connection() -> Any:
    """Return the class of connections. It is made when it is needed, because the driver need not be installed.

    PostgreSQL ends what takes too long, but only if it gets to it: a pool holds a statement back while its database is
    gone, for two minutes by default, and a host may stand still.
    """
    import psycopg

    class BoundedConnection(psycopg.Connection[Any]):
        """A connection that is given up if nothing responds."""

        #: seconds to wait for a response; None: without end
        patience: float | None = None

        def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
            """Wait for a response.

            :raises psycopg.OperationalError: there was none
            """
            try:
                return super().wait(gen, interval, self.patience if timeout is None else timeout)
            except psycopg.OperationalError as error:
                if error.sqlstate is None:
                    # It doesn't come from the server, so nobody knows what that would respond to next
                    self.pgconn.finish()
                raise

    return BoundedConnection


def _read_conninfo(url: str) -> dict[str, str]:
    """Return the options of a URL as libpq reads it; `host` and `port` may be lists separated by commas.

    :raises ValueError: libpq can't use the URL; the message contains no password
    """
    # The driver may not be installed
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    wrong = f"expected a URL such as postgresql://user:password@host:5432/name, got {hide_password(url)}"
    try:
        options = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except ProgrammingError:
        raise ValueError(f"{wrong}; write special characters as %XX, and only options that libpq knows") from None
    if any(port and not (port.isdecimal() and 0 < int(port) < 65536) for port in options.get("port", "").split(",")):
        raise ValueError(f"{wrong}; the port is not a number from 1 to 65535")
    if "@" in options.get("host", "")[1:]:
        # The rest of a password, which messages about an unreachable host would show
        raise ValueError(f"{wrong}; write @ in the password as %40")
    return options


@lru_cache(maxsize=64)
def _numbered(sql: str) -> str:
    """A statement whose values are marked by their numbers, as PostgreSQL itself does."""
    first, *others = sql.split("%s")
    return first + "".join(f"${number}{text}" for number, text in enumerate(others, 1))

"""The three kinds of database: how each is told how long a statement may take, and what else differs between them."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

import peewee

from ..common.request_state import current_state
from .connections import Lasting
from .letters import FOLD, LETTERS, LETTERS_END, PROBE, compare, fold, folded
from .troubles import DATA_ERRORS

try:
    import MySQLdb as mysql_driver
except ImportError:
    mysql_driver = peewee.mysql  # type: ignore[attr-defined]


#: seconds in which a connection must be made
CONNECT = 3
#: seconds for which a transaction may stand idle before the database ends it: its worker's host may be gone
IDLE = 60
#: how MariaDB and MySQL compare texts letter by letter, with the spaces behind them, and whose small letters they know
EXACT = ("utf8mb4_nopad_bin", "utf8mb4_0900_bin", "utf8mb4_bin")
CASES = ("utf8mb4_uca1400_nopad_as_ci", "utf8mb4_0900_as_ci", "utf8mb4_unicode_520_ci")
#: what PostgreSQL is told of small letters, if its database knows those of ASCII alone
LOWERING = ("", ' COLLATE "C.utf8"', ' COLLATE "C.UTF-8"', ' COLLATE "und-x-icu"')
#: milliseconds that SQLite waits for a lock before it is asked anew
STEP = 5
#: values of a statement from which on PostgreSQL's driver is spared to read its text
MANY = 100
#: instructions of SQLite between two looks at the clock, some milliseconds
STEPS = 100_000
#: the same where long texts are searched: every fifth instruction may then take milliseconds
SEARCHING_STEPS = 250


class Sqlite(Lasting, peewee.SqliteDatabase):
    """SQLite: waits for another's lock in short steps, and ends from within what takes too long.

    The library's own steps grow to a tenth of a second, so that whoever comes later is often first: beside three others
    that write all the time one request of a hundred took half a second. With these steps it takes 13 ms.
    """

    #: BEGIN takes the lock, so it is not put off
    distant = False

    def _settle(self, connection: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout = {STEP}")
        connection.create_function(FOLD, 1, folded, deterministic=True)
        connection.create_collation(LETTERS, compare)
        self._look(connection, STEPS)

    def sort_key(self, sql: str, *, indexed: bool = False) -> str:
        """What a text is sorted by; the collation, which its index has, is slow where all rows are sorted."""
        return f"{sql} COLLATE {LETTERS}" if indexed else f"{FOLD}({sql})"

    def _look(self, connection: Any, steps: int) -> None:
        """Look at the clock whenever so many instructions have been done."""
        own = self.own
        if self.limits()[0]:
            connection.set_progress_handler(lambda: time.monotonic() > own.deadline, steps)
        own.steps = steps

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
        self.own.deadline = time.monotonic() + self._limit
        steps = SEARCHING_STEPS if "SUBSTR(" in sql else STEPS
        if steps != self.own.steps:
            self._look(self._state.conn, steps)
        run = super()._execute_cursor
        # Who reads waits for nobody
        return run(sql, params, **options) if sql.startswith("SELECT") else self._once_free(run, sql, params, **options)

    def _begin(self, *arguments: Any) -> None:
        self._once_free(super()._begin, *arguments)

    def _once_free(self, run: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        begun = time.monotonic()
        while True:
            try:
                return run(*arguments, **options)
            except peewee.OperationalError as error:
                # A lock that is never let go is a fault, however patient one is
                waited = time.monotonic() - begun
                if (
                    not _is_locked(error)
                    or self.in_transaction()
                    or waited > (self.own.hurry or self.limits()[1] or 3600)
                ):
                    raise


def _is_locked(error: peewee.OperationalError) -> bool:
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0)
    return code & 255 == sqlite3.SQLITE_BUSY and code != sqlite3.SQLITE_BUSY_SNAPSHOT


class Postgresql(Lasting, peewee.PostgresqlDatabase):
    """PostgreSQL, also behind PgBouncer or whatever else gives each transaction another connection.

    There nothing may be said to a session or be prepared in it, since it serves others next: the time-outs are said in
    each transaction, and in one message with each statement that stands outside of one.
    """

    _adapter: Any
    _lowering: str | None = None
    _ordering = ""

    def looked_at(self, sql: str) -> str:
        """What of a text a pattern is compared with. Said only where it must be: an index has the collation it has."""
        return sql + self._letters()

    def compared(self, sql: str) -> str:
        """A text that is compared as less or greater: by its code points, whatever the database's language."""
        self._letters()
        return sql + self._ordering

    def sort_key(self, sql: str, *, indexed: bool = False) -> str:
        """What a text is sorted by."""
        return f'lower({sql}{self._letters()}) COLLATE "C"'

    def _open(self) -> Any:
        if self.own.at_standby:
            connection = self._adapter.connect(self, **(self.standby or {}))
            connection.autocommit = True
            return connection
        if not self.hosts.places:
            return super()._open()
        import psycopg

        def reach(host: str, port: int) -> Any:
            connection = self._adapter.connect(self, **(self.connect_params | {"host": host, "port": port}))
            connection.autocommit = True
            # It is asked: a pool takes connections, and says what it was told before, also when its database is gone
            if connection.execute("SHOW transaction_read_only").fetchone()[0] == "on":
                connection.close()
                raise psycopg.OperationalError("it can only be read")
            return connection

        return self.hosts.connect(reach, psycopg.Error)

    def _letters(self) -> str:
        if self._lowering is None:
            self.connect(reuse_if_open=True)
        return self._lowering or ""

    def _find_letters(self, connection: Any) -> None:
        rows = connection.execute("SELECT collname FROM pg_collation WHERE collname = ANY(%s)",
                                  ([each.split('"')[1] for each in LOWERING if each],))  # fmt: skip
        there = {f' COLLATE "{name}"' for (name,) in rows.fetchall()} | {""}
        in_language = connection.execute("SELECT 'a' < 'B' OR 'é' < 'z' OR 'a b' > 'aa'").fetchone()[0]
        self._ordering = ' COLLATE "C"' if in_language else ""
        self._lowering = ""
        for each in LOWERING:
            if each in there and connection.execute(f"SELECT lower(%s{each})", (PROBE,)).fetchone()[0] == fold(PROBE):
                self._lowering = each
                return

    def _settle(self, connection: Any) -> None:
        if self._lowering is None:
            self._find_letters(connection)
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

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
        if not self.own.untold:
            return self._send(sql, params, **options)
        if self.own.pooled:
            cursor = super()._execute_cursor("BEGIN; " + self._told_each_time() + sql, params, **options)
            while cursor.nextset():
                pass
            self.own.untold = False
            return cursor
        connection = self._state.conn
        try:
            with peewee.__exception_wrapper__, connection.pipeline():  # type: ignore[attr-defined]
                connection.execute("BEGIN")
                return self._send(sql, params, **options)
        finally:
            # What cannot be sent does not keep BEGIN from being sent
            self.own.untold = connection.info.transaction_status == 0

    def _commit_with(self, last: Sequence[tuple[str, Any]]) -> None:
        if self.own.pooled:
            super()._commit_with(last)
            return
        connection = self._state.conn
        with peewee.__exception_wrapper__, connection.pipeline():  # type: ignore[attr-defined]
            if self.own.untold:
                self.own.untold = False
                connection.execute("BEGIN")
            for sql, params in last:
                self._send(sql, params)
            connection.execute("COMMIT")

    def _read_together(self, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
        if self.own.pooled:
            return super()._read_together(statements)
        _count(statements)
        connection = self._state.conn
        try:
            with peewee.__exception_wrapper__, connection.pipeline():  # type: ignore[attr-defined]
                if self.own.untold:
                    connection.execute("BEGIN")
                cursors = [self._send(sql, params) for sql, params in statements]
        finally:
            if self.own.untold:
                self.own.untold = connection.info.transaction_status == 0
        return [cursor.fetchall() for cursor in cursors]

    def _send(self, sql: str, params: Any, **options: Any) -> Any:
        if len(params or ()) > MANY and sql.startswith("INSERT INTO") and not self.own.pooled and "'" not in sql:
            # psycopg reads the text of a statement of many values anew each time, which takes longer than all the rest
            import psycopg

            cursor = psycopg.RawCursor(self._state.conn)
            with peewee.__exception_wrapper__:  # type: ignore[attr-defined]
                cursor.execute(_numbered(sql), params)
            return cursor
        if not self.own.pooled or self.in_transaction():
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
        self._insist_on_whole()
        if not self.is_closed() and self._adapter.txn_status(self._state.conn) == self._adapter.txn_inerror:
            raise peewee.InternalError("a statement of the transaction had failed")
        super().commit()


def _count(statements: Sequence[object]) -> None:
    """Count statements that a request runs otherwise than one by one."""
    state = current_state()
    if state is not None:
        state.statements += len(statements)


@lru_cache(maxsize=64)
def _numbered(sql: str) -> str:
    """A statement whose values are marked by their numbers, as PostgreSQL itself does."""
    first, *others = sql.split("%s")
    return first + "".join(f"${number}{text}" for number, text in enumerate(others, 1))


class Mysql(Lasting, peewee.MySQLDatabase):
    """MariaDB and MySQL, with the driver that is there: `mysqlclient`, which is written in C, before `pymysql`.

    Of several hosts the next one is tried where one cannot be used.
    """

    _exact, _cased = "", ""

    def exact(self) -> str:
        """The collation in which texts are compared letter by letter."""
        if not self._exact:
            self.connect(reuse_if_open=True)
        return self._exact

    def looked_at(self, sql: str) -> str:
        """What of a text a pattern in small letters is compared with."""
        exact = self.exact()
        return f"LOWER(CONVERT({sql} USING utf8mb4) COLLATE {self._cased}) COLLATE {exact}"

    def sort_key(self, sql: str, *, indexed: bool = False) -> str:
        """What a text is sorted by."""
        return self.looked_at(sql)

    def get_columns(self, table: str, schema: str | None = None) -> list[Any]:
        """The columns of a table, without those that it works out by itself to sort by."""
        found = super().get_columns(table, schema)
        if not any(each.name.endswith(LETTERS_END) for each in found):
            return list(found)
        own = self.letter_columns(table)
        return [each for each in found if each.name not in own]

    def letter_columns(self, table: str) -> set[str]:
        """The names of the columns in which a table works out the small letters of others."""
        sql = (
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = %s "
            "AND RIGHT(column_name, %s) = %s AND INSTR(extra, 'GENERATED') > 0"
        )
        found = self.execute_sql(sql, (table, len(LETTERS_END), LETTERS_END)).fetchall()
        return {str(name) for (name,) in found}

    def _open(self) -> Any:
        if mysql_driver is None:
            raise peewee.ImproperlyConfigured("no driver of MariaDB is installed")
        limit, _ = self.limits()
        # As the driver in C has it by itself: BEGIN and COMMIT go along with a statement
        flags: Any = import_module(f"{mysql_driver.__name__}.constants.CLIENT")
        options = dict(self.connect_params if not self.own.at_standby else self.standby or {})
        options["client_flag"] = options.get("client_flag", 0) | flags.MULTI_STATEMENTS
        if limit:
            # A server that does not even end its statements is given up
            options |= {"read_timeout": int(limit) + 5, "write_timeout": int(limit) + 5}
        if options.get("host") == "localhost":
            # To the library in C this means a socket in the file system
            options["host"] = "127.0.0.1"
        if self.own.at_standby or not self.hosts.places:
            return self._connect_to(options)

        def reach(host: str, port: int) -> Any:
            connection = self._connect_to(options | {"host": host, "port": port})
            _insist_on_use(connection)
            return connection

        return self.hosts.connect(reach, mysql_driver.Error)

    def _connect_to(self, options: dict[str, Any]) -> Any:
        options = {"database": self.database, **options}
        return mysql_driver.connect(autocommit=True, conv=_conversions(), **options)

    def _settle(self, connection: Any) -> None:
        limit, lock = self.limits()
        settings: dict[str, Any] = {"time_zone": "'+00:00'"}
        version = str(connection.get_server_info()).lower()
        mariadb = "maria" in version
        told = re.search(r"(\d+)\.(\d+)\.\d+-maria", version)
        self.own.returning = told is not None and (int(told[1]), int(told[2])) >= (10, 5)
        if limit:
            settings |= {"innodb_lock_wait_timeout": lock, "lock_wait_timeout": lock}
            settings |= {"max_statement_time": limit} if mariadb else {"max_execution_time": int(limit * 1000)}
        if limit and mariadb:
            settings["idle_transaction_timeout"] = IDLE
        cursor = connection.cursor()
        cursor.execute("SET " + ", ".join(f"{name} = {value}" for name, value in settings.items()))
        # What others have committed is seen, as on PostgreSQL: a counter is read after the lock that one waited for
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        if not self._exact:
            self._exact, self._cased = (_first_known(cursor, names) for names in (EXACT, CASES))
        cursor.close()

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
        if self.own.untold:
            # Until it is certain that it has begun: to begin twice, where nothing has been written, does no harm
            sent = self._send(sql, params, before="BEGIN; ").plain
            self.own.untold = False
            return sent
        return self._send(sql, params, **options)

    def _commit_with(self, last: Sequence[tuple[str, Any]]) -> None:
        before, self.own.untold = "BEGIN; " if self.own.untold else "", False
        texts, values = [sql.rstrip("; ") for sql, _ in last], [value for _, params in last for value in params or ()]
        self._send("; ".join(texts), values, before=before, behind="; COMMIT")

    def _read_together(self, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
        _count(statements)
        cursor, began = self.cursor(), time.perf_counter()
        texts, values = [sql for sql, _ in statements], [value for _, params in statements for value in params]
        found = []
        with peewee.__exception_wrapper__:  # type: ignore[attr-defined]
            cursor.execute("; ".join(["BEGIN", *texts] if self.own.untold else texts), values)
            if self.own.untold:
                self.own.untold = False
                cursor.nextset()
            for sql, params in statements:
                found.append(list(cursor.fetchall()))
                cursor.nextset()
                if self.query_hooks:
                    self._notify_hooks(sql, params, began, None)  # type: ignore[attr-defined]
        return found

    def cursor(self, named_cursor: Any = None, *, before: str = "", behind: str = "") -> Any:
        """A cursor.

        :param before: what is sent in front of its statement, in one message; the answer is that of the statement
        :param behind: what is sent behind it
        """
        plain = super().cursor(named_cursor)  # type: ignore[no-untyped-call]
        return _Joining(plain, before, behind) if before or behind else plain

    def _send(self, sql: str, params: Any, **options: Any) -> Any:
        try:
            return super()._execute_cursor(sql, params, **options)
        except peewee.OperationalError as error:
            # One driver takes for an error of the server what the other takes for one of the data
            if error.args and error.args[0] in DATA_ERRORS:
                raise peewee.DataError(*error.args) from error
            raise

    def table_settings(self) -> list[str]:
        """Every character there is, compared letter by letter, whatever the server's default."""
        return [f"DEFAULT CHARSET=utf8mb4 COLLATE={self.exact()}"]


def _first_known(cursor: Any, names: tuple[str, ...]) -> str:
    for name in names[:-1]:
        try:
            cursor.execute(f"SELECT _utf8mb4'' COLLATE {name}")
        except Exception:  # noqa: BLE001 - each driver has errors of its own
            continue
        cursor.fetchall()
        return name
    return names[-1]


class _Joining:
    """A cursor that sends something along with its statement."""

    def __init__(self, plain: Any, before: str, behind: str) -> None:
        self.plain, self.before, self.behind = plain, before, behind

    def execute(self, sql: str, params: Any) -> None:
        """Send all of it; what fails keeps the database from doing what comes behind it."""
        self.plain.execute(self.before + sql.rstrip("; ") + self.behind, params)
        if self.before:
            self.plain.nextset()
        while self.behind and self.plain.nextset():
            pass


def _insist_on_use(connection: Any) -> None:
    """Go on only if a host answers and takes writes: a node of Galera that has lost the others is there for nobody."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT @@read_only")
            if cursor.fetchone()[0]:
                raise mysql_driver.OperationalError(1836, "it can only be read")
    except mysql_driver.Error:
        connection.close()
        raise


@cache
def _conversions() -> dict[Any, Any]:
    """What the driver makes of values. Kept: most amounts of a page are 0, and a list holds many equal instants."""
    names = ("DECIMAL", "NEWDECIMAL", "DATETIME", "TIMESTAMP", "DATE")
    kinds = {getattr(mysql_driver.constants.FIELD_TYPE, name) for name in names}
    found: dict[Any, Any] = import_module(f"{mysql_driver.__name__}.converters").conversions
    return {kind: lru_cache(maxsize=4096)(each) if kind in kinds else each for kind, each in found.items()}

"""PostgreSQL: settings of sessions and transactions, and several statements in one message."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from time import perf_counter
from typing import Any

import peewee

from ..common.masks import hide_password
from . import error_kinds as kinds
from .backend import CONNECT_SECONDS, Backend, ColumnDefinition, Condition
from .retrying_database import IDLE_TRANSACTION_SECONDS, SLACK_SECONDS, add_time
from .texts import FORMAT, LIGATURES, LONGEST_WORD, PROBE, STRANGERS, SearchedTable, fold, joined

_log = logging.getLogger("comptoir.tables")

#: the function from a text to its words. Its high cost makes an index preferred to calling it for each row; it may not
#: run in parallel, so that the same rows are the first of many each time
WORDS_FUNCTION = f"comptoir_words_{FORMAT}"
_MAKE_WORDS_FUNCTION = """
CREATE OR REPLACE FUNCTION {name}(said text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE COST 5000 AS $$
DECLARE spaced text := lower(said{collation});
BEGIN
  IF octet_length(spaced) <> length(spaced) THEN
    {ligatures}
    spaced := regexp_replace(normalize(spaced, NFD), '([a-z])[\\u0300-\\u036f]+', '\\1', 'g');
    spaced := regexp_replace(normalize(spaced, NFC), '[\\u0300-\\u036f]+', '', 'g');
  END IF;
  spaced := regexp_replace(spaced, '([[:alnum:]]{{{longest}}})[[:alnum:]]+|[^[:alnum:]]+', '\\1 ', 'g');
  RETURN array_to_tsvector(string_to_array(trim(spaced), ' '));
END $$
"""

#: the collation that lowers only ASCII
ASCII = ' COLLATE "C"'
#: collations that lower all characters, for a database whose own one lowers only ASCII
COLLATIONS = ("", ' COLLATE "C.utf8"', ' COLLATE "C.UTF-8"', ' COLLATE "und-x-icu"')

#: FATAL messages after which waiting helps; all others are permanent
_PASSING = re.compile(r"starting up|shutting down|recovery|too many|connection slots|terminating connection")
#: the columns before their values, in the detail of an error, in any language
_KEY = re.compile(r"\(((?:[^()\"]|\"[^\"]*\")*)\)=\(")
#: the number of the advisory lock under which tables are changed; any that nothing else uses
SCHEMA_LOCK = 0x636F6D70746F6972


class Postgresql(Backend, peewee.PostgresqlDatabase):
    """PostgreSQL, directly or through a pooler such as PgBouncer that gives each transaction another connection.

    Through a pooler, a session has no settings and no prepared statements, since others use it next. The time-outs are
    set in each transaction, and in one message with each statement outside of one.
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
        # Detect a server that disappeared without closing the connection
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,
    }

    @classmethod
    def check_url(cls, url: str) -> None:
        """Check that libpq can use a URL, that it has a database name, and that the driver is installed."""
        cls.driver()
        if not _read_conninfo(url).get("dbname"):
            raise ValueError(
                "expected a database name after the host: postgresql://user:password@host/name, got no name"
            )

    @classmethod
    def options_of(cls, url: str) -> dict[str, Any]:
        """Return the options with which the database of a URL is opened; libpq chooses among several hosts."""
        options = {**cls.default_options, **_read_conninfo(url)}
        return {"database": options.pop("dbname"), **options}

    # A backslash is a character, but not in E'…'
    sql_parts = re.compile(
        r"""(?<![A-Za-z0-9_$])[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|/\*.*?(?:\*/|\Z)|--[^\n]*"""
        r"|(?<![A-Za-z0-9_$])(?P<tag>\$(?:[A-Za-z_]\w*)?\$).*?(?P=tag)|[?%]",
        re.DOTALL,
    )

    # Connections ------------------------------------------------------------------------------------------------------

    @property
    def pipelines(self) -> bool:  # type: ignore[override]
        """Return whether several statements can be sent in one message: not through a pooler."""
        return not self.own.pooled

    def _open(self) -> Any:
        options = self.connect_params
        connection = _bounded_connection().connect(autocommit=True, **{"dbname": self.database, **options})
        connection.patience = float(options.get("connect_timeout") or 0) or None
        return connection

    def _lowering_collation(self) -> str:
        if self._lowering is None:
            self.connect(reuse_if_open=True)
        return self._lowering or ""

    def _find_collations(self, connection: Any) -> str:
        rows = connection.execute("SELECT collname FROM pg_collation WHERE collname = ANY(%s)",
                                  ([each.split('"')[1] for each in COLLATIONS if each],))  # fmt: skip
        present = {f' COLLATE "{name}"' for (name,) in rows.fetchall()} | {""}
        in_language = connection.execute("SELECT 'a' < 'B' OR 'é' < 'z' OR 'a b' > 'aa'").fetchone()[0]
        self._ordering = ' COLLATE "C"' if in_language else ""
        for each in COLLATIONS:
            if each in present and connection.execute(f"SELECT lower(%s{each})", (PROBE,)).fetchone()[0] == fold(PROBE):
                return each
        return ""

    def _configure(self, connection: Any) -> None:
        if self._lowering is None:
            self._lowering = self._find_collations(connection)
        process = connection.execute("SELECT pg_backend_pid()").fetchone()[0]
        self.own.pooled = process != connection.info.backend_pid
        if self.own.pooled:
            connection.prepare_threshold = None
            connection.cursor_factory = _pooled_cursor()
            connection.settings = "".join(f"SET LOCAL {name} = {value}; " for name, value in self._settings())
        else:
            settings = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in self._settings())
            connection.execute(f"SELECT {settings}")
        limit, _ = self.limits()
        connection.patience = limit + SLACK_SECONDS if limit else None

    def _settings(self) -> list[tuple[str, int]]:
        """Return the settings of a session; time-outs are in milliseconds."""
        limit, lock = self.limits()
        return [
            ("statement_timeout", int(limit * 1000)),
            ("lock_timeout", lock * 1000),
            ("idle_in_transaction_session_timeout", IDLE_TRANSACTION_SECONDS * 1000 if limit else 0),
            # Compiling a statement takes longer than it saves
            ("jit", 0),
        ]

    def read_together(self, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of several statements that only read, sent in one message."""
        if len(statements) < 2 or not self.pipelines:
            return super().read_together(statements)
        self._ensure_not_failed()
        if self.is_closed():
            self.connect()
        began = perf_counter()
        try:
            with peewee.__exception_wrapper__, self._state.conn.pipeline():  # type: ignore[attr-defined]
                cursors = [self._execute_cursor(sql, params) for sql, params in statements]
            return [cursor.fetchall() for cursor in cursors]
        except peewee.PeeweeException as error:
            if self.in_transaction():
                self._note(error)
                raise
        finally:
            add_time(began, len(statements))
        # One by one, each is run again if the connection was lost
        return super().read_together(statements)

    def _would_be_undone(self) -> bool:
        return not self.is_closed() and self._status() == self._adapter.txn_inerror

    def _status(self) -> Any:
        """Return the state of the transaction, as the driver knows it."""
        return self._adapter.txn_status(self._state.conn)

    def has_open_transaction(self) -> bool:
        """Return whether this thread's connection has a transaction, even one begun by a statement of a module."""
        return super().has_open_transaction() or self._status() != self._adapter.txn_idle

    def returning(self, key: str, rows: int = 1) -> str:
        """Return the clause that returns the IDs."""
        return f" RETURNING {key}"

    asynchronous_commit = "SET LOCAL synchronous_commit TO off"

    def reserve_id(self, table: str, key: str) -> int | None:
        """Return the next ID of the table's sequence."""
        found = self.read("SELECT nextval(pg_get_serial_sequence(%s, %s))", (self.quoted(table), key)).fetchone()[0]
        return None if found is None else int(found)

    def asynchronous_insert(self, table: str, columns: Sequence[str]) -> str:
        """Return an INSERT that sets its own transaction, and only that one."""
        return (
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join('?' * len(columns))} "
            "FROM set_config('synchronous_commit', 'off', true) ON CONFLICT DO NOTHING"
        )

    # Values and columns -----------------------------------------------------------------------------------------------

    def literal(self, value: Any) -> str:
        """Return a value as SQL that the driver takes."""
        return f"'\\x{value.hex()}'" if isinstance(value, (bytes, bytearray)) else super().literal(value)

    # Comparing and sorting text ---------------------------------------------------------------------------------------

    def like_condition(self, sql: str, pattern: str) -> Condition:
        """Return the condition for a pattern. Comparing only ASCII without case takes two thirds of the time."""
        is_ascii = pattern.isascii() and not {*STRANGERS} & {*fold(pattern)}
        return f"{sql}{ASCII if is_ascii else self._lowering_collation()} ILIKE %s", (pattern,)

    def ordering_operand(self, sql: str) -> str:
        """Return the SQL of a text that is compared by code points, whatever the database's language."""
        self._lowering_collation()
        return sql + self._ordering

    def sort_key(self, sql: str) -> str:
        """Return the SQL by which a text is sorted."""
        return f'lower({sql}{self._lowering_collation()}) COLLATE "C"'

    def nulls_order(self, *, descending: bool) -> str:
        """Return the place of NULL, which otherwise is the greatest; an index needs it to have the order of lists."""
        return " NULLS LAST" if descending else " NULLS FIRST"

    # Few of many rows -------------------------------------------------------------------------------------------------

    # PostgreSQL assumes that the rows of a range are spread over the table, but new rows are at its end. Also, the
    # plan of a prepared statement must fit any values
    guessed_operators = frozenset(["<", "<=", ">", ">=", "between"])
    few_rows = 1_000

    def among_rows(self, key: str, rows: str) -> str:
        """Return the condition for an array, which is computed first; IN would be planned together with the rest."""
        return f"{key} = ANY(ARRAY({rows}))"

    # Searching words --------------------------------------------------------------------------------------------------
    #
    # An index for each table, of the words that a function makes of its texts

    search_parts = "INDEX"

    def make_search(self, searched: SearchedTable) -> None:
        """Create the function and the index."""
        icu = self.read("SELECT COUNT(*) FROM pg_collation WHERE collname = 'und-x-icu'").fetchone()[0]
        ligatures = " ".join(f"spaced := replace(spaced, '{each}', '{other}');" for each, other in LIGATURES.items())
        # Letters are what Unicode calls so, whatever the database was made for
        collation = ' COLLATE "und-x-icu"' if icu else ""
        self.run(
            _MAKE_WORDS_FUNCTION.format(
                name=WORDS_FUNCTION, collation=collation, ligatures=ligatures, longest=LONGEST_WORD
            )
        )
        self.run(f"CREATE INDEX {searched.words} ON {searched.table} USING gin ({_words_sql(searched, '')})")
        # How frequent each word is; otherwise it stays unknown until many rows have changed
        self.run(f"ANALYZE {searched.table}")

    def words_condition(self, searched: SearchedTable, words: Sequence[str]) -> Condition:
        """Return the condition that the index serves, if there is one."""
        wanted = " & ".join(f"'{word}':*" for word in words)
        return f"{_words_sql(searched, 't.')} @@ CAST(%s AS tsquery)", (wanted,)

    def page_condition(self, searched: SearchedTable, words: Sequence[str], *, by_id: bool) -> Condition:
        """Return the condition for rows that are found before they are sorted, unless nearly all have the words.

        Otherwise PostgreSQL may read an index that has the order, and compute the words of row after row.
        """
        condition, wanted = self.words_condition(searched, words)
        rows = f"SELECT t.{searched.key} FROM {searched.table} AS t WHERE {condition}"
        if self.read(f"EXPLAIN {rows}", wanted).fetchone()[0].startswith("Seq Scan"):
            return condition, wanted
        return f"t.{searched.key} = ANY(ARRAY({rows}))", wanted

    # Errors -----------------------------------------------------------------------------------------------------------

    error_kinds = kinds.kinds_by_code({
        kinds.UNREACHABLE: "closed 08 57P01 57P02 57P03 57P05 25P03 53300 3D000 28P01 28000",
        kinds.CONFLICT: "40001 40P01",
        kinds.LOCKED: "55P03",
        kinds.TOO_LONG: "57014",
        kinds.MISSING: "42P01 42703",
        kinds.DENIED: "42501",
        kinds.DISK_FULL: "53100",
        kinds.READ_ONLY: "25006",
        kinds.TABLE_CHANGED: "replanned",
    })  # fmt: skip
    refused_codes = frozenset(["3D000", "28P01", "28000"])

    def error_code(self, error: BaseException) -> str:
        """Return the SQLSTATE of an error, the class of one if it is as good, or `closed` or `replanned`."""
        original: Any = getattr(error, "orig", error)
        state = getattr(original, "sqlstate", None)
        if state == "0A000" and original.diag.source_function == "RevalidateCachedQuery":
            return "replanned"
        if state is None:
            # Errors of the driver itself have none
            return self.closed_code(original)
        return state[:2] if state[:2] in self.error_kinds else str(state)

    def is_worth_waiting(self, error: BaseException) -> bool:
        """Return whether a database that could not be connected to may respond soon, rather than reject for good."""
        return super().is_worth_waiting(error) and ("FATAL" not in str(error) or bool(_PASSING.search(str(error))))

    def integrity_problem(self, error: BaseException, table: str) -> kinds.IntegrityProblem:
        """Return which constraint a row breaks."""
        original: Any = getattr(error, "orig", error)
        rules = {"23505": kinds.UNIQUE, "23503": kinds.REFERENCE, "23502": kinds.NULL}
        found = _KEY.search(original.diag.message_detail or "")
        columns = tuple(name.strip().strip('"') for name in found[1].split(",")) if found else ()
        return kinds.IntegrityProblem(rules.get(original.sqlstate, ""), original.diag.table_name or "", columns)

    # Tables -----------------------------------------------------------------------------------------------------------

    column_kinds = {
        **Backend.column_kinds, "BYTEA": "BLOB", "TIMESTAMP WITHOUT TIME ZONE": "DATETIME",
        "TIMESTAMP WITH TIME ZONE": "DATETIME", "TIME WITHOUT TIME ZONE": "TIME",
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
        """Rename an index."""
        self.run(f"ALTER INDEX {self.quoted(name)} RENAME TO {self.quoted(to)}")

    # Audit trail ------------------------------------------------------------------------------------------------------

    triggers_query = "SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass(quote_ident(%s)) AND tgenabled <> 'D'"

    def append_only(self, table: str, message: str) -> dict[str, list[str]]:
        """Return the function that makes a table append-only, and its triggers."""
        function = (
            f"CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger AS $$ BEGIN "
            "IF current_setting('comptoir.audit', true) = 'open' THEN "
            "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END IF; "
            f"RAISE EXCEPTION '{message}'; END $$ LANGUAGE plpgsql"
        )
        return {
            f"{table}_{event.lower()}": [
                function,
                f"CREATE TRIGGER {table}_{event.lower()} BEFORE {event} ON {table} "
                f"FOR EACH {each} EXECUTE FUNCTION {table}_refuse()",
            ]
            for event, each in (("UPDATE", "ROW"), ("DELETE", "ROW"), ("TRUNCATE", "STATEMENT"))
        }

    @contextmanager
    def changes_allowed(self, table: str, message: str) -> Iterator[None]:
        """Set a variable that the trigger function reads, until the transaction ends."""
        self.run("SET LOCAL comptoir.audit = 'open'")
        yield

    # Copies -----------------------------------------------------------------------------------------------------------

    def begin_snapshot(self) -> None:
        """Begin a transaction that reads one state of the database."""
        self.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """Take rows in any order meanwhile, without foreign keys.

        Only a superuser can switch the checks off, but a table's owner can drop its constraints and add them again.
        """
        self.run("SET synchronous_commit = off")
        references = self.read(
            "SELECT quote_ident(conname), conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
        ).fetchall()
        for name, table, _ in references:
            self.run(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        yield
        for name, table, definition in references:
            try:
                self.run(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
            except peewee.IntegrityError as error:
                reason = f"a row in {table} references a missing row: {kinds.reason_of(error)}"
                raise peewee.IntegrityError(reason) from error
        self.run("SET synchronous_commit = on")

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
        found = self.read("SELECT pg_get_serial_sequence(%s, %s)", (f'"{table}"', key))
        name: str | None = found.fetchone()[0]
        return name

    def id_counter(self, table: str, key: str) -> int | None:
        """Return the last ID that a table has generated."""
        sequence = self._sequence(table, key)
        if sequence is None:
            return None
        number, called = self.read(f"SELECT last_value, is_called FROM {sequence}").fetchone()
        return int(number) if called else 0

    def set_id_counter(self, table: str, key: str, number: int) -> None:
        """Set the last ID that a table has generated."""
        sequence = self._sequence(table, key)
        if sequence is not None and number > 0:
            self.run("SELECT setval(%s::regclass, %s)", (sequence, number))

    def remove_tables(self, names: Sequence[str]) -> None:
        """Drop tables and the constraints that reference them."""
        for name in names:
            self.run(f'DROP TABLE IF EXISTS "{name}" CASCADE')


@cache
def _bounded_connection() -> Any:
    """Return the class of connections. It is made when it is needed, because the driver need not be installed.

    PostgreSQL ends a statement that takes too long, but only if it has received it. A pool holds statements back while
    its database is gone, for two minutes by default, and a host may hang.
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
                    # The error isn't the server's, so its next response may belong to this statement
                    self.pgconn.finish()
                raise

    return BoundedConnection


@cache
def _pooled_cursor() -> Any:
    """Return the class of cursors of a session that a pooler gives to another client after each transaction."""
    import psycopg

    # It binds values itself, so that several statements are one message
    class PooledCursor(psycopg.ClientCursor[Any]):
        """A cursor that sends the settings with the first statement of a transaction."""

        def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
            """Run a statement."""
            if self.connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                return super().execute(query, params, **options)
            super().execute(self.connection.settings + query, params, **options)  # type: ignore[attr-defined]
            while self.nextset():
                pass
            return self

    return PooledCursor


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


def _words_sql(searched: SearchedTable, alias: str) -> str:
    return f"{WORDS_FUNCTION}({joined(searched.texts(alias))})"

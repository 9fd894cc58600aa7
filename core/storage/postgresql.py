"""PostgreSQL: what it is told of each session or transaction, and several statements in one message."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import peewee

from .backend import Backend, Condition
from .collation import PROBE, fold
from .paramstyle import STANDARD, to_percent_s
from .retrying_database import IDLE, SLACK, count_statements
from .search import FORMAT, LIGATURES, LONGEST_WORD, joined
from .search_names import SearchedTable

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

    def returning(self, key: str, rows: int = 1) -> str:
        """Return the clause that returns the IDs."""
        return f" RETURNING {key}"

    asynchronous_commit = "SET LOCAL synchronous_commit TO off"

    def asynchronous_insert(self, table: str, columns: Sequence[str]) -> str:
        """Return an INSERT that sets its own transaction, and only that one."""
        return (
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join('?' * len(columns))} "
            "FROM set_config('synchronous_commit', 'off', true) ON CONFLICT DO NOTHING"
        )

    #: the last count, for the size that the table has by now
    estimate_query = (
        "SELECT CASE WHEN reltuples < 0 THEN 0 ELSE reltuples / GREATEST(relpages, 1) * "
        "(pg_relation_size(oid) / current_setting('block_size')::int) END "
        "FROM pg_class WHERE oid = to_regclass(quote_ident(%s))"
    )

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

    def nulls_order(self, *, descending: bool) -> str:
        """Return the place of NULL, which otherwise is the greatest."""
        return " NULLS LAST" if descending else " NULLS FIRST"

    # Searching words --------------------------------------------------------------------------------------------------
    #
    # Two indexes for each table: of the words, by a function, and of the trigrams

    search_parts = "INDEX"
    _told_of_trigrams = False

    def has_trigrams(self, *, make: bool = False) -> bool:
        """Return whether there is the extension `pg_trgm`."""
        if self.run("SELECT COUNT(*) FROM pg_extension WHERE extname = 'pg_trgm'").fetchone()[0]:
            return True
        if not make:
            return False
        # A failure must not undo the rest of the transaction
        self.run("SAVEPOINT comptoir_trigrams")
        try:
            self.connection().execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except Exception:  # noqa: BLE001 - a driver's error, which peewee has not seen
            self.run("ROLLBACK TO SAVEPOINT comptoir_trigrams")
            return False
        self.run("RELEASE SAVEPOINT comptoir_trigrams")
        return True

    def make_search(self, searched: SearchedTable) -> bool:
        """Create the function and the indexes."""
        icu = self.run("SELECT COUNT(*) FROM pg_collation WHERE collname = 'und-x-icu'").fetchone()[0]
        ligatures = " ".join(f"spaced := replace(spaced, '{each}', '{other}');" for each, other in LIGATURES.items())
        # Letters are what Unicode calls so, whatever the database was made for
        collation = ' COLLATE "und-x-icu"' if icu else ""
        self.run(
            _MAKE_WORDS_FUNCTION.format(
                name=WORDS_FUNCTION, collation=collation, ligatures=ligatures, longest=LONGEST_WORD
            )
        )
        texts = searched.texts("")
        self.run(f"CREATE INDEX {searched.words} ON {searched.table} USING gin ({self._words_sql(texts)})")
        if not self.has_trigrams(make=True):
            if not self._told_of_trigrams:
                _log.warning("can't create the extension pg_trgm, so `like` in the middle of words reads whole tables")
            self._told_of_trigrams = True
            return False
        # Of what `like` looks at, or the index would be of no use to it
        columns = ", ".join(f"({self.like_operand(text)}) gin_trgm_ops" for text in texts)
        self.run(f"CREATE INDEX {searched.trigrams} ON {searched.table} USING gin ({columns})")
        return True

    def _words_sql(self, texts: Sequence[str]) -> str:
        """Return the words of texts."""
        return f"{WORDS_FUNCTION}({joined(texts)})"

    def _words_query(self, words: Sequence[str], whole: bool) -> str:
        """Return the text of a `tsquery`."""
        return " & ".join(f"'{word}'{'' if whole else ':*'}" for word in words)

    def words_condition(self, searched: SearchedTable, words: Sequence[str], *, whole: bool) -> Condition:
        """Return the condition that the index serves, if there is one."""
        wanted = self._words_query(words, whole)
        return f"{self._words_sql(searched.texts('t.'))} @@ CAST(%s AS tsquery)", (wanted,)

    # Errors -----------------------------------------------------------------------------------------------------------

    # Tables -----------------------------------------------------------------------------------------------------------

    # Changing tables --------------------------------------------------------------------------------------------------

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
        """Tell the function, until the transaction ends."""
        self.run("SET LOCAL comptoir.audit = 'open'")
        yield

    # Copies -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _numbered(sql: str) -> str:
    """A statement whose values are marked by their numbers, as PostgreSQL itself does."""
    first, *others = sql.split("%s")
    return first + "".join(f"${number}{text}" for number, text in enumerate(others, 1))

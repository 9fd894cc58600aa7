"""MariaDB: collations and drivers."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, lru_cache
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import peewee

from ..common.repeated_failures import is_news
from ..common.setting_checks import check_port
from . import error_kinds as kinds
from .backend import CONNECT_SECONDS, Backend, ColumnDefinition, Condition
from .column import Column
from .retrying_database import IDLE_TRANSACTION_SECONDS, SLACK_SECONDS
from .texts import LONGEST_WORD, SearchedTable, fold, without_ligatures

#: the oldest version that has these collations
MIN_VERSION = (10, 11)
#: collations that compare exactly, spaces at the end included, and without case
EXACT, CASED = "utf8mb4_nopad_bin", "utf8mb4_uca1400_nopad_as_ci"
#: the collation of words: it ignores case and accents
BLIND = "utf8mb4_general_ci"
#: begins each word that is indexed: none is too short for the index then, and none is a stopword
WORD_PREFIX = "zz"
_MATCHES = "MATCH(searched.words) AGAINST (%s IN BOOLEAN MODE)"

#: numbers of errors about values
_DATA_ERRORS = {1118, 1264, 1265, 1292, 1366, 1406}
_RULES = {
    **dict.fromkeys((1062, 1586), kinds.UNIQUE),
    **dict.fromkeys((1216, 1217, 1451, 1452), kinds.REFERENCE),
    **dict.fromkeys((1048, 1364), kinds.NULL),
}
#: in messages: the index at the end; the referring table and its column
_INDEX = re.compile(r"'(?:[^'.]*\.)?([^'.]+)'\s*$")
_REFERRING = re.compile(r"`\.`([^`]+)`, CONSTRAINT `[^`]*` FOREIGN KEY \(([^)]*)\)")
#: the name of the lock under which tables are changed; the whole server has one space of such names
SCHEMA_LOCK = "CONCAT('comptoir ', MD5(DATABASE()))"

_log = logging.getLogger("comptoir.tables")


class Mysql(Backend, peewee.MySQLDatabase):
    """MariaDB, with the fastest of its drivers that is installed."""

    name = "mysql"

    # URLs and drivers -------------------------------------------------------------------------------------------------

    schemes = ("mysql", "mariadb")
    # The fastest first: MySQLdb, of mysqlclient, is written in C
    drivers = ("MySQLdb", "pymysql")
    driver_package = "pymysql"
    default_options = {"charset": "utf8mb4", "sql_mode": "STRICT_TRANS_TABLES", "connect_timeout": CONNECT_SECONDS}

    @classmethod
    def check_url(cls, url: str) -> None:
        """Check that a URL has one host and a database name, and that a driver is installed."""
        try:
            parts = urlsplit(url)
            if "," in parts.netloc.rpartition("@")[2]:
                raise ValueError("expected one host, got several; put HAProxy in front of them")
            check_port(parts)
        except ValueError as error:
            raise ValueError(f"expected a URL such as mysql://user:password@host/name ({error})") from None
        if not parts.path.strip("/"):
            raise ValueError("expected a database name after the host: mysql://user:password@host/name, got no name")
        cls.driver()

    # A backslash escapes a character. Two dashes are a minus of a negative number unless a space follows
    sql_parts = re.compile(
        r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|/\*.*?(?:\*/|\Z)|--(?:\s[^\n]*|\Z)|#[^\n]*|[?%]""",
        re.DOTALL,
    )

    # Connections ------------------------------------------------------------------------------------------------------

    def _open(self) -> Any:
        limit, _ = self.limits()
        options = dict(self.connect_params)
        if limit:
            # A server that doesn't end its statements is given up
            options |= {"read_timeout": int(limit) + SLACK_SECONDS, "write_timeout": int(limit) + SLACK_SECONDS}
        if options.get("host") == "localhost":
            # For the C library this means a socket file
            options["host"] = "127.0.0.1"
        options = {"database": self.database, **options}
        driver = self.driver()
        return driver.connect(autocommit=True, conv=_conversions(driver), **options)

    def _configure(self, connection: Any) -> None:
        version = str(connection.get_server_info())
        found = re.search(r"(\d+)\.(\d+)\.\d+(?:-\d+)?-maria", version, re.IGNORECASE)
        if found is None or (int(found[1]), int(found[2])) < MIN_VERSION:
            raise peewee.ImproperlyConfigured(
                f"expected MariaDB {MIN_VERSION[0]}.{MIN_VERSION[1]} or later, got {version}"
            )
        limit, lock = self.limits()
        # A sort key has the characters of a text first and the accents last; the default cuts those of wide columns
        settings: dict[str, Any] = {"time_zone": "'+00:00'", "max_sort_length": 8192}
        if limit:
            settings |= {"innodb_lock_wait_timeout": lock, "lock_wait_timeout": lock}
            settings |= {"max_statement_time": limit, "idle_transaction_timeout": IDLE_TRANSACTION_SECONDS}
        cursor = connection.cursor()
        cursor.execute("SET " + ", ".join(f"{name} = {value}" for name, value in settings.items()))
        # As on PostgreSQL, committed changes are visible: a counter is read after the wait for its lock
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        cursor.close()

    def _execute_cursor(self, sql: str, params: Any) -> Any:
        try:
            return super()._execute_cursor(sql, params)
        except peewee.OperationalError as error:
            # The drivers disagree about these
            number = error.args[0] if error.args else None
            if number in _DATA_ERRORS or number in _RULES:
                kind = peewee.DataError if number in _DATA_ERRORS else peewee.IntegrityError
                raise kind(*error.args) from error
            raise

    checks_references_by_row = True

    def returning(self, key: str, rows: int = 1) -> str:
        """Return the clause that returns the IDs; the driver reports the one of a single row."""
        return f" RETURNING {key}" if rows > 1 else ""

    def inserted_ids(self, cursor: Any, rows: int, key: str = "") -> list[Any]:
        """Return the IDs of inserted rows: one statement takes consecutive ones, and the driver reports the first."""
        if cursor.description is None:
            return [*range(cursor.lastrowid, cursor.lastrowid + rows)]
        return super().inserted_ids(cursor, rows, key)

    def upsert(self, insert: str, key: str, changes: str) -> str:
        """Return an INSERT that changes the row with any of the same unique keys instead."""
        return f"{insert} ON DUPLICATE KEY UPDATE " + re.sub(r"\bexcluded\.(\w+)", r"VALUES(\1)", changes)

    # Values and columns -----------------------------------------------------------------------------------------------

    max_text_bytes = 65535
    long_text_type = "LONGTEXT"

    def _text_literal(self, text: str) -> str:
        return super()._text_literal(text.replace("\\", "\\\\"))

    def value_reader(self, column: Column) -> Callable[[Any], Any] | None:
        """Return the function that converts a number, or the time since midnight, to Python's value."""
        readers: dict[str, Callable[[Any], Any]] = {"BOOL": bool, "TIME": _time_of_day}
        return readers.get(column.kind)

    def value_writer(self, column: Column) -> Callable[[Any], Any] | None:
        """Return the function that converts a boolean to a number."""
        return int if column.kind == "BOOL" else None

    # Comparing and sorting text ---------------------------------------------------------------------------------------

    text_type = "CHAR"

    def like_condition(self, sql: str, pattern: str) -> Condition:
        """Return the condition for a pattern in lower case."""
        return f"LOWER({sql} COLLATE {CASED}) COLLATE {EXACT} LIKE %s", (fold(pattern),)

    def sort_key(self, sql: str) -> str:
        """Return the SQL by which a text is sorted; no index has this order, because columns compare exactly."""
        return f"{sql} COLLATE {CASED}"

    # Searching words --------------------------------------------------------------------------------------------------
    #
    # A table of words with a FULLTEXT index for each table, filled by triggers

    def make_search(self, searched: SearchedTable) -> None:
        """Create the table of words and its triggers."""
        least, most = self.read("SELECT @@innodb_ft_min_token_size, @@innodb_ft_max_token_size").fetchone()
        if least > len(WORD_PREFIX) + 1 or most < len(WORD_PREFIX) + LONGEST_WORD:
            raise peewee.OperationalError(
                f"set innodb_ft_min_token_size to 3 (now {least}) and innodb_ft_max_token_size to 84 (now {most})"
            )
        words, key = searched.words, searched.key
        self.run(
            f"CREATE TABLE {words} (id BIGINT PRIMARY KEY, words MEDIUMTEXT NOT NULL, FULLTEXT KEY words (words)) "
            f"ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={BLIND}"
        )
        insert = f"INSERT INTO {words} VALUES (NEW.{key}, {self._words_sql(searched.texts('NEW.'))})"
        insert += " ON DUPLICATE KEY UPDATE words = VALUES(words)"
        same = " AND ".join(f"NEW.{each} <=> OLD.{each}" for each in searched.columns)
        for event, action in (
            ("INSERT", insert),
            ("UPDATE", f"IF NOT ({same}) THEN {insert}; END IF"),
            ("DELETE", f"DELETE FROM {words} WHERE id = OLD.{key}"),
        ):
            name = searched.trigger(event)
            self.run(f"CREATE TRIGGER {name} AFTER {event} ON {searched.table} FOR EACH ROW BEGIN {action}; END")

    def fill_search(self, searched: SearchedTable) -> str:
        """Return the statement that enters rows, without those that the triggers have entered already."""
        key = searched.key
        return (
            f"INSERT IGNORE INTO {searched.words} SELECT t.{key}, {self._words_sql(searched.texts('t.'))} "
            f"FROM {searched.table} AS t WHERE t.{key} > %s AND t.{key} <= %s"
        )

    def _words_sql(self, texts: Sequence[str]) -> str:
        """Return the words of texts, each with the prefix; the collation ignores what is left of the accents."""
        letter = "[\\\\p{L}\\\\p{Nd}]"
        text = without_ligatures(f"CONCAT_WS(' ', {', '.join(texts)})")
        text = f"REGEXP_REPLACE({text}, '[\\\\x{{0300}}-\\\\x{{036F}}]+', '')"
        text = f"REGEXP_REPLACE({text}, '{letter.replace('[', '[^')}+', ' ')"
        # A word that is longer than the index takes is cut
        return f"REGEXP_REPLACE({text}, '({letter}{{1,{LONGEST_WORD}}}){letter}*', '{WORD_PREFIX}\\\\1')"

    def words_condition(self, searched: SearchedTable, words: Sequence[str]) -> Condition:
        """Return the condition for rows of the table of words; without it each row's words are compared."""
        if not searched.is_made:
            held = f"CONVERT(CONCAT(' ', {self._words_sql(searched.texts('t.'))}) USING utf8mb4)"
            patterns = tuple(f"% {WORD_PREFIX}{word}%" for word in words)
            return f"({' AND '.join([f'{held} COLLATE {BLIND} LIKE %s'] * len(words))})", patterns
        rows, wanted = self._found(searched, words)
        return f"t.{searched.key} IN ({rows})", wanted

    def page_condition(self, searched: SearchedTable, words: Sequence[str], *, by_id: bool) -> Condition:
        """Return a condition with which only the rows of the page are read: reading takes longer than finding."""
        if not (by_id and searched.is_made):
            return self.words_condition(searched, words)
        key, (rows, wanted) = f"t.{searched.key}", self._found(searched, words)
        # The index doesn't serve the last condition: rows are compared in the order of the ID until the page is full
        return self.few_rows_of(key, (rows, wanted), (f"{key} IN ({rows} + 0 <> 0)", wanted))

    def _found(self, searched: SearchedTable, words: Sequence[str]) -> Condition:
        """Return the query for the IDs of rows."""
        wanted = " ".join(f"+{WORD_PREFIX}{word}*" for word in words)
        return f"SELECT searched.id FROM {searched.words} AS searched WHERE {_MATCHES}", (wanted,)

    # Errors -----------------------------------------------------------------------------------------------------------

    error_kinds = kinds.kinds_by_code({
        kinds.UNREACHABLE: "closed 0 1040 1042 1043 1044 1045 1047 1049 1053 1129 1130 1158 1159 1160 1161 1203 1226 "
        "1698 1927 2002 2003 2005 2006 2013 2055 3169 4031",
        kinds.CONFLICT: "1020 1213",
        kinds.LOCKED: "1205 3572",
        kinds.TOO_LONG: "1317 1969 3024",
        kinds.MISSING: "1054 1146 1932",
        kinds.DENIED: "1142 1143 1227 1370 1419",
        kinds.DISK_FULL: "1021 1026 1114",
        kinds.READ_ONLY: "1290 1792 1836",
    })  # fmt: skip
    refused_codes = frozenset(["1044", "1045", "1049", "1698"])

    def error_code(self, error: BaseException) -> str:
        """Return the number of an error, or `closed`."""
        original = getattr(error, "orig", error)
        of_driver = type(original).__module__.partition(".")[0] in ("peewee", *self.drivers)
        if of_driver and error.args and isinstance(error.args[0], int):
            return str(error.args[0])
        return self.closed_code(original)

    def is_undone(self, error: BaseException) -> bool:
        """Return whether the database has undone the transaction of an error; a wait for a lock that ended counts."""
        return super().is_undone(error) or self.error_code(error) == "1205"

    def integrity_problem(self, error: BaseException, table: str) -> kinds.IntegrityProblem:
        """Return which constraint a row breaks; the table of a unique one is the one that was written."""
        original: Any = getattr(error, "orig", None) or error.__cause__ or error
        number, message = (*original.args, "", "")[:2]
        rule = _RULES.get(number, "")
        if rule == kinds.REFERENCE and (referring := _REFERRING.search(str(message))):
            columns = tuple(name.strip(" `") for name in referring[2].split(","))
            return kinds.IntegrityProblem(rule, referring[1], columns)
        if rule != kinds.UNIQUE or not (index := _INDEX.search(str(message))):
            return kinds.IntegrityProblem(rule)
        rows = self.read(
            "SELECT column_name FROM information_schema.statistics WHERE table_schema = DATABASE() "
            "AND table_name = %s AND index_name = %s ORDER BY seq_in_index",
            (table, index[1]),
        ).fetchall()
        return kinds.IntegrityProblem(rule, table if rows else "", tuple(name for (name,) in rows))

    # Tables -----------------------------------------------------------------------------------------------------------

    #: each statement commits, so an index that is created later takes as long as a table
    inline_indexes = True
    column_kinds = {
        **Backend.column_kinds, "LONGBLOB": "BLOB", "LONGTEXT": "TEXT", "MEDIUMBLOB": "BLOB", "MEDIUMTEXT": "TEXT",
        "TINYBLOB": "BLOB",
    }  # fmt: skip
    equal_families = frozenset({("decimal", "exact"), ("boolean", "whole"), ("whole", "boolean")})

    def table_settings(self) -> list[str]:
        """Return settings for all characters, compared exactly, whatever the server's default."""
        return [f"DEFAULT CHARSET=utf8mb4 COLLATE={EXACT}"]

    # Changing tables --------------------------------------------------------------------------------------------------

    transactional_ddl = False

    @contextmanager
    def schema_lock(self) -> Iterator[None]:
        """Hold a lock of the connection, because each change of a table commits. A node of a cluster has its own.

        :raises kinds.LockTimeout: it wasn't free in time
        :raises kinds.Unreachable: the connection was lost, and the lock with it
        """
        limit, began = self.limits()[1], time.monotonic()
        while not self.run(f"SELECT GET_LOCK({SCHEMA_LOCK}, 1)").fetchone()[0]:
            if limit and time.monotonic() - began > limit:
                raise kinds.LockTimeout("another server changes tables")
            if is_news(waiting := "another server changes tables; waiting for it"):
                _log.info(waiting)
        connection, held = self._state.conn, self.own.holds_lock
        self.own.holds_lock = True
        try:
            yield
        finally:
            self.own.holds_lock = held
            # A lost connection has lost the lock
            if self._state.conn is connection:
                with suppress(peewee.PeeweeException):
                    self.run(f"SELECT RELEASE_LOCK({SCHEMA_LOCK})").fetchall()

    def change_column(self, table: str, column: ColumnDefinition, value: str) -> None:
        """Change a column, after its values."""
        name = self.quoted(column.name)
        if value != name:
            self.run(f"UPDATE {self.quoted(table)} SET {name} = {value} WHERE NOT ({value} <=> {name})")
        # A reference would be a second one
        self.run(f"ALTER TABLE {self.quoted(table)} MODIFY COLUMN {self._column(replace(column, reference=''))}")

    def reclaim(self, table: str) -> bool:
        """Build a table again: a dropped column stays in each row, and after a hundred of them a row is full."""
        self.run(f"ALTER TABLE {self.quoted(table)} FORCE")
        return True

    def create_index(
        self, table: str, name: str, columns: Sequence[str], *, unique: bool, replaces: Sequence[str] = ()
    ) -> None:
        """Create an index in one statement with those that it replaces: a reference always needs one."""
        dropped = "".join(f"DROP INDEX {self.quoted(each)}, " for each in replaces)
        what = "UNIQUE INDEX" if unique else "INDEX"
        self.run(f"ALTER TABLE {self.quoted(table)} {dropped}ADD {what} {self.quoted(name)} ({', '.join(columns)})")

    def drop_index(self, table: str, name: str) -> None:
        """Drop an index."""
        self.run(f"DROP INDEX {self.quoted(name)} ON {self.quoted(table)}")

    def rename_index(self, table: str, name: str, to: str) -> None:
        """Rename an index."""
        self.run(f"ALTER TABLE {self.quoted(table)} RENAME INDEX {self.quoted(name)} TO {self.quoted(to)}")

    # Audit trail ------------------------------------------------------------------------------------------------------

    #: with a binary log, or without the privilege TRIGGER, only an administrator may create one
    restricts_triggers = True

    triggers_query = (
        "SELECT trigger_name FROM information_schema.triggers "
        "WHERE event_object_schema = DATABASE() AND event_object_table = %s"
    )

    def append_only(self, table: str, message: str) -> dict[str, list[str]]:
        """Return the triggers that make a table append-only, and the table that keeps it from being emptied.

        There are no triggers for TRUNCATE, but a table that a foreign key references can't be truncated.
        """
        triggers = {
            f"{table}_{event.lower()}": [
                f"CREATE TRIGGER {table}_{event.lower()} BEFORE {event} ON {table} FOR EACH ROW BEGIN "
                f"IF @{table} IS NULL THEN "
                f"SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1451, MESSAGE_TEXT = '{message}'; END IF; END"
            ]
            for event in ("UPDATE", "DELETE")
        }
        guard = (
            f"CREATE TABLE IF NOT EXISTS {table}_guard "
            f"(fk_audit BIGINT, FOREIGN KEY (fk_audit) REFERENCES {table} (rowid)) ENGINE=InnoDB"
        )
        return {**triggers, f"{table}_guard": [guard]}

    @contextmanager
    def changes_allowed(self, table: str, message: str) -> Iterator[None]:
        """Set a session variable that the triggers read."""
        self.run(f"SET @{table} = 1")
        try:
            yield
        finally:
            self.run(f"SET @{table} = NULL")

    # Copies -----------------------------------------------------------------------------------------------------------

    def begin_snapshot(self) -> None:
        """Begin a transaction that reads one state of the database."""
        self.run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        self.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """Take rows in any order meanwhile."""
        self.run("SET SESSION foreign_key_checks = 0, unique_checks = 0")
        # A row with the ID 0 keeps it
        self.run("SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO'")
        yield
        for table in self.get_tables():
            for key in self.get_foreign_keys(table):
                child, parent = f"c.`{key.column}`", f"p.`{key.dest_column}`"
                wrong = self.read(
                    f"SELECT 1 FROM `{table}` c LEFT JOIN `{key.dest_table}` p "
                    f"ON {child} = {parent} WHERE {child} IS NOT NULL AND {parent} IS NULL LIMIT 1"
                )
                if wrong.fetchall():
                    raise peewee.IntegrityError(f"a row in {table} references a missing row in {key.dest_table}")
        self.run("SET SESSION foreign_key_checks = 1, unique_checks = 1")

    def _stream_cursor(self) -> Any:
        # The drivers' usual cursors fetch all rows at once
        return self.connection().cursor(import_module(f"{self.driver().__name__}.cursors").SSCursor)

    def id_counter(self, table: str, key: str) -> int | None:
        """Return the last ID that a table has generated."""
        found = self.read(
            "SELECT auto_increment FROM information_schema.tables "
            "WHERE table_schema = DATABASE() AND table_name = %s", (table,)
        ).fetchall()  # fmt: skip
        return None if not found or found[0][0] is None else int(found[0][0]) - 1

    def set_id_counter(self, table: str, key: str, number: int) -> None:
        """Set the last ID that a table has generated."""
        if number > 0 and self.id_counter(table, key) is not None:
            self.run(f"ALTER TABLE `{table}` AUTO_INCREMENT = {number + 1:d}")

    def remove_tables(self, names: Sequence[str]) -> None:
        """Drop tables, without checks of references meanwhile."""
        self.run("SET SESSION foreign_key_checks = 0")
        super().remove_tables(names)
        self.run("SET SESSION foreign_key_checks = 1")


def _time_of_day(value: Any) -> Any:
    return (datetime.min + value).time() if isinstance(value, timedelta) else value


@cache
def _conversions(driver: Any) -> dict[Any, Any]:
    """Return the driver's conversions of values, with caches: a list has many equal amounts and instants."""
    names = ("DECIMAL", "NEWDECIMAL", "DATETIME", "TIMESTAMP", "DATE")
    kinds = {getattr(driver.constants.FIELD_TYPE, name) for name in names}
    found: dict[Any, Any] = import_module(f"{driver.__name__}.converters").conversions
    return {kind: lru_cache(maxsize=4096)(each) if kind in kinds else each for kind, each in found.items()}

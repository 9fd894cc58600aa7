"""MariaDB: collations and drivers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

import peewee

from .backend import Backend, Condition
from .collation import fold
from .database_errors import DATA_ERRORS
from .paramstyle import BACKSLASHES, to_percent_s
from .retrying_database import IDLE, SLACK
from .search import LONGEST_WORD, without_ligatures
from .search_names import SearchedTable

try:
    import MySQLdb as mysql_driver
except ImportError:
    mysql_driver = peewee.mysql  # type: ignore[attr-defined]

#: the oldest version that has these collations
OLDEST = (10, 11)
#: collations that compare exactly, spaces at the end included, and without case
EXACT, CASED = "utf8mb4_nopad_bin", "utf8mb4_uca1400_nopad_as_ci"
#: the collation of words: it ignores case and accents
BLIND = "utf8mb4_general_ci"
#: begins each word that is indexed: none is too short for the index then, and none is a stopword
WORD_PREFIX = "zz"
_MATCHES = "MATCH(searched.words) AGAINST (%s IN BOOLEAN MODE)"


class Mysql(Backend, peewee.MySQLDatabase):
    """MariaDB, with the driver that is there: `mysqlclient`, which is written in C, before `pymysql`."""

    name = "mysql"

    def _open(self) -> Any:
        if mysql_driver is None:
            raise peewee.ImproperlyConfigured("no driver for MariaDB is installed")
        limit, _ = self.limits()
        options = dict(self.connect_params)
        if limit:
            # A server that does not even end its statements is given up
            options |= {"read_timeout": int(limit) + SLACK, "write_timeout": int(limit) + SLACK}
        if options.get("host") == "localhost":
            # To the library in C this means a socket in the file system
            options["host"] = "127.0.0.1"
        options = {"database": self.database, **options}
        return mysql_driver.connect(autocommit=True, conv=_conversions(), **options)

    def _settle(self, connection: Any) -> None:
        version = str(connection.get_server_info())
        found = re.search(r"(\d+)\.(\d+)\.\d+(?:-\d+)?-maria", version, re.IGNORECASE)
        if found is None or (int(found[1]), int(found[2])) < OLDEST:
            raise peewee.ImproperlyConfigured(f"expected MariaDB {OLDEST[0]}.{OLDEST[1]} or later, got {version}")
        limit, lock = self.limits()
        settings: dict[str, Any] = {"time_zone": "'+00:00'"}
        if limit:
            settings |= {"innodb_lock_wait_timeout": lock, "lock_wait_timeout": lock}
            settings |= {"max_statement_time": limit, "idle_transaction_timeout": IDLE}
        cursor = connection.cursor()
        cursor.execute("SET " + ", ".join(f"{name} = {value}" for name, value in settings.items()))
        # What others have committed is seen, as on PostgreSQL: a counter is read after the lock that one waited for
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        cursor.close()

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
        try:
            return super()._execute_cursor(sql, params, **options)
        except peewee.OperationalError as error:
            # One driver takes for an error of the server what the other takes for one of the data
            if error.args and error.args[0] in DATA_ERRORS:
                raise peewee.DataError(*error.args) from error
            raise

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL as the driver takes it."""
        return to_percent_s(sql, BACKSLASHES)

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

    estimate_query = (
        "SELECT table_rows FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = %s"
    )

    # Values and columns -----------------------------------------------------------------------------------------------

    long_text_type = "LONGTEXT"

    # Comparing and sorting text ---------------------------------------------------------------------------------------

    text_type = "CHAR"

    def like_pattern(self, pattern: str) -> str:
        """Return a pattern in small letters."""
        return fold(pattern)

    def like_operand(self, sql: str) -> str:
        """What of a text a pattern in small letters is compared with."""
        return f"LOWER({sql} COLLATE {CASED}) COLLATE {EXACT}"

    def sort_key(self, sql: str) -> str:
        """Return what a text is sorted by, as SQL. No index has this order, because columns compare exactly."""
        return f"{sql} COLLATE {CASED}"

    # Searching words --------------------------------------------------------------------------------------------------
    #
    # A table of words with a FULLTEXT index for each table, filled by triggers; there are no trigrams

    def make_search(self, searched: SearchedTable) -> bool:
        """Create the table of words and its triggers."""
        least, most = self.run("SELECT @@innodb_ft_min_token_size, @@innodb_ft_max_token_size").fetchone()
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
        return True

    def fill_search(self, searched: SearchedTable) -> list[str]:
        """Return the statement that enters rows, without those that the triggers have entered already."""
        key = searched.key
        return [
            f"INSERT IGNORE INTO {searched.words} SELECT t.{key}, {self._words_sql(searched.texts('t.'))} "
            f"FROM {searched.table} AS t WHERE t.{key} > %s AND t.{key} <= %s"
        ]

    def _words_sql(self, texts: Sequence[str]) -> str:
        """Return the words of texts, each with the prefix; the collation ignores what is left of the accents."""
        letter = "[\\\\p{L}\\\\p{Nd}]"
        text = without_ligatures(f"CONCAT_WS(' ', {', '.join(texts)})")
        text = f"REGEXP_REPLACE({text}, '[\\\\x{{0300}}-\\\\x{{036F}}]+', '')"
        text = f"REGEXP_REPLACE({text}, '{letter.replace('[', '[^')}+', ' ')"
        # A word that is longer than the index takes is cut
        return f"REGEXP_REPLACE({text}, '({letter}{{1,{LONGEST_WORD}}}){letter}*', '{WORD_PREFIX}\\\\1')"

    def _words_query(self, words: Sequence[str], whole: bool) -> str:
        """Return what the FULLTEXT index is asked."""
        return " ".join(f"+{WORD_PREFIX}{word}{'' if whole else '*'}" for word in words)

    def words_condition(self, searched: SearchedTable, words: Sequence[str], *, whole: bool) -> Condition:
        """Return the condition for rows of the table of words; without it each row's words are compared."""
        if searched.is_made:
            found = f"SELECT searched.id FROM {searched.words} AS searched WHERE {_MATCHES}"
            return f"t.{searched.key} IN ({found})", (self._words_query(words, whole),)
        held = f"CONVERT(CONCAT(' ', {self._words_sql(searched.texts('t.'))}, ' ') USING utf8mb4)"
        patterns = tuple(f"% {WORD_PREFIX}{word}{' ' if whole else ''}%" for word in words)
        return f"({' AND '.join([f'{held} COLLATE {BLIND} LIKE %s'] * len(words))})", patterns

    def words_source(
        self, searched: SearchedTable, words: Sequence[str], source: str, *, whole: bool
    ) -> tuple[str, Condition]:
        """Return the table of words first: a few rows are read one by one, without finding all."""
        if not searched.is_made:
            return super().words_source(searched, words, source, whole=whole)
        found = f"{_MATCHES} AND t.{searched.key} = searched.id"
        tables = f"{searched.words} AS searched STRAIGHT_JOIN {source}"
        return tables, (found, (self._words_query(words, whole),))

    # Errors -----------------------------------------------------------------------------------------------------------

    # Tables -----------------------------------------------------------------------------------------------------------

    def table_settings(self) -> list[str]:
        """Every character there is, compared letter by letter, whatever the server's default."""
        return [f"DEFAULT CHARSET=utf8mb4 COLLATE={EXACT}"]

    # Changing tables --------------------------------------------------------------------------------------------------

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
        """Tell the triggers, by a variable of the session."""
        self.run(f"SET @{table} = 1")
        try:
            yield
        finally:
            self.run(f"SET @{table} = NULL")

    # Copies -----------------------------------------------------------------------------------------------------------


@cache
def _conversions() -> dict[Any, Any]:
    """What the driver makes of values. Kept: most amounts of a page are 0, and a list holds many equal instants."""
    names = ("DECIMAL", "NEWDECIMAL", "DATETIME", "TIMESTAMP", "DATE")
    kinds = {getattr(mysql_driver.constants.FIELD_TYPE, name) for name in names}
    found: dict[Any, Any] = import_module(f"{mysql_driver.__name__}.converters").conversions
    return {kind: lru_cache(maxsize=4096)(each) if kind in kinds else each for kind, each in found.items()}

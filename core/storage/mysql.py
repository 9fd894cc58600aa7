"""MariaDB: collations and drivers."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

import peewee

from ..common.repeated_failures import is_news
from .backend import Backend, ColumnDefinition
from .collation import fold
from .database_errors import DATA_ERRORS
from .paramstyle import BACKSLASHES, to_percent_s
from .retrying_database import IDLE, SLACK

try:
    import MySQLdb as mysql_driver
except ImportError:
    mysql_driver = peewee.mysql  # type: ignore[attr-defined]

#: the oldest version that has these collations
OLDEST = (10, 11)
#: collations that compare exactly, spaces at the end included, and without case
EXACT, CASED = "utf8mb4_nopad_bin", "utf8mb4_uca1400_nopad_as_ci"
#: the name of the lock under which tables are changed; the whole server has one space of such names
SCHEMA_LOCK = "CONCAT('comptoir ', MD5(DATABASE()))"

_log = logging.getLogger("comptoir.tables")


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

    # Values and columns -----------------------------------------------------------------------------------------------

    def _text_literal(self, text: str) -> str:
        return super()._text_literal(text.replace("\\", "\\\\"))

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

    # Errors -----------------------------------------------------------------------------------------------------------

    # Tables -----------------------------------------------------------------------------------------------------------

    #: each statement commits, so an index that is created later takes as long as a table
    inline_indexes = True
    column_kinds = {**Backend.column_kinds, "LONGBLOB": "BLOB", "LONGTEXT": "TEXT", "MEDIUMTEXT": "TEXT"}
    equal_kinds = frozenset({("BOOL", "whole"), ("whole", "BOOL")})

    def table_settings(self) -> list[str]:
        """Every character there is, compared letter by letter, whatever the server's default."""
        return [f"DEFAULT CHARSET=utf8mb4 COLLATE={EXACT}"]

    # Changing tables --------------------------------------------------------------------------------------------------

    transactional_ddl = False

    @contextmanager
    def schema_lock(self) -> Iterator[None]:
        """Hold a lock of the connection, because each change of a table commits. A node of a cluster has its own.

        :raises peewee.OperationalError: the connection was lost, and the lock with it
        """
        while not self.run(f"SELECT GET_LOCK({SCHEMA_LOCK}, 1)").fetchone()[0]:
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
        """Give an index another name."""
        self.run(f"ALTER TABLE {self.quoted(table)} RENAME INDEX {self.quoted(name)} TO {self.quoted(to)}")

    # Audit trail ------------------------------------------------------------------------------------------------------

    # Copies -----------------------------------------------------------------------------------------------------------


@cache
def _conversions() -> dict[Any, Any]:
    """What the driver makes of values. Kept: most amounts of a page are 0, and a list holds many equal instants."""
    names = ("DECIMAL", "NEWDECIMAL", "DATETIME", "TIMESTAMP", "DATE")
    kinds = {getattr(mysql_driver.constants.FIELD_TYPE, name) for name in names}
    found: dict[Any, Any] = import_module(f"{mysql_driver.__name__}.converters").conversions
    return {kind: lru_cache(maxsize=4096)(each) if kind in kinds else each for kind, each in found.items()}

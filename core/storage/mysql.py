"""MariaDB: collations and drivers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache, lru_cache
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import peewee

from ..common.setting_checks import check_port
from .backend import CONNECT_SECONDS, Backend
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


class Mysql(Backend, peewee.MySQLDatabase):
    """MariaDB, with the driver that is there: `mysqlclient`, which is written in C, before `pymysql`."""

    name = "mysql"

    # URLs and drivers -------------------------------------------------------------------------------------------------

    schemes = ("mysql", "mariadb")
    drivers = ("pymysql", "MySQLdb")
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
        cls.check_driver()

    # Connections ------------------------------------------------------------------------------------------------------

    def _open(self) -> Any:
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

    def value_reader(self, kind: str, scale: int) -> Callable[[Any], Any] | None:
        """Return what makes Python's value of a number, or of the time since midnight."""
        readers: dict[str, Callable[[Any], Any]] = {"boolean": bool, "time": _time_of_day}
        return readers.get(kind)

    def value_writer(self, kind: str, scale: int) -> Callable[[Any], Any] | None:
        """Return what makes a number of a boolean."""
        return int if kind == "boolean" else None

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

    def table_settings(self) -> list[str]:
        """Every character there is, compared letter by letter, whatever the server's default."""
        return [f"DEFAULT CHARSET=utf8mb4 COLLATE={EXACT}"]

    # Changing tables --------------------------------------------------------------------------------------------------

    # Audit trail ------------------------------------------------------------------------------------------------------

    # Copies -----------------------------------------------------------------------------------------------------------

    _schema = "DATABASE()"

    def begin_snapshot(self) -> None:
        """Begin a transaction that reads what there is at this instant."""
        self.execute_sql("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        self.execute_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """Take rows in any order meanwhile."""
        self.execute_sql("SET SESSION foreign_key_checks = 0, unique_checks = 0")
        # A row with the ID 0 keeps it
        self.execute_sql("SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO'")
        yield
        for table in self.get_tables():
            for key in self.get_foreign_keys(table):
                child, parent = f"c.`{key.column}`", f"p.`{key.dest_column}`"
                wrong = self.execute_sql(
                    f"SELECT 1 FROM `{table}` c LEFT JOIN `{key.dest_table}` p "
                    f"ON {child} = {parent} WHERE {child} IS NOT NULL AND {parent} IS NULL LIMIT 1"
                )
                if wrong.fetchall():
                    raise peewee.IntegrityError(f"a row in {table} references a missing row in {key.dest_table}")
        self.execute_sql("SET SESSION foreign_key_checks = 1, unique_checks = 1")

    def _stream_cursor(self) -> Any:
        # The drivers' usual cursors fetch all rows at once
        return self.connection().cursor(mysql_driver.cursors.SSCursor)

    def id_counter(self, table: str, key: str) -> int | None:
        """Return the last ID that a table has generated."""
        found = self.execute_sql(
            "SELECT auto_increment FROM information_schema.tables "
            "WHERE table_schema = DATABASE() AND table_name = %s", (table,)
        ).fetchall()  # fmt: skip
        return None if not found or found[0][0] is None else int(found[0][0]) - 1

    def set_id_counter(self, table: str, key: str, number: int) -> None:
        """Set the last ID that a table has generated."""
        if number > 0 and self.id_counter(table, key) is not None:
            self.execute_sql(f"ALTER TABLE `{table}` AUTO_INCREMENT = {number + 1:d}")

    def remove_tables(self, names: Sequence[str]) -> None:
        """Drop tables, without checks of references meanwhile."""
        self.execute_sql("SET SESSION foreign_key_checks = 0")
        super().remove_tables(names)
        self.execute_sql("SET SESSION foreign_key_checks = 1")


def _time_of_day(value: Any) -> Any:
    return (datetime.min + value).time() if isinstance(value, timedelta) else value


@cache
def _conversions() -> dict[Any, Any]:
    """What the driver makes of values. Kept: most amounts of a page are 0, and a list holds many equal instants."""
    names = ("DECIMAL", "NEWDECIMAL", "DATETIME", "TIMESTAMP", "DATE")
    kinds = {getattr(mysql_driver.constants.FIELD_TYPE, name) for name in names}
    found: dict[Any, Any] = import_module(f"{mysql_driver.__name__}.converters").conversions
    return {kind: lru_cache(maxsize=4096)(each) if kind in kinds else each for kind, each in found.items()}

"""MariaDB and MySQL: collations and drivers."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

import peewee

from .connections import IDLE, SLACK
from .lasting import Lasting
from .troubles import DATA_ERRORS

try:
    import MySQLdb as mysql_driver
except ImportError:
    mysql_driver = peewee.mysql  # type: ignore[attr-defined]

#: collations of MariaDB and MySQL, the best first: that compare exactly, spaces at the end included, and without case
EXACT = ("utf8mb4_nopad_bin", "utf8mb4_0900_bin", "utf8mb4_bin")
CASES = ("utf8mb4_uca1400_nopad_as_ci", "utf8mb4_0900_as_ci", "utf8mb4_unicode_520_ci")


class Mysql(Lasting, peewee.MySQLDatabase):
    """MariaDB and MySQL, with the driver that is there: `mysqlclient`, which is written in C, before `pymysql`."""

    _exact, _cased = "", ""

    def exact(self) -> str:
        """The collation in which texts are compared letter by letter."""
        if not self._exact:
            self.connect(reuse_if_open=True)
        return self._exact

    def looked_at(self, sql: str) -> str:
        """What of a text a pattern in small letters is compared with."""
        exact = self.exact()
        return f"LOWER({sql} COLLATE {self._cased}) COLLATE {exact}"

    def sort_key(self, sql: str) -> str:
        """Return what a text is sorted by, as SQL. No index has this order, because columns compare exactly."""
        self.exact()
        return f"{sql} COLLATE {self._cased}"

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
        limit, lock = self.limits()
        settings: dict[str, Any] = {"time_zone": "'+00:00'"}
        version = str(connection.get_server_info()).lower()
        mariadb = "maria" in version
        if limit:
            settings |= {"innodb_lock_wait_timeout": lock, "lock_wait_timeout": lock}
            settings |= {"max_statement_time": limit} if mariadb else {"max_execution_time": int(limit * 1000)}
        if limit and mariadb:
            settings["idle_transaction_timeout"] = IDLE
        cursor = connection.cursor()
        cursor.execute("SET " + ", ".join(f"{name} = {value}" for name, value in settings.items()))
        # What others have committed is seen, as on PostgreSQL: a counter is read after the lock that one waited for
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        told = re.search(r"(\d+)\.(\d+)\.\d+-maria", version)
        self.own.returning = told is not None and (int(told[1]), int(told[2])) >= (10, 5)
        if not self._exact:
            # Whether the first is there is asked by other threads, which need both then
            self._cased, self._exact = (_first_known(cursor, names) for names in (CASES, EXACT))
        cursor.close()

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
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


@cache
def _conversions() -> dict[Any, Any]:
    """What the driver makes of values. Kept: most amounts of a page are 0, and a list holds many equal instants."""
    names = ("DECIMAL", "NEWDECIMAL", "DATETIME", "TIMESTAMP", "DATE")
    kinds = {getattr(mysql_driver.constants.FIELD_TYPE, name) for name in names}
    found: dict[Any, Any] = import_module(f"{mysql_driver.__name__}.converters").conversions
    return {kind: lru_cache(maxsize=4096)(each) if kind in kinds else each for kind, each in found.items()}

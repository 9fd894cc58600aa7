"""The conformance suite on each database and driver that this machine has."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from core.storage import mysql
from core.storage.database import backend
from core.transfer.copying import copy_database
from core.transfer.ends import TransferError
from tests.core.storage.conformance import Conformance
from tests.core.transfer import zoo
from tests.own_databases import pgbouncer, why_missing

ZEROS = "a date of zeros comes as text, which lists can't read"


class TestSqlite(Conformance):
    kind = "sqlite"
    driver = "sqlite3"
    failing = {"test_a_date_of_zeros_is_rejected_or_no_value": ZEROS}


class TestPsycopg(Conformance):
    kind = "postgresql"
    driver = "psycopg"


class TestPgbouncer(Conformance):
    """In transaction mode each transaction may get another connection to the database."""

    kind = "postgresql"
    driver = "psycopg"

    @classmethod
    @contextmanager
    def empty(cls, folder: Path) -> Iterator[str]:
        if reason := why_missing("pgbouncer"):
            pytest.skip(reason)
        with super().empty(folder) as url, pgbouncer(url, size=8) as pool:
            yield pool.url

    @staticmethod
    def cut() -> None:
        """End the connection to the pool; it has others to the database."""
        with socket.socket(fileno=os.dup(backend().connection().fileno())) as connection, suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    @pytest.mark.usefixtures("without_natives")
    def test_values_survive_a_copy_out_of_sqlite_and_back(self, tmp_path: Path) -> None:
        """A copy changes its session, which the pool would hand on."""
        source = f"sqlite:///{tmp_path}/source.db"
        settings = zoo.settings_of(tmp_path, source)
        zoo.fill(settings)
        with self.empty(tmp_path) as pool, pytest.raises(TransferError, match="connection pool such as PgBouncer"):
            copy_database(source, pool, settings)


class MariadbConformance(Conformance):
    """The suite with one of MariaDB's drivers."""

    kind = "mysql"
    failing = {
        "test_a_cursor_passes_each_of_the_texts_that_differ_in_accents": "MariaDB sorts a page by the first "
        "`max_sort_length` bytes, without the accents of a wide column, but the cursor's condition compares them"
    }

    @classmethod
    @contextmanager
    def driven(cls) -> Iterator[None]:
        """Use the driver meanwhile, whichever else is installed."""
        driver = pytest.importorskip(cls.driver)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(mysql, "mysql_driver", driver)
            mysql._conversions.cache_clear()
            yield
        mysql._conversions.cache_clear()


class TestPymysql(MariadbConformance):
    driver = "pymysql"
    failing = MariadbConformance.failing | {
        "test_a_date_of_zeros_is_rejected_or_no_value": ZEROS,
        "test_a_value_that_is_left_out_breaks_a_rule": "pymysql takes it for an operational error, so a lost connection",
    }


class TestMysqlclient(MariadbConformance):
    driver = "MySQLdb"

"""The conformance suite on each database and driver that this machine has."""

import os
import socket
from contextlib import contextmanager, suppress
from importlib.util import find_spec

import pytest

from core.storage.database import backend
from core.storage.mysql import Mysql
from core.transfer.copying import copy_database
from core.transfer.endpoint import TransferError
from tests.core.storage.conformance import Conformance
from tests.core.transfer import zoo
from tests.own_databases import pgbouncer, why_missing


class TestSqlite(Conformance):
    kind = "sqlite"
    driver = "sqlite3"


class TestPsycopg(Conformance):
    kind = "postgresql"
    driver = "psycopg"


class TestPgbouncer(Conformance):
    """In transaction mode each transaction may get another connection to the database."""

    kind = "postgresql"
    driver = "psycopg"

    @classmethod
    @contextmanager
    def empty(cls, folder):
        if reason := why_missing("pgbouncer"):
            pytest.skip(reason)
        with super().empty(folder) as url, pgbouncer(url, size=8) as pool:
            yield pool.url

    @staticmethod
    def cut():
        """End the connection to the pool; it has others to the database."""
        with socket.socket(fileno=os.dup(backend().connection().fileno())) as connection, suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    @pytest.mark.usefixtures("without_natives")
    def test_values_survive_a_copy_out_of_sqlite_and_back(self, tmp_path):
        """A copy changes its session, which the pool would hand on."""
        source = f"sqlite:///{tmp_path}/source.db"
        settings = zoo.settings_of(tmp_path, source)
        zoo.fill(settings)
        with self.empty(tmp_path) as pool, pytest.raises(TransferError, match="connection pool such as PgBouncer"):
            copy_database(source, pool, settings)


class MariadbConformance(Conformance):
    """The suite with one of MariaDB's drivers."""

    kind = "mysql"

    @classmethod
    @contextmanager
    def driven(cls):
        """Use the driver meanwhile, whichever else is installed."""
        pytest.importorskip(cls.driver)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Mysql, "drivers", (cls.driver,))
            yield


class TestPymysql(MariadbConformance):
    driver = "pymysql"


class TestMysqlclient(MariadbConformance):
    driver = "MySQLdb"
    #: it isn't installed for tests, because pip would have to build it
    __test__ = find_spec(driver) is not None

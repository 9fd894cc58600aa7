"""Errors of a database: their kind, the response and the log."""

from __future__ import annotations

import logging
import sqlite3
from typing import NamedTuple

import peewee
import pymysql.err
import pytest

from core.storage.backend import Backend
from core.storage.database import database, ensure_connected
from core.storage.error_kinds import LOCKED, MISSING, UNREACHABLE, LockTimeout, OutcomeUnknown, Unreachable
from core.storage.retrying_database import CircuitBreaker
from core.testing import serving
from tests.core.storage.filters import MARIADB, POSTGRESQL, SQLITE
from tests.files import write_files

pytestmark = pytest.mark.every_database

psycopg = pytest.importorskip("psycopg")


class Failed(NamedTuple):
    """An error as a database raises it."""

    backend: Backend
    error: Exception

    def __str__(self) -> str:
        return f"{self.backend.name} {self.error!r}"


def of_postgresql(state):
    return Failed(POSTGRESQL, wrapped(psycopg.errors.lookup(state)("words of the database")))


def of_mariadb(number):
    return Failed(MARIADB, wrapped(pymysql.err.OperationalError(number, "words of the database")))


def wrapped(error):
    """Return the error that peewee makes of one of the driver."""
    try:
        with peewee.__exception_wrapper__:
            raise error
    except peewee.PeeweeException as made:
        return made


@pytest.mark.parametrize(
    ("failed", "status", "retry_after"),
    [
        # PostgreSQL: appendix A of its manual
        (of_postgresql("57P01"), 503, "1"),
        (of_postgresql("08006"), 503, "1"),
        (of_postgresql("55P03"), 503, "1"),
        (of_postgresql("40P01"), 503, "1"),
        (of_postgresql("40001"), 503, "1"),
        (of_postgresql("57014"), 503, None),
        (of_postgresql("53100"), 507, None),
        (of_postgresql("25006"), 503, "10"),
        (Failed(POSTGRESQL, wrapped(psycopg.OperationalError("connection failed"))), 503, "1"),
        (Failed(POSTGRESQL, wrapped(psycopg.OperationalError("the connection is closed"))), 503, "1"),
        # MariaDB: its list of errors
        (of_mariadb(2006), 503, "1"),
        (of_mariadb(2013), 503, "1"),
        (of_mariadb(1205), 503, "1"),
        (of_mariadb(1213), 503, "1"),
        (of_mariadb(1969), 503, None),
        (of_mariadb(3024), 503, None),
        (of_mariadb(1021), 507, None),
        (of_mariadb(1290), 503, "10"),
        (of_mariadb(1836), 503, "10"),
        # A node of Galera that has lost the others
        (of_mariadb(1047), 503, "1"),
        (Failed(MARIADB, wrapped(pymysql.err.InterfaceError(0, ""))), 503, "1"),
    ],
    ids=str,
)
def test_which_status_an_error_has(failed, status, retry_after):
    kind = failed.backend.classify(failed.error)
    assert kind is not None
    answer = kind.answer()
    assert (answer.status, answer.headers.get("Retry-After")) == (status, retry_after)
    assert "words" not in answer.message


@pytest.mark.parametrize(
    ("failed", "undone"),
    [
        (of_postgresql("40001"), True),
        (of_postgresql("40P01"), True),
        (of_mariadb(1205), True),
        (of_mariadb(1213), True),
        (of_postgresql("23505"), False),
        (of_postgresql("57014"), False),
        (of_postgresql("57P01"), False),
        (of_mariadb(2013), False),
        (Failed(POSTGRESQL, OutcomeUnknown("gone")), False),
        (Failed(MARIADB, ValueError(1213)), False),
    ],
    ids=str,
)
def test_which_errors_leave_nothing_of_a_transaction(failed, undone):
    assert failed.backend.is_undone(failed.error) is undone


def test_a_reader_of_sqlite_that_writes_too_late_leaves_nothing(tmp_path):
    reader, writer = (sqlite3.connect(tmp_path / "late.db", isolation_level=None) for _ in range(2))
    for sql in ("PRAGMA journal_mode = wal", "CREATE TABLE late (id)"):
        writer.execute(sql)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM late").fetchall()
    writer.execute("INSERT INTO late VALUES (1)")
    with pytest.raises(sqlite3.OperationalError) as caught:
        reader.execute("INSERT INTO late VALUES (2)")
    assert SQLITE.is_undone(caught.value)
    reader.close()
    writer.close()


@pytest.mark.parametrize("failed", [of_postgresql("42P01"), of_postgresql("42703"), of_mariadb(1146), of_mariadb(1054)])
def test_a_missing_table_or_column_is_neither_away_nor_passing(failed):
    kind = failed.backend.classify(failed.error)
    assert kind is MISSING
    assert not kind.retry_after


@pytest.mark.parametrize(
    "failed",
    [
        of_postgresql("23505"),
        of_postgresql("42601"),
        of_mariadb(1062),
        *(
            Failed(backend, error)
            for backend in (SQLITE, POSTGRESQL, MARIADB)
            for error in (ValueError(2006), OSError(2013, "x"), KeyError())
        ),
    ],
    ids=str,
)
def test_what_is_no_trouble_of_a_database(failed):
    assert failed.backend.classify(failed.error) is None


def test_a_lock_of_a_backend_itself_is_reported_as_one():
    assert all(each.classify(LockTimeout("held")) is LOCKED for each in (SQLITE, POSTGRESQL, MARIADB))


def test_an_outage_is_not_tried_by_everybody_and_is_told_twice(caplog):
    """Once when it begins, once when it is over."""
    outage = CircuitBreaker()
    outage.check()
    with caplog.at_level(logging.INFO, "comptoir.database"):
        for _ in range(5):
            outage.began(OSError("connection refused"))
        with pytest.raises(Unreachable) as caught:
            outage.check()
        outage.ended()
        outage.ended()
    outage.check()
    assert SQLITE.classify(caught.value) is UNREACHABLE
    assert ["refused" in each.getMessage() for each in caplog.records] == [True, False]


# Answered --------------------------------------------------------------------------------------------------

SERVICE = """
from core import query


class Faults:
    '''Statements that fail.

    :access: public
    '''

    def missing(self) -> int:
        '''A column that is not there.'''
        return query("SELECT nothing_of_that_name FROM llx_user")[0][0]

    def gone(self) -> int:
        '''A table that is not there.'''
        return query("SELECT 1 FROM nothing_of_that_name")[0][0]
"""


@pytest.fixture
def faulty(kind, tmp_path):
    write_files(tmp_path, {"outside/faults/class/api_faults.py": SERVICE})
    with serving(tmp_path, kind, modules=str(tmp_path / "outside")) as served:
        yield served.client()


@pytest.mark.parametrize("path", ["missing", "gone"])
def test_what_is_missing_is_a_fault_and_no_outage(faulty, path, caplog):
    with caplog.at_level(logging.ERROR, "comptoir"):
        error = faulty.get(f"/faults/{path}", status=500)["error"]
    assert "nothing_of_that_name" not in error["message"]
    (record,) = [each for each in caplog.records if error["request_id"] in each.getMessage()]
    assert "comptoir check" in record.getMessage()
    assert "nothing_of_that_name" in caplog.text


@pytest.fixture
def admin(tmp_path):
    with serving(tmp_path) as served:
        yield served.client()


def test_a_full_disk_and_a_file_that_is_only_read_are_told_as_such(admin, caplog):
    """SQLite takes a file of no more pages than it has for a full disk."""
    body = {"name": "Full", "note_public": "x" * 60_000}
    ensure_connected()
    pages = database.obj.pragma("page_count")
    database.obj.pragma("max_page_count", pages)
    assert "the database's disk is full; nothing was changed" in admin.refused(
        "POST", "/thirdparties", body, status=507
    )
    assert "free space" in caplog.text
    ensure_connected()
    database.obj.pragma("max_page_count", pages * 100)
    # Only on this connection: a new one is tried, because the same name may lead to another server by now
    database.obj.pragma("query_only", 1)
    created = admin.ask("POST", "/thirdparties", body)
    assert [each["id"] for each in admin.get("/thirdparties")] == [created]
    ensure_connected()
    database.obj.pragma("query_only", 1, permanent=True)
    answer = admin.simulate_post("/thirdparties", json=body)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
    assert "is currently read-only" in answer.json["error"]["message"]


def test_sqlite_names_its_errors():
    connection = sqlite3.connect(":memory:")
    for sql in ("SELECT 1 FROM not_there", "SELECT not_there FROM sqlite_master"):
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute(sql)
        assert SQLITE.classify(caught.value) is MISSING
    connection.close()
    with pytest.raises(sqlite3.ProgrammingError) as closed:
        connection.execute("SELECT 1")
    assert SQLITE.classify(closed.value) is UNREACHABLE

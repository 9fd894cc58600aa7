"""A table for filters, and a database with little patience."""

import sqlite3

import pytest

from core.storage.database import backend, close, ensure_connected

# So that a failure shows the values that were compared
pytest.register_assert_rewrite("tests.core.storage.conformance", "tests.core.storage.conformance_statements")

ROWS = [
    (1, "Alpha", "PR2401-0001", 1, "2024-01-01 00:00:00", "red"),
    (2, "O'Brien", "(PROV2)", 0, "2025-06-01 12:00:00", None),
    (3, None, "PR2401-0003", 2, None, "blue"),
    (4, "100% sure", "a:b", 1, "2030-01-01 10:10:10", "red"),
    (5, "100 sure", "back\\slash", 3, None, "green"),
]


@pytest.fixture(scope="module")
def database():
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("CREATE TABLE t (rowid INTEGER PRIMARY KEY, nom TEXT, ref TEXT, fk_statut INTEGER, datec TEXT)")
    connection.execute("CREATE TABLE ef (fk INTEGER, colour TEXT)")
    for rowid, nom, ref, state, datec, colour in ROWS:
        connection.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", (rowid, nom, ref, state, datec))
        connection.execute("INSERT INTO ef VALUES (?, ?)", (rowid, colour))
    return connection


@pytest.fixture
def hasty():
    """A statement may take a second and a half, and wait for a lock one second."""
    own = backend()
    before, own._limit = own._limit, 1
    close()
    ensure_connected()
    yield
    own._limit = before
    close()

"""`query`: any statement on every database, its rows where it has some."""

from decimal import Decimal

import pytest

from core import query, transaction
from core.storage.database import backend, ensure_connected, execute
from core.storage.model import Model, all_models

pytestmark = pytest.mark.every_database


@pytest.fixture(autouse=True)
def connected(admin):
    ensure_connected()


def test_what_answers_no_rows_answers_an_empty_list(admin):
    assert execute("CREATE TABLE depot_note (id INTEGER PRIMARY KEY, word VARCHAR(40))") == []
    try:
        assert execute("INSERT INTO depot_note (id, word) VALUES (?, ?), (?, ?)", (1, "100 %", 2, "why?")) == []
        assert execute("UPDATE depot_note SET word = ? WHERE word = '100 %'", ("half?",)) == []
        assert execute("UPDATE depot_note SET word = 'none' WHERE id = ?", (7,)) == []
        with transaction():
            assert execute("UPDATE depot_note SET word = 'whole' WHERE word = 'half?' -- is it?") == []
        assert query("SELECT id, word FROM depot_note WHERE word <> '?' ORDER BY id") == [(1, "whole"), (2, "why?")]
        assert execute("DELETE FROM depot_note WHERE id = ?", (1,)) == []
        assert query("SELECT id FROM depot_note WHERE word LIKE 'w%y?'") == [(2,)]
    finally:
        assert execute("DROP TABLE depot_note") == []


@pytest.mark.parametrize("within", [True, False], ids=["in a transaction", "alone"])
def test_what_returns_rows_answers_them(admin, within):
    def run(sql, *values):
        if not within:
            return execute(sql, values)
        with transaction():
            return execute(sql, values)

    ((room,),) = run("INSERT INTO depot_room (name) VALUES (?) RETURNING id", "Hall")
    assert run("INSERT INTO depot_room (name) VALUES (?) RETURNING name", "Loft") == [("Loft",)]
    assert run("INSERT INTO depot_room (name) VALUES (?)", "Attic") == []
    assert query("SELECT name FROM depot_room WHERE id = ?", (room,)) == [("Hall",)]
    if backend().name != "mysql":
        # MariaDB knows no RETURNING of an update
        assert run("UPDATE depot_room SET name = ? WHERE id = ? RETURNING name", "Cellar", room) == [("Cellar",)]
    assert run("DELETE FROM depot_room WHERE id = ? RETURNING id", room) == [(room,)]
    assert query("SELECT COUNT(*) FROM depot_room WHERE id = ?", (room,)) == [(0,)]


def test_exact_decimals_are_in_the_units_of_their_column(admin):
    crate = admin.ask("POST", "/depotcrates", {"name": "Priced", "price": "12.5"})
    price = next(model for model in all_models(Model) if model.__name__ == "Crate").price
    ((kept,),) = query("SELECT price FROM depot_crate WHERE id = ?", (crate,))
    assert kept == (1_250_000_000 if backend().name == "sqlite" else Decimal("12.5"))
    assert price.python_value(kept) == Decimal("12.5")
    bound = price.db_value(Decimal("12.5"))
    assert query("SELECT id FROM depot_crate WHERE price = ? AND id = ?", (bound, crate)) == [(crate,)]


def test_a_statement_that_writes_is_refused_by_query(admin):
    for sql in ("INSERT INTO depot_room (name) VALUES ('Hall')", "  delete from depot_room", "UPDATE depot_room SET name = ''",
                "WITH gone AS (SELECT 1) DELETE FROM depot_room", "/* all */ DELETE FROM depot_room"):  # fmt: skip
        with pytest.raises(ValueError, match=r"use execute\(\)"):
            query(sql)
    assert query("WITH one AS (SELECT 1 AS a) SELECT a FROM one") == [(1,)]

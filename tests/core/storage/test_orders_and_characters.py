"""Orders and characters on each database: no sorting for a first page, every character on MariaDB."""

import os

import peewee
import pytest

from core import Model, Records
from core.schema.tables import ensure_tables
from core.storage.database import backend, close, database, ensure_connected, open_database, query
from core.testing import DATABASE_SERVERS, statements
from core.testing.databases import RUN
from core.testing.databases import server_connection as on_server

pytestmark = pytest.mark.every_database


class Sorted(Model):
    """Rows that are listed."""

    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(index=True)
    town = peewee.CharField(null=True, index=True)

    class Meta:
        table_name = "order_sorted"


rows = Records(Sorted, noun="Row")


@pytest.fixture(scope="module", autouse=True)
def tables(server):
    ensure_connected()
    ensure_tables([Sorted])
    Sorted.insert_many([{"name": f"n{number:05}", "town": "x"} for number in range(3000)]).execute()
    if backend().name == "postgresql":
        database.execute_sql("ANALYZE order_sorted")


@pytest.fixture(autouse=True)
def connected():
    ensure_connected()


@pytest.mark.every_database("sqlite", "postgresql")
@pytest.mark.parametrize("asked", [{}, {"sortorder": "DESC", "sortfield": "t.rowid"}])
def test_a_first_page_reads_an_index_and_sorts_nothing(asked):
    with statements() as seen:
        assert len(rows.page(limit=100, **asked)) == 100
    (sql,) = [each for each in seen if "order_sorted" in each]
    for mark in ("?", "%s"):
        sql = sql.replace(f"LIMIT {mark} OFFSET {mark}", "LIMIT 101 OFFSET 0")
    explain = "EXPLAIN QUERY PLAN " if backend().name == "sqlite" else "EXPLAIN "
    plan = " ".join(str(row) for row in query(explain + sql))
    assert "Sort" not in plan and "TEMP B-TREE" not in plan
    # The rows of SQLite are in the order of their identifier
    assert {"postgresql": "Index Scan", "sqlite": "SCAN"}[backend().name] in plan


# MariaDB whose database was made for the letters of Western Europe --------------------------------------------------

EVERYTHING = "Łódź 東京 😀"


@pytest.fixture
def western(server):
    before, name = database.obj, f"comptoir_test_{RUN}_{os.getpid()}_0"
    close()
    with on_server("mysql") as run:
        run(f"CREATE DATABASE {name} CHARACTER SET latin1")
        open_database(f"{DATABASE_SERVERS['mysql'].rpartition('/')[0]}/{name}")
        ensure_connected()
        yield lambda characters: run(f"ALTER DATABASE {name} {characters}")
        close()
        database.initialize(before)
        run(f"DROP DATABASE {name}")


def collation(table):
    sql = "SELECT table_collation FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?"
    return str(query(sql, (table,))[0][0])


class Extended(Model):
    """Rows with extra fields."""

    id = peewee.AutoField(column_name="rowid")

    class Meta:
        table_name = "order_extended"
        extrafields = "order_extended"


#: the others have one set of characters
has_sets = pytest.mark.every_database("mysql")


@has_sets
def test_tables_hold_every_character_whatever_the_server_was_told(western):
    ensure_tables([Sorted, Extended])
    ensure_connected()
    tables = database.get_tables()
    assert {"order_sorted", "order_extended_extrafields", "comptoir_table"} <= {*tables}
    assert {collation(table) for table in tables} == {"utf8mb4_nopad_bin"}
    made = Sorted.create(name=EVERYTHING)
    assert Sorted.get_by_id(made.id).name == EVERYTHING
    Sorted.create(name="Été")
    assert [Sorted.select().where(Sorted.name == name).count() for name in ("Été", "ete", "Été ")] == [1, 0, 0]


@has_sets
def test_a_collation_that_the_database_was_given_is_not_that_of_its_tables(western):
    western("CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
    close()
    ensure_connected()
    ensure_tables([Sorted])
    ensure_connected()
    assert collation("order_sorted") == "utf8mb4_nopad_bin"

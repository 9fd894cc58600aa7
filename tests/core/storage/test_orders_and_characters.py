"""What each database does of an order and of characters: no sorting for a first page, every character on MariaDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import peewee
import pytest

from core import Model, Records
from core.records.lists import ListQuery, order_by, sort_keys
from core.schema.tables import ensure_tables
from core.storage.database import close, database, dialect_name, ensure_connected, query
from core.storage.fields import LetterField
from core.storage.opening import open_database
from core.testing import DATABASE_SERVERS, Served, statements
from core.testing.databases import _server as on_server


class Sorted(Model):
    """Rows that are listed."""

    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(index=True)
    town = peewee.CharField(null=True, index=True)

    class Meta:
        table_name = "order_sorted"


class Wider(Model):
    """The same table as a later version has it."""

    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(index=True)
    town = peewee.CharField(null=True, index=True)
    note = peewee.CharField(null=True)

    class Meta:
        table_name = "order_sorted"


rows = Records(Sorted, noun="Row")


@pytest.fixture(scope="module", autouse=True)
def tables(server: Served) -> None:
    ensure_connected()
    ensure_tables([Sorted])
    Sorted.insert_many([{"name": f"n{number:05}", "town": "x"} for number in range(3000)]).execute()
    if dialect_name() == "postgresql":
        database.execute_sql("ANALYZE order_sorted")


@pytest.fixture(autouse=True)
def connected() -> None:
    ensure_connected()


def order(field: str, direction: str) -> str:
    return order_by(
        sort_keys(ListQuery(sortfield=field, sortorder=direction), "", rows.select_plan().columns, "t.rowid")
    )


def test_nulls_are_spoken_of_only_where_there_may_be_one() -> None:
    said = {"ASC": " NULLS FIRST", "DESC": " NULLS LAST"} if dialect_name() == "postgresql" else {"ASC": "", "DESC": ""}
    for direction in ("ASC", "DESC"):
        for field, words in (("id", ""), ("name", ""), ("town", said[direction])):
            assert f"{field if field != 'id' else 'rowid'}" in order(field, direction)
            first = order(field, direction).split(", ")[0]
            assert first.endswith(direction + words), first
            assert order(field, direction).split(", ")[-1].endswith(direction)


@pytest.mark.parametrize("asked", [{}, {"sortorder": "DESC", "sortfield": "t.rowid"}])
def test_a_first_page_reads_an_index_and_sorts_nothing(asked: dict[str, str]) -> None:
    if dialect_name() == "mysql":
        pytest.skip("MariaDB keeps rows in the order of their identifier")
    with statements() as seen:
        assert len(rows.page(limit=100, **asked)) == 100
    (sql,) = [each for each in seen if "order_sorted" in each]
    for mark in ("?", "%s"):
        sql = sql.replace(f"LIMIT {mark} OFFSET {mark}", "LIMIT 101 OFFSET 0")
    explain = "EXPLAIN QUERY PLAN " if dialect_name() == "sqlite" else "EXPLAIN "
    plan = " ".join(str(row) for row in query(explain + sql))
    assert "Sort" not in plan and "TEMP B-TREE" not in plan
    assert "Index Scan" in plan or dialect_name() == "sqlite"


# MariaDB whose database was made for the letters of Western Europe --------------------------------------------------

EVERYTHING = "Łódź 東京 😀"


@pytest.fixture
def western(server: Served) -> Iterator[Any]:
    if dialect_name() != "mysql":
        pytest.skip("others have one set of characters")
    before, name = database.obj, "comptoir_test_western"
    close()
    with on_server("mysql") as run:
        run(f"DROP DATABASE IF EXISTS {name}")
        run(f"CREATE DATABASE {name} CHARACTER SET latin1")
        open_database(f"{DATABASE_SERVERS['mysql'].rpartition('/')[0]}/{name}")
        ensure_connected()
        yield run
        close()
        database.initialize(before)
        run(f"DROP DATABASE {name}")


def collation(table: str) -> str:
    sql = "SELECT table_collation FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?"
    return str(query(sql, (table,))[0][0])


def test_tables_hold_every_character_whatever_the_server_was_told(western: Any) -> None:
    ensure_tables([Sorted])
    ensure_connected()
    assert {collation(table) for table in database.get_tables()} == {"utf8mb4_nopad_bin"}
    made = Sorted.create(name=EVERYTHING)
    assert Sorted.get_by_id(made.id).name == EVERYTHING
    Sorted.create(name="Été")
    assert [Sorted.select().where(Sorted.name == name).count() for name in ("Été", "ete", "Été ")] == [1, 0, 0]


def test_a_collation_that_the_database_was_given_is_not_that_of_its_tables(western: Any) -> None:
    western("ALTER DATABASE comptoir_test_western CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
    close()
    ensure_connected()
    ensure_tables([Sorted])
    ensure_connected()
    assert collation("order_sorted") == "utf8mb4_nopad_bin"


def test_an_old_database_opens_and_widens(western: Any) -> None:
    """Its tables were made as its server's default was."""
    database.execute_sql(
        "CREATE TABLE order_sorted (rowid INTEGER AUTO_INCREMENT PRIMARY KEY, name VARCHAR(255) NOT NULL, "
        "town VARCHAR(255)) DEFAULT CHARSET=latin1"
    )
    database.execute_sql("INSERT INTO order_sorted (name) VALUES ('Été')")
    ensure_tables([Wider])
    ensure_connected()
    assert [(row.name, row.note) for row in Wider.select()] == [("Été", None)]
    assert collation("order_sorted") == "latin1_nopad_bin"


class Named(Model):
    """Rows whose names are compared letter by letter."""

    id = peewee.AutoField(column_name="rowid")
    name = LetterField(max_length=50, unique=True)
    mail = LetterField(max_length=255, null=True, unique=True)
    note = peewee.CharField(null=True)

    class Meta:
        table_name = "order_named"


ALIKE = ("Bob", "bob", "bob ", "bób", "bo\u00adb", "bo\x01b")


def collations_of_columns(table: str) -> dict[str, str]:
    where = "table_schema = DATABASE() AND table_name = ?"
    sql = f"SELECT column_name, collation_name FROM information_schema.columns WHERE {where}"
    return {name: collation for name, collation in query(sql, (table,)) if collation}


def test_letters_are_told_apart_where_the_field_says_so(server: Served) -> None:
    ensure_tables([Named])
    ensure_connected()
    for name in ALIKE:
        Named.create(name=name, mail=name)
    for name in ALIKE:
        assert [row.name for row in Named.select().where(Named.name == name)] == [name]
    with pytest.raises(peewee.IntegrityError):
        Named.create(name="Bob")


@pytest.mark.parametrize("characters", ["utf8mb4", "latin1"])
def test_a_column_of_an_old_database_learns_to_tell_letters_apart(western: Any, characters: str) -> None:
    database.execute_sql(
        "CREATE TABLE order_named (rowid INTEGER AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL UNIQUE, "
        f"mail VARCHAR(255) UNIQUE, note VARCHAR(255)) DEFAULT CHARSET={characters}"
    )
    database.execute_sql("INSERT INTO order_named (name) VALUES ('Bob')")
    ensure_tables([Named])
    ensure_connected()
    made = collations_of_columns("order_named")
    assert set(made.values()) == {f"{characters}_nopad_bin"} == {collation("order_named")}
    # What else is said of the column stays
    with pytest.raises(peewee.PeeweeException):
        Named.insert(name=None).execute()
    Named.create(name="bob", mail="x")
    assert [(row.name, row.mail) for row in Named.select().order_by(Named.id)] == [("Bob", None), ("bob", "x")]
    with statements() as seen:
        ensure_tables([Named])
    assert not [sql for sql in seen if "ALTER" in sql]


def test_all_of_an_old_database_is_converted_once(western: Any) -> None:
    ensure_tables([Named])
    ensure_connected()
    for name in ("Bob", "éclair"):
        Named.create(name=name, mail=name, note="x" * 200)
    for table in database.get_tables():
        database.execute_sql(f"ALTER TABLE {table} CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    assert Named.select().where(Named.name == "ECLAIR").count() == 1
    # As an older release has noted it
    database.execute_sql("UPDATE comptoir_table SET digest = 'of before' WHERE name = 'order_named'")
    ensure_tables([Named])
    ensure_connected()
    assert {collation(table) for table in database.get_tables()} == {"utf8mb4_nopad_bin"}
    for name in ("bob", "eclair", "Bob ", "ÉCLAIR"):
        Named.create(name=name, mail=name)
    assert [Named.select().where(Named.name == name).count() for name in ("éclair", "ECLAIR")] == [1, 0]
    assert [len(row.note) for row in Named.select().where(Named.note.is_null(False))] == [200, 200]
    plan = query("EXPLAIN SELECT * FROM order_named WHERE name = 'éclair'")
    assert "order_named_name" in str(plan) or "const" in str(plan)
    with statements() as seen:
        ensure_tables([Named])
    assert not [sql for sql in seen if "ALTER" in sql]

"""Indexes for lists that are sorted by a text: created, used and dropped with the model's option."""

import peewee
import pytest

from core import Model, Records
from core.schema.indexes import index_name
from core.schema.table import Table
from core.schema.tables import ensure_tables
from core.storage.database import backend, database, ensure_connected, query
from core.storage.model import wrong_option
from core.testing import statements

pytestmark = pytest.mark.every_database

NAMES = ["Zoe", "éclair", None, "ECLAIR", "abc"]
INDEX = "sorted_book_titel__sorted"


class Book(Model):
    """As it was before."""

    id = peewee.AutoField(column_name="rowid")
    title = peewee.CharField(column_name="titel", null=True)

    class Meta:
        table_name = "sorted_book"


class SortedBook(Book):
    """As it is with an index."""

    class Meta:
        table_name = "sorted_book"
        sorted = ("title",)


@pytest.fixture(autouse=True)
def table(server):
    ensure_connected()
    ensure_tables([Book])
    Book.insert_many([{"title": name} for name in NAMES]).execute()
    yield
    ensure_connected()
    database.execute_sql("DROP TABLE sorted_book")
    database.execute_sql("DELETE FROM comptoir_table WHERE name = 'sorted_book'")


def indexes():
    return {each.name for each in database.get_indexes("sorted_book") if each.name.endswith("__sorted")}


def test_an_index_comes_and_goes_with_the_model():
    assert indexes() == set()
    ensure_tables([SortedBook])
    assert indexes() == (set() if backend().name == "mysql" else {INDEX})
    with statements() as seen:
        ensure_tables([SortedBook])
    assert not [sql for sql in seen if "INDEX" in sql]
    ensure_tables([Book])
    assert indexes() == set()
    assert Book.select().count() == len(NAMES)


@pytest.mark.every_database("sqlite", "postgresql")
def test_a_list_reads_it_and_sorts_nothing():
    ensure_tables([SortedBook])
    books = Records(SortedBook, noun="Book")
    for direction, titles in (
        ("ASC", [None, "abc", "ECLAIR", "Zoe", "éclair"]),
        ("DESC", ["éclair", "Zoe", "ECLAIR", "abc", None]),
    ):
        with statements() as seen:
            page = books.page(sortfield="t.titel", sortorder=direction)
        assert [each["title"] for each in page] == titles
        (sql,) = [each for each in seen if "sorted_book" in each]
        for mark in ("?", "%s"):
            sql = sql.replace(f"LIMIT {mark} OFFSET {mark}", "LIMIT 101 OFFSET 0")
        if backend().name == "postgresql":
            database.execute_sql("SET enable_seqscan = off")
        explain = "EXPLAIN QUERY PLAN " if backend().name == "sqlite" else "EXPLAIN "
        plan = " ".join(str(row) for row in query(explain + sql))
        if backend().name == "postgresql":
            database.execute_sql("RESET enable_seqscan")
        assert INDEX in plan and "Sort" not in plan and "TEMP B-TREE" not in plan, plan


def test_what_may_be_said():
    class Wrong(Model):
        class Meta:
            sorted = ("id",)

    assert wrong_option(Wrong) == "sorted: expected a text field, got 'id'; use index=True for it"
    assert Table.of_model(SortedBook).sorted == ("titel",)
    assert Table.of_text(Table.of_model(SortedBook).as_text()) == Table.of_model(SortedBook)
    assert len(index_name("t" * 60, "c" * 60)) < 64

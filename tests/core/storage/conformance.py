"""The behaviour of every backend, whatever its database and driver: `test_backends.py` runs it for each of them.

A further backend inherits the suite in three lines::

    class TestDuckdb(Conformance):
        kind = "duckdb"
        driver = "duckdb"

The suite uses the public face of a database: `Model`, `Records`, `query`, `transaction`, `backend()`. Its statements
are plain SQL that every database knows. `StatementConformance` is the first half, for a backend that is being written.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import peewee
import pytest

from core import ExactField, Model, RecordField, Records, transaction
from core.common.request_state import acting_as
from core.schema.steps import Add, AddIndex, Change, Drop, DropIndex, Rename, RenameTable
from core.schema.table import StepError
from core.schema.tables import ensure_tables
from core.storage.cache_version import cache_version
from core.storage.database import (
    backend,
    classify_error,
    close,
    database,
    ensure_connected,
    execute,
    no_timeouts,
    query,
    retry_undone,
    schema_lock,
)
from core.storage.error_kinds import LOCKED, NULL, REFERENCE
from core.storage.model import meta_of
from core.storage.statements import insert_row, insert_rows
from core.transfer.copying import copy_database
from tests.core.records.library import BOOKS, FOUND
from tests.core.records.test_words import WORDS
from tests.core.schema.changes import change, indexes, made, model, read
from tests.core.storage.conformance_statements import Item, StatementConformance, broken_rule, elsewhere, held
from tests.core.transfer import zoo


class Book(Model):
    """Texts that are searched."""

    id = peewee.AutoField(column_name="rowid")
    title = peewee.CharField(max_length=255)
    author = peewee.CharField(column_name="writer", max_length=255, null=True)
    summary = peewee.TextField(null=True)

    class Meta:
        table_name = "suite_book"
        audited = False
        searched = ("title", "author", "summary")


books = Records(Book, noun="Book")

#: opens a database in another process, holds its schema lock and prints when it does
HOLDER = """
import sys, time
from core.storage.database import ensure_connected, no_timeouts
from core.storage.database import open_database
from core.storage.database import schema_lock
open_database(sys.argv[1])
ensure_connected()
with no_timeouts(), schema_lock():
    print("held", flush=True)
    time.sleep(120)
"""


class Conformance(StatementConformance):
    """The suite: tables, the schema lock, search and copies, after what the first half has."""

    models = (*StatementConformance.models, Book)

    # Tables ----------------------------------------------------------------------------------------------------------

    @pytest.fixture
    def table(self):
        """The name of a table that is dropped in the end."""
        yield "step_card"
        close()
        ensure_connected()
        for name in ("step_stamp", "step_card", "step_badge"):
            execute(f"DROP TABLE IF EXISTS {name}")

    def test_tables_columns_and_indexes_are_listed(self):
        tables = database.get_tables()
        assert {"suite_item", "suite_owner", "suite_book"} <= {*tables}
        # Search tables belong to the tables they search
        assert [each for each in tables if "suite_book" in each] == ["suite_book"]
        assert database.table_exists("suite_owner") and not database.table_exists("suite_nothing")
        columns = {each.name: each for each in database.get_columns("suite_item")}
        assert list(columns) == [field.column_name for field in meta_of(Item).sorted_fields]
        assert {name for name, each in columns.items() if not each.null} == {"id", "place", "number"}
        assert [name for name, each in columns.items() if each.primary_key] == ["id"]
        assert database.get_primary_keys("suite_item") == ["id"]
        assert indexes("suite_item") - {(("id",), True)} == {(("name", "place"), True), (("owner",), False)}
        (reference,) = database.get_foreign_keys("suite_item")
        assert (reference.column, reference.dest_table, reference.dest_column) == ("owner", "suite_owner", "id")

    def test_listing_tables_and_columns_is_no_write(self):
        backend().own.irreversible = False
        with acting_as(None) as state:
            assert database.table_exists("suite_owner") and database.get_columns("suite_owner")
            assert (state.writes, backend().own.irreversible) == (0, False)

    def test_a_table_that_fits_its_model_is_left_alone(self):
        ran = []
        database.obj.query_hooks.append(lambda event: ran.append(event.sql))
        try:
            ensure_tables(self.models)
        finally:
            database.obj.query_hooks.pop()
        assert ran and not [sql for sql in ran if "SELECT" not in sql]

    def test_columns_are_added(self, table):
        form = made(table, [{"name": "A"}], name=peewee.CharField())
        change(
            form,
            Add(table, "points", peewee.IntegerField(default=7)),
            Add(table, "note", peewee.TextField(null=True)),
            Add(table, "price", ExactField(10, 2), fill=Decimal("1.50")),
            Add(table, "mark", peewee.CharField(default="it's \\ok"), fill="old"),
            Add(table, "parent", RecordField("self", null=True)),
        )
        assert read(table, points=peewee.IntegerField(), note=peewee.TextField(), price=ExactField(10, 2)) == [
            {"points": 7, "note": None, "price": Decimal("1.50")}
        ]
        # The database itself knows the default, and has none if the field has none
        execute(f"INSERT INTO {table} (name, price) VALUES ('B', 0)")
        assert query(f"SELECT mark FROM {table} ORDER BY rowid") == [("old",), ("it's \\ok",)]
        with pytest.raises(peewee.PeeweeException):
            execute(f"INSERT INTO {table} (name) VALUES ('C')")
        assert broken_rule(lambda: execute(f"UPDATE {table} SET parent = 99"), table)[0] == REFERENCE
        assert (("parent",), False) in indexes(table)

    def test_a_column_is_renamed_with_its_indexes(self, table):
        form = made(table, [{"number": "A"}], number=peewee.CharField(unique=True), town=peewee.CharField(default="x"))
        forms = change(form, AddIndex(table, ("number", "town")), Rename(table, "number", "code"))
        assert query(f"SELECT code, town FROM {table}") == [("A", "x")]
        assert indexes(table) == {(("code",), True), (("code", "town"), False)}
        assert forms[table].columns["code"].unique
        assert forms[table].indexes == ((("code", "town"), False),)
        # Names of indexes follow, or a new column of the old name could have none
        change(forms[table], Add(table, "number", peewee.CharField(default="", index=True)))
        assert (("number",), False) in indexes(table)

    def test_a_column_is_dropped_with_all_that_refers_to_it(self, table):
        form = made(
            table, [{"name": "A", "code": "x"}], name=peewee.CharField(), code=peewee.CharField(unique=True),
            parent=RecordField("self", null=True),
        )  # fmt: skip
        forms = change(
            form,
            AddIndex(table, ("name", "code"), unique=True),
            Drop(table, "code"),
            Drop(table, "parent"),
        )
        assert list(forms[table].columns) == ["rowid", "name"]
        assert [each.name for each in database.get_columns(table)] == ["rowid", "name"]
        assert indexes(table) == set()
        change(form, Drop(table, "code"))
        with pytest.raises(StepError, match="is the primary key"):
            change(form, Drop(table, "rowid"))

    def test_references_come_and_go(self, table):
        made(table, [{"owner": 1}], owner=peewee.IntegerField(default=1), size=peewee.IntegerField(null=True))
        opened = database.obj
        with no_timeouts(), schema_lock():
            opened.add_reference(table, "owner", f"REFERENCES {table} (rowid)")
        ensure_connected()
        assert [(each.column, each.dest_table) for each in opened.get_foreign_keys(table)] == [("owner", table)]
        assert broken_rule(lambda: execute(f"UPDATE {table} SET owner = 9"), table)[0] == REFERENCE
        columns = {each.name: each for each in opened.columns(table)}
        assert {name: (each.kind, each.null, each.computed) for name, each in columns.items() if name != "rowid"} == {
            "owner": ("INT", False, False), "size": ("INT", True, False),
        }  # fmt: skip
        opened.drop_references(table)
        opened.rename_column(table, "size", "weight")
        opened.rename_table(table, "step_badge")
        assert query("SELECT owner, weight FROM step_badge") == [(1, None)]
        opened.drop_table("step_badge")
        assert not database.table_exists("step_badge")

    def test_types_change(self, table):
        cases = [
            (peewee.CharField(max_length=5), peewee.CharField(max_length=50), "é\\'"),
            (peewee.CharField(max_length=50), peewee.CharField(max_length=5), "fünf5"),
            (peewee.CharField(), peewee.TextField(), "abc"),
            (peewee.TextField(), peewee.CharField(max_length=9), "abc"),
            (peewee.IntegerField(), peewee.BigIntegerField(), -5),
            (peewee.BigIntegerField(), peewee.SmallIntegerField(), 32767),
            (peewee.FloatField(), peewee.DoubleField(), 12.25),
            (ExactField(10, 2), ExactField(12, 4), Decimal("12.3400")),
        ]
        names = [f"column{place}" for place in range(len(cases))]
        values = {name: case[2] for name, case in zip(names, cases, strict=True)}
        form = made(table, [values], **{name: case[0] for name, case in zip(names, cases, strict=True)})
        after = {name: case[1] for name, case in zip(names, cases, strict=True)}
        change(form, *(Change(table, name, field) for name, field in after.items()))
        assert read(table, **after) == [values]
        for name in names:
            assert broken_rule(lambda name=name: execute(f"UPDATE {table} SET {name} = NULL"), table)[0] == NULL

    def test_indexes_come_and_go(self, table):
        form = made(table, [{"a": 1, "b": 1}, {"a": 1, "b": 2}], a=peewee.IntegerField(), b=peewee.IntegerField())
        forms = change(form, AddIndex(table, ("a",)), AddIndex(table, ("a", "b"), unique=True))
        assert indexes(table) == {(("a",), False), (("a", "b"), True)}
        assert (forms[table].columns["a"].index, forms[table].indexes) == (True, ((("a", "b"), True),))
        with pytest.raises(StepError, match=r"step_card \(a\) can't be unique: a value occurs more than once"):
            change(form, AddIndex(table, ("a",), unique=True))
        forms = change(forms[table], DropIndex(table, ("a",)), DropIndex(table, ("a", "b")))
        assert indexes(table) == set()
        assert (forms[table].columns["a"].index, forms[table].indexes) == (False, ())

    def test_a_changed_table_goes_on_counting_and_keeps_its_references(self, table):
        form = made(table, [{"label": "x"}] * 3, label=peewee.CharField(max_length=10, index=True))
        stamp = model("step_stamp", card=RecordField(model(table)))
        stamp.create_table()
        stamp.create(card=1)
        execute(f"DELETE FROM {table} WHERE rowid > 1")
        longer = Change(table, "label", peewee.CharField(max_length=20, index=True))
        forms = change(form, longer, RenameTable(table, "step_badge"))
        assert database.table_exists("step_badge") and not database.table_exists(table)
        assert broken_rule(lambda: stamp.create(card=99), "step_stamp")[0] == REFERENCE
        assert broken_rule(lambda: execute("DELETE FROM step_badge"), "step_badge")[0] == REFERENCE
        execute("INSERT INTO step_badge (label) VALUES ('y')")
        assert query("SELECT rowid FROM step_badge ORDER BY rowid") == [(1,), (4,)]
        # Also without any row
        stamp.delete().execute()
        execute("DELETE FROM step_badge")
        change(forms["step_badge"], Change("step_badge", "label", peewee.CharField(max_length=30, index=True)))
        execute("INSERT INTO step_badge (label) VALUES ('z')")
        assert query("SELECT rowid FROM step_badge") == [(5,)]
        assert indexes("step_badge") == {(("label",), False)}

    def test_a_table_that_changes_is_read_by_connections_that_have_read_it(self, table):
        """A driver may have prepared the statement by then."""
        wide = [peewee.IntegerField(), peewee.BigIntegerField(), peewee.IntegerField()]
        form = made(table, [{"number": 7}], number=wide[0])

        def widened(place):
            for _ in range(12):
                assert query(f"SELECT number FROM {table}") == [(7,)]
            steps = Change(table, "number", wide[place])
            forms[:] = [elsewhere(lambda: change(forms[0], steps))[table]]

        forms = [form]
        widened(1)
        assert query(f"SELECT number FROM {table}") == [(7,)]
        widened(2)

        def work():
            with transaction():
                return query(f"SELECT number FROM {table}")

        # It can't be repeated in the middle of a transaction, but the request can
        assert retry_undone(work, "test") == [(7,)]

    # The schema lock -------------------------------------------------------------------------------------------------

    def test_one_at_a_time_changes_tables(self):
        inside, most, order = 0, 0, threading.Lock()

        def work():
            nonlocal inside, most
            for _ in range(3):
                with no_timeouts(), schema_lock(), schema_lock():
                    with order:
                        inside += 1
                        most = max(most, inside)
                    assert query("SELECT 1") == [(1,)]
                    time.sleep(0.02)
                    with order:
                        inside -= 1

        with ThreadPoolExecutor(3) as pool:
            for each in [pool.submit(elsewhere, work) for _ in range(3)]:
                each.result(60)
        assert (inside, most) == (0, 1)

    def test_a_lock_that_is_held_too_long_is_an_error(self, hasty):
        with held(lambda: None, schema_lock), pytest.raises(peewee.PeeweeException) as caught, schema_lock():
            pass
        assert classify_error(caught.value) is LOCKED

    def test_a_holder_that_is_killed_loses_the_lock(self, url):
        process = subprocess.Popen([sys.executable, "-c", HOLDER, url], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "held\n"
            os.kill(process.pid, signal.SIGKILL)
            with no_timeouts(), schema_lock():
                pass
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def test_a_holder_whose_connection_is_lost_changes_nothing_more(self):
        with pytest.raises(peewee.PeeweeException), schema_lock():
            self.cut()
            try:
                query("SELECT 1")
            finally:
                # On a new connection that doesn't hold the lock
                execute("CREATE TABLE suite_without_lock (id INTEGER)")
        ensure_connected()
        assert not database.table_exists("suite_without_lock")
        with schema_lock():
            pass

    # Search ----------------------------------------------------------------------------------------------------------

    def test_words_are_found(self):
        made = insert_rows(Book, [dict(zip(("title", "author", "summary"), each, strict=True)) for each in BOOKS])
        found = {text: [made.index(book["id"]) + 1 for book in books.page(q=text)] for text in FOUND}
        assert found == FOUND
        books.change(made[0], {"title": "Delta"})
        execute("UPDATE suite_book SET title = 'Kappa' WHERE title = 'Noirceur'")
        books.delete(made[6])
        with pytest.raises(ZeroDivisionError), transaction():
            Book.create(title="Noir")
            raise ZeroDivisionError
        found = {text: [made.index(book["id"]) + 1 for book in books.page(q=text)] for text in ("noir", "delta", "kap")}
        assert found == {"noir": [5], "delta": [1], "kap": [2]}

    def test_texts_are_split_into_the_same_words(self):
        for text, words in WORDS.items():
            number = insert_row(Book, {"title": text})
            for word in words:
                assert number in [each["id"] for each in books.page(q=word, limit=500)], (text, word)
                # None of them is a part of another one
                assert number not in [each["id"] for each in books.page(q=f"x{word}"[:200])], (text, word)

    # Copies ----------------------------------------------------------------------------------------------------------

    @pytest.mark.usefixtures("without_natives")
    def test_values_survive_a_copy_out_of_sqlite_and_back(self, tmp_path):
        def next_id():
            number = int(zoo.model("Animal").insert(name="new", weight=1).execute())
            zoo.model("Animal").delete().where(zoo.model("Animal").id == number).execute()
            return number

        urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("source", "target")]
        settings = zoo.settings_of(tmp_path, urls[0])
        zoo.fill(settings)
        before, version = zoo.contents(), cache_version()
        assert next_id() == 10
        with self.empty(tmp_path) as middle:
            copied, warnings = copy_database(urls[0], middle, settings)
            assert copied["zoo_animal"].sums["weight"] == sum(each["weight"] for each in zoo.ANIMALS)
            assert (copied["zoo_animal"].rows, warnings) == (2, [])
            zoo.serve(settings, middle)
            assert (zoo.contents()[0], cache_version() > version) == (zoo.ANIMALS, True)
            assert zoo.found_in("lines") == [7] and zoo.found_in("oce") == [7] and zoo.found_in("nothing") == []
            # The next ID is a new one, and what refers to nothing is rejected as before
            assert next_id() == 11
            keeper = zoo.model("Keeper").insert(code="no", animal=99)
            assert broken_rule(keeper.execute, "zoo_keeper")[0] == REFERENCE
            copy_database(middle, urls[1], settings)
            close()
        zoo.serve(settings, urls[1])
        assert zoo.contents() == before
        assert next_id() == 12

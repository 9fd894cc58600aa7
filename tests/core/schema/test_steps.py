"""Changes of tables, one by one, on each database: what they keep, what they refuse, and that they may be asked again."""

from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

import peewee
import pytest
from hypothesis import given
from hypothesis import settings as trials
from hypothesis import strategies as st

from core import ExactField, RecordField
from core.schema.migration_tables import Tables
from core.schema.steps import Add, AddIndex, Change, Drop, Rename, RenameTable, Run, apply
from core.schema.table import StepError, Table
from core.storage.database import backend, database, driver_sql, ensure_connected, no_timeouts, quote, schema_lock
from tests.core.schema.changes import change, indexes, made, model, read

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]


def rows(sql):
    """What a statement finds."""
    return [tuple(row) for row in database.execute_sql(sql).fetchall()]


@pytest.fixture
def table(server):
    """The name of a table that is dropped in the end."""
    ensure_connected()
    yield "step_card"
    ensure_connected()
    for name in ("step_stamp", "step_card", "step_badge", "step_card_extrafields", "step_badge_extrafields"):
        database.execute_sql(f"DROP TABLE IF EXISTS {quote(name)}")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (peewee.BooleanField(default=True), True),
        (peewee.IntegerField(default=-7), -7),
        (peewee.DoubleField(default=0.5), 0.5),
        (ExactField(10, 2, default=Decimal("-1.50")), Decimal("-1.50")),
        (peewee.CharField(default="it's \\ok\n%"), "it's \\ok\n%"),
        (peewee.DateField(default=date(1969, 12, 31)), date(1969, 12, 31)),
        (peewee.DateTimeField(default=datetime(2024, 2, 29, 23, 59, 58)), datetime(2024, 2, 29, 23, 59, 58)),
        (peewee.IntegerField(constraints=[peewee.SQL("DEFAULT 9")]), 9),
    ],
)
def test_the_database_knows_a_default_of_any_type(table, field, value):
    form = made(table, [{"name": "A"}], name=peewee.CharField())
    if field.default is None:
        database.execute_sql(f"DELETE FROM {table}")
    change(form, Add(table, "value", field))
    database.execute_sql(f"INSERT INTO {table} (name) VALUES ('B')")
    assert {row["value"] for row in read(table, value=field)} == {value}


def test_a_needed_column_without_a_value_is_refused(table):
    form = made(table, [{"name": "A"}], name=peewee.CharField())
    with pytest.raises(StepError, match=r"step_card\.size: existing rows need a value; add a default, null=True or"):
        change(form, Add(table, "size", peewee.IntegerField()))
    database.execute_sql(f"DELETE FROM {table}")
    change(form, Add(table, "size", peewee.IntegerField()))
    with pytest.raises(peewee.PeeweeException):
        database.execute_sql(f"INSERT INTO {table} (name) VALUES ('B')")


def test_a_table_that_others_point_at_keeps_all_of_it(table):
    """References, indexes, defaults, and triggers of the author's own."""
    form = made(
        table, [{"price": Decimal("12.34")}], price=ExactField(10, 2, default=Decimal(1)),
        name=peewee.CharField(index=True, constraints=[peewee.SQL("DEFAULT 'a, (b) ''c'''")]),
    )  # fmt: skip
    database.execute_sql(f"ALTER TABLE {table} ADD COLUMN seen INTEGER DEFAULT 5")
    stamp = model("step_stamp", card=RecordField(model(table)))
    stamp.create_table()
    stamp.create(card=1)
    if backend().name == "sqlite":
        database.execute_sql(f"CREATE TRIGGER step_told AFTER INSERT ON {table} BEGIN UPDATE {table} SET seen = 6; END")
    change(form, Change(table, "price", ExactField(12, 4, default=Decimal(1), index=True)))
    assert read(table, price=ExactField(12, 4)) == [{"price": Decimal("12.3400")}]
    assert indexes(table) == {(("name",), False), (("price",), False)}
    database.execute_sql(f"INSERT INTO {table} (seen) VALUES (1)" if backend().name != "sqlite" else
                         f"INSERT INTO {table} DEFAULT VALUES")  # fmt: skip
    row = model(table, price=ExactField(12, 4), name=peewee.CharField())
    assert [(each.price, each.name) for each in row.select().where(row.id == 2)] == [(Decimal(1), "a, (b) 'c'")]
    with pytest.raises(peewee.IntegrityError):
        database.execute_sql(f"DELETE FROM {table} WHERE rowid = 1")
    with pytest.raises(peewee.IntegrityError):
        database.execute_sql("INSERT INTO step_stamp (card) VALUES (99)")
    if backend().name == "sqlite":
        assert rows(f"SELECT seen FROM {table}") == [(6,), (6,)]


EXACT = st.decimals(min_value=-99999, max_value=99999, places=4)


@trials(max_examples=15)
@given(values=st.lists(EXACT, min_size=1, max_size=6), scale=st.sampled_from([2, 3, 4, 6, 8]))
def test_values_are_the_same_in_another_scale(server, values, scale):
    """Widening keeps all, narrowing is refused where digits would go, and rounds half away from zero if told."""
    ensure_connected()
    database.execute_sql("DROP TABLE IF EXISTS step_card")
    form = made("step_card", [{"price": value} for value in values], price=ExactField(12, 4))
    field = ExactField(16, scale)
    finest = Decimal(1).scaleb(-scale)
    rounded = [value.quantize(finest, ROUND_HALF_UP) for value in values]
    losing = sum(one != other for one, other in zip(values, rounded, strict=True))
    if losing:
        counted = "1 row" if losing == 1 else f"{losing} rows"
        with pytest.raises(StepError, match=rf"step_card\.price: {counted} would lose digits .* add lossy=True"):
            change(form, Change("step_card", "price", field))
        assert [row["price"] for row in read("step_card", price=ExactField(12, 4))] == values
    change(form, Change("step_card", "price", field, lossy=bool(losing)))
    assert [row["price"] for row in read("step_card", price=field)] == rounded
    database.execute_sql("DROP TABLE step_card")


@pytest.mark.parametrize(
    ("before", "after", "values", "reason"),
    [
        (
            peewee.CharField(),
            peewee.CharField(max_length=3),
            ["abcd", "abc"],
            "1 row would lose digits or characters as 3",
        ),
        (ExactField(10, 2), ExactField(4, 2), [Decimal(100)], "the values of 1 row don't fit into DECIMAL"),
        (peewee.BigIntegerField(), peewee.IntegerField(), [2**40], "the values of 1 row don't fit into INT"),
        (peewee.CharField(), peewee.DateField(), ["2026-01-01"], "can't convert VARCHAR to DATE"),
        (
            peewee.IntegerField(),
            ExactField(10, 2),
            [1],
            "INT to DECIMAL; delete this step and run .comptoir migrate --write",
        ),
        (peewee.CharField(null=True), peewee.CharField(), [None], "1 row has no value; add a default"),
        (peewee.CharField(), peewee.CharField(unique=True), ["a", "a"], "can't be unique: a value occurs more than"),
    ],
)
def test_what_would_be_lost_is_refused(table, before, after, values, reason):
    form = made(table, [{"value": value} for value in values], value=before)
    with pytest.raises(StepError, match=reason):
        change(form, Change(table, "value", after))
    assert [row["value"] for row in read(table, value=before)] == values


def test_what_may_be_lost_is_cut(table):
    form = made(table, [{"value": "abcd"}, {"value": "ab"}], value=peewee.CharField(null=True))
    change(form, Change(table, "value", peewee.CharField(max_length=3, default="-"), lossy=True))
    assert [row["value"] for row in read(table, value=peewee.CharField())] == ["abc", "ab"]


def test_null_takes_what_stands_for_it(table):
    form = made(table, [{"value": None}, {"value": 4}], value=peewee.IntegerField(null=True))
    change(form, Change(table, "value", peewee.IntegerField(default=1), fill=9))
    database.execute_sql(f"INSERT INTO {table} (rowid) VALUES (7)")
    assert [row["value"] for row in read(table, value=peewee.IntegerField())] == [9, 4, 1]
    change(form, Change(table, "value", peewee.IntegerField(null=True)))
    database.execute_sql(f"INSERT INTO {table} (rowid) VALUES (8)")
    assert [row["value"] for row in read(table, value=peewee.IntegerField())] == [9, 4, 1, None]


def test_an_index_becomes_unique_and_no_index(table):
    form = made(table, [{"a": 1}], a=peewee.IntegerField(index=True))
    form = change(form, Change(table, "a", peewee.IntegerField(unique=True)))[table]
    assert indexes(table) == {(("a",), True)}
    form = change(form, Change(table, "a", peewee.IntegerField(index=True)))[table]
    assert indexes(table) == {(("a",), False)}
    change(form, Change(table, "a", peewee.IntegerField()))
    assert indexes(table) == set()


def test_a_table_is_renamed_with_what_belongs_to_it(table):
    form = made(table, [{"a": 1}], a=peewee.IntegerField(index=True))
    model("step_card_extrafields", fk_object=peewee.IntegerField(unique=True)).create_table()
    model("step_stamp", card=RecordField(model(table))).create_table()
    forms = change(form, RenameTable(table, "step_badge"))
    assert list(forms) == ["step_badge"]
    assert {"step_badge", "step_badge_extrafields"} <= set(database.get_tables())
    assert not {table, "step_card_extrafields"} & set(database.get_tables())
    with pytest.raises(peewee.IntegrityError):
        database.execute_sql("INSERT INTO step_stamp (card) VALUES (99)")
    # The old name is free, and so are the names of its indexes
    made(table, [{"a": 1}], a=peewee.IntegerField(index=True))
    assert indexes(table) == indexes("step_badge") == {(("a",), False)}


def test_each_may_be_asked_for_again(table):
    """As on MariaDB, where a process may end behind a change and before its note."""
    form = made(table, [{"a": 1, "b": 2}], a=peewee.IntegerField(index=True), b=peewee.IntegerField())
    steps = [
        Rename(table, "a", "c"),
        Drop(table, "b"),
        Add(table, "d", ExactField(10, 2), fill=Decimal(3)),
        Change(table, "c", peewee.BigIntegerField(unique=True)),
        AddIndex(table, ("c", "d")),
        RenameTable(table, "step_badge"),
    ]
    forms = {table: form}
    with no_timeouts(), schema_lock():
        for step in steps:
            old = forms.get(getattr(step, "table", ""))
            apply(step, old)
            # The form is still that of before: nobody has noted anything
            if not isinstance(step, Change) or backend().name != "sqlite":
                apply(step, old)
            step.plan(forms)
    ensure_connected()
    assert read("step_badge", c=peewee.BigIntegerField(), d=ExactField(10, 2)) == [{"c": 1, "d": Decimal(3)}]
    assert indexes("step_badge") == {(("c",), True), (("c", "d"), False)}


def test_a_statement_runs_with_its_values(table):
    form = made(table, [{"a": 1}], a=peewee.IntegerField())
    change(form, Run(f"UPDATE {table} SET a = ? WHERE a = ?", (5, 1)))
    assert database.execute_sql(driver_sql(f"SELECT a FROM {table} WHERE a = ?"), (5,)).fetchall()


@pytest.mark.every_database("sqlite")
def test_sqlite_lets_no_row_point_at_nothing(table):
    made(table, [{"a": 1}], a=peewee.IntegerField())
    stamp = model("step_stamp", card=RecordField(model(table)))
    stamp.create_table()
    stamp.create(card=1)
    with pytest.raises(
        peewee.IntegrityError, match="some rows would point to rows that don't exist: from step_stamp to step_card"
    ):
        change(None, Run(f"DELETE FROM {table}"))
    ensure_connected()
    assert rows(f"SELECT COUNT(*) FROM {table}") == [(1,)]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (Rename("step_card", "b", "c"), "step_card has no column b; it has rowid, a"),
        (Rename("step_card", "a", "rowid"), "step_card already has a column rowid"),
        (Add("step_card", "a", peewee.BigIntegerField()), "step_card already has a column a"),
        (Add("step_card", "a", peewee.IntegerField(), 1), "already has a column a; use tables.set to change its rows"),
        (Drop("step_card", "b"), "step_card has no column b"),
        (Change("step_card", "b", peewee.IntegerField()), "step_card has no column b"),
        (AddIndex("step_card", ("a", "b")), "step_card has no column b"),
        (Drop("step_cart", "b"), "there is no table step_cart"),
    ],
)
def test_a_step_that_cannot_be_made_fails_when_it_is_planned(step, reason):
    form = Table.of_model(model("step_card", a=peewee.IntegerField()))
    with pytest.raises(StepError, match=reason):
        step.plan({"step_card": form})


def test_rows_are_read_in_pythons_types_whatever_columns_are_called(table):
    fields = {"order": ExactField(10, 2), "key": peewee.BooleanField(), "group": peewee.DateField(null=True)}
    form = made(
        table,
        [{"order": Decimal("1.5"), "key": True, "group": date(2024, 2, 29)}, {"order": 2, "key": False}],
        **fields,
    )
    handle = Tables({table: form}, apply)
    assert handle.rows_of(table, "order", "key", "group") == [
        (Decimal("1.50"), True, date(2024, 2, 29)), (Decimal(2), False, None),
    ]  # fmt: skip


def test_only_what_is_not_done_yet_is_kept():
    done = []
    for handle in (Tables({}), Tables({}, lambda step, _: done.append(step))):
        handle.fill("SELECT 1")
        handle.fill("SELECT 2")
        assert len(handle.steps) + len(done) == 2
    assert len(done) == 2

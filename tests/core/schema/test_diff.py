"""What a model says and what its table has, compared: what is done at once, what is refused, and in which words."""

from dataclasses import replace

import pytest

from core.schema.diff import ADVICE, TableDiff, compare
from core.schema.table import Table
from core.storage.column import Column
from core.storage.database import close, open_database
from core.storage.fields import column_of, field_of


@pytest.fixture(autouse=True)
def sqlite():
    open_database("sqlite:///:memory:")
    yield
    close()


def card(*columns, indexes=()):
    return Table("card", {each.name: each for each in columns}, tuple(indexes))


def text(name="name", length=30, **more):
    return Column(name, "VARCHAR", length, **more)


def exact(scale, digits=24, **more):
    return Column("price", "DECIMAL", digits=digits, scale=scale, **more)


LONG = Column("name", "TEXT")
WHOLE, LARGE = Column("count", "INT"), Column("count", "BIGINT")
OWNER = Column("owner", "INT", index=True, references="person")


def names_of(steps):
    """Each step and what it is about."""
    return [(type(step).__name__, getattr(step, "column", None) or step.columns) for step in steps]


@pytest.mark.parametrize(
    ("before", "after", "steps"),
    [
        (card(text()), card(text()), []),
        (card(text()), card(text(length=40)), [("Change", "name")]),
        (card(text()), card(LONG), [("Change", "name")]),
        (card(exact(2, 10)), card(exact(2, 12)), [("Change", "price")]),
        (card(WHOLE), card(LARGE), [("Change", "count")]),
        (card(Column("count", "FLOAT")), card(Column("count", "DOUBLE")), [("Change", "count")]),
        (card(text()), card(text(null=True)), [("Change", "name")]),
        (card(text(default="a")), card(text(default="b")), [("Change", "name")]),
        (card(text(null=True, default="a")), card(text(null=True, default="b")), []),
        (card(text(computed=True)), card(text(computed=True)), []),
        (card(WHOLE), card(WHOLE, text(null=True)), [("Add", "name")]),
        (card(WHOLE), card(WHOLE, text(default="")), [("Add", "name")]),
        (card(text()), card(text(index=True)), [("AddIndex", ("name",))]),
        (card(text(index=True)), card(text()), [("DropIndex", ("name",))]),
        (card(text(unique=True)), card(text()), [("DropIndex", ("name",))]),
        (card(text()), card(text(unique=True)), [("AddIndex", ("name",))]),
        (card(text(unique=True)), card(text(index=True)), [("DropIndex", ("name",)), ("AddIndex", ("name",))]),
        (card(OWNER), card(replace(OWNER, index=False)), []),
        (card(OWNER), card(replace(OWNER, references="")), [("Change", "owner")]),
        (card(WHOLE, OWNER), card(WHOLE, OWNER, indexes=[(("count", "owner"), False)]),
         [("AddIndex", ("count", "owner"))]),
        (card(WHOLE, OWNER), card(WHOLE, OWNER, indexes=[(("count", "owner"), True)]),
         [("AddIndex", ("count", "owner"))]),
        (card(WHOLE, OWNER, indexes=[(("count", "owner"), True)]), card(WHOLE, OWNER),
         [("DropIndex", ("count", "owner"))]),
    ],
)  # fmt: skip
def test_what_loses_nothing_is_done(before, after, steps):
    found = compare(after, before)
    assert names_of(found.safe) == steps
    assert found.unsafe == []


@pytest.mark.parametrize(
    ("before", "after", "reason", "step"),
    [
        (card(exact(2)), card(exact(4)),
         "card.price: the column has 2 decimal places, but the model declares 4; new values would be rounded "
         "to 2", ("Change", "price")),
        (card(exact(8)), card(exact(2)),
         "card.price: the column has 8 decimal places, but the model declares 2; further decimal places would be "
         "lost", ("Change", "price")),
        (card(exact(2, 24)), card(exact(2, 10)),
         "card.price: the column holds 24 digits, but the model declares 10; larger numbers would not fit",
         ("Change", "price")),
        (card(text()), card(text(length=20)),
         "card.name: the column holds 30 characters, but the model declares 20; longer text would not fit",
         ("Change", "name")),
        (card(LONG), card(text()),
         "card.name: the column holds text of any length, but the model declares 30 characters; longer text would not "
         "fit",
         ("Change", "name")),
        (card(LARGE), card(WHOLE),
         "card.count: the column holds a large whole number, but the model declares a whole number; larger numbers would "
         "not fit", ("Change", "count")),
        (card(Column("count", "DOUBLE")), card(Column("count", "FLOAT")),
         "card.count: the column holds 15 digits, but the model declares a float of 7 digits; the rest would be lost",
         ("Change", "count")),
        (card(text("count")), card(WHOLE),
         "card.count: the column holds text, but the model declares a whole number; existing values would be misread",
         ("Change", "count")),
        (card(WHOLE), card(WHOLE, text()),
         "card.name: the new field needs null=True or a default, because the table has rows; or add and fill it in a "
         "migration", ("Add", "name")),
        (card(text(null=True)), card(text()),
         "card.name: the model requires a value, but rows may have none", ("Change", "name")),
        (card(WHOLE, text()), card(WHOLE),
         "card.name: the model has no such field, but the column requires a value, so no row could be added; drop the "
         "column in a migration (tables.drop('card', 'name')), or restore the field", ("Drop", "name")),
        (card(text(null=True)), card(text("label", null=True)),
         "card.name: the model has no such field, but has a new field label of the same type. If the field was renamed, use "
         "tables.rename('card', 'name', 'label') in a migration, or its values would be lost; if not, use "
         "tables.drop('card', 'name')", ("Rename", "name")),
        (card(replace(OWNER, references="")), card(OWNER),
         "card.owner: the model makes it a reference to person, but rows may refer to missing ones",
         ("AddReference", "owner")),
        (card(text()), card(text("first", default=""), text("last", default="")),
         "card.name: the model has no such field, but has the new fields first and last of the same type. In a migration, rename "
         "name to one of them, or drop it", None),
    ],
)  # fmt: skip
def test_what_would_lose_or_misread_something_is_refused(before, after, reason, step):
    found = compare(after, before)
    assert [each.reason for each in found.unsafe] == [reason]
    assert names_of([each.step for each in found.unsafe if each.step]) == ([step] if step else [])
    assert found.safe == []
    assert found.reason() == f"{reason}; {ADVICE}"


def test_several_differences_are_told_together():
    found = compare(card(exact(4), text(length=20)), card(exact(2), text()))
    assert found.reason() == (
        "card.price: the column has 2 decimal places, but the model declares 4; new values would be rounded to 2; "
        "card.name: the column holds 30 characters, but the model declares 20; longer text would not fit; "
        "run `comptoir migrate --write` to create the migration"
    )


def test_a_vanished_column_that_needs_no_value_stays():
    assert compare(card(WHOLE), card(WHOLE, text(null=True))) == TableDiff()
    # Once it has been left, a new one of its type is no other name of it
    found = compare(card(WHOLE, text("label", null=True)), card(WHOLE, text(null=True, unused=True)))
    assert (found.unsafe, names_of(found.safe)) == ([], [("Add", "label")])


def test_of_two_that_vanished_each_is_taken_for_the_likelier_one():
    before = card(text("firstname"), text("lastname"))
    found = compare(card(text("family_name"), text("first_name")), before)
    assert [(each.step.column, each.step.to) for each in found.unsafe] == [
        ("firstname", "first_name"), ("lastname", "family_name"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "column",
    [
        text(),
        LONG,
        WHOLE,
        LARGE,
        exact(4, 12, default="1.5"),
        text(unique=True, null=True),
        Column("code", "CHAR", 9),
    ],
)
def test_a_field_of_a_form_has_that_form(column):
    assert column_of(field_of(column), column.name) == column


def test_a_form_is_read_back_as_it_was_written():
    form = card(exact(2, default="0.5"), OWNER, indexes=[(("owner", "price"), True)])
    assert Table.of_text(form.as_text()) == form

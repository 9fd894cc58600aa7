"""A page of a large table has the same records, whether few or many rows match: the database is told which, and how."""

import json
from datetime import date, timedelta

import peewee
import pytest
from hypothesis import given
from hypothesis import strategies as some

from core import Model, Records
from core.records import ranges
from core.schema.tables import ensure_tables
from core.storage.database import backend, database, end_of_request, ensure_connected
from core.storage.statements import insert_rows

pytestmark = pytest.mark.every_database

FIRST = date(2026, 1, 1)
ROWS = 40
FEW = 5


class Visit(Model):
    """Somebody has come, on a day."""

    id = peewee.AutoField()
    day = peewee.DateField(null=True, index=True)
    kind = peewee.IntegerField()
    guests = peewee.IntegerField(default=0)
    place = peewee.CharField(null=True, index=True)

    class Meta:
        table_name = "range_visit"
        indexes = ((("kind", "day"), False),)


def day(number):
    return (FIRST + timedelta(days=number)).isoformat()


@pytest.fixture(scope="module")
def plain(server):
    """The records of a table that counts as small: nothing is counted."""
    ensure_connected()
    ensure_tables([Visit])
    insert_rows(Visit, [
        {"day": None if number % 10 == 9 else FIRST + timedelta(days=number * 7 % ROWS), "kind": number * number % 7,
         "guests": number % 4, "place": f"P{number % 3}"}
        for number in range(ROWS)
    ])  # fmt: skip
    if backend().name == "postgresql":
        database.obj.run("ANALYZE range_visit")
    end_of_request()
    yield Records(Visit)


@pytest.fixture
def large(plain, monkeypatch):
    """The same records, of a table that counts as large."""
    ensure_connected()
    monkeypatch.setattr(ranges, "SMALL_TABLE", ROWS - 1)
    monkeypatch.setattr(type(backend()), "few_rows", FEW)
    return Records(Visit)


DAYS = some.integers(-1, ROWS + 1).map(day)
CRITERIA = some.one_of(
    some.builds("(t.day:{}:'{}')".format, some.sampled_from(["<", "<=", ">", ">=", "=", "<>"]), DAYS),
    some.builds("(t.day:between:'{}','{}')".format, DAYS, DAYS),
    some.builds("(t.kind:{}:{})".format, some.sampled_from(["<", ">=", "="]), some.integers(-1, 7)),
    some.builds("(t.kind:in:{},{})".format, some.integers(-1, 7), some.integers(-1, 7)),
    some.builds("(t.guests:>:{})".format, some.integers(-1, 4)),
    some.sampled_from(["(t.day:is:NULL)", "(t.place:=:'P1')", "(t.place:>:'P0')"]),
)
FILTERS = some.recursive(
    CRITERIA,
    lambda inner: some.one_of(
        some.builds("({} and {})".format, inner, inner),
        some.builds("({} and {} and {})".format, inner, inner, inner),
        some.builds("({} or {})".format, inner, inner),
        some.builds("not ({})".format, inner),
    ),
    max_leaves=5,
)
ORDERS = some.lists(some.sampled_from(["t.id", "t.day", "t.kind", "t.place", "guests"]), min_size=1, max_size=2)


@given(FILTERS, ORDERS, some.sampled_from(["ASC", "DESC", "ASC,DESC"]), some.integers(1, 12), some.integers(0, 3))
def test_the_same_records_are_found(plain, text, order, down, limit, page):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(backend()), "few_rows", FEW)
        patch.setattr(ranges, "SMALL_TABLE", ROWS - 1)
        large = Records(Visit)
        asked = {"sqlfilters": text, "sortfield": ",".join(order), "sortorder": down, "limit": limit}
        ensure_connected()
        # The first request asks for the size
        large.page(**asked)
    for further in ({"page": page, "count": True}, {"after": plain.page(**asked).cursor}):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(backend()), "few_rows", FEW)
            found = large.page(**asked, **further)
        wanted = plain.page(**asked, **further)
        assert list(found) == list(wanted)
        assert (found.total, found.cursor) == (wanted.total, wanted.cursor)


def _reads(records, text, order="t.id"):
    """How many statements a page takes, and how the database reads its rows."""
    records.page(sqlfilters=text)
    seen = []
    database.obj.query_hooks.append(note := lambda event: seen.append((event.sql, event.params)))
    try:
        records.page(sqlfilters=text, sortfield=order)
    finally:
        database.obj.query_hooks.remove(note)
    sql, values = seen[-1]
    if backend().name == "sqlite":
        steps = database.obj.run(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        return len(seen), "; ".join(str(step[3]) for step in steps)
    with database.atomic():
        database.obj.run("SET LOCAL enable_seqscan = off")
        (plan,) = database.obj.run(f"EXPLAIN (FORMAT JSON) {sql}", values).fetchone()
    return len(seen), json.dumps(plan)


#: MariaDB counts the rows of ranges itself
needs_counts = pytest.mark.every_database("sqlite", "postgresql")


@needs_counts
@pytest.mark.parametrize(
    "text",
    [
        f"(t.day:>:'{day(ROWS)}')",
        f"(t.day:between:'{day(3)}','{day(6)}')",
        # Many rows meet each criterion, few meet both
        f"(t.day:>=:'{day(10)}') and (t.day:<:'{day(13)}')",
        f"(t.day:>:'{day(ROWS - 3)}') and (t.guests:>=:0)",
    ],
)
def test_few_rows_are_found_by_an_index(large, text):
    for order in ("t.id", "t.place"):
        number, plan = _reads(large, text, order)
        assert number == 2
        if backend().name == "sqlite":
            assert "SEARCH t USING INTEGER PRIMARY KEY" in plan
            assert "SEARCH t USING COVERING INDEX range_visit_day" in plan
        else:
            assert "= ANY (" in plan
            assert '"Index Name": "range_visit_day"' in plan


@needs_counts
def test_many_rows_are_read_in_the_order_of_the_list(large):
    for text in (f"(t.day:>:'{day(2)}')", f"(t.day:between:'{day(1)}','{day(30)}')"):
        number, plan = _reads(large, text)
        assert number == 2
        assert "= ANY (" not in plan
        if backend().name == "sqlite":
            assert plan == "SCAN t"

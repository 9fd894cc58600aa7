"""The operator `between` of filters: what it means, on each database, and what is refused."""

import itertools
import re
from datetime import UTC, date, datetime
from decimal import Decimal

import peewee
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import BadRequest, ExactField, Model, Records
from core.records.extra_field_definitions import define, undefine
from core.schema.tables import ensure_tables
from core.storage.database import end_of_request, ensure_connected
from core.storage.sqlfilters import FilterColumn, parse, render
from core.storage.sqlite import Sqlite

pytestmark = pytest.mark.every_database


class Span(Model):
    """A value of each kind that can be compared."""

    id = peewee.AutoField()
    count = peewee.IntegerField(null=True)
    amount = ExactField(null=True)
    day = peewee.DateField(null=True)
    moment = peewee.DateTimeField(null=True)
    name = peewee.CharField(null=True)

    class Meta:
        table_name = "between_span"
        extrafields = "between_span"


spans = Records(Span, noun="Span")

COUNTS = [None, -5, 0, 3, 12]
AMOUNTS = [None, Decimal("-1.5"), Decimal("0.00000001"), Decimal(9), Decimal("10.25")]
DAYS = [None, date(1999, 12, 31), date(2026, 1, 1), date(2026, 1, 31), date(2026, 2, 1)]
MOMENTS = [None, datetime(2026, 1, 1), datetime(2026, 1, 31), datetime(2026, 1, 31, 0, 0, 1), datetime(2027, 1, 1)]
NAMES = [None, "", "A, 'b'", "Bb", "z"]
FIELDS = {"count": COUNTS, "amount": AMOUNTS, "day": DAYS, "moment": MOMENTS}


def sent(value):
    """Return a value as a body has it."""
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def written(value):
    """Return a value as a filter has it."""
    return f"'{value}'" if isinstance(value, (date, str)) else str(value)


@pytest.fixture(scope="module")
def rows(server):
    """Five records, the first without any value, and extra fields that say the same."""
    ensure_connected()
    ensure_tables([Span])
    for name, kind in (("count", "int"), ("amount", "price"), ("day", "date"), ("moment", "datetime")):
        define("between_span", name, {"label": name, "type": kind})
    for count, amount, day, moment, name in zip(COUNTS, AMOUNTS, DAYS, MOMENTS, NAMES, strict=True):
        values = {"count": count, "amount": sent(amount), "day": sent(day), "moment": sent(moment)}
        spans.create(values | {"name": name, "array_options": values})
    end_of_request()
    yield
    ensure_connected()
    for name in FIELDS:
        undefine("between_span", name)


def found(text):
    ensure_connected()
    return [record["id"] for record in spans.page(sqlfilters=text, sortfield="id")]


def refusal(text):
    with pytest.raises(BadRequest) as caught:
        render(parse(text), {"t.count": FilterColumn('t."count"', int, False)}, Sqlite(None))
    assert caught.value.errors == [("sqlfilters", caught.value.message)]
    return caught.value.message


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("alias", ["t", "ef"])
@pytest.mark.parametrize("field", FIELDS)
def test_both_ends_belong_to_it_and_null_does_not(field, alias):
    kept = FIELDS[field]
    known = [value for value in kept if value is not None]
    for low, high in itertools.product(known, repeat=2):
        inside = [number for number, value in enumerate(kept, 1) if value is not None and low <= value <= high]
        outside = [number for number, value in enumerate(kept, 1) if value is not None and not low <= value <= high]
        criterion = f"({alias}.{field}:between:{written(low)},{written(high)})"
        assert found(criterion) == inside
        assert found(f"not {criterion}") == outside
        assert found(f"not (not {criterion})") == inside
        assert found(f"not {criterion} or ({alias}.{field}:is:NULL)") == [1, *outside]


@pytest.mark.usefixtures("rows")
@given(*[st.text("ABab, ')(:", max_size=4)] * 2)
def test_texts_are_ordered_as_the_database_orders_them(low, high):
    ends = [f"'{end.replace(chr(39), chr(39) * 2)}'" for end in (low, high)]
    assert found(f"(name:between:{','.join(ends)})") == found(f"(name:>=:{ends[0]}) and (name:<=:{ends[1]})")


@pytest.mark.usefixtures("rows")
def test_how_it_may_be_written():
    for text in ("(count:between:0,3)", "count:between:0,3", "(t.count: Between :( 0 , '3' ))"):
        assert found(text) == [3, 4]
    seconds = [int(each.replace(tzinfo=UTC).timestamp()) for each in MOMENTS[1:3] if each]
    assert found(f"(moment:between:{seconds[0]},{seconds[1]})") == [2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(count:between:1)", "position 16: expected two values separated by a comma after 'between', got 1 value"),
        (
            "(count:between:1,2,3)",
            "position 16: expected two values separated by a comma after 'between', got 3 values",
        ),
        ("(count:between:)", 'position 16: expected a value, got ")"'),
        ("(count:between:1,)", 'position 18: expected a value, got ")"'),
        ("(count:between:1,null)", "position 16: 'between' doesn't work with NULL"),
        ("(count:between:1 and 2)", "position 16: expected two values separated by a comma"),
        ("(count:between:1,'2)", "position 18: the closing quote of this value is missing"),
        ("(secret:between:1,2)", "position 2: unknown field 't.secret'"),
        ("(count:notbetween:1,2)", "position 8: expected an operator (=, <,"),
    ],
)
def test_what_is_refused(text, message):
    assert refusal(text).startswith(f"Bad filter at {message}")


@pytest.mark.usefixtures("rows")
def test_a_value_that_does_not_fit_is_refused():
    with pytest.raises(BadRequest, match=re.escape("position 2: `t.day`: expected Unix seconds or a date")):
        found("(t.day:between:'2026-01-01','someday')")

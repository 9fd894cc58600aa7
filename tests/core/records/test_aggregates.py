"""Counts, sums and groups: exact on every database, and of the rows that the caller may see."""

from collections import defaultdict
from datetime import date
from decimal import Context, Decimal

import peewee
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as trials
from hypothesis import strategies as st

from core import BadRequest, Caller, ExactField, Model, RecordField, Records, Rows
from core.common.request_state import acting_as
from core.schema.tables import ensure_tables
from core.storage.database import end_of_request, ensure_connected
from core.testing import statements

pytestmark = pytest.mark.every_database

#: what `Decimal` adds with elsewhere would round such sums
EXACTLY = Context(prec=100)


class Worker(Model):
    """Who works; of a third party."""

    id = peewee.AutoField()
    name = peewee.CharField(max_length=20)
    socid = peewee.IntegerField(null=True)

    class Meta:
        table_name = "sums_worker"


class Hours(Model):
    """What somebody did."""

    id = peewee.AutoField()
    worker = RecordField(Worker, "Worker", null=True)
    word = peewee.CharField(max_length=9, null=True)
    day = peewee.DateField(null=True)
    at = peewee.DateTimeField(null=True)
    amount = ExactField(digits=24, scale=8, null=True)
    price = ExactField(digits=8, scale=2, default=Decimal(0))
    steps = peewee.BigIntegerField(default=0)
    done = peewee.BooleanField(default=False)
    pin = peewee.IntegerField(default=1234)

    class Meta:
        table_name = "sums_hours"
        thirdparty = "worker.socid"
        secret = ("pin",)
        aliases = {"cost": "price"}


class AllHours(Records[Hours]):
    """With what filters may name of a worker."""

    model = Hours
    joins = {"w": (Worker, "worker", ("name", "socid"))}


hours = AllHours()


@pytest.fixture(scope="module", autouse=True)
def tables(server):
    ensure_tables([Worker, Hours])


@pytest.fixture(autouse=True)
def empty(tables):
    ensure_connected()
    yield
    end_of_request()
    Hours.delete().execute()
    Worker.delete().execute()


def test_sums_and_counts_as_an_author_would_ask():
    ada, bo = (Worker.create(name=name).id for name in ("Ada", "Bo"))
    for worker, price, word in ((ada, "0.10", "a"), (ada, "0.20", "A"), (bo, "12.5", "á"), (None, "-1", "a")):
        hours.create({"worker": worker, "price": price, "word": word, "steps": 2})
    assert str(hours.sum("price")) == "11.80"
    assert str(hours.sum("price", where={"worker": ada})) == "0.30"
    assert hours.sum("t.steps", {"worker": [ada, bo]}) == 6
    assert str(hours.sum("cost", sqlfilters="(w.name:=:'Bo')")) == "12.50"
    assert hours.count({"worker": ada}) == 2
    assert hours.count({"price": Decimal("0.1")}) == hours.count({"price": ["0.1", 99]}) == 1
    assert (hours.count(), hours.count(sqlfilters="(t.price:>:0.15)")) == (4, 2)
    assert hours.group("worker", total=("sum", "price"), number="count") == [
        {"worker": None, "total": Decimal("-1.00"), "number": 1},
        {"worker": ada, "total": Decimal("0.30"), "number": 2},
        {"worker": bo, "total": Decimal("12.50"), "number": 1},
    ]
    assert hours.group("w.name", {"worker": [ada, bo]}, number="count") == [
        {"w.name": "Ada", "number": 2}, {"w.name": "Bo", "number": 1},
    ]  # fmt: skip
    assert hours.group(("worker", "done"), {"worker": ada}, low=("min", "price"), high=("max", "price")) == [
        {"worker": ada, "done": False, "low": Decimal("0.10"), "high": Decimal("0.20")}
    ]
    # Letter by letter, also where the database takes them for the same
    assert hours.group("word", number="count") == [
        {"word": "A", "number": 1}, {"word": "a", "number": 2}, {"word": "á", "number": 1},
    ]  # fmt: skip
    with statements() as seen:
        hours.group(("word", "w.name"), sqlfilters="(w.socid:is:NULL)", total=("sum", "price"))
    assert len(seen) == 1


def test_days_and_instants_are_pythons():
    for day in ("2026-03-01", "2026-02-01"):
        hours.create({"day": day, "at": f"{day}T10:00:00Z"})
    (one,) = hours.group((), first=("min", "day"), last=("max", "at"))
    assert (one["first"], one["last"].isoformat()) == (date(2026, 2, 1), "2026-03-01T10:00:00")
    assert [each["day"] for each in hours.group("day")] == [date(2026, 2, 1), date(2026, 3, 1)]


def test_of_no_records_there_is_no_group_and_a_sum_of_zero():
    assert str(hours.sum("price")) == "0.00"
    assert str(hours.sum("amount")) == "0E-8"
    assert (hours.sum("steps"), hours.count()) == (0, 0)
    assert hours.group("worker", number="count") == []
    assert hours.group((), number="count", total=("sum", "price"), last=("max", "day")) == [
        {"number": 0, "total": Decimal("0.00"), "last": None}
    ]
    hours.create({})
    assert str(hours.sum("amount")) == "0E-8"


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "A", "á", "b ", "b", None]),
        st.booleans(),
        st.none() | st.decimals(-92233720368, 92233720368, places=8),
        st.integers(-(2**63), 2**63 - 1),
    ),
    max_size=12,
)


@given(ROWS)
# More than a column holds
@example([("a", True, Decimal("92233720368.54775807"), 2**63 - 1)] * 3)
@trials(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_groups_are_what_python_adds_up(rows):
    ensure_connected()
    Hours.delete().execute()
    if rows:
        Hours.insert_many(rows, fields=[Hours.word, Hours.done, Hours.amount, Hours.steps]).execute()
    expected = defaultdict(lambda: (Decimal("0E-8"), 0, 0))
    for word, done, amount, steps in rows:
        total, further, number = expected[word, done]
        expected[word, done] = EXACTLY.add(total, amount or Decimal(0)), further + steps, number + 1
    found = hours.group(("word", "done"), total=("sum", "amount"), steps=("sum", "steps"), number="count")
    assert {(each["word"], each["done"]): (each["total"], each["steps"], each["number"]) for each in found} == expected
    assert [each["word"] is not None for each in found] == sorted(each["word"] is not None for each in found)
    assert hours.sum("steps", {"done": True}) == sum(steps for _, done, _, steps in rows if done)
    assert hours.count({"done": True}) == sum(done for _, done, _, _ in rows)


def test_row_rules_hold(server):
    mine, other = (Worker.create(name=name, socid=socid).id for name, socid in (("M", 1), ("O", 2)))
    for worker in (mine, other, other):
        hours.create({"worker": worker, "price": 1})
    with acting_as(Caller(id=99, login="external", socid=1)):
        assert (hours.count(), hours.sum("price"), hours.count({"worker": other})) == (1, Decimal(1), 0)
        assert hours.group("worker", number="count") == [{"worker": mine, "number": 1}]


def test_a_condition_of_ones_own_stands_beside_values():
    ada, bo = (Worker.create(name=name, socid=socid).id for name, socid in (("Ada", 1), ("Bo", 2)))
    first, second, _ = (hours.create({"worker": worker, "price": 1}) for worker in (ada, ada, bo))
    of_ada = {"name": Rows("{worker} IN (SELECT id FROM sums_worker WHERE name = ?)", "Ada")}
    page = hours.page(where=of_ada, limit=1, count=True, sqlfilters=f"(t.id:>:{first})")
    assert ([each["id"] for each in page], page.total) == ([second], 1)
    assert [each["id"] for each in hours.every(of_ada)] == [row.id for row in hours.rows(of_ada)] == [first, second]
    assert (hours.count(of_ada), hours.count({**of_ada, "worker": bo}), hours.sum("price", of_ada)) == (2, 0, 2)
    assert (hours.count({"any": Rows.ALL}), hours.count({"none": Rows.NONE})) == (3, 0)
    with acting_as(Caller(id=99, login="external", socid=2)):
        assert (hours.count(of_ada), hours.count({"all": Rows.ALL})) == (0, 1)
    with pytest.raises(ValueError, match=r"write \? and pass the value after the text"):
        hours.count({"name": Rows("{worker} = 7")})


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: hours.sum("pin"), "`pin`: unknown field"),
        (lambda: hours.group("t.pin"), "`t.pin`: unknown field"),
        (lambda: hours.group("word; DROP TABLE x"), "`word; DROP TABLE x`: unknown field"),
        (lambda: hours.sum("w.id"), "`w.id`: unknown field"),
        (lambda: hours.sum("word"), "`word`: expected a field with whole numbers or exact decimals"),
        (lambda: hours.sum("done"), "`done`: expected a field with whole numbers or exact decimals"),
        (lambda: hours.group((), first=("min", "word")), "`word`: expected a field with numbers, dates or times"),
        (lambda: hours.group((), first=("avg", "price")), '`first`: expected "count", or one of sum, min, max with'),
        (lambda: hours.group((), first="sum"), '`first`: expected "count", or one of sum, min, max with a field'),
        (lambda: hours.count(sqlfilters="(t.pin:=:1)"), "unknown field 't.pin'"),
    ],
)
def test_what_cannot_be_asked_is_named(ask, message):
    with pytest.raises(BadRequest) as caught:
        ask()
    assert message in caught.value.message

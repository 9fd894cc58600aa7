"""The trail of a write through `Records` is that of the same write in SQL, on each kind of database."""

from decimal import Decimal

import peewee
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from core.audit.change import Change
from core.records.records import Records
from core.records.validation import Values
from core.storage.database import backend, close, database, ensure_connected, quote, rows_of, transaction
from core.storage.fields import ExactField, MapField, RecordField
from core.storage.model import Model

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]


class Desk(Model):
    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(default="plain", max_length=40)
    price = ExactField(24, 8, default=Decimal("0"))
    rate = ExactField(8, 4, null=True)
    number = peewee.IntegerField(column_name="amount", default=1)
    made = peewee.DateField(null=True)
    seen = peewee.DateTimeField(null=True)
    about = MapField(null=True)
    pin = peewee.CharField(null=True)
    total = ExactField(24, 8, null=True)

    class Meta:
        table_name = "same_trail_desk"
        secret = ("pin",)
        managed = ("total",)


class Drawer(Model):
    id = peewee.AutoField(column_name="rowid")
    desk = RecordField(Desk, "Desk", on_delete="cascade")
    depth = ExactField(8, 4, default=Decimal("1.5"))

    class Meta:
        table_name = "same_trail_drawer"
        part_of = ("desk",)


class Desks(Records[Desk]):
    """What a module's handlers do: one sets a value before the row is written, one writes it once more."""

    model = Desk
    noun = "Desk"

    def prepare(self, values, before):
        if values.get("name") == "Oak":
            values["pin"] = "4711"

    def stored(self, identifier, body, before):
        price = self.load(identifier).price
        self.write_unchecked(identifier, total=price * 3 / 2)
        if before is None:
            drawers.insert(Values(desk=identifier, depth=price), None)


desks, drawers = Desks(), Records(Drawer)
TABLES = (Desk, Drawer)

DECIMALS = st.decimals(-9999, 9999, places=9).map(str)
BODIES = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["", "Oak", "plain", "it's", "100 %s", "naïve ?"]),
        "price": DECIMALS | st.sampled_from(["0", "0.000000005", "1e2", 7]),
        "rate": st.none() | st.sampled_from(["0.00005", "19.6", 20]),
        "number": st.integers(-3, 3) | st.just("1"),
        "made": st.none() | st.sampled_from(["2026-11-21", 1795219200]),
        "seen": st.none() | st.sampled_from(["2026-11-21T10:00:00Z", 1795219200]),
        "about": st.sampled_from([{}, {"size": "1.5"}]),
    },
)


@pytest.fixture(autouse=True)
def tables(server):
    ensure_connected()
    for model in TABLES:
        model.create_table(safe=True)
    yield
    ensure_connected()
    for model in reversed(TABLES):
        model.drop_table()
    close()


class Noted:
    """What the trail notes of a transaction, with the IDs counted from the first one."""

    def __init__(self):
        self.last = Change.select(peewee.fn.MAX(Change.id)).scalar() or 0

    def entries(self, desk, drawer):
        first = {"same_trail_desk": desk, "same_trail_drawer": drawer}
        found = []
        for each in Change.select().where(Change.id > self.last).order_by(Change.id):
            before, after = ({**(values or {})} for values in (each.before, each.after))
            for values in (before, after):
                if "desk" in values:
                    values["desk"] -= desk
            record, subject = int(each.record) - first[each.element], int(each.subject) - first[each.subject_element]
            found.append((each.kind, each.element, record, each.subject_element, subject, before, after))
        return sorted(found, key=str)


def columns_of(model, key):
    """A row as the database keeps it, without its ID."""
    names = [field.column_name for field in model._meta.sorted_fields[1:]]
    listed = ", ".join(map(quote, names))
    sql = f"SELECT {listed} FROM {model._meta.table_name} WHERE rowid = {backend().placeholder}"
    ((*row,),) = rows_of(sql, (key,))
    return dict(zip(names, row, strict=True))


def run(head, values, form, tail, literal):
    """Run an INSERT or UPDATE of a module's own, with bound values or with literals."""
    marks = {name: backend().literal(value) if literal else backend().placeholder for name, value in values.items()}
    sets = ", ".join(form.format(quote(name), mark) for name, mark in marks.items())
    return database.execute_sql(head + sets + tail, () if literal else tuple(values.values()))


def insert(model, values, literal):
    names = ", ".join(map(quote, values))
    head = f"INSERT INTO {model._meta.table_name} ({names}) VALUES ("
    run(head, values, "{1}", ")", literal)
    return int(rows_of(f"SELECT MAX(rowid) FROM {model._meta.table_name}", ())[0][0])


@limits(max_examples=20)
@given(BODIES, BODIES, st.booleans())
def test_records_and_sql_have_the_same_trail(body, change, literal):
    ensure_connected()
    noted = Noted()
    desk = desks.create(body)
    drawer = drawers.rows({"desk": desk})[0].id
    created, row, part = noted.entries(desk, drawer), columns_of(Desk, desk), columns_of(Drawer, drawer)
    noted = Noted()
    desks.change(desk, change)
    changed, later = noted.entries(desk, drawer), columns_of(Desk, desk)
    noted = Noted()
    desks.delete(desk)
    deleted = noted.entries(desk, drawer)

    noted = Noted()
    with transaction():
        desk = insert(Desk, row, literal)
        drawer = insert(Drawer, part | {"desk": desk}, literal)
    assert noted.entries(desk, drawer) == created
    noted = Noted()
    with transaction():
        run("UPDATE same_trail_desk SET ", later, "{} = {}", f" WHERE rowid = {desk}", literal)
    assert noted.entries(desk, drawer) == changed
    noted = Noted()
    with transaction():
        database.execute_sql(f"DELETE FROM same_trail_drawer WHERE desk = {desk}")
        database.execute_sql(f"DELETE FROM same_trail_desk WHERE rowid = {desk}")
    assert noted.entries(desk, drawer) == deleted

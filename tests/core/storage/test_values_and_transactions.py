"""Values that records accept and reject, row rules over a path, what is kept in memory; on each database."""

from datetime import datetime
from decimal import Decimal

import peewee
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import (
    BadRequest,
    Caller,
    ExactField,
    MapField,
    Model,
    NotFound,
    RecordField,
    Records,
    Refused,
    query,
    transaction,
)
from core.common.readers import read_decimal, read_instant, read_integer
from core.common.request_state import acting_as
from core.for_natives import bump, cached
from core.schema.tables import ensure_tables
from core.storage.database import end_of_request, ensure_connected

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.any_database]


class Shouted(peewee.CharField):
    """An author's field: its own conversions, also of NULL."""

    def db_value(self, value):
        return "NOTHING" if value is None else str(value).upper()

    def python_value(self, value):
        return None if value == "NOTHING" else str(value).lower()


class Halved(peewee.IntegerField):
    """Another one, which only adapts."""

    def adapt(self, value):
        return int(value) // 2


class Owner(Model):
    """Belongs to a third party."""

    id = peewee.AutoField()
    socid = peewee.IntegerField(null=True)

    class Meta:
        table_name = "data_owner"
        thirdparty = "socid"


class Item(Model):
    """Belongs to an owner."""

    id = peewee.AutoField()
    owner = RecordField(Owner, "Owner", null=True)
    name = peewee.CharField(max_length=5, null=True)
    amount = ExactField(null=True)
    rate = ExactField(7, 4, default=Decimal("1.5"))
    count = peewee.SmallIntegerField(default=0)
    flag = peewee.BooleanField(default=False)
    day = peewee.DateField(null=True)
    moment = peewee.DateTimeField(null=True)
    extra = MapField(null=True)
    kind = peewee.CharField(null=True, choices=(("small", "small"), ("big", "big")))
    hidden = peewee.CharField(default="secret")
    shouted = Shouted(null=True)
    halved = Halved(null=True)

    class Meta:
        table_name = "data_item"
        thirdparty = "owner.socid"
        secret = ("hidden",)
        aliases = {"ref": "id"}


owners = Records(Owner, noun="Owner")
items = Records(Item, noun="Item")


@pytest.fixture(scope="module", autouse=True)
def tables(server):
    ensure_tables([Owner, Item])


@pytest.fixture(autouse=True)
def empty(tables):
    ensure_connected()
    yield
    end_of_request()
    Item.delete().execute()
    Owner.delete().execute()


def refused_fields(error):
    return [field for field, _ in error.errors]


@pytest.mark.parametrize("value", ["2,5", "NaN", "Infinity", "1_000", "١", True, [1], {}, "1e99", "0x10"])
def test_what_is_no_decimal(value):
    with pytest.raises(BadRequest):
        items.create({"amount": value})


@pytest.mark.parametrize("value", [{"a": "\ud800"}, {"\udfff": 1}, {"a": [{"b": "x\udc00"}]}])
def test_a_map_holds_no_half_character(value):
    with pytest.raises(BadRequest) as caught:
        items.create({"extra": value})
    assert refused_fields(caught.value) == ["extra"]


def test_a_record_that_does_not_exist_is_404_and_named():
    with pytest.raises(NotFound, match="Owner 77 not found"):
        items.create({"owner": 77})
    assert items.create({"owner": 0})
    assert items.create({"owner": ""})


@pytest.mark.natives
@pytest.mark.every_database
def test_the_row_rule_follows_a_path_of_records():
    mine, other = (owners.create({"socid": number}) for number in (1, 2))
    own_item, other_item = (items.create({"owner": owner}) for owner in (mine, other))
    with acting_as(Caller(9, "external", socid=1, granted=frozenset())):
        assert [record["id"] for record in items.page()] == [own_item]
        assert [record["id"] for record in items.page(sqlfilters="(t.id:>:0) or (t.id:=:0)")] == [own_item]
        with pytest.raises(NotFound):
            items.read(other_item)
        with pytest.raises(NotFound):
            items.change(other_item, {"name": "x"})
        with pytest.raises(NotFound):
            items.create({"owner": other})
        items.change(own_item, {"name": "mine"})
    assert items.read(own_item)["name"] == "mine"


@pytest.mark.natives
def test_what_an_external_user_creates_belongs_to_the_users_third_party():
    with acting_as(Caller(9, "external", socid=1, granted=frozenset())):
        mine = owners.create({})
        assert owners.read(mine)["socid"] == 1
        for refused in ({"socid": 2},):
            with pytest.raises(NotFound):
                owners.create(refused)
            with pytest.raises(NotFound):
                owners.change(mine, refused)
        with pytest.raises(Refused):
            owners.change(mine, {"socid": None})
    assert owners.read(mine)["socid"] == 1


def test_choices_are_kept_to_whatever_the_type():
    with pytest.raises(BadRequest) as caught:
        items.create({"kind": "large"})
    assert caught.value.errors == [("kind", 'expected small or big, got "large"')]
    assert items.read(items.create({"kind": "big"}))["kind"] == "big"


@pytest.mark.every_database
def test_fields_of_an_author_convert_in_their_own_way():
    named, nameless = items.create({"shouted": "Oak", "halved": 9, "extra": {"a": 1}}), items.create({"shouted": "x"})
    items.change(nameless, {"shouted": None})
    assert query("SELECT shouted, halved FROM data_item ORDER BY id") == [("OAK", 4), ("NOTHING", None)]
    # peewee also adapts what it reads
    rows = [items.load(each) for each in (named, nameless)]
    assert [(each.shouted, each.halved) for each in rows] == [("oak", 2), (None, None)]
    same = items.create({"extra": {"a": 1}})
    first, _, second = items.page()
    assert (first["id"], first["extra"], second["id"], second["extra"]) == (named, {"a": 1}, same, {"a": 1})
    assert first["extra"] is not second["extra"]


class CleanedItems(Records[Item]):
    model = Item
    cleaners = {"name": "<{}".format, "kind": str.strip}


def test_a_cleaner_gets_texts_and_numbers():
    cleaned = CleanedItems(noun="Item")
    record = cleaned.read(cleaned.create({"name": 12, "kind": " big "}))
    assert (record["name"], record["kind"]) == ("<12", "big")
    assert cleaned.read(cleaned.create({"name": None}))["name"] is None
    for wrong in ({"name": True}, {"kind": " large"}):
        with pytest.raises(BadRequest):
            cleaned.create(wrong)


@pytest.mark.every_database
def test_a_savepoint_writes_nothing():
    with acting_as(None) as state, transaction():
        with transaction():
            pass
        assert state.writes == 0
        items.create({"name": "d"})
        assert state.writes > 0


@pytest.mark.every_database
def test_what_is_kept_in_memory_is_never_what_was_undone():
    stored = {"value": "old"}
    read = cached(lambda: stored["value"])
    with acting_as(None):
        assert read() == "old"
        with pytest.raises(ZeroDivisionError), transaction():
            assert read() == "old"
            stored["value"] = "undone"
            bump()
            assert read() == "undone"
            raise ZeroDivisionError
        stored["value"] = "old"
        assert read() == "old"
        with transaction():
            stored["value"] = "new"
            bump()
            assert read() == "new"
        assert read() == "new"
    with acting_as(None):
        assert read() == "new"


@given(
    st.one_of(st.text(), st.integers(), st.floats(), st.decimals(), st.none(), st.booleans(), st.lists(st.integers()))
)
def test_readers_refuse_with_value_error_alone(value):
    for read in (read_integer, read_decimal, read_instant):
        try:
            result = read(value)
        except ValueError:
            continue
        assert isinstance(result, (int, Decimal, datetime))

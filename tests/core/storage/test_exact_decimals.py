"""Exact decimals of any scale: what is stored, read, filtered and sorted; on each database."""

from decimal import Decimal

import peewee
import pytest

from core import BadRequest, ExactField, Model, Records, query
from core.commands.database_wait import require_installation
from core.schema.tables import ensure_core_tables, ensure_tables
from core.storage.cache_version import ensure_usable_database
from core.storage.database import (
    DatabaseUrlError,
    backend,
    close,
    database,
    end_of_request,
    ensure_connected,
    execute,
    open_database,
)
from core.testing import make_settings

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

D = Decimal


class Bill(Model):
    """One field of each scale that is in use."""

    id = peewee.AutoField()
    pieces = ExactField(10, 0, null=True)
    price = ExactField(10, 2, null=True)
    rate = ExactField(7, 4, default=D("1.5"))
    amount = ExactField(24, 8, null=True)
    wide = ExactField(24, 2, null=True)

    class Meta:
        table_name = "exact_bill"


bills = Records(Bill, noun="Bill")


@pytest.fixture(scope="module", autouse=True)
def tables(server):
    ensure_tables([Bill])


@pytest.fixture(autouse=True)
def empty(tables):
    ensure_connected()
    yield
    end_of_request()
    Bill.delete().execute()


def stored(column):
    return [row[0] for row in query(f"SELECT {column} FROM exact_bill ORDER BY id")]


def test_sqlite_keeps_each_value_times_ten_to_the_eighth():
    bills.create({"pieces": "3", "price": "1.51", "rate": "19.6", "amount": "0.00000001"})
    kept = [stored(name)[0] for name in ("pieces", "price", "rate", "amount")]
    if backend().scaled_decimals:
        assert kept == [300000000, 151000000, 1960000000, 1]
    else:
        assert kept == [D(3), D("1.51"), D("19.6"), D("0.00000001")]


def test_values_are_read_with_the_decimal_places_of_their_field():
    number = bills.create({"pieces": "10", "price": "1.5", "amount": "-2.5"})
    row = bills.load(number)
    assert [str(row.pieces), str(row.price), str(row.rate), str(row.amount)] == ["10", "1.50", "1.5000", "-2.50000000"]
    record = bills.read(number)
    assert [record["pieces"], record["price"], record["rate"], record["amount"]] == [
        "10", "1.50", "1.5000", "-2.50000000",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("1.514", "1.51"),
        ("1.515", "1.52"),
        ("-1.515", "-1.52"),
        ("-0.004", "0.00"),
        ("0.005", "0.01"),
        ("1e3", "1000.00"),
    ],
)
def test_further_decimal_places_are_rounded_before_they_are_stored(sent, kept):
    number = bills.create({"price": sent})
    assert bills.read(number)["price"] == kept
    assert [D(str(each)) for each in stored("price")] == [D(kept) * (10**8 if backend().scaled_decimals else 1)]


@pytest.mark.parametrize("value", ["92233720368.54", "-92233720368.54"])
def test_a_field_of_few_decimal_places_holds_as_much_as_one_of_eight(value):
    assert bills.read(bills.create({"wide": value}))["wide"] == value


@pytest.mark.parametrize("value", ["92233720368.55", "92233720368.546", "-92233720369", "100000000000"])
def test_larger_values_are_refused_on_each_database(value):
    with pytest.raises(BadRequest, match="wide"):
        bills.create({"wide": value})


@pytest.mark.parametrize(
    ("filtered", "found"),
    [
        ("(t.price:=:1.51)", {1}),
        ("(t.price:=:'1.510')", {1}),
        ("(t.price:>:1.51)", {2, 4}),
        ("(t.price:<=:1.51)", {1, 3}),
        ("(t.price:in:'-1.51','15')", {3, 4}),
        ("(t.price:like:'1.5%')", {1, 2}),
        ("(t.price:like:'%.51')", {1, 3}),
        ("(t.price:like:'-%')", {3}),
        ("(t.price:like:'15.00')", {4}),
        ("(t.price:notlike:'1%')", {3}),
        ("(t.pieces:like:'10')", {1}),
        ("(t.rate:like:'1.5000')", {1, 2, 3, 4}),
        ("(t.price:is:null)", {5}),
    ],
)
def test_filters_compare_values_and_patterns_their_text(filtered, found):
    rows = [{"price": "1.51", "pieces": "10"}, {"price": "1.52"}, {"price": "-1.51"}, {"price": "15"}, {"rate": "3"}]
    numbers = [bills.create(row) for row in rows]
    got = {numbers.index(each["id"]) + 1 for each in bills.every({}, sqlfilters=filtered)}
    assert got == found


def test_the_default_of_a_column_has_the_scale_of_the_database():
    execute("INSERT INTO exact_bill (price) VALUES (NULL)")
    assert [each["rate"] for each in bills.every({})] == ["1.5000"]


@pytest.mark.every_database("sqlite")
def test_what_sql_wrote_with_more_decimal_places_is_rounded_when_it_is_read():
    execute("INSERT INTO exact_bill (price) VALUES (151500000), (-151499999)")
    assert [each["price"] for each in bills.every({})] == ["1.52", "-1.51"]
    assert [str(row.price) for row in Bill.select().order_by(Bill.id)] == ["1.52", "-1.51"]


#: the largest value of a field
MOST = D("92233720368.54775807")


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ([], "0.00000000"),
        ([None], "0.00000000"),
        (["1.5", None, "2.25"], "3.75000000"),
        (["0.00000001"] * 3, "0.00000003"),
        (["-0.00000001"], "-0.00000001"),
        (["-1.5", "1.5"], "0.00000000"),
        ([MOST, MOST], "184467440737.09551614"),
        ([-MOST, -MOST, -MOST], "-276701161105.64327421"),
        ([MOST, MOST, -MOST], "92233720368.54775807"),
        (["42.94967296", "42.94967295"], "85.89934591"),
    ],
)
def test_sums_are_exact_and_have_no_limit(values, total):
    for value in values:
        bills.create({"amount": None if value is None else str(value)})
    ((found,),) = query(f"SELECT {ExactField.sum_sql('amount')} FROM exact_bill")
    assert f"{Bill.amount.sum_value(found):.8f}" == total
    assert f"{bills.sum('amount'):.8f}" == total


def test_sums_of_groups_are_compared_within_sql():
    """The parts of equal sums may differ: 2^31 units twice are 2^32."""
    half, whole = D(2**31).scaleb(-8), D(2**32).scaleb(-8)
    for pieces, amount, wide in ((1, half, 0), (1, half, 0), (2, MOST, 1), (2, MOST, 1), (3, -MOST, 2)):
        bills.create({"pieces": str(pieces), "amount": str(amount), "wide": str(wide)})
    assert (
        Bill.amount.sum_value(query(f"SELECT {ExactField.sum_sql('amount')} FROM exact_bill WHERE wide = 0")[0][0])
        == whole
    )
    bills.create({"pieces": "1", "amount": str(-whole), "wide": "3"})
    bills.create({"pieces": "2", "amount": str(-MOST), "wide": "3"})
    sql = f"SELECT pieces FROM exact_bill GROUP BY pieces HAVING {ExactField.sum_sql('amount')} {{}} {ExactField.sum_sql('amount - amount')}"
    assert [Bill.pieces.python_value(row[0]) for row in query(sql.format("="))] == [1]
    assert {Bill.pieces.python_value(row[0]) for row in query(sql.format("<>"))} == {2, 3}


@pytest.mark.parametrize("scale", [9, 30, -1])
def test_a_field_has_at_most_eight_decimal_places(scale):
    with pytest.raises(ValueError, match=f"scale: expected 0 to 8 decimal places, got {scale}; write scale=8"):
        ExactField(24, scale)


def test_a_database_that_keeps_other_scales_is_refused(tmp_path):
    settings = make_settings(tmp_path, database=f"sqlite:///{tmp_path / 'old.db'}")
    opened = database.obj
    try:
        open_database(settings.database)
        ensure_usable_database()
        ensure_core_tables()
        ensure_usable_database()
        database.execute_sql("ALTER TABLE comptoir_generation DROP COLUMN scale")
        with pytest.raises(DatabaseUrlError, match=r"made before the first release.*nothing was changed"):
            ensure_usable_database()
        with pytest.raises(DatabaseUrlError, match="Use the version that made it"):
            require_installation(settings)
    finally:
        close()
        database.initialize(opened)

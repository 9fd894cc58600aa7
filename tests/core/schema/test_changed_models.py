"""A model that has changed, over HTTP and on each database: what is done at once, what is 501, and how that is mended."""

import logging

import pytest

from core.contract.catalogue import catalogue
from core.schema.diff import ADVICE
from core.schema.known_tables import known_tables
from core.schema.table import StepError
from core.storage.cache_version import read_generation
from core.storage.database import close, database, query
from core.testing import make_settings
from core.testing.databases import drop_database, fresh_database
from core.wsgi import build
from tests.core.schema.authors import NAME, PRICE

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

UNIQUE = "indexes = ((('count', 'code'), True),)"
WIDER = (
    "    price = ExactField(16, 2, default=0)",
    "    name = CharField(max_length=60, default='', unique=True)",
    "    count = BigIntegerField(default=5)",
    "    points = IntegerField(default=0)",
    "    code = CharField(max_length=9, default='')",
    "    note = TextField(null=True)",
    "    size = ExactField(10, 3, default='1.5')",
    "    parent = RecordField('self', 'Card', null=True)",
)


@pytest.mark.natives
def test_another_scale_is_refused_and_nothing_is_touched(author):
    assert author.says(PRICE.format(2), NAME) == ""
    author.add(price="12.34", name="Ada")
    generation = read_generation()
    reason = author.says(PRICE.format(4), "    name = CharField(max_length=40, default='')")
    said = "new values would be rounded to 2"
    assert reason == (
        f"loyalty_card.price: the column has 2 decimal places, but the model declares 4; {said}; "
        "run `comptoir migrate --write` to create the migration"
    )
    answer = author.served.client(None).get("/cards/1", status=501)
    assert "cause" not in answer["error"]
    assert author.card(status=501)["error"]["cause"] == reason
    author.served.client().ask("GET", "/status")
    # The longer text has waited for the migration, too
    assert known_tables()["loyalty_card"][0].columns["name"].length == 30
    assert read_generation() == generation
    assert author.says(PRICE.format(2), NAME) == ""
    assert author.card()["price"] == "12.34"


def test_what_is_safe_is_done_at_once_and_nothing_is_lost(author):
    author.says(
        PRICE.format(2),
        NAME,
        "    count = IntegerField(default=1)",
        "    points = SmallIntegerField(default=0)",
        "    code = CharField(max_length=9, index=True, default='')",
        "    note = CharField(max_length=20, default='')",
    )
    author.add(price="12.34", name="Ada", count=7, code="A", note="x")
    author.add(price="-0.01", name="Bert", count=8, code="B")
    reason = author.says(*WIDER, meta=UNIQUE)
    assert reason == ""
    shorter = [field.replace("60", "50") for field in WIDER]
    assert "the column holds 60 characters, but the model declares 50" in author.says(*shorter, meta=UNIQUE)
    assert author.says(*WIDER, meta=UNIQUE) == ""
    card = author.card(1)
    assert {name: card[name] for name in ("price", "name", "count", "code", "note", "size", "parent")} == {
        "price": "12.34", "name": "Ada", "count": 7, "code": "A", "note": "x", "size": "1.500", "parent": None,
    }  # fmt: skip
    assert author.card(2)["price"] == "-0.01"
    # Each does what it says: values beyond what there was room for, another default, what must stand once
    third = author.add(price="12345678901.23", name="C" * 60, count=3_000_000_000, points=70_000, parent=1)
    assert author.card(third)["count"] == 3_000_000_000
    author.client.ask("POST", "/cards", {"name": "Ada"}, status=405)
    database.execute_sql("INSERT INTO loyalty_card (name, note) VALUES ('by hand', NULL)")
    assert query("SELECT name FROM loyalty_card WHERE count = 5") == [("by hand",)]
    indexes = {(tuple(each.columns), bool(each.unique)) for each in database.get_indexes("loyalty_card")}
    assert {(("name",), True), (("count", "code"), True)} <= indexes
    assert (("code",), False) not in indexes


def test_what_another_version_recorded_is_replaced_by_what_the_database_has(author):
    author.says(PRICE.format(2), NAME)
    author.add(price="12.34", name="Ada")
    form = '{"name": "loyalty_card", "columns": {"price": {"left": 10}}}'
    database.execute_sql(f"UPDATE comptoir_table SET digest = 'another', form = '{form}' WHERE name = 'loyalty_card'")
    assert author.says(PRICE.format(2), NAME, "    count = IntegerField(default=1)") == ""
    assert {name: author.card()[name] for name in ("price", "name", "count")} == {
        "price": "12.34", "name": "Ada", "count": 1,
    }  # fmt: skip
    assert {"price", "name", "count"} <= known_tables()["loyalty_card"][0].columns.keys()


def test_a_change_that_fails_is_made_by_the_next_load(author, monkeypatch):
    """Whatever it does, a process with the older model goes on."""
    author.says(NAME)
    before = read_generation()

    def fail(*_):
        raise StepError("no")

    with monkeypatch.context() as broken:
        broken.setattr("core.schema.diff.apply", fail)
        assert author.says(NAME.replace("default=''", "null=True")) != ""
    author.served.server.reloader.load()
    assert author.loaded() == ""
    assert read_generation() == before


@pytest.mark.parametrize(
    ("before", "after", "reason", "is_done_without_rows"),
    [
        ("code = CharField(default='')", "code = CharField(default='', unique=True)",
         "loyalty_card (code) can't be unique: a value occurs more than once", True),
        ("code = CharField(null=True)", "code = CharField()",
         f"loyalty_card.code: the model requires a value, but rows may have none; {ADVICE}", False),
        ("code = CharField(null=True)", "code = CharField(null=True)\n    size = IntegerField()",
         "loyalty_card.size: the new field needs null=True or a default, because the table has rows; or add and fill "
         f"it in a migration; {ADVICE}", True),
        ("owner = IntegerField(default=99)", "owner = RecordField('self', 'Card', default=99)",
         "loyalty_card.owner: the model makes it a reference to loyalty_card, but rows may refer to missing ones; "
         f"{ADVICE}", False),
        ("code = CharField(max_length=9, null=True)", "label = CharField(max_length=9, null=True)",
         "loyalty_card.code: the model has no such field, but has a new field label of the same type. If the field was "
         "renamed, use tables.rename('loyalty_card', 'code', 'label') in a migration, or its values would be lost; if "
         f"not, use tables.drop('loyalty_card', 'code'); {ADVICE}", False),
    ],
    ids=["unique", "not null", "required", "reference", "renamed"],
)  # fmt: skip
def test_what_rows_may_not_fit_waits_for_a_migration(author, before, after, reason, is_done_without_rows):
    author.says(NAME, f"    {before}")
    for name in ("Ada", "Bert"):
        author.add(name=name)
    assert author.says(NAME, f"    {after}") == reason
    author.card(status=501)
    database.execute_sql("DELETE FROM loyalty_card")
    assert author.says(NAME, f"    {after}", "") == ("" if is_done_without_rows else reason)
    assert author.client.request("GET", "/cards/1").status_code == (404 if is_done_without_rows else 501)


def test_a_needed_field_of_an_empty_table_is_no_news_for_other_processes(author):
    fields = ("    count = IntegerField()", "    code = CharField(max_length=9)")
    author.says(*fields, meta=UNIQUE)
    generation = read_generation()
    assert author.says(*fields, "    size = IntegerField()", meta=UNIQUE) == ""
    assert read_generation() == generation
    indexes = [(tuple(each.columns), bool(each.unique)) for each in database.get_indexes("loyalty_card")]
    assert (("count", "code"), True) in indexes


def test_whoever_needs_the_models_is_not_served_either(author):
    author.write("report/class/api_report.py", (
        "from modules.loyalty.models import Card\nclass Report:\n    ''':access: public'''\n"
        "    def index(self): return Card.select().count()\n"
    ))  # fmt: skip
    author.write("loyalty/events.py", "def after_report_created(record): pass\n")
    author.says(PRICE.format(2))
    author.add(price="1.00")
    assert author.client.ask("GET", "/report") == 1
    author.says(PRICE.format(4))
    author.client.ask("GET", "/report", status=501)
    reasons = {each.name: each.reason for each in catalogue().failures}
    assert reasons["report"].startswith(
        "the module needs loyalty, which can't be loaded: loyalty_card.price: the column has 2 decimal places"
    )
    assert reasons["loyalty/events"].startswith("loyalty_card.price")
    assert all((each.service, each.event) != ("report", "created") for each in catalogue().event_handlers)
    author.says(PRICE.format(2))
    assert author.client.ask("GET", "/report") == 1


def test_more_than_eight_decimal_places_are_refused_with_the_line(author):
    assert author.says(NAME) == ""
    reason = author.says(NAME, "    price = ExactField(24, 9, null=True)")
    author.card(status=501)
    failure = next(each for each in catalogue().failures if each.name == "cards")
    lines = (author.folder / "loyalty/models.py").read_text().splitlines()
    line = lines.index("    price = ExactField(24, 9, null=True)") + 1
    assert reason == f"models.py:{line}: ValueError: scale: expected 0 to 8 decimal places, got 9; write scale=8"
    assert f"line {line}" in failure.trace
    assert author.says(NAME, "    price = ExactField(24, 8, null=True)") == ""


def test_a_vanished_column_stays_and_comes_back_as_it_was(author):
    author.says(NAME, "    price = ExactField(12, 2, null=True)")
    author.add(name="Ada", price="3.50")
    assert author.says(NAME) == ""
    form = known_tables()["loyalty_card"][0]
    assert form.columns["price"].unused
    assert form.columns["price"].scale == 2
    assert "price" not in author.card()
    # A further field of its type is no other name of what was left behind
    assert author.says(NAME, "    size = ExactField(12, 2, null=True)") == ""
    assert "decimal places" in author.says(NAME, "    price = ExactField(12, 4, null=True)")
    assert author.says(NAME, "    price = ExactField(12, 2, null=True)") == ""
    assert author.card()["price"] == "3.50"


def test_columns_that_somebody_dropped_or_added_by_sql_are_seen(author):
    author.says(NAME, "    size = IntegerField(null=True)", "    count = IntegerField(default=3)")
    author.add(name="Ada")
    database.execute_sql("ALTER TABLE loyalty_card DROP COLUMN count")
    database.execute_sql("ALTER TABLE loyalty_card ADD COLUMN colour VARCHAR(7)")
    fields = (NAME, "    size = IntegerField(null=True)", "    count = IntegerField(default=3)")
    assert author.says(*fields, "    note = TextField(null=True)") == ""
    assert author.card()["count"] == 3
    assert (
        author.says(*fields, "    note = TextField(null=True)", "    colour = CharField(max_length=7, null=True)") == ""
    )
    assert author.card()["colour"] is None


def told(caplog):
    return [each.getMessage() for each in caplog.records if each.name == "comptoir.tables"]


def test_the_log_tells_in_words_what_is_done_to_rows(author, caplog):
    caplog.set_level(logging.INFO, "comptoir.tables")
    count, note = "    count = IntegerField(default=1)", "    note = CharField(max_length=9, null=True)"
    assert author.says(NAME) == ""
    assert author.says(NAME, count) == ""
    assert told(caplog) == []
    author.add(name="Ada")
    assert author.says(NAME, count, note) == ""
    assert told(caplog) == ["loyalty_card: add column note VARCHAR(9) null"]


def test_a_first_start_tells_nothing_of_its_tables(kind, tmp_path, caplog):
    url = fresh_database(kind, tmp_path)
    try:
        build(make_settings(tmp_path, database=url, log="info"))
        assert [each for each in told(caplog) if "column" in each] == []
    finally:
        close()
        drop_database(url)

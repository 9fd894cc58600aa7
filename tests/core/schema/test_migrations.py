"""Migrations that are dropped in beside a running server, on each database: done once, as a whole, with their models."""

import json
import textwrap

import pytest

from core.contract.catalogue import catalogue
from core.schema import migrations
from core.schema.safety_copies import safety_copies
from core.storage.cache_version import read_generation
from core.storage.database import backend, database, ensure_connected, query

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

HEAD = "from decimal import Decimal\nfrom peewee import *\nfrom core import ExactField, Model, RecordField, Records\n"
MODEL = HEAD + (
    "class Card(Model):\n    id = AutoField(column_name='rowid')\n{fields}"
    "    class Meta:\n        table_name = 'store_card'\ncards = Records(Card, service='cards')\n"
)
API = (
    "from ..models import cards, Card\nclass Cards:\n    ''':access: public'''\n    records = cards\n"
    "    def index(self): return [cards.read(each.id) for each in Card.select().order_by(Card.id)]\n"
    "    def post(self, request_data: dict): return cards.create(request_data)\n"
)
NUMBER = "    number = CharField(max_length=20)\n"
PRICE = "    price = ExactField(10, 2, default=Decimal(0))\n"


class Shop:
    """A module in the folder of the test, and who calls it."""

    def __init__(self, served, write):
        self.served = served
        self._write = write
        self._write("store/class/api_cards.py", API)

    def models(self, *fields):
        """Drop other models."""
        self._write("store/models.py", MODEL.format(fields="".join(fields)))

    def migration(self, name, *steps):
        """Drop a migration."""
        body = textwrap.indent("\n".join(steps), "    ")
        return self._write(f"store/migrations/{name}.py", f"{HEAD}def migrate(tables):\n{body}\n")

    def client(self):
        """Who calls, once the server has looked at the disk."""
        self.served.server.reloader.check()
        return self.served.client(None)

    def cards(self):
        """What the service answers, without identifiers."""
        answer = self.client().get("/cards")
        return [{key: value for key, value in card.items() if key != "id"} for card in answer]

    def reason(self):
        """Why the service cannot be loaded."""
        self.served.server.reloader.check()
        assert self.client().get("/cards", status=501)
        return next(each.reason for each in catalogue().failures if each.name == "cards")


@pytest.fixture
def shop(kind, serve, folder, write):
    """A shop with two cards."""
    shop = Shop(serve(kind=kind, modules=str(folder)), write)
    shop.models(NUMBER, PRICE)
    shop.client().ask("POST", "/cards", {"number": "Ada Lovelace", "price": "12.34"})
    shop.client().ask("POST", "/cards", {"number": "Bob", "price": "0.05"})
    return shop


CODE = "    code = CharField(max_length=20)\n"


def test_a_field_is_renamed_whichever_file_comes_first(shop):
    shop.migration("0001_code", "tables.rename('store_card', 'number', 'code')")
    assert "0001_code.py and models.py don't match; nothing was changed" in shop.reason()
    assert "store_card.code" in shop.reason()
    shop.models(CODE, PRICE)
    assert [card["code"] for card in shop.cards()] == ["Ada Lovelace", "Bob"]


def test_the_model_alone_waits_for_its_migration(shop):
    shop.models(CODE, PRICE)
    assert "tables.rename('store_card', 'number', 'code')" in shop.reason()
    shop.migration("0001_code", "tables.rename('store_card', 'number', 'code')")
    assert [card["code"] for card in shop.cards()] == ["Ada Lovelace", "Bob"]


def test_a_scale_is_changed_and_values_are_bound_in_their_units(shop):
    shop.migration(
        "0001_scale",
        "tables.change('store_card', 'price', ExactField(12, 4, default=Decimal(0)))",
        "tables.set('store_card', {'price': Decimal('0.0625')}, 'price = ?', "
        "tables.exact('store_card', 'price', Decimal('0.05')))",
        "tables.fill('UPDATE store_card SET price = price + ? WHERE number = ?', "
        "tables.exact('store_card', 'price', '1.5'), 'Bob')",
    )
    shop.models(NUMBER, "    price = ExactField(12, 4, default=Decimal(0))\n")
    assert [float(card["price"]) for card in shop.cards()] == [12.34, 1.5625]


def test_a_name_is_split_in_two(shop):
    """What stands in rows is read in between, so that nobody can tell beforehand what it does."""
    shop.migration(
        "0001_split",
        "tables.add('store_card', 'first', CharField(max_length=20, default=''))",
        "tables.add('store_card', 'last', CharField(max_length=20), fill='')",
        "for id, number in tables.rows('SELECT rowid, number FROM store_card ORDER BY rowid'):",
        "    first, _, last = number.rpartition(' ')",
        "    tables.set('store_card', {'first': first, 'last': last}, 'rowid = ?', id)",
        "tables.drop('store_card', 'number')",
    )
    shop.models("    first = CharField(max_length=20, default='')\n    last = CharField(max_length=20)\n", PRICE)
    assert [(card["first"], card["last"]) for card in shop.cards()] == [("Ada", "Lovelace"), ("", "Bob")]


def test_what_reads_in_between_knows_exact_decimals(shop):
    shop.migration(
        "0001_double",
        "for id, kept in tables.rows('SELECT rowid, price FROM store_card'):",
        "    price = tables.decimal('store_card', 'price', kept)",
        "    tables.set('store_card', {'price': price * 2}, 'rowid = ?', id)",
    )
    assert [float(card["price"]) for card in shop.cards()] == [24.68, 0.1]


def test_a_table_is_renamed(shop):
    shop.migration("0001_table", "tables.rename_table('store_card', 'store_badge')")
    text = MODEL.format(fields=NUMBER + PRICE).replace("store_card", "store_badge")
    shop._write("store/models.py", text)
    assert [card["number"] for card in shop.cards()] == ["Ada Lovelace", "Bob"]
    ensure_connected()
    assert "store_card" not in database.get_tables()


def test_it_runs_once(shop):
    shop.migration("0001_upper", "tables.fill('UPDATE store_card SET number = UPPER(number)')")
    assert [card["number"] for card in shop.cards()] == ["ADA LOVELACE", "BOB"]
    ensure_connected()
    database.execute_sql("UPDATE store_card SET number = 'x'")
    shop.migration("0001_upper", "1 / 0")
    assert [card["number"] for card in shop.cards()] == ["x", "x"]


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (
            ["tables.drop('store_card', 'nunber')"],
            "0001_wrong.py:5: store_card has no column nunber; it has rowid, number",
        ),
        (["tables.index('store_cards', 'number')"], "0001_wrong.py:5: there is no table store_cards"),
        (["1 / 0"], "0001_wrong.py:5: ZeroDivisionError: division by zero"),
        (
            ["tables.fill('UPDATE store_card SET price = ?', Decimal(1))"],
            "use tables.exact(table, column, value) or tables.set",
        ),
        (["tables.exact('store_card', 'number', 1)"], "store_card.number is not a column of exact decimals"),
        (
            [
                "tables.fill(\"UPDATE store_card SET number = 'x'\")",
                "tables.index('store_card', 'number', unique=True)",
            ],
            "0001_wrong.py:6: store_card (number) can't be unique: a value occurs more than once",
        ),
        (
            ["tables.change('store_card', 'number', CharField(max_length=5))"],
            "store_card.number: 1 row would lose digits or characters as 5 characters; add lossy=True to allow it",
        ),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_half_done(shop, steps, reason):
    if "max_length=5" in steps[0]:
        shop.models("    number = CharField(max_length=5)\n", PRICE)
    elif "unique" in steps[-1]:
        shop.models("    number = CharField(max_length=20, unique=True)\n", PRICE)
    shop.migration("0001_wrong", *steps)
    assert reason in shop.reason()
    ensure_connected()
    if backend().name != "mysql":
        assert {number for (number,) in query("SELECT number FROM store_card")} == {"Ada Lovelace", "Bob"}
    assert safety_copies() == []
    # What is mended runs
    shop.models(NUMBER, PRICE)
    shop.migration("0001_wrong", *steps[:-1], "tables.fill('DELETE FROM store_card')")
    assert shop.cards() == []


def test_a_failing_migration_is_reported_with_file_line_and_statement(shop):
    shop.migration(
        "0001_wrong",
        "tables.fill('UPDATE store_card SET number = ?', 'x')",
        "if tables.rows('SELECT 1'):",
        "    tables.fill('UPDATE store_card SET missing = 1')",
    )
    reason = shop.reason()
    assert reason.startswith("0001_wrong.py:7: the database rejects it: ")
    assert "missing" in reason and reason.endswith(", in `UPDATE store_card SET missing = 1`")
    ensure_connected()
    assert query("SELECT number FROM store_card ORDER BY rowid") == [("Ada Lovelace",), ("Bob",)]


def test_a_number_becomes_a_reference(shop):
    owner, number = "    owner = RecordField('self', 'Card', null=True)\n", "    owner = IntegerField(null=True)\n"
    shop.models(NUMBER, PRICE, number)
    shop.client().ask("POST", "/cards", {"number": "Eve", "owner": 99})
    shop.models(NUMBER, PRICE, owner)
    assert "store_card.owner: the model makes it a reference to store_card" in shop.reason()
    shop.migration("0001_owner", "tables.reference('store_card', 'owner', 'store_card')")
    assert "0001_owner.py:5: store_card.owner: 1 row refers to missing rows of store_card" in shop.reason()
    shop.migration(
        "0001_owner",
        "tables.fill('UPDATE store_card SET owner = 1 WHERE owner = 99')",
        "tables.reference('store_card', 'owner', 'store_card')",
    )
    assert [card["owner"] for card in shop.cards()] == [None, None, 1]
    ensure_connected()
    assert [(each.column, each.dest_table) for each in database.get_foreign_keys("store_card")] == [
        ("owner", "store_card")
    ]
    shop.models(NUMBER, PRICE, number)
    assert len(shop.cards()) == 3
    ensure_connected()
    assert database.get_foreign_keys("store_card") == []


def test_what_asks_the_database_past_tables_is_told_how_to_read(shop):
    shop.models(NUMBER.replace("number", "code"), PRICE)
    shop.migration("0001_code", "tables.rename('store_card', 'number', 'code')")
    asked = "('SELECT code FROM store_card')"
    shop.migration("0002_upper", "from core import query", f"for (code,) in query{asked}: tables.fill('SELECT 1')")
    reason = shop.reason()
    assert reason.startswith("0002_upper.py:6: the database rejects it: ")
    assert reason.endswith(
        "; in a migration, read rows with tables.rows, which sees the steps before it, not with query or models"
    )
    shop.migration(
        "0002_upper",
        f"for (code,) in tables.rows{asked}:",
        "    tables.fill('UPDATE store_card SET code = ? WHERE code = ?', code.upper(), code)",
    )
    assert [card["code"] for card in shop.cards()] == ["ADA LOVELACE", "BOB"]


def test_a_column_that_the_server_has_added_itself_is_added_once(shop):
    """The author's own server has seen models.py alone; another one gets both at once."""
    shop.models(NUMBER, PRICE, "    shout = CharField(max_length=20, default='')\n")
    assert [card["shout"] for card in shop.cards()] == ["", ""]
    added = "tables.add('store_card', 'shout', {})"
    shop.migration(
        "0001_shout",
        added.format("CharField(max_length=20, default='')"),
        "for (number,) in tables.rows('SELECT number FROM store_card'):",
        "    tables.fill('UPDATE store_card SET shout = ? WHERE number = ?', number.upper(), number)",
    )
    assert [card["shout"] for card in shop.cards()] == ["ADA LOVELACE", "BOB"]
    for field in ("CharField(max_length=9, default='')", "CharField(max_length=20, default=''), fill='?'"):
        shop.migration("0002_shout", added.format(field))
        assert shop.reason().startswith("0002_shout.py:5: store_card already has a column shout")


def test_a_migration_that_was_broken_off_goes_on(shop, monkeypatch):
    """Whoever is killed behind a step: on MariaDB what is done stays, elsewhere all of it is undone."""
    steps = [
        "tables.rename('store_card', 'number', 'code')",
        "tables.fill(\"UPDATE store_card SET code = CONCAT(code, '!')\")" if backend().name == "mysql" else
        "tables.fill(\"UPDATE store_card SET code = code || '!'\")",
        "tables.change('store_card', 'price', ExactField(12, 4, default=Decimal(0)))",
        "tables.drop('store_card', 'note')",
    ]  # fmt: skip
    ensure_connected()
    database.execute_sql("ALTER TABLE store_card ADD COLUMN note VARCHAR(9) DEFAULT 'x'")
    shop.models(CODE, "    price = ExactField(12, 4, default=Decimal(0))\n")
    apply, run = migrations.apply, []
    for stop in range(1, 2 * len(steps) + 1):

        def broken(step, form, stop=stop):
            # In turns: before a step, and behind it, when its note is not written
            if len(run) == stop // 2 and stop % 2:
                raise KeyboardInterrupt
            apply(step, form)
            run.append(step)
            if len(run) == stop // 2 + 1 and not stop % 2:
                raise KeyboardInterrupt

        run.clear()
        monkeypatch.setattr(migrations, "apply", broken)
        shop.migration("0001_much", f"# attempt {stop}", *steps)
        try:
            shop.served.server.reloader.check()
        except KeyboardInterrupt:
            shop.served.close()
    monkeypatch.setattr(migrations, "apply", apply)
    shop.migration("0001_much", "# last", *steps)
    assert [(card["code"], float(card["price"])) for card in shop.cards()] == [("Ada Lovelace!", 12.34), ("Bob!", 0.05)]


def test_a_migration_that_fails_makes_others_load_once(shop):
    """On MariaDB nobody may use what is half done, but whoever loads behind that must not make all others load again."""
    failing = "tables.fill('UPDATE store_card SET nothing = 1')"
    raised = []
    for attempt in ("first", "after it was withdrawn"):
        shop.cards()
        before = read_generation()
        file = shop.migration("0001_wrong", f"# {attempt}", failing)
        assert "0001_wrong.py:6: the database rejects it: " in shop.reason()
        raised.append(read_generation() - before)
        # As another process does
        shop.served.server.reloader.load()
        assert read_generation() - before == raised[-1]
        file.unlink()
    assert raised == ([1, 1] if backend().name == "mysql" else [0, 0])


def test_steps_that_are_done_must_stay(shop):
    """On MariaDB the first steps of a migration that failed are done."""
    shop.models(CODE, PRICE)
    shop.migration(
        "0001_more", "tables.rename('store_card', 'number', 'code')", "tables.fill('UPDATE store_card SET nothing = 1')"
    )
    assert "0001_more.py:6: the database rejects it: " in shop.reason()
    shop.migration(
        "0001_more", "tables.fill('DELETE FROM store_card')", "tables.rename('store_card', 'number', 'code')"
    )
    if backend().name == "mysql":
        assert "the first step is already done and must not change" in shop.reason()
        shop.migration("0001_more", "tables.rename('store_card', 'number', 'code')")
        assert len(shop.cards()) == 2
    else:
        assert shop.cards() == []


SHELF = HEAD + (
    "from ..store.models import Card\nclass Shelf(Model):\n    id = AutoField()\n    card = RecordField(Card, 'Card')\n"
    "    class Meta:\n        table_name = 'aisle_shelf'\n"
)
BOX = "class Box(Model):\n    id = AutoField()\n    class Meta:\n        table_name = 'store_box'\n"


def test_a_module_that_another_one_points_at_has_its_first_load_all_the_same(kind, serve, folder, write):
    """`aisle` is loaded first, and makes the table of cards ahead."""
    shop = Shop(serve(kind=kind, modules=str(folder)), write)
    write("aisle/models.py", SHELF)
    write("aisle/class/api_shelves.py", "from ..models import Shelf\nclass Shelves:\n    ''':access: public'''\n")
    write("store/models.py", MODEL.format(fields=NUMBER + PRICE) + BOX)
    shop.migration("0001_boxes", "assert tables.rows('SELECT COUNT(*) FROM store_box')")
    shop.client().ask("POST", "/cards", {"number": "Ada"})
    # The second one is no first load any more
    shop.migration("0002_more", "tables.fill('UPDATE store_card SET number = ?', 'n2')")
    assert [card["number"] for card in shop.cards()] == ["n2"]


def test_sqlite_keeps_a_copy_of_before(serve, folder, write):
    shop = Shop(serve(modules=str(folder)), write)
    shop.models(NUMBER, PRICE)
    shop.migration("0001_first", "tables.fill('DELETE FROM store_card')")
    shop.client().ask("POST", "/cards", {"number": "Ada"})
    # The first load had nothing to migrate
    assert safety_copies() == []
    for number in range(2, 7):
        shop.migration(f"000{number}_more", f"tables.fill('UPDATE store_card SET number = ?', 'n{number}')")
        shop.client()
    assert [card["number"] for card in shop.cards()] == ["n6"]
    copies = safety_copies()
    assert [copy.name.split(".")[1] for copy in copies] == [f"before-store-000{number}_more" for number in (4, 5, 6)]
    assert copies[-1].stat().st_mode & 0o777 == 0o600
    import sqlite3

    with sqlite3.connect(copies[-1]) as copy:
        assert copy.execute("SELECT number FROM store_card").fetchall() == [("n5",)]
    copy.close()


def test_a_full_disk_changes_nothing(serve, folder, write, monkeypatch):
    shop = Shop(serve(modules=str(folder)), write)
    shop.models(NUMBER, PRICE)
    shop.client().ask("POST", "/cards", {"number": "Ada"})

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.schema.safety_copies.os.open", full)
    shop.migration("0001_x", "tables.fill('DELETE FROM store_card')")
    assert shop.reason() == (
        "can't save a copy of the database in its folder, so nothing was changed: No space left on device"
    )
    assert query("SELECT number FROM store_card") == [("Ada",)]


def test_a_statement_is_noted_with_the_rows_that_it_changes(shop):
    shop.migration("0001_gone", "tables.fill('DELETE FROM store_card WHERE number = ?', 'Bob')")
    shop.models(NUMBER, PRICE, "    note = CharField(null=True)\n")
    assert len(shop.cards()) == 1
    ensure_connected()
    ((before,),) = query("SELECT a.before FROM comptoir_audit a WHERE kind = 'deleted' AND element = 'store_card'")
    assert json.loads(before)["number"] == "Bob"
    assert query("SELECT COUNT(*) FROM comptoir_audit WHERE kind = 'statement'") == [(0,)]


@pytest.mark.parametrize(
    "step", ["drop('store_card', 'price')", "rename_table('store_card', 'theft')", "index('store_card', 'number')"]
)
def test_a_migration_cannot_change_the_table_of_another_module(shop, write, step):
    model = HEAD + "class Spy(Model):\n    id = AutoField()\n{more}    class Meta:\n        table_name = 'spy'\n"
    write("spies/models.py", model.format(more=""))
    write("spies/class/api_spies.py", "class Spies:\n    ''':access: public'''\n    def index(self): return 1\n")
    assert shop.client().get("/spies") == 1
    write("spies/migrations/0001_theft.py", f"def migrate(tables):\n    tables.{step}\n")
    shop.client().get("/spies", status=501)
    reason = next(each.reason for each in catalogue().failures if each.name == "spies")
    assert reason == "0001_theft.py:2: store_card belongs to the module store"
    assert shop.cards() == [{"number": "Ada Lovelace", "price": "12.34"}, {"number": "Bob", "price": "0.05"}]
    # Its own table stays its own
    write("spies/models.py", model.format(more="    alias = CharField(default='')\n"))
    write(
        "spies/migrations/0001_theft.py",
        "from peewee import *\ndef migrate(tables):\n    tables.add('spy', 'alias', CharField(default=''))\n",
    )
    assert shop.client().get("/spies") == 1

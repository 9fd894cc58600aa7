"""`comptoir migrate` and `tables`, on each database: what is pending, what that would do, what is left over."""

import json
import shutil
import sys

import pytest

from core.audit.history import history
from core.common.settings import Settings
from core.schema import migrations
from core.schema.safety_copies import safety_copies
from core.schema.steps import Drop
from core.schema.table import StepError
from core.storage.database import close, database, ensure_connected, open_database, query
from core.storage.model import Model, all_models, meta_of
from core.testing.databases import drop_database, fresh_database
from core.wsgi import build

pytestmark = pytest.mark.every_database

HEAD = "from decimal import Decimal\nfrom peewee import *\nfrom core import ExactField, Model, Records\n"
MODEL = HEAD + (
    "class Card(Model):\n    id = AutoField(column_name='rowid')\n{fields}"
    "    class Meta:\n        table_name = 'store_card'\n        extrafields = 'store_card'\n"
)
NUMBER = "    number = CharField(max_length=20)\n"
PRICE = "    price = ExactField(10, 2, default=Decimal(0))\n"


@pytest.fixture
def variables(tmp_path, folder, kind, monkeypatch):
    """The environment of a command: a database of its own, and no modules but those of the test."""
    (tmp_path / "natives").mkdir()
    monkeypatch.setattr(sys.modules["core.common.settings"], "NATIVE_MODULES", tmp_path / "natives")
    url = fresh_database(kind, tmp_path)
    yield {
        "COMPTOIR_DATABASE": url,
        "COMPTOIR_DOCUMENTS": str(tmp_path / "documents"),
        "COMPTOIR_MODULES": str(folder),
    }
    close()
    drop_database(url)


@pytest.fixture
def cards(variables, write, tmp_path):
    """A module that has been served, with one row; answers the rows of its table, by the present column names."""
    write("store/models.py", MODEL.format(fields=NUMBER + PRICE))
    write(
        "store/class/api_storecards.py", "class StoreCards:\n    ''':access: public'''\n    def get(self): return 1\n"
    )
    build(Settings(database=variables["COMPTOIR_DATABASE"], documents=variables["COMPTOIR_DOCUMENTS"],
                   modules=variables["COMPTOIR_MODULES"]))  # fmt: skip
    ensure_connected()
    price = 1234000000 if variables["COMPTOIR_DATABASE"].startswith("sqlite") else "12.34"
    database.execute_sql(f"INSERT INTO store_card (number, price) VALUES ('Ada', {price})")
    close()

    def rows():
        open_database(variables["COMPTOIR_DATABASE"])
        ensure_connected()
        return query("SELECT * FROM store_card")

    return rows


def migration(write, name, *steps):
    write(f"store/migrations/{name}.py", HEAD + "def migrate(tables):\n    " + "\n    ".join(steps) + "\n")


def test_what_is_pending_is_shown_and_run(run, cards, write, variables):
    assert "No migrations are pending." in run("migrate").output
    migration(write, "0001_code", "tables.rename('store_card', 'number', 'code')")
    migration(
        write,
        "0002_more",
        "tables.fill('UPDATE store_card SET code = ?', 'x')",
        "tables.index('store_card', ['code', 'price'])",
    )
    write("store/models.py", MODEL.format(fields=NUMBER.replace("number", "code") + PRICE).replace(
        "        extrafields", "        indexes = ((('code', 'price'), False),)\n        extrafields"))  # fmt: skip
    told = json.loads(run("migrate", "--status", "--json").output)
    assert told["migrations"] == [{"module": "store", "name": name, "run": None} for name in ("0001_code", "0002_more")]
    assert told["refused"] == {}
    output = run("migrate", "--dry-run").output
    assert "store_card: rename column number to code" in output
    assert "run: UPDATE store_card SET code = ? with 'x'" in output
    assert "2 migrations pending; nothing was changed" in output
    assert cards()[0][1] == "Ada"
    output = run("migrate", "--to", "store:1").output
    assert "ran      store: 0001_code" in output
    assert "1 migration pending" in output
    assert cards()[0][1] == "Ada"
    assert "store_card.code" not in output
    output = run("migrate").output
    assert "ran      store: 0002_more" in output
    assert "No migrations are pending." in output
    assert cards()[0][1] == "x"
    assert all(each["run"] for each in json.loads(run("migrate", "--status", "--json").output)["migrations"])
    if variables["COMPTOIR_DATABASE"].startswith("sqlite"):
        assert ": a copy of the database before the migrations" in output
        cards()
        assert len(safety_copies()) == 2


def test_what_cannot_be_run_is_said(run, cards, write):
    migration(write, "0001_code", "tables.rename('store_card', 'nummer', 'code')")
    said = "rejected store: 0001_code.py:5: store_card has no column nummer; it has rowid, number, price"
    assert said in run("migrate", "--dry-run", code=1).output
    assert said in run("migrate", "--status", code=1).output
    output = run("migrate", code=1).output
    assert "failed   store: 0001_code.py:5: store_card has no column nummer" in output
    assert (
        "--to: expected a pending migration, got 'x:7'; pending: store:0001_code"
        in run("migrate", "--to", "x:7", code=1).output
    )
    assert "there is no module 'shop'" in run("migrate", "shop", code=1).output
    assert cards()[0][1] == "Ada"


def test_a_migration_is_written_for_what_nobody_doubts(run, cards, write, folder, variables):
    write("store/models.py", MODEL.format(fields=NUMBER + PRICE.replace("10, 2", "12, 4")))
    output = run("migrate", "--write").output
    file = folder / "store/migrations/0001_change_price.py"
    assert f"written  {file}" in output
    assert "COMPTOIR_MODULES=<copy> comptoir migrate --write" in output
    assert "COMPTOIR_MODULES=<copy>" in run("migrate", "--help").output
    assert file.stat().st_mode & 0o777 == 0o644
    assert "tables.change('store_card', 'price', ExactField(12, 4, default=Decimal('0')))" in file.read_text()
    assert "Nothing to write" in run("migrate", "--write").output
    run("migrate")
    (_, _, price), *_ = cards()
    assert str(price) == ("1234000000" if variables["COMPTOIR_DATABASE"].startswith("sqlite") else "12.3400")


def test_a_migration_asks_what_nobody_can_guess(run, cards, write, folder):
    write("store/models.py", MODEL.format(fields=NUMBER.replace("number", "code") + PRICE))
    assert "contains open questions" in run("migrate", "--write", "store").output
    file = folder / "store/migrations/0001_rename_number.py"
    text = file.read_text()
    assert "# tables.rename('store_card', 'number', 'code')" in text
    assert "# tables.drop('store_card', 'number')" in text
    assert "0001_rename_number.py:7: NotImplementedError: answer all questions" in run("migrate", code=1).output
    lines = [line for line in text.splitlines() if "NotImplementedError" not in line]
    file.write_text("\n".join(lines).replace("# tables.rename", "tables.rename") + "\n")
    run("migrate")
    assert cards()[0][1] == "Ada"
    ensure_connected()
    assert "code" in {column.name for column in database.get_columns("store_card")}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (NUMBER + "    price = IntegerField(default=0)\n", 12),
        (NUMBER + "    price = CharField(max_length=20, index=True)\n", "12.34"),
        ("    number = TextField()\n    price = DoubleField(null=True)\n", 12.34),
        (NUMBER + "    price = BooleanField()\n", None),
    ],
)
def test_a_column_of_another_kind_is_filled_by_its_migration(run, cards, write, folder, fields, expected):
    """The author confirms how a value becomes one of the new kind."""
    write("store/models.py", MODEL.format(fields=fields))
    assert "contains open questions" in run("migrate", "--write").output
    file = folder / "store/migrations/0001_change_price.py"
    lines = [line for line in file.read_text().splitlines() if "NotImplementedError" not in line]
    file.write_text("\n".join(lines) + "\n")
    assert ("int() cuts decimal places" in file.read_text()) == ("IntegerField" in fields)
    if expected is None:
        assert "KeyError: Decimal('12.34')" in run("migrate", code=1).output
        return
    assert "No migrations are pending." in run("migrate").output
    assert "Nothing to write" in run("migrate", "--write").output
    cards()
    assert query("SELECT number, price FROM store_card") == [("Ada", expected)]


def test_a_change_that_cannot_be_made_is_a_failure(run, cards, write, folder, monkeypatch):
    cards()
    database.execute_sql("DELETE FROM store_card")
    models = MODEL.format(fields=NUMBER + PRICE)
    write("store/models.py", models.replace("AutoField(column_name", "CharField(primary_key=True, column_name"))
    close()
    reason = "store_card.rowid: a primary key can't change; keep it, or give the model another table_name"
    assert f"failed   store: {reason}" in run("migrate", code=1).output
    run("migrate", "--write")
    (draft,) = (folder / "store/migrations").glob("*.py")
    assert f"# {reason}\n    # What is to be done instead?" in draft.read_text()
    draft.unlink()

    def fail(*_):
        raise StepError("the disk is old")

    write("store/models.py", MODEL.format(fields=NUMBER + PRICE + "    note = TextField(null=True)\n"))
    monkeypatch.setattr("core.schema.diff.add_columns", fail)
    assert "failed   store: the disk is old" in run("migrate", code=1).output


def test_a_text_is_no_boolean(run, cards, write, folder):
    write("store/models.py", MODEL.format(fields="    number = BooleanField()\n" + PRICE))
    run("migrate", "--write")
    file = folder / "store/migrations/0001_change_number.py"
    file.write_text(file.read_text().replace("    raise ", "    # "))
    assert "KeyError: 'Ada'" in run("migrate", code=1).output


def test_a_conversion_that_was_broken_off_goes_on(run, cards, write, folder, kind, monkeypatch):
    """The old values stay until every new one is written, so that they can be read again."""
    write("store/models.py", MODEL.format(fields=NUMBER + "    price = IntegerField(default=0)\n"))
    run("migrate", "--write")
    file = folder / "store/migrations/0001_change_price.py"
    file.write_text(file.read_text().replace("    raise ", "    # "))
    apply, made = migrations.apply, []
    # Behind each step, before it is noted; on MariaDB whatever was noted before that is not done again
    for stop in (1, 2, 2, 2, 2) if kind == "mysql" else (1, 2, 3, 4, 5):

        def broken(step, form, stop=stop):
            apply(step, form)
            made.append(step)
            if len(made) == stop:
                raise KeyboardInterrupt

        made.clear()
        monkeypatch.setattr(migrations, "apply", broken)
        run("migrate", code=1)
    assert isinstance(made[-1], Drop)
    monkeypatch.setattr(migrations, "apply", apply)
    assert "No migrations are pending." in run("migrate").output
    cards()
    assert query("SELECT * FROM store_card") == [(1, "Ada", 12)]


def test_tables_are_listed_with_their_models(run, cards, folder):
    ours = ("store_card", "store_card_extrafields")
    told = {each["name"]: each for each in json.loads(run("tables", "--json").output)}
    assert [told[name]["model"] for name in ours] == ["Card", "Card, extra fields"]
    assert told["store_card"]["rows"] == 1
    assert [name for name, each in told.items() if not each["model"]] == []
    models = folder / "store/models.py"
    models.write_text("1 / 0\n")
    assert "repair the modules that can't be loaded (store) before you drop any" in run("tables").output
    models.write_text("")
    output = run("tables", "store_card").output
    assert "1 table without a model; to drop one, run `DROP TABLE name` in the database." in output


def test_a_table_that_was_dropped_comes_back_without_the_history_of_its_rows(run, cards, write):
    assert cards()[0][0] == 1
    database.execute_sql("DROP TABLE store_card")
    close()
    write("store/notes.py", "")
    run("migrate")
    assert cards() == []
    (card,) = [each for each in all_models(Model) if meta_of(each).table_name == "store_card"]
    assert [each["kind"] for each in history(card, 1, None, 10, 0)] == ["dropped", "created"]


def test_what_is_refused_is_said_by_each_command(run, cards, write, folder, variables):
    write("store/models.py", MODEL.format(fields=NUMBER + PRICE.replace("10, 2", "12, 4")))
    said = "rejected store: store_card.price: the column has 2 decimal places, but the model declares 4; "
    advice = "; run `comptoir migrate --write` to create the migration"
    for command in (("migrate", "--dry-run"), ("migrate", "--status")):
        (line,) = [each for each in run(*command, code=1).output.splitlines() if each.startswith("rejected ")]
        assert line.startswith(said)
        assert line.endswith(advice)
    assert "0 migrations pending; nothing was changed" in run("migrate", "--dry-run", code=1).output
    said = said.removeprefix("rejected store: ")
    output = run("check", str(folder), code=1).output
    assert said in output
    assert "0 loaded, 1 failed" in output
    told = json.loads(run("check", str(folder / "store"), "--json", code=1).output)
    assert [(each["state"], each["reason"].startswith(said)) for each in told["files"]] == [("failed", True)]
    # Without a database that was made, nothing is said of it
    run("check", str(folder), COMPTOIR_DATABASE="sqlite:////nowhere/none.db")
    run("migrate", "--write")
    assert "rejected " not in run("migrate", "--dry-run").output
    assert "rejected " not in run("check", str(folder)).output
    run("migrate")
    assert "rejected " not in run("migrate", "--status").output
    (_, number, price), *_ = cards()
    assert (number, str(price)) in (("Ada", "1234000000"), ("Ada", "12.3400"))


@pytest.mark.parametrize(
    ("step", "reason", "is_previewed"),
    [
        ("tables.fill('UPDATE store_card SET missing = 1')", "in `UPDATE store_card SET missing = 1`", False),
        ("raise ValueError('half')", "ValueError: half", True),
        ("tables.rows('SELECT missing FROM store_card')", "in `SELECT missing FROM store_card`", False),
        ("tables.index('store_card', 'price', unique=True)", "can't be unique: a value occurs more than once", False),
    ],
)
def test_a_migration_that_fails_is_a_failure(run, cards, write, folder, kind, step, reason, is_previewed):
    """What a preview can't know is found when it runs; the row that was changed first is as it was."""
    cards()
    database.execute_sql("INSERT INTO store_card (number, price) SELECT number, price FROM store_card")
    close()
    price = PRICE.replace("10, 2", "10, 2, unique=True") if "unique" in step else PRICE
    write("store/models.py", MODEL.format(fields=NUMBER + price))
    migration(write, "0001_wrong", "tables.fill('UPDATE store_card SET number = ?', 'changed')", step)
    needs = "from modules.store.models import Card\nclass Needs:\n    ':access: public'\n"
    write("needs/class/api_needs.py", needs)
    said = f"rejected store: 0001_wrong.py:6: {reason}"
    for command in ("--status", "--dry-run"):
        assert (said in run("migrate", command, code=int(is_previewed)).output) == is_previewed
    output = run("check", str(folder), code=int(is_previewed)).output
    assert ("the module needs store, which can't be loaded: 0001_wrong.py:6" in output) == is_previewed
    assert [number for _, number, _ in cards()] == ["Ada", "Ada"]
    close()
    output = run("migrate", code=1).output
    assert "failed   store: 0001_wrong.py:6: " in output and reason in output
    # MariaDB commits what comes before a change of a table
    changed = kind == "mysql" and "index" in step
    assert [number for _, number, _ in cards()] == ["changed" if changed else "Ada"] * 2
    # It waits, and on MariaDB it has begun
    has_begun = kind == "mysql" and not is_previewed
    told = json.loads(run("migrate", "--status", "--json", code=int(is_previewed or has_begun)).output)
    assert told["migrations"][0]["run"] is None
    assert ("has started but not finished" in told["refused"].get("store", "")) == has_begun


ORDER = (
    "    label = CharField(max_length=60, default='')\n    contact = CharField(max_length=120, null=True)\n",
    "    title = CharField(max_length=60, default='')\n    firstname = CharField(max_length=50, default='')\n"
    "    lastname = CharField(max_length=50)\n    channel = IntegerField(default=1)\n",
)


@pytest.mark.every_database("sqlite")
def test_a_written_migration_pairs_and_splits_columns(run, cards, write, folder):
    write("store/models.py", MODEL.format(fields=NUMBER + PRICE + ORDER[0]))
    run("migrate")
    cards()
    database.execute_sql("UPDATE store_card SET label = 'Gold', contact = 'Ada Lovelace'")
    close()
    write("store/models.py", MODEL.format(fields=NUMBER + PRICE + ORDER[1]))
    run("migrate", "--write")
    file = folder / "store/migrations/0001_match_models.py"
    text = file.read_text()
    assert (
        "# Was store_card.label renamed? If so:\n    # tables.rename('store_card', 'label', 'title')\n    # If" in text
    )
    assert "# The server adds these new columns of store_card automatically: channel" in text
    begin, end = text.index("# tables.add('store_card', 'firstname'"), text.index("    # If not", text.index("split?"))
    split = text[begin:end].replace("# ", "").replace("'firstname': ...", "'firstname': value.split()[0]")
    split = split.replace("'lastname': ...", "'lastname': value.split()[1]")
    rename = "tables.rename('store_card', 'label', 'title')"
    file.write_text(f"from peewee import *\ndef migrate(tables):\n    {rename}\n    {split}")
    output = run("migrate", "--dry-run").output
    assert "store_card: add column firstname VARCHAR(50) null" in output
    assert "further steps are known only when it runs, because it reads rows" in output
    assert "1 migration pending; nothing was changed" in output
    run("migrate")
    cards()
    expected = [("Gold", "Ada", "Lovelace", 1)]
    assert query("SELECT title, firstname, lastname, channel FROM store_card") == expected


def test_a_written_migration_renames_a_table(run, cards, write, folder):
    fields = NUMBER + PRICE + "    size = IntegerField()\n    colour = IntegerField(null=True)\n"
    write(
        "store/models.py", MODEL.format(fields=fields).replace("table_name = 'store_card'", "table_name = 'store_box'")
    )
    assert "rejected store: store_card: the table has rows but no model" in run("migrate", "--status", code=1).output
    run("migrate", "--write")
    file = folder / "store/migrations/0001_match_models.py"
    text = file.read_text()
    assert "tables.add('store_box', 'size', IntegerField(), fill=...)" in text
    assert "# The server adds these new columns of store_box automatically: colour" in text
    lines = [line for line in text.splitlines() if "NotImplementedError" not in line]
    file.write_text("\n".join(lines).replace("# tables.rename", "tables.rename").replace("fill=...", "fill=7") + "\n")
    run("migrate")
    ensure_connected()
    assert query("SELECT number, size, colour FROM store_box") == [("Ada", 7, None)]


def test_the_steps_before_a_migration_reads_rows_are_shown(run, cards, write):
    write("store/models.py", MODEL.format(fields=NUMBER + PRICE + "    first = CharField(max_length=9, null=True)\n"))
    migration(
        write,
        "0001_first",
        "tables.add('store_card', 'first', CharField(max_length=9, null=True))",
        "for id, number in tables.rows('SELECT rowid, number FROM store_card ORDER BY rowid'):",
        "    tables.set('store_card', {'first': number.upper()}, 'rowid = ?', id)",
    )
    (found,) = json.loads(run("migrate", "--dry-run", "--json").output)["migrations"]
    reads = "further steps are known only when it runs, because it reads rows"
    assert found["steps"] == ["store_card: add column first VARCHAR(9) null", reads]
    run("migrate")
    assert cards()[0][3] == "ADA"


def test_a_dropped_table_of_a_module_comes_back_with_its_migrations(run, cards, write, folder):
    migration(write, "0001_code", "tables.rename('store_card', 'number', 'code')")
    write("store/models.py", MODEL.format(fields=NUMBER.replace("number", "code") + PRICE))
    run("migrate")
    shutil.move(folder / "store", folder.parent / "away")
    ensure_connected()
    database.execute_sql("DROP TABLE store_card")
    close()
    write("store/models.py", MODEL.format(fields=NUMBER + PRICE))
    run("migrate")
    shutil.copytree(folder.parent / "away", folder / "store", dirs_exist_ok=True)
    assert "ran      store: 0001_code" in run("migrate").output
    ensure_connected()
    assert "code" in {column.name for column in database.get_columns("store_card")}


def refusals(write, name):
    """Drop a change that is refused; return what `comptoir check` prints."""
    constant = NUMBER + PRICE + "    serial = CharField(max_length=9, default='', unique=True)\n"
    other = MODEL.format(fields=NUMBER + PRICE)
    if name == "constant":
        write("store/models.py", MODEL.format(fields=constant))
        return "store_card (serial) can't be unique: existing rows would share the default"
    if name == "renamed":
        write("store/models.py", other.replace("table_name = 'store_card'", "table_name = 'store_box'"))
        return "use tables.rename_table('store_card', 'store_box') in a migration"
    write("another/models.py", other)
    write("another/class/api_another.py", "class Another: pass\n")
    return "models.py:4: the table store_card belongs to the module store: write `table_name = …` in Meta of Card"


@pytest.mark.parametrize("name", ["constant", "renamed", "shared"])
def test_check_prints_the_refusal_of_a_server(run, cards, write, name):
    cards()
    database.execute_sql("INSERT INTO store_card (number, price) VALUES ('Bert', 0)")
    close()
    assert refusals(write, name) in run("check", code=1).output

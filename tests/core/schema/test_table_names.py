"""The tables of modules: a renamed one with rows, one that another module owns, one that was dropped."""

import shutil

import pytest

from core.contract.catalogue import catalogue
from core.schema.known_tables import known_tables
from core.storage.database import database, query
from tests.core.schema.authors import API, HEAD, NAME

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

RENAMED = (
    "loyalty_card: the table has rows but no model, and the new table loyalty_badge has its columns. If the table was "
    "renamed, use tables.rename_table('loyalty_card', 'loyalty_badge') in a migration, or its rows would be missing; if "
    "not, run `DROP TABLE loyalty_card` in the database"
)


def named(author, table, *fields):
    """Write the model with another table and have it loaded; return why it can't be served."""
    author.says(*(fields or (NAME,)), meta=f"table_name = '{table}'")
    return author.loaded()


def reason(module):
    return next((each.reason for each in catalogue().failures if each.module == module), "")


def reasons(run):
    """What `comptoir check` prints."""
    return run("check").output


@pytest.mark.parametrize("more", [(), ("    size = IntegerField(default=1)",)], ids=["same", "wider"])
def test_a_renamed_table_with_rows_waits_for_its_migration(author, more):
    author.says(NAME)
    author.add(name="Ada")
    assert named(author, "loyalty_badge", NAME, *more) == RENAMED
    assert "loyalty_badge" not in database.get_tables()
    author.write(
        "loyalty/migrations/0001_table.py",
        "def migrate(tables):\n    tables.rename_table('loyalty_card', 'loyalty_badge')\n",
    )
    assert author.loaded() == ""
    assert author.card()["name"] == "Ada"


def test_a_renamed_table_returns_to_its_rows(author):
    author.says(NAME)
    author.add(name="Ada")
    assert named(author, "loyalty_badge") == RENAMED
    assert author.says(NAME) == ""
    assert author.card()["name"] == "Ada"


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        ((NAME,), 0),
        (("    colour = CharField(max_length=30, default='')",), 1),
        (("    name = IntegerField(default=1)",), 1),
    ],
    ids=["no rows", "another field", "another type"],
)
def test_another_table_is_new(author, fields, rows):
    author.says(NAME)
    for _ in range(rows):
        author.add(name="Ada")
    assert named(author, "loyalty_badge", *fields) == ""
    assert {"loyalty_card", "loyalty_badge"} <= {*database.get_tables()}


def test_a_table_without_rows_is_left_for_one_with_rows(author):
    author.says(NAME)
    assert named(author, "loyalty_badge") == ""
    author.add(name="Ada")
    refused = author.says(NAME)
    assert "tables.rename_table('loyalty_badge', 'loyalty_card')" in refused
    author.write(
        "loyalty/migrations/0001_table.py",
        "def migrate(tables):\n    tables.rename_table('loyalty_badge', 'loyalty_card')\n",
    )
    assert author.loaded() == ""
    assert author.card()["name"] == "Ada"


def other(author, text="class Card(Model):\n    name = CharField(max_length=30, default='')\n", name="another"):
    author.write(f"{name}/models.py", f"{HEAD}{text}cards = Records(Card, service='{name}')\n")
    author.write(f"{name}/class/api_{name}.py", API.replace("Cards", name.title()))
    author.loaded()
    return reason(name)


SAME = f"class Card(Model):\n    id = AutoField(column_name='rowid')\n{NAME}\n    class Meta: table_name = 'loyalty_card'\n"


@pytest.mark.parametrize("text", [SAME, SAME.replace("30", "60")], ids=["same", "wider"])
def test_a_table_belongs_to_one_module(author, text):
    """The name of the second module comes first in the alphabet."""
    author.says(NAME)
    author.add(name="Ada")
    said = "models.py:3: the table loyalty_card belongs to the module loyalty: write `table_name = …` in Meta of Card"
    assert other(author, text) == said
    assert author.card()["name"] == "Ada"
    assert known_tables()["loyalty_card"][0].columns["name"].length == 30
    # Also after a restart
    author.served.server.reloader.load()
    assert (reason("another"), reason("loyalty")) == (said, "")
    assert other(author, text.replace("loyalty_card", "another_card")) == ""


def test_a_table_whose_module_is_gone_is_taken_over(author):
    author.says(NAME)
    author.add(name="Ada")
    (author.folder / "loyalty").rename(author.folder / "fidelity")
    author.write("fidelity/models.py", (author.folder / "fidelity/models.py").read_text())
    author.loaded()
    assert reason("fidelity") == ""
    assert author.card()["name"] == "Ada"


def test_a_broken_owner_keeps_its_table(author):
    author.says(NAME)
    author.write("loyalty/models.py", "1 / 0")
    assert "belongs to the module loyalty" in other(author, SAME)


def test_a_derived_model_shares_its_table(author):
    author.says(NAME)
    author.add(name="Ada")
    text = (
        "from modules.loyalty import models as theirs\nclass Card(theirs.Card):\n"
        "    note = CharField(null=True)\n    class Meta: table_name = 'loyalty_card'\n"
    )
    assert other(author, text) == ""
    assert author.client.ask("GET", "/another/1")["note"] is None


def test_two_models_of_a_module_share_a_table(author):
    assert other(author, SAME + SAME.replace("Card", "Same")) == ""


@pytest.mark.natives
def test_a_native_table_belongs_to_its_module(author):
    text = "class Card(Model):\n    name = CharField(default='')\n    class Meta: table_name = 'llx_facture'\n"
    said = "models.py:3: the table llx_facture belongs to the module invoices: write `table_name = …` in Meta of Card"
    assert other(author, text) == said


MIGRATION = "def migrate(tables):\n    tables.rename('loyalty_card', 'name', 'title')\n"


def test_a_table_that_was_dropped_by_sql_is_made_again(author):
    author.says(NAME)
    shutil.rmtree(author.folder / "loyalty")
    author.loaded()
    database.execute_sql("DROP TABLE loyalty_card")
    author.write("loyalty/class/api_cards.py", API)
    assert author.says(NAME) == ""
    assert author.card(author.add(name="Ada"))["name"] == "Ada"


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_migration_runs_again_after_its_table_was_dropped(author, by_hand):
    title = NAME.replace("name", "title")

    def install():
        assert author.says(NAME) == ""
        author.add(name="Ada")
        author.write("loyalty/migrations/0001_title.py", MIGRATION)
        assert author.says(title) == ""
        assert author.card()["title"] == "Ada"

    install()
    shutil.rmtree(author.folder / "loyalty")
    author.loaded()
    database.execute_sql("DROP TABLE loyalty_card")
    if not by_hand:
        database.execute_sql("DELETE FROM comptoir_table WHERE name = 'loyalty_card'")
    author.write("loyalty/class/api_cards.py", API)
    install()
    assert len(query("SELECT 1 FROM comptoir_migration WHERE module = 'loyalty'")) == 1

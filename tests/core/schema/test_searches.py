"""What models are searched by follows them and their tables: made, made anew, renamed, dropped, on each database."""

import pytest

from core.schema.known_tables import known_digests
from core.schema.search_tables import make_searches, to_be_searched
from core.schema.tables import all_tables
from core.storage.cache_version import read_generation
from core.storage.database import backend, execute, query, schema_lock
from core.storage.model import Model, all_models
from core.storage.texts import TRIGRAMS, WORDS, is_search_name, search_name
from tests.core.schema.authors import Author

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

NAME = "    name = CharField(max_length=30, default='')"
TOWN = "    town = CharField(max_length=30, default='')"
COUNT = "    count = IntegerField(default=0)"
BY_NAME, BY_BOTH = "searched = ('name',)", "searched = ('town', 'name')"


@pytest.fixture
def listing(author):
    """An author of cards that are listed, with two of them that nothing is searched of yet."""
    assert author.says(NAME, TOWN, COUNT) == ""
    author.add(name="Société Une", town="Lyon")
    author.add(name="Deux Frères", town="Saint-Étienne")
    return author


def found(author, text):
    return [each["id"] for each in author.client.get("/cards", q=text)]


def parts():
    """Tables and indexes that are there to search by, and the events of the triggers that keep them."""
    kind = backend().name
    asked = {
        "sqlite": "SELECT name FROM sqlite_master",
        "postgresql": "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()",
        "mysql": "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
        "UNION ALL SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
    }
    return {name for (name,) in query(asked[kind]) if is_search_name(name) and "loyalty" in name}


def test_rows_of_before_are_found_and_a_second_start_changes_nothing(listing):
    refused = listing.client.refused("GET", "/cards", status=400, params={"q": "une"})
    assert "these records have no fields to search" in refused
    generation = read_generation()
    assert listing.says(NAME, TOWN, COUNT, meta=BY_NAME) == ""
    assert (found(listing, "societe"), found(listing, "freres"), found(listing, "lyon")) == ([1], [2], [])
    # Whoever has the model of before is not disturbed
    assert read_generation() == generation
    known, made = known_digests(), parts()
    listing.write("loyalty/notes.py", "")
    assert listing.loaded() == ""
    assert (
        to_be_searched([each for each in all_models(Model) if each.__module__.startswith("modules.")], known_digests())
        == []
    )
    assert (known_digests(), parts()) == (known, made)
    third = listing.add(name="Trois Sociétés")
    assert found(listing, "soc") == [1, third]


def test_other_fields_are_searched_anew_and_none_leaves_nothing(listing):
    listing.says(NAME, TOWN, COUNT, meta=BY_NAME)
    generation = read_generation()
    assert listing.says(NAME, TOWN, COUNT, meta=BY_BOTH) == ""
    # A worker with the model of before would ask for columns that are gone
    assert read_generation() > generation
    assert (found(listing, "lyon"), found(listing, "etienne"), found(listing, "une")) == ([1], [2], [1])
    assert parts() != set()
    assert listing.says(NAME, TOWN, COUNT) == ""
    assert parts() == set()
    assert "loyalty_card search" not in known_digests()
    assert "these records have no fields" in listing.client.refused("GET", "/cards", status=400, params={"q": "une"})


def test_what_is_searched_follows_columns_that_change(listing):
    listing.says(NAME, TOWN, COUNT, meta=BY_BOTH)
    wider = "    name = TextField(default='')"
    assert listing.says(wider, TOWN, COUNT, "    extra = CharField(max_length=9, null=True)", meta=BY_BOTH) == ""
    assert (found(listing, "une"), found(listing, "etienne")) == ([1], [2])
    third = listing.add(name="Trois", town="Lyon")
    assert found(listing, "lyon") == [1, third]
    listing.write(
        "loyalty/migrations/0001_title.py", "def migrate(tables):\n    tables.rename('loyalty_card', 'name', 'title')\n"
    )
    title = wider.replace("name", "title")
    assert listing.says(title, TOWN, COUNT, meta="searched = ('title', 'town')") == ""
    assert (found(listing, "une"), found(listing, "lyon"), found(listing, "trois")) == ([1], [1, third], [third])
    fourth = listing.add(title="Quatre")
    assert found(listing, "quatre") == [fourth]


def test_a_wider_column_keeps_its_search_index(listing):
    listing.says(NAME, TOWN, COUNT, meta=BY_BOTH)
    row = "SELECT rowid FROM comptoir_table WHERE name = 'loyalty_card search'"
    generation, before = read_generation(), query(row)
    fields = NAME.replace("30", "60"), TOWN.replace("default=''", "null=True"), COUNT
    assert listing.says(*fields, meta=BY_BOTH) == ""
    assert (read_generation(), query(row)) == (generation, before)
    third = listing.add(name="Trois " + "x" * 40 + " Sociétés", town="Lyon")
    listing.add(name="Quatre")
    assert (found(listing, "soc"), found(listing, "lyon")) == ([1, third], [1, third])
    execute("UPDATE loyalty_card SET town = 'Bordeaux' WHERE rowid = 1")
    assert (found(listing, "lyon"), found(listing, "bordeaux")) == ([third], [1])
    assert [each["id"] for each in listing.client.get("/cards", sqlfilters="(t.name:like:'%xxx%')")] == [third]


def test_it_is_no_table_of_its_own_and_comes_back_with_its_table(listing):
    listing.says(NAME, TOWN, COUNT, meta=BY_NAME)
    names = [each.name for each in all_tables(all_models(Model))]
    assert "loyalty_card" in names and not [name for name in names if is_search_name(name)]
    execute("DROP TABLE loyalty_card")
    listing.write("loyalty/notes.py", "")
    assert listing.loaded() == ""
    listing.add(name="Zweite", town="Ulm")
    assert (found(listing, "zweite"), found(listing, "societe")) == ([1], [])


def test_what_was_broken_off_is_made_anew(listing):
    listing.says(NAME, TOWN, COUNT, meta=BY_NAME)
    execute("DELETE FROM comptoir_table WHERE name = 'loyalty_card search'")
    execute("UPDATE loyalty_card SET name = 'Une Autre' WHERE rowid = 1")
    listing.write("loyalty/notes.py", "")
    assert listing.loaded() == ""
    assert (found(listing, "autre"), found(listing, "societe")) == ([1], [])
    assert "loyalty_card search" in known_digests()


def test_two_processes_make_it_once(listing):
    listing.says(NAME, TOWN, COUNT, meta=BY_NAME)
    card = next(
        each for each in all_models(Model) if (each.__module__, each.__name__) == ("modules.loyalty.models", "Card")
    )
    # The other one has been faster: there is nothing left to be made anew
    with schema_lock():
        assert not make_searches([card], ())
    assert found(listing, "societe") == [1]


def make_as_before():
    """Give the table of cards the search index of an older server, which also had trigrams, with one of two rows."""
    words, grams = search_name(WORDS, "loyalty_card"), search_name(TRIGRAMS, "loyalty_card")
    trigger = search_name(WORDS, "loyalty_card", "_insert")
    statements = {
        "sqlite": [
            f"DROP TRIGGER {trigger}",
            f"CREATE VIRTUAL TABLE {grams} USING fts5(c0, content='', tokenize='trigram')",
            f"CREATE TRIGGER {trigger} AFTER INSERT ON loyalty_card BEGIN "
            f"INSERT INTO {grams}(rowid, c0) VALUES (NEW.rowid, NEW.name); END",
        ],
        "postgresql": [f"DROP INDEX {words}", f"CREATE INDEX {grams} ON loyalty_card (name)"],
        "mysql": [f"CREATE TABLE {grams} (id BIGINT PRIMARY KEY)", f"DELETE FROM {words} WHERE id = 1"],
    }
    for statement in statements[backend().name]:
        execute(statement)
    execute("UPDATE comptoir_table SET digest = 'of an older server' WHERE name = 'loyalty_card search'")


def test_the_index_of_an_older_server_is_replaced_when_modules_load(listing):
    listing.says(NAME, TOWN, COUNT, meta=BY_NAME)
    before, generation = parts(), read_generation()
    make_as_before()
    assert parts() != before
    listing.write("loyalty/notes.py", "")
    assert listing.loaded() == ""
    assert parts() == before and not [name for name in parts() if name.startswith(TRIGRAMS)]
    # Other workers look again at what there is to search
    assert read_generation() > generation
    third = listing.add(name="Trois Sociétés")
    assert (found(listing, "soc"), found(listing, "freres")) == ([1, third], [2])


WRONG = {
    "no field": (
        BY_NAME.replace("name", "nme"),
        "searched has 'nme', but the model has no such field; did you mean name?",
    ),
    "no text": ("searched = ('name', 'count')", "searched: expected a text field, got 'count'"),
    "secret": ("searched = ('name',)\n        secret = ('name',)", "searched: 'name' is secret and can't be searched"),
}


@pytest.mark.parametrize(("meta", "reason"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_searched_is_refused_when_it_is_loaded(serve, folder, meta, reason):
    author = Author(serve(modules=str(folder)), folder)
    assert reason in author.says(NAME, TOWN, COUNT, meta=meta)

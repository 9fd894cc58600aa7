"""A list that is sorted by a text keeps its index, whatever becomes of the column: on each database, each in its way.

MariaDB works a text's small letters out in a column of their own, of which nobody else hears.
"""

from __future__ import annotations

import peewee
import pytest

from core.schema import letter_columns
from core.schema.columns import columns_of
from core.schema.exact_texts import tell_letters_apart
from core.schema.forms import form_of
from core.schema.letter_columns import lacking_letters
from core.schema.present import present_form
from core.schema.tables import changed_models, ensure_tables
from core.schema.text_indexes import lacking_indexes
from core.storage.all_models import all_models
from core.storage.database import database, dialect_name, query
from core.storage.letter_columns import letters_name
from core.storage.model import Model
from core.storage.table_generation import read_generation
from core.testing import statements
from tests.core.schema.authors import Author
from tests.core.schema.test_searches import API

NAME, TOWN = "    name = CharField(max_length=30, default='')", "    town = CharField(max_length=30, null=True)"
NAMES = ["Zoe", "éclair", "abc", "Abd"]
#: small letters by their code points
IN_ORDER = ["abc", "Abd", "Zoe", "éclair"]
BY_NAME = "sorted = ('name',)"


@pytest.fixture
def sorting(author: Author) -> Author:
    """An author of cards that are sorted by their names."""
    author.write("loyalty/class/api_cards.py", API)
    assert author.says(NAME, TOWN, meta=BY_NAME) == ""
    for name in NAMES:
        author.add(name=name)
    return author


def in_order(author: Author, name: str = "name") -> list[str]:
    """The names as a list answers them, which must be what an index says."""
    with statements() as seen:
        found = [each[name] for each in author.client.get("/cards", sortfield=f"t.{name}")]
    if dialect_name() == "mysql":
        assert any(f"ORDER BY t.`{letters_name(name)}` ASC" in sql for sql in seen)
    return found


def indexes() -> dict[str, int]:
    """The indexes in the order of lists by their columns: how many letters MariaDB's column takes, elsewhere 0."""
    if dialect_name() != "mysql":
        return {each.name.removeprefix("loyalty_card_").removesuffix("__letters"): 0
                for each in database.get_indexes("loyalty_card") if each.name.endswith("__letters")}  # fmt: skip
    rows = query(
        "SELECT c.column_name, c.character_maximum_length FROM information_schema.columns c "
        "JOIN information_schema.statistics s ON s.table_schema = c.table_schema AND s.table_name = c.table_name "
        "AND s.column_name = c.column_name AND s.seq_in_index = 1 "
        "WHERE c.table_schema = DATABASE() AND c.table_name = 'loyalty_card' AND c.extra LIKE '%INVISIBLE%'"
    )
    return {name.removesuffix("__letters"): int(length) for name, length in rows}


def made(length: int, name: str = "name") -> dict[str, int]:
    return {name: length if dialect_name() == "mysql" else 0}


def test_it_follows_a_column_that_changes(sorting: Author) -> None:
    assert (in_order(sorting), indexes()) == (IN_ORDER, made(30))
    assert sorting.says(NAME.replace("30", "50"), TOWN, meta=BY_NAME) == ""
    longest = "zz" * 25
    sorting.add(name=longest)
    assert (in_order(sorting), indexes()) == ([*IN_ORDER[:3], longest, "éclair"], made(50))
    text = "def migrate(tables):\n    tables.rename('loyalty_card', 'name', 'title')\n"
    sorting.write("loyalty/migrations/0001_title.py", text)
    title = NAME.replace("30", "50").replace("name", "title")
    assert sorting.says(title, TOWN, meta="sorted = ('title',)") == ""
    assert (in_order(sorting, "title"), indexes()) == ([*IN_ORDER[:3], longest, "éclair"], made(50, "title"))
    narrow = "def migrate(tables):\n    tables.change('loyalty_card', 'title', models.CharField(max_length=20), lossy=True)\n"
    sorting.write("loyalty/migrations/0002_narrow.py", "import peewee as models\n\n\n" + narrow)
    assert sorting.says(title.replace("50", "20"), TOWN, meta="sorted = ('title',)") == ""
    assert (in_order(sorting, "title"), indexes()) == ([*IN_ORDER[:3], "zz" * 10, "éclair"], made(20, "title"))
    sorting.write("loyalty/migrations/0003_gone.py", "def migrate(tables):\n    tables.drop('loyalty_card', 'title')\n")
    assert sorting.says(TOWN, meta="sorted = ('town',)") == ""
    assert indexes() == made(30, "town")


def test_a_migration_in_sql_finds_nothing_in_its_way(sorting: Author) -> None:
    kind = {"mysql": "MODIFY COLUMN name VARCHAR(60)", "postgresql": "ALTER COLUMN name TYPE VARCHAR(60)"}
    if dialect_name() in kind:
        statement = f"    tables.execute('ALTER TABLE loyalty_card {kind[dialect_name()]}')\n"
        sorting.write("loyalty/migrations/0001_wide.py", "def migrate(tables):\n" + statement)
        assert sorting.says(NAME.replace("30", "60"), TOWN, meta=BY_NAME) == ""
        sorting.add(name="zz" * 30)
        assert (in_order(sorting)[2:], indexes()) == (["Zoe", "zz" * 30, "éclair"], made(60))
    sorting.write(
        "loyalty/migrations/0002_gone.py",
        "def migrate(tables):\n    tables.drop_index('loyalty_card', 'name')\n"
        "    tables.execute('ALTER TABLE loyalty_card DROP COLUMN name')\n"
        if dialect_name() == "mysql"
        else "def migrate(tables):\n    tables.drop('loyalty_card', 'name')\n",
    )
    assert sorting.says(TOWN, meta="sorted = ('town',)") == ""
    assert indexes() == made(30, "town")


def test_it_goes_with_its_option_and_whoever_sorted_by_it_is_told(sorting: Author) -> None:
    generation = read_generation()
    assert sorting.says(NAME, TOWN, meta="sorted = ('name', 'town')") == ""
    assert indexes() == made(30) | made(30, "town")
    # Whoever has the model of before sorts on, without
    assert read_generation() == generation
    assert sorting.says(NAME, TOWN) == ""
    assert indexes() == {}
    assert (read_generation() > generation) == (dialect_name() == "mysql")
    assert [each["name"] for each in sorting.client.get("/cards", sortfield="t.name")] == IN_ORDER


def test_a_text_without_room_in_an_index_is_sorted_without(sorting: Author) -> None:
    assert sorting.says("    name = TextField(default='')", TOWN, meta=BY_NAME) == ""
    assert [each["name"] for each in sorting.client.get("/cards", sortfield="t.name")] == IN_ORDER
    assert indexes() == ({} if dialect_name() == "mysql" else made(0))
    models = [each for each in all_models(Model) if each._meta.table_name == "loyalty_card"]
    assert lacking_indexes(models) == []


def test_nobody_takes_it_for_a_column(sorting: Author) -> None:
    model = next(each for each in all_models(Model) if each._meta.table_name == "loyalty_card")
    assert list(columns_of("loyalty_card")) == ["rowid", "name", "town"]
    assert list(present_form(form_of(model), None).columns) == ["rowid", "name", "town"]
    assert {len(row) for row in query("SELECT * FROM loyalty_card")} == {3}
    assert changed_models({"loyalty_card": model}) == []
    query("INSERT INTO loyalty_card VALUES (99, 'Mia', NULL)")
    assert in_order(sorting) == ["abc", "Abd", "Mia", "Zoe", "éclair"]
    # Pages by cursor are the pages of the whole
    seen: list[str] = []
    after = ""
    for _ in range(5):
        answer = sorting.client.simulate_request(
            "GET", "/cards", params={"sortfield": "t.name", "limit": 1, "after": after}
        )
        seen += [each["name"] for each in answer.json]
        after = answer.headers.get("X-Next-Cursor", "")
    assert seen == ["abc", "Abd", "Mia", "Zoe", "éclair"]


def test_a_pattern_is_looked_for_in_it_and_finds_the_same(sorting: Author) -> None:
    found = {}
    for condition in ("like:'AB%'", "like:'É%'", "like:'e%'", "like:'%B_'", "notlike:'%b%'", r"like:'a\%%'"):
        with statements() as seen:
            rows = sorting.client.get("/cards", sqlfilters=f"(t.name:{condition})", sortfield="t.name")
        found[condition] = [each["name"] for each in rows]
        if dialect_name() == "mysql":
            assert any("t.`name__letters` LIKE" in sql or "t.`name__letters` NOT LIKE" in sql for sql in seen)
    assert found == {
        "like:'AB%'": ["abc", "Abd"],
        "like:'É%'": ["éclair"],
        "like:'e%'": [],
        "like:'%B_'": ["abc", "Abd"],
        "notlike:'%b%'": ["Zoe", "éclair"],
        r"like:'a\%%'": [],
    }
    if dialect_name() == "mysql":
        query("INSERT INTO loyalty_card (name) SELECT CONCAT('x', seq) FROM seq_1_to_500")
        query("ANALYZE TABLE loyalty_card")
        sql = "EXPLAIN SELECT name FROM loyalty_card AS t WHERE t.name__letters LIKE ?"
        assert "range" in query(sql, ("ab%",))[0] and "name__letters" in query(sql, ("ab%",))[0]


def test_a_database_of_before_gets_it_at_its_start(sorting: Author) -> None:
    if dialect_name() != "mysql":
        pytest.skip("others had it before")
    for change, length in (
        ("DROP COLUMN name__letters", 30),
        # As somebody else does it, who does not know what hangs on the column
        ("MODIFY COLUMN name VARCHAR(40) NOT NULL", 40),
    ):
        query(f"ALTER TABLE loyalty_card {change}")
        sorting.write("loyalty/notes.py", "")
        assert sorting.loaded() == ""
        assert indexes() == made(length)
    with statements() as seen:
        sorting.write("loyalty/notes.py", "")
        assert sorting.loaded() == ""
    assert not [sql for sql in seen if "ALTER" in sql]


def test_a_table_that_refuses_it_is_told_and_served(
    sorting: Author, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if dialect_name() != "mysql":
        pytest.skip("others had it before")

    def refuse(sql: str) -> None:
        raise peewee.OperationalError(1118, "Row size too large")

    query("ALTER TABLE loyalty_card DROP COLUMN name__letters")
    monkeypatch.setattr(letter_columns, "run", refuse)
    sorting.write("loyalty/notes.py", "")
    assert sorting.loaded() == ""
    assert "loyalty_card: can't create an index for sorted lists, so sorting is slower" in caplog.text
    assert indexes() == {}


def test_texts_of_an_older_release_are_converted_all_the_same(sorting: Author) -> None:
    if dialect_name() != "mysql":
        pytest.skip("others have one set of characters")
    model = next(each for each in all_models(Model) if each._meta.table_name == "loyalty_card")
    query("ALTER TABLE loyalty_card MODIFY name VARCHAR(30) CHARACTER SET latin1 COLLATE latin1_swedish_ci NOT NULL, "
          "MODIFY town VARCHAR(30) CHARACTER SET latin1 COLLATE latin1_swedish_ci")  # fmt: skip
    tell_letters_apart({"loyalty_card"}, ["loyalty_card"])
    sql = "SELECT column_name, collation_name FROM information_schema.columns WHERE table_schema = DATABASE() " \
          "AND table_name = 'loyalty_card' AND collation_name IS NOT NULL"  # fmt: skip
    assert dict(query(sql)) == {"name": "latin1_nopad_bin", "town": "latin1_nopad_bin"}
    assert lacking_letters([model]) == [model]
    ensure_tables([model])
    assert dict(query(sql))["name__letters"] == "utf8mb4_nopad_bin"
    assert lacking_letters([model]) == []
    assert [name for (name,) in query("SELECT name FROM loyalty_card ORDER BY name__letters")] == IN_ORDER


def test_a_name_has_room() -> None:
    assert letters_name("name") == "name__letters"
    assert len(letters_name("c" * 64)) <= 64
    assert letters_name("c" * 64) != letters_name("c" * 63)

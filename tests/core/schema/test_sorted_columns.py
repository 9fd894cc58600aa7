"""An index for sorted lists follows its column through every change."""

import pytest

from core.storage.database import backend, database

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

NAME, TOWN = "    name = CharField(max_length=30, default='')", "    town = CharField(max_length=30, null=True)"
NAMES = ["Zoe", "abc", "ABE", "Abd"]
IN_ORDER = ["abc", "Abd", "ABE", "Zoe"]
BY_NAME = "sorted = ('name',)"


@pytest.fixture
def sorting(author):
    """An author of cards that are sorted by their names."""
    assert author.says(NAME, TOWN, meta=BY_NAME) == ""
    for name in NAMES:
        author.add(name=name)
    return author


def in_order(author, name="name"):
    return [each[name] for each in author.client.get("/cards", sortfield=f"t.{name}")]


def indexed_columns():
    """The columns with an index for sorted lists."""
    names = [each.name for each in database.get_indexes("loyalty_card") if each.name.endswith("__sorted")]
    return {name.removeprefix("loyalty_card_").removesuffix("__sorted") for name in names}


def possible(*columns):
    """The same columns; none on MariaDB, which has no such index."""
    return {*columns} if backend().name != "mysql" else set()


def test_the_index_follows_a_column_that_changes(sorting):
    assert (in_order(sorting), indexed_columns()) == (IN_ORDER, possible("name"))
    assert sorting.says(NAME.replace("30", "50"), TOWN, meta=BY_NAME) == ""
    longest = "zz" * 25
    sorting.add(name=longest)
    assert (in_order(sorting), indexed_columns()) == ([*IN_ORDER, longest], possible("name"))
    text = "def migrate(tables):\n    tables.rename('loyalty_card', 'name', 'title')\n"
    sorting.write("loyalty/migrations/0001_title.py", text)
    title = NAME.replace("30", "50").replace("name", "title")
    assert sorting.says(title, TOWN, meta="sorted = ('title',)") == ""
    assert (in_order(sorting, "title"), indexed_columns()) == ([*IN_ORDER, longest], possible("title"))
    narrow = "def migrate(tables):\n    tables.change('loyalty_card', 'title', models.CharField(max_length=20), lossy=True)\n"
    sorting.write("loyalty/migrations/0002_narrow.py", "import peewee as models\n\n\n" + narrow)
    assert sorting.says(title.replace("50", "20"), TOWN, meta="sorted = ('title',)") == ""
    assert (in_order(sorting, "title"), indexed_columns()) == ([*IN_ORDER, "zz" * 10], possible("title"))
    sorting.write("loyalty/migrations/0003_gone.py", "def migrate(tables):\n    tables.drop('loyalty_card', 'title')\n")
    assert sorting.says(TOWN, meta="sorted = ('town',)") == ""
    assert indexed_columns() == possible("town")


def test_a_long_text_is_sorted(sorting):
    assert sorting.says("    name = TextField(default='')", TOWN, meta=BY_NAME) == ""
    assert (in_order(sorting), indexed_columns()) == (IN_ORDER, possible("name"))

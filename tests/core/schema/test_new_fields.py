"""Fields that are added to a table with rows: a value for each row, or a refusal before anything is done."""

import pytest

from core.storage.database import backend, database, query
from tests.core.schema.authors import HEAD, NAME

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

TOKEN = "    token = CharField(max_length=40, {})"
COUNTED = "default=lambda numbers=iter(range(1000)): f't{next(numbers)}'"
SERIAL = "    serial = CharField(max_length=20, {})"


@pytest.fixture
def author(author):
    """An author with three cards."""
    author.says(NAME)
    for name in ("Ada", "Bert", "Cleo"):
        author.add(name=name)
    return author


def columns():
    return {each.name: each for each in backend().columns("loyalty_card")}


@pytest.mark.parametrize("more", ["", ", unique=True", ", index=True"])
def test_a_function_gives_each_row_its_own_value(author, more):
    assert author.says(NAME, TOKEN.format(COUNTED + more)) == ""
    assert [author.card(number)["token"] for number in (1, 2, 3)] == ["t0", "t1", "t2"]
    assert author.card(author.add(name="Dan"))["token"] == "t3"
    # Neither in a new column nor in a new table is a value of the function the default of the column
    assert (columns()["token"].null, columns()["token"].has_default) == (False, False)


def test_a_new_table_has_no_computed_default(author):
    database.execute_sql("DROP TABLE loyalty_card")
    assert author.says(NAME, TOKEN.format(COUNTED)) == ""
    assert columns()["name"].has_default
    assert not columns()["token"].has_default


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ((TOKEN.format("null=True, default=lambda: 'x'"),), None),
        (("    token = ExactField(10, 2, default=lambda: '1.5')",), "1.50"),
        (("    token = RecordField('self', 'Card', default=lambda: 2)",), 2),
        (("    token = BooleanField(default=lambda: True)",), True),
    ],
    ids=["null", "decimal", "reference", "boolean"],
)
def test_a_function_of_any_type(author, fields, value):
    assert author.says(NAME, *fields) == ""
    assert author.card()["token"] == value


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        (TOKEN.format("default=lambda: 'x', unique=True"),
         "loyalty_card (token) can't be unique: the function of the default returns a value more than once"),
        (TOKEN.format("default=lambda: None"),
         "loyalty_card.token: existing rows need a value, but the function of the default returns None"),
        (TOKEN.format("default=lambda: 1 / 0"), "models.py:8: ZeroDivisionError: division by zero"),
        (SERIAL.format("default='', unique=True"),
         "loyalty_card (serial) can't be unique: existing rows would share the default; add null=True or a function as "
         "default"),
    ],
    ids=["same", "none", "error", "constant"],
)  # fmt: skip
def test_a_refused_field_leaves_nothing(author, field, reason):
    assert author.says(NAME, "    first = CharField(default=lambda: 'x')", field) == reason
    assert columns().keys() == {"rowid", "name"}
    assert author.says(NAME, SERIAL.format("null=True, unique=True"), TOKEN.format("null=True, unique=True")) == ""
    assert author.card()["serial"] is None


@pytest.mark.parametrize(
    ("first", "second", "is_unique"),
    [("name", "serial", True), ("code", "serial", False), ("serial", "count", False)],
)
def test_a_unique_index_over_new_and_present_fields(author, first, second, is_unique):
    fields = (
        NAME, "    code = CharField(default='')", SERIAL.format("default=''"), "    count = IntegerField(default=0)",
    )  # fmt: skip
    assert author.says(*fields[:2]) == ""
    reason = author.says(*fields, meta=f"indexes = ((('{first}', '{second}'), True),)")
    assert ("can't be unique" in reason) == (not is_unique)
    assert ("serial" in columns()) == is_unique


@pytest.mark.every_database("mysql")
@pytest.mark.parametrize(
    ("field", "reason"),
    [
        (SERIAL.format("null=True, unique=True"), ""),
        ("    serial = IntegerField(null=True)", "loyalty_card.serial: the column holds text, but the model declares"),
    ],
    ids=["same", "changed meanwhile"],
)
def test_a_column_that_an_interrupted_change_left(author, field, reason):
    """It is taken if the model still says the same."""
    database.execute_sql("ALTER TABLE loyalty_card ADD COLUMN serial VARCHAR(20) NULL")
    assert author.says(NAME, field).startswith(reason)
    assert reason or author.card()["serial"] is None


@pytest.mark.parametrize("known", [0, 1])
def test_a_column_in_which_some_rows_have_a_value_keeps_it(author, known):
    """A process ended in between, or another program has added the column."""
    database.execute_sql("ALTER TABLE loyalty_card ADD COLUMN token VARCHAR(40) NULL")
    database.execute_sql(f"UPDATE loyalty_card SET token = 'mine' WHERE rowid <= {known}")
    assert author.says(NAME, TOKEN.format(COUNTED)) == ""
    assert [row[0] for row in query("SELECT token FROM loyalty_card ORDER BY rowid")] == ["mine"] * known + [
        f"t{number}" for number in range(3 - known)
    ]
    assert not columns()["token"].null


def test_a_migration_adds_a_function_and_requires_values(author):
    assert author.says(NAME, "    code = CharField(max_length=9, null=True)") == ""
    author.write(
        "loyalty/migrations/0001_token.py",
        f"{HEAD}def migrate(tables):\n"
        f"    tables.add('loyalty_card', 'token', CharField(max_length=40, {COUNTED}))\n"
        f"    tables.change('loyalty_card', 'code', CharField(max_length=9, {COUNTED}))\n",
    )
    assert author.says(NAME, TOKEN.format(COUNTED), f"    code = CharField(max_length=9, {COUNTED})") == ""
    assert [(author.card(number)["token"], author.card(number)["code"]) for number in (1, 3)] == [
        ("t0", "t0"), ("t2", "t2"),
    ]  # fmt: skip

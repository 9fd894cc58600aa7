"""Many bodies at once: all of them are written or none, and what is wrong with any of them is told together."""

import pytest

from core import CsvRow
from core.testing import serving
from tests.files import write_files

pytestmark = pytest.mark.every_database

MODELS = '''
from decimal import Decimal

from peewee import AutoField, CharField, TextField

from core import Account, BadRequest, ExactField, MapField, Model, RecordField, Records
from core.storage.database import database


class Sheet(Model):
    """Hours."""

    id = AutoField()
    user = RecordField(Account, "User")
    ref = CharField(max_length=20, null=True, unique=True)
    hours = ExactField(digits=6, scale=2)
    note = TextField(null=True)
    marks = MapField(null=True)

    class Meta:
        table_name = "hours_sheet"
        required = ("hours",)
        managed = ("id", "user")


class Sheets(Records[Sheet]):
    model, service, noun = Sheet, "hours", "Sheet"

    def prepare(self, values, before):
        if values.get("hours", 0) > 24:
            raise BadRequest(errors=[("hours", "expected at most 24")])


sheets = Sheets()


class Shift(Model):
    """Once a day of each kind."""

    id = AutoField()
    day = CharField(max_length=10)
    kind = CharField(max_length=10, default="late")
    place = CharField(max_length=10, default="")
    room = CharField(max_length=10, null=True)

    class Meta:
        table_name = "hours_shift"
        indexes = ((("day", "kind", "place"), True),)


class Shifts(Records[Shift]):
    model, noun = Shift, "Shift"

    def prepare(self, values, before):
        if values.get("kind") == "where":
            values["place"] = "inside" if database.in_transaction() else "before"

    def inserting(self, values):
        if values.get("kind") == "where":
            values["room"] = f"{values['day']} {'inside' if database.in_transaction() else 'before'}"


shifts = Shifts()
'''

API = '''
from core import Api, Upload

from ..models import sheets, shifts


class Hours(Api):
    """Hours."""

    def post_many(self, rows: list[dict]) -> list[int]:
        """Note many."""
        return sheets.create_many(rows, user=self.user.id)

    def post_file(self, file: Upload) -> list[int]:
        """Note those of a CSV file."""
        return sheets.create_many(file.rows(), place="line {}", first=2, user=self.user.id)

    def post_completed(self, file: Upload) -> list[int]:
        """Note those of a CSV file, one after the other."""
        return sheets.create_many((row | {"note": "from a file"} for row in file.rows()), user=self.user.id)

    def post_shift(self, request_data: dict) -> int:
        """Plan a shift."""
        return shifts.create(request_data)

    def post_shifts(self, rows: list[dict]) -> list[int]:
        """Plan many."""
        return shifts.create_many(rows)

    def shifts(self) -> list[dict]:
        """All of them."""
        return shifts.every({})

    def index(self) -> list[dict]:
        """All."""
        return sheets.every({})
'''


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hours")
    write_files(folder / "modules/hours", {"models.py": MODELS, "class/api_hours.py": API})
    with serving(folder, kind, modules=str(folder / "modules")) as made:
        yield made


@pytest.fixture
def client(served):
    return served.client()


def test_a_new_row_is_prepared_before_its_transaction_and_completed_inside(client):
    client.ask("POST", "/hours/shift", {"day": "one", "kind": "where"})
    client.ask("POST", "/hours/shifts", {"rows": [{"day": "two", "kind": "where"}]})
    found = {each["day"]: each for each in client.ask("GET", "/hours/shifts") if each["kind"] == "where"}
    assert (found["one"]["place"], found["one"]["room"]) == ("before", "one inside")
    assert (found["two"]["place"], found["two"]["room"]) == ("inside", "two inside"), (
        "several rows have one transaction"
    )


def wrong(client, path, body):
    error = client.ask("POST", path, body, status=400)["error"]
    return error["message"], [(each["field"], each["message"]) for each in error["errors"]]


def upload(client, content, status=200):
    return client.upload("/hours/file", {"file": ("hours.csv", content)}, status=status)


def refused(client, content):
    error = upload(client, content, 400)["error"]
    return [(each["field"], each["message"]) for each in error.get("errors", [])] or [("", error["message"])]


def test_everything_that_is_wrong_is_told_with_its_place(client):
    before = client.get("/hours")
    rows = [{"hours": 8}, {"hours": "far", "ref": 21 * "x"}, {}, {"hours": 25}, {"hours": "7.5", "note": "well"}]
    message, errors = wrong(client, "/hours/many", rows)
    assert [field for field, _ in errors] == ["rows[1].hours", "rows[1].ref", "rows[2].hours", "rows[3].hours"]
    assert errors[2:] == [("rows[2].hours", "`hours` is required"), ("rows[3].hours", "expected at most 24")]
    assert message.startswith("Bad Request: 3 of 5 entries rejected; rows[1].hours: expected a number")
    assert client.get("/hours") == before


def test_a_value_may_exist_once_among_them_too(client):
    rows = [{"hours": 1, "ref": "A"}, {"hours": 1, "ref": "B"}, {"hours": 1, "ref": "A"}, {"hours": "x"}]
    _, errors = wrong(client, "/hours/many", rows)
    assert [field for field, _ in errors] == ["rows[2].ref", "rows[3].hours"]
    assert errors[0][1] == "another record has this value"


def test_what_is_right_is_written(client):
    first, second = client.ask("POST", "/hours/many", [{"hours": "7.25"}, {"hours": 8, "note": "long"}])
    found = {each["id"]: each for each in client.get("/hours")}
    assert (found[first]["hours"], found[second]["note"], second) == ("7.25", "long", first + 1)
    assert client.ask("POST", "/hours/many", []) == []


def test_a_thousand_rows_of_a_file_tell_all_that_is_wrong(client):
    """As a spreadsheet writes it: with a mark at its beginning, semicolons, and empty cells."""
    lines = [f"{each % 9};;note {each}" for each in range(1000)]
    lines[16], lines[500], lines[999] = "far;;", ";;nothing", "25;;"
    content = b"\xef\xbb\xbfhours;ref;note\r\n" + "\r\n".join(lines).encode()
    assert refused(client, content) == [
        ("line 18.hours", 'expected a number, got "far"'),
        ("line 502.hours", "`hours` is required"),
        ("line 1001.hours", "expected at most 24"),
    ]
    before = len(client.get("/hours"))
    lines[16], lines[500], lines[999] = "1;;", "2;;", '3;;"two\nlines"'
    assert len(upload(client, b"hours;ref;note\n" + "\n".join(lines).encode())) == 1000
    assert client.get("/hours")[-1]["note"] == "two\nlines"
    assert len(client.get("/hours")) == before + 1000


NO_NAMES = "Bad Request: expected column names in line 1, such as ref, hours, note, marks; got {}"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ("", "Bad Request: line 1: expected a unique name for each column; got no columns")),
        (
            b"hours,,note",
            ("", "Bad Request: line 1: expected a unique name for each column; got an empty name"),
        ),
        (
            b"hours,hours\n1,2",
            ("", 'Bad Request: line 1: expected a unique name for each column; got "hours" 2 times'),
        ),
        (b"hours\n\xff", ("", "Bad Request: expected a CSV file in UTF-8; byte 6 is not UTF-8")),
        (b"hours,note\n1,2,3", ("line 2", "expected at most 2 cells, as in line 1; got 3")),
        (b'hours,note\n1,"2', ("", "Bad Request: expected a CSV file, but it can't be read: unexpected end of data")),
        (b"hours\n1\n\n \nfar\n", ("line 5.hours", 'expected a number, got "far"')),
        (b"hours,note\n1\n\n,,\n2,3,4\n", ("line 5", "expected at most 2 cells, as in line 1; got 3")),
        (b"7.5;Monday\n", ("", NO_NAMES.format("'7.5', 'Monday'"))),
        (b"7.5;Monday\n8;Tuesday\n", ("", NO_NAMES.format("'7.5', 'Monday'"))),
    ],
)
def test_what_is_no_file_of_rows(client, content, expected):
    assert refused(client, content) == [expected]


def test_what_no_text_may_hold_is_refused_in_a_file_too(client):
    ((field, _),) = refused(client, b"hours,note\n1,a\x01b")
    assert field == "line 2.note"


def test_lines_without_any_cell_are_passed_over(client):
    before = len(client.get("/hours"))
    assert len(upload(client, b"hours,note\n1,a\n\n,\n2,b\n \n\n")) == 2
    assert [each["note"] for each in client.get("/hours")[before:]] == ["a", "b"]
    assert upload(client, b"hours,note\n\n") == []


def test_whatever_gives_bodies_is_taken_and_tells_its_lines(client):
    first, second = client.upload("/hours/completed", {"file": ("hours.csv", b"hours\n1\n\n2\n")})
    found = {each["id"]: each for each in client.get("/hours")}
    assert (found[first]["note"], found[second]["hours"]) == ("from a file", "2.00")
    answer = client.upload("/hours/completed", {"file": ("hours.csv", b"hours\n1\n\nfar\n25\n")}, status=400)
    assert [each["field"] for each in answer["error"]["errors"]] == ["line 4.hours", "line 5.hours"]


def test_a_row_of_ones_own_tells_its_line():
    row = CsvRow({"hours": "1"}, 18) | {"note": "x"}
    assert (row, row.line) == ({"hours": "1", "note": "x"}, 18)


def test_a_default_is_told_among_values_that_are_used_together(client):
    client.ask("POST", "/hours/shift", {"day": "Monday"})
    told = client.refused("POST", "/hours/shift", {"day": "Monday"}, status=405)
    assert told == 'Method Not Allowed: Shift rejected: day Monday and kind late and place "" are already used together'


def test_rows_of_different_fields_are_written_together(client):
    """`shifts` has no `prepare`, so their rows are written together."""
    rows = [{"day": f"day {number}", "place": "hall"} for number in range(300)]
    rows[7]["room"], rows[120]["kind"], rows[299]["room"] = "seven", "early", "last"
    made = client.ask("POST", "/hours/shifts", rows)
    found = {each["id"]: each for each in client.get("/hours/shifts")}
    told = [{"kind": "late", "room": None, **row} for row in rows]
    assert [{name: found[id][name] for name in ("kind", "room", "day", "place")} for id in made] == told
    # One value twice among them, and one that is there: all of it is named, and nothing is written
    again = [{"day": "new"}, {"day": "day 5", "place": "hall"}, {"day": "next"}, {"day": "new"}]
    _, errors = wrong(client, "/hours/shifts", again)
    assert [field for field, _ in errors] == [
        f"rows[{number}].{name}" for number in (1, 3) for name in ("day", "kind", "place")
    ]
    assert len(client.get("/hours/shifts")) == len(found)


def test_what_a_text_of_mariadb_does_not_hold_is_named(client, kind):
    """Its columns count bytes; the others take what has so many letters."""
    long = {"hours": 1, "note": 40_000 * "é", "marks": {"a": 65_530 * "x"}}
    assert client.ask("POST", "/hours/many", [long | {"note": 32_767 * "é", "marks": {"a": 65_526 * "x"}}])
    if kind != "mysql":
        assert client.ask("POST", "/hours/many", [long])
        return
    _, errors = wrong(client, "/hours/many", [long])
    assert errors == [
        ("rows[0].note", "expected at most 65535 bytes, got 80000"),
        ("rows[0].marks", "expected at most 65535 bytes as JSON, got 65539"),
    ]

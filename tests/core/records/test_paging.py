"""Pages wherever they lie: behind the end, deep inside, behind a cursor of any order; totals."""

import pytest

from core.storage.database import query
from core.testing import serving
from tests.files import write_files

pytestmark = pytest.mark.any_database

MODELS = """
from peewee import AutoField, CharField, DateField, IntegerField

from core import ExactField, Model, RecordField, Records


class Yard(Model):
    id = AutoField()
    name = CharField(max_length=20, null=True)

    class Meta:
        table_name = "port_yard"


class Ship(Model):
    id = AutoField()
    yard = RecordField(Yard, "Yard", null=True)
    launched = DateField(null=True, index=True)
    length = ExactField(24, 8, null=True, index=True)
    crew = IntegerField(default=0)

    class Meta:
        table_name = "port_ship"
        indexes = ((("crew", "launched"), False),)
        extrafields = "ship"


class Ships(Records[Ship]):
    model = Ship
    service = "ships"
    joins = {"y": (Yard, "yard", ("name",))}


ships = Ships()
yards = Records(Yard, service="yards")
"""
API = """
from core import Crud

from ..models import {records}


class {title}(Crud):
    records = {records}
"""
#: yard, day, length: nobody's, early and late, equal ones
FLEET = [
    (1, "2024-05-01", "10.5"), (2, None, "9"), (None, "2024-05-01", None), (2, "2023-01-31", "10.5"),
    (1, None, None), (None, None, "100"), (2, "2025-12-31", "9"),
]  # fmt: skip


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp(kind)
    services = {f"class/api_{each}.py": API.format(title=each.title(), records=each) for each in ("ships", "yards")}
    write_files(folder / "modules/port", {"models.py": MODELS} | services)
    with serving(folder, kind, modules=str(folder / "modules")) as made:
        client = made.client()
        for name in ("Zaandam", "Antwerp"):
            client.ask("POST", "/yards", {"name": name})
        for yard, day, length in FLEET:
            client.ask("POST", "/ships", {"yard": yard, "launched": day, "length": length, "crew": 3})
        yield made


@pytest.fixture
def client(served):
    return served.client()


def _numbers(client, **parameters):
    return [each["id"] for each in client.get("/ships", **parameters)]


# In the order of the fleet: which has none comes first, and last where it goes down; equal ones by number
@pytest.mark.every_database
@pytest.mark.parametrize(
    ("field", "direction", "expected"),
    [
        ("t.launched", "ASC", [2, 5, 6, 4, 1, 3, 7]),
        ("t.launched", "DESC", [7, 3, 1, 4, 6, 5, 2]),
        ("t.length", "ASC", [3, 5, 2, 7, 1, 4, 6]),
        ("t.length", "DESC", [6, 4, 1, 7, 2, 5, 3]),
        ("y.name", "ASC", [3, 6, 2, 4, 7, 1, 5]),
        ("y.name", "DESC", [5, 1, 7, 4, 2, 6, 3]),
        ("t.crew,t.launched", "ASC,DESC", [7, 3, 1, 4, 6, 5, 2]),
        ("t.rowid", "DESC", [7, 6, 5, 4, 3, 2, 1]),
    ],
)
def test_a_cursor_goes_on_in_every_order(client, field, direction, expected):
    if field == "t.rowid":
        field = "t.id"
    asked = {"sortfield": field, "sortorder": direction}
    assert _numbers(client, **asked) == expected
    for size in (1, 2, 3):
        found, cursor = [], ""
        for _ in range(len(FLEET) + 1):
            more = {"after": cursor} if cursor else {}
            answer = client.simulate_get("/ships", params={**asked, **more, "limit": size})
            found += [each["id"] for each in answer.json]
            cursor = answer.headers.get("x-next-cursor", "")
            if not cursor:
                break
        assert found == expected


@pytest.mark.every_database
def test_the_total_counts_what_matches(client):
    for more, total in (({}, "7"), ({"sqlfilters": "(y.name:like:'%a%')"}, None), ({"page": 1_000_000}, "7")):
        answer = client.simulate_get("/ships", params={"count": 1, "limit": 2, **more})
        listed = len(_numbers(client, limit=100, **{name: more[name] for name in more if name == "sqlfilters"}))
        assert answer.headers["x-total-count"] == (total or str(listed))
    assert client.get("/ships", limit=100, page=1_000_000, sortfield="t.launched") == []
    wrapped = client.get("/ships", pagination_data=1, limit=2)
    assert wrapped["pagination"]["total"] == 7
    # The media type does the same
    page = "application/vnd.comptoir.page+json"
    answer = client.simulate_get("/ships?limit=2", headers={"Accept": page})
    assert (answer.headers["content-type"], answer.json) == (page, wrapped)
    one = client.simulate_get("/ships/1", headers={"Accept": page})
    assert one.headers["content-type"].startswith("application/json")


def test_a_cursor_of_another_order_is_refused(client):
    cursor = client.simulate_get("/ships", params={"sortfield": "y.name", "limit": 1}).headers["x-next-cursor"]
    said = client.refused("GET", "/ships", status=400, params={"sortfield": "t.launched", "after": cursor})
    assert "X-Next-Cursor of a list in the same order" in said


INDEXES = {
    "(launched NULLS FIRST)",
    "(length NULLS FIRST)",
    "(crew, launched NULLS FIRST)",
    "(yard NULLS FIRST)",
    "(id)",
}


def _indexes():
    """What each index is over → its name."""
    found = query("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'port_ship'")
    return {text[text.rindex(" (") + 1 :]: name for name, text in found}


@pytest.mark.every_database("postgresql")
def test_an_index_over_what_may_be_empty_has_it_first(client):
    """PostgreSQL would sort all rows of a list that begins with those."""
    client.get("/ships")
    assert {*_indexes()} == INDEXES


# Links ---------------------------------------------------------------------------------------------------------------


def _next(answer):
    """Return the query in the `Link` of a response; empty without a `Link`."""
    link = answer.headers.get("link", "")
    if not link:
        return ""
    assert link.startswith("<?") and link.endswith('>; rel="next"'), link
    return str(link.removeprefix("<?").removesuffix('>; rel="next"'))


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("limit=3", 3),
        ("limit=3&page=0&sortfield=t.launched&sortorder=DESC", 3),
        ("limit=3&after=&sortfield=y.name", 3),
        ("limit=7", 1),
        ("limit=6&after=&pagination_data=1&count=1", 2),
        ("limit=2&page=-1", 4),
    ],
)
def test_links_lead_through_a_list(client, query, number):
    found, pages, begun = [], 0, dict(pair.split("=") for pair in query.split("&"))
    mode = "after" if "after" in begun else "page"
    while query and pages < 9:
        answer = client.simulate_get("/ships", query_string=query)
        rows = answer.json["data"] if "pagination_data" in begun else answer.json
        found += [each["id"] for each in rows]
        pages += 1
        if query := _next(answer):
            sent = dict(pair.split("=", 1) for pair in query.split("&"))
            assert sent.keys() == {*begun, mode}
            assert {name: sent[name] for name in begun if name != mode} == {
                name: value for name, value in begun.items() if name != mode
            }
            assert sent[mode] == (answer.headers["x-next-cursor"] if mode == "after" else str(pages))
    assert (sorted(found), pages) == ([1, 2, 3, 4, 5, 6, 7], number)


def test_a_link_keeps_what_was_sent_as_it_was_sent(client):
    kept = "sqlfilters=(t.crew%3A%3D%3A3)%20and%20(t.id:>:0)&limit=1&properties=id,crew"
    # A key in the URL isn't repeated, and a name that is spelt with escapes is still that name
    answer = client.simulate_get("/ships", query_string=f"{kept}&api_key=secret&DOLAPIKEY=secret&p%61ge=1")
    assert [each["id"] for each in answer.json] == [2]
    assert _next(answer) == f"{kept.replace('>', '%3E')}&page=2"
    # Of bytes that aren't ASCII each is escaped
    answer = client.simulate_get("/ships", query_string="limit=1&colour='\u00c3\u00a9\"<'")
    assert _next(answer) == "limit=1&colour='%C3%A9%22%3C'&page=1"


def test_a_link_that_is_too_long_is_left_out(client):
    for length, there in ((500, True), (2500, False)):
        answer = client.simulate_get("/ships", params={"limit": 1, "sqlfilters": f"(t.crew:=:3){' ' * length}"})
        assert answer.status_code == 200
        assert bool(_next(answer)) is there, length
        assert answer.headers["x-next-cursor"]


def test_a_list_in_lines_has_a_link_and_a_record_has_none(client):
    answer = client.simulate_get("/ships", params={"limit": 5}, headers={"Accept": "application/x-ndjson"})
    assert _next(answer) == "limit=5&page=1"
    assert "link" not in client.simulate_get("/ships", params={"all": 1}).headers

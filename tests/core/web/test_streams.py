"""All records of a list in one answer, piece by piece."""

import csv
import io
import json

import pytest

from core.web import sheets

LINES, CSV = {"Accept": "application/x-ndjson"}, {"Accept": "text/csv"}
#: names of the people that there are, of whom every third is the customer's
NAMES = [f"Person {number:02}" for number in range(25)]


@pytest.fixture(scope="module")
def customer(server, admin):
    made = admin.ask("POST", "/thirdparties", {"name": "Atelier Vasseur"})
    for number, name in enumerate(NAMES):
        admin.ask("POST", "/contacts", {"lastname": name, "town": "Lyon"} | ({} if number % 3 else {"socid": made}))
    return made


@pytest.fixture
def pieces(monkeypatch):
    """Pieces of ten records."""
    monkeypatch.setattr(sheets, "PIECE", 10)
    yield


def lines(client, path="/contacts", **query):
    answer = client.simulate_get(path, params={"all": "1", **query}, headers=LINES)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    assert "Content-Length" not in answer.headers
    return [json.loads(line) for line in answer.text.splitlines()]


def wrong(client, headers, **query):
    answer = client.simulate_get("/contacts", params={"all": "1", **query}, headers=headers)
    assert answer.status_code == 400, answer.text
    return [each["field"] for each in answer.json["error"]["errors"]]


@pytest.mark.usefixtures("pieces")
def test_all_records_come_as_lines_as_lists_answer_them(admin, customer):
    found = lines(admin)
    assert [each["lastname"] for each in found] == NAMES
    assert found == admin.get("/contacts", limit=100)


def test_half_a_stream_would_pass_for_the_whole_over_http_1_0(admin, customer):
    """There the end of the connection ends the answer, whatever ended the connection."""
    for verb in ("GET", "HEAD"):
        asked = admin.simulate_request(verb, "/contacts", params={"all": "1"}, headers=LINES, http_version="1.0")
        assert asked.status_code == 400
    told = admin.simulate_get("/contacts", params={"all": "1"}, headers=LINES, http_version="1.0").json["error"]
    assert told["errors"] == [{"field": "all", "message": "expected HTTP/1.1, got HTTP/1.0; check the proxy"}]
    page = admin.simulate_get("/contacts", params={"limit": 1}, headers=LINES, http_version="1.0")
    assert page.status_code == 200


@pytest.mark.usefixtures("pieces")
def test_filter_sort_and_properties_count(admin, customer):
    found = lines(admin, sqlfilters="(t.lastname:<:'Person 21')", sortfield="t.lastname", sortorder="DESC",
                  properties="lastname")  # fmt: skip
    assert found == [{"lastname": name} for name in reversed(NAMES[:21])]


@pytest.mark.usefixtures("pieces")
def test_what_one_may_not_see_is_not_in_it(server, admin, customer):
    external = server.user("contacts.read", "thirdparties.read", socid=customer)
    assert [each["lastname"] for each in lines(external)] == NAMES[::3]
    nobody = server.user("products.read")
    assert nobody.simulate_get("/contacts", params={"all": "1"}, headers=LINES).status_code == 401


@pytest.mark.usefixtures("pieces")
def test_csv_has_one_line_of_names(admin, customer):
    answer = admin.simulate_get("/contacts", params={"all": "1", "properties": "lastname,town"}, headers=CSV)
    assert list(csv.reader(io.StringIO(answer.text))) == [["lastname", "town"], *([name, "Lyon"] for name in NAMES)]


@pytest.mark.usefixtures("pieces")
def test_records_in_records_have_columns_although_the_first_piece_has_none(admin, customer):
    query = {"all": "1", "expand": "thirdparty", "properties": "lastname,thirdparty.name"}
    answer = admin.simulate_get("/contacts", params=query, headers=CSV)
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["thirdparty.name"] for row in rows] == ["" if n % 3 else "Atelier Vasseur" for n in range(25)]
    assert wrong(admin, CSV, expand="thirdparty") == ["expand"]
    assert len(lines(admin, expand="thirdparty")) == 25


def test_a_list_without_records_is_an_empty_answer(admin, customer):
    assert lines(admin, sqlfilters="(t.lastname:=:'Nobody')") == []


def test_what_does_not_fit_is_told(admin, customer):
    assert wrong(admin, {"Accept": "application/json"}) == ["all"]
    assert wrong(admin, LINES, sqlfilters="(t.nothing:=:1)") == ["sqlfilters"]


def test_what_is_of_pages_does_not_count_and_whoever_accepts_anything_gets_lines(admin, customer):
    assert len(lines(admin, page="3", limit="2", pagination_data="1")) == 25
    answer = admin.simulate_get("/contacts", params={"all": "1"})
    assert (answer.headers["Content-Type"], len(answer.text.splitlines())) == ("application/x-ndjson", 25)


def test_a_page_comes_as_lines_too(admin, customer):
    answer = admin.simulate_get("/contacts", params={"limit": "2"}, headers=LINES)
    assert [json.loads(line)["lastname"] for line in answer.text.splitlines()] == NAMES[:2]
    assert answer.headers["X-Next-Cursor"]


@pytest.mark.usefixtures("pieces")
def test_counts_and_heads(admin, customer):
    answer = admin.simulate_get("/contacts", params={"all": "1", "count": "1"}, headers=LINES)
    assert answer.headers["X-Total-Count"] == "25"
    assert "X-Next-Cursor" not in answer.headers
    for headers in (LINES, {"Accept": "text/csv"}):
        head = admin.simulate_head("/contacts", params={"all": "1"}, headers=headers)
        assert (head.status_code, head.text) == (200, "")
        # The length isn't known
        assert "Content-Length" not in head.headers


@pytest.mark.usefixtures("pieces")
def test_it_goes_on_behind_a_cursor(admin, customer):
    page = admin.simulate_get("/contacts", params={"limit": "5"})
    assert [each["lastname"] for each in lines(admin, after=page.headers["X-Next-Cursor"])] == NAMES[5:]


def test_a_cursor_that_fits_in_no_request_is_refused(admin):
    ids = [admin.ask("POST", "/contacts", {"lastname": f"Long {n}", "note_public": f"{n}" * 9_000}) for n in range(3)]
    wanted = {"sqlfilters": "(t.lastname:like:'Long %')", "sortfield": "t.note_public", "limit": "1"}
    error = admin.get("/contacts", status=400, **wanted)["error"]
    assert [each["field"] for each in error["errors"]] == ["sortfield"]
    assert [each["id"] for each in admin.get("/contacts", page="1", **wanted)] == ids[1:2]
    assert [each["id"] for each in lines(admin, **wanted | {"limit": "2"})] == ids
    for each in ids:
        admin.ask("DELETE", f"/contacts/{each}")


@pytest.mark.usefixtures("pieces")
def test_an_error_in_the_middle_breaks_the_answer(admin, customer, monkeypatch):
    from modules.thirdparties.contacts import contacts

    page, calls = contacts.page, []

    def failing(*arguments, **more):
        calls.append(1)
        if len(calls) == 2:
            raise RuntimeError("the disk is gone")
        return page(*arguments, **more)

    monkeypatch.setattr(contacts, "page", failing)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        # A server ends the connection without the end of the answer
        admin.simulate_get("/contacts", params={"all": "1"}, headers=LINES)

"""What a response repeats of its request: no more than 20 times the size of the request."""

import json
import logging
from typing import Any

import pytest

from core.common.errors import MAX_NAMES, joined
from core.serving.logs import MAX_TEXT_CHARS, JsonLines, TextLines
from core.testing import serving

pytestmark = pytest.mark.slow

#: the size of a response over 20 times that of its request: an error, or an entry of a batch, of each of 1,000
ALLOWED = 4096
ALLOWED_FOR_EACH = 300
STRICT = {"Prefer": "handling=strict"}
CSV = {"Content-Type": "text/csv"}
LONG = 5000

#: verb, path, body, headers
Request = tuple[str, str, Any, dict[str, str]]


@pytest.fixture(scope="module")
def admin(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("echo")) as served:
        made = served.client()
        assert made.ask("POST", "/thirdparties", {"name": "A", "client": 1}) == 1
        made.ask("POST", "/setup/extrafields/socpeople/shoe", {"label": "Shoe", "type": "int"})
        many = {"options": {f"option {number}": "x" for number in range(1000)}}
        made.ask("POST", "/setup/extrafields/socpeople/colour", {"label": "Colour", "type": "select", "param": many})
        yield made


def names(count, length=6):
    return [f"x{number:0{length - 1}}" for number in range(count)]


def unknown(count, length=6):
    return {"lastname": "A"} | dict.fromkeys(names(count, length), "x")


def table(columns, length, rows):
    """A CSV file with so many unknown columns."""
    heading = ",".join(["lastname", *names(columns, length)])
    return "\n".join([heading, *["n" + ",x" * columns] * rows])


def batch(body, count=1000, **more):
    return {"entries": [{"method": "POST", "body": body}] * count} | more


def order(**line):
    return {"socid": 1, "date": 0, "lines": [{"desc": "x", "qty": 1, "subprice": 1} | line] * 1000}


APART = {"atomic": False}
REQUESTS = {
    "names": ("POST", "/contacts", unknown(400), {}),
    "long names": ("POST", "/contacts", unknown(1000, LONG), {}),
    "a million names": ("POST", "/contacts", unknown(400_000), {}),
    "names, strict": ("POST", "/contacts", unknown(1000, LONG), STRICT),
    "names of parameters": ("POST", "/invoices/1/payments", unknown(1000, LONG), {}),
    "extra fields": ("POST", "/contacts", {"lastname": "A", "array_options": unknown(1000, LONG)}, {}),
    "extra fields, strict": ("POST", "/contacts", {"lastname": "A", "array_options": unknown(1000, LONG)}, STRICT),
    "options": ("POST", "/contacts/batch", batch({"lastname": "A", "array_options": {"options_colour": 1}}) | APART, {}),
    "a value": ("POST", "/contacts", {"lastname": "A", "birthday": "x" * 1_000_000}, {}),
    "a value of another type": ("POST", "/contacts", {"lastname": {"x": ["y"] * 100_000}}, {}),
    "values": ("POST", "/orders", order(qty="x" * 1000), {}),
    "short values": ("POST", "/orders", order(qty="x", subprice="x", tva_tx="x", rang="x"), {}),
    "empty lines": ("POST", "/orders", {"socid": 1, "date": 0, "lines": [{}] * 1000}, {}),
    "names in lines": ("POST", "/orders", order(**dict.fromkeys(names(20, 80), 1)), {}),
    "names in lines, strict": ("POST", "/orders", order(**dict.fromkeys(names(20, 80), 1)), STRICT),
    "keys that can't be stored": ("POST", "/contacts", {f"\0{'x' * LONG}{number}": "\0" for number in range(100)}, {}),
    "path": ("GET", "/" + "x" * 4000, None, {}),
    "path of a record": ("GET", "/contacts/" + "x" * 4000, None, {}),
    "text of a path": ("GET", "/thirdparties/email/" + "x" * 4000, None, {}),
    "explorer": ("GET", "/explorer/openapi/" + "x" * 4000 + ".json", None, {}),
    "query": ("GET", "/contacts?" + "&".join(names(700, 8)), None, {}),
    "long name in a query": ("GET", "/contacts?" + "x" * 6000 + "=1", None, {}),
    "query, strict": ("GET", "/contacts?" + "&".join(names(700, 8)), None, STRICT),
    "sortfield": ("GET", "/contacts?sortfield=" + "x" * 6000, None, {}),
    "sortorder": ("GET", "/contacts?sortorder=" + "x" * 6000, None, {}),
    "properties": ("GET", "/contacts?properties=" + ",".join(names(700, 8)), None, {}),
    "expand": ("GET", "/contacts?expand=" + ",".join(names(700, 8)), None, {}),
    "filter": ("GET", "/contacts?sqlfilters=(t." + "x" * 6000 + ":=:1)", None, {}),
    "value in a filter": ("GET", "/contacts?sqlfilters=(t.rowid:=:'" + "x" * 6000 + "')", None, {}),
    "cursor": ("GET", "/contacts?after=" + "x" * 6000, None, {}),
    "number": ("GET", "/contacts?limit=" + "x" * 6000, None, {}),
    "accept": ("GET", "/contacts?all=1", None, {"Accept": "x/" + "y" * 8000}),
    "content type": ("POST", "/contacts", {}, {"Content-Type": "x/" + "y" * 8000}),
    "key": ("POST", "/contacts", {"lastname": "A"}, {"Idempotency-Key": "x" * 8000}),
    "etag": ("PUT", "/thirdparties/1", {"name": "A"}, {"If-Match": "x" * 8000}),
    "entries": ("POST", "/contacts/batch", batch(unknown(20)), {}),
    "entries, long names": ("POST", "/contacts/batch", batch(unknown(2, 4000)), {}),
    "entries, strict": ("POST", "/contacts/batch", batch(unknown(20)), STRICT),
    "entries apart, strict": ("POST", "/contacts/batch", batch(unknown(1)) | APART, STRICT),
    "entries apart, many names, strict": ("POST", "/contacts/batch", batch(unknown(20)) | APART, STRICT),
    "entries apart, values": ("POST", "/contacts/batch", batch({"birthday": "x", "fk_soc": "x"}) | APART, {}),
    "entries apart, lines": ("POST", "/orders/batch", batch({"lines": [1] * 900}) | APART, {}),
    "keys of entries": ("POST", "/contacts/batch", {"entries": [unknown(100, 1000)] * 50}, {}),
    "entries of another type": ("POST", "/contacts/batch", {"entries": ["x" * 1000] * 1000}, {}),
    "CSV, long names": ("POST", "/contacts/batch", table(400, LONG, 400), CSV),
    "CSV, short names": ("POST", "/contacts/batch", table(20, 6, 1000), CSV),
    "CSV, strict": ("POST", "/contacts/batch", table(20, 6, 1000), CSV | STRICT),
    "CSV apart, strict": ("POST", "/contacts/batch?atomic=0", table(20, 6, 1000), CSV | STRICT),
    "CSV apart, values": ("POST", "/contacts/batch?atomic=0", "lastname,birthday\n" + "n,x\n" * 1000, CSV),
    "CSV, long values": ("POST", "/contacts/batch", "lastname,birthday\n" + f"n,{'x' * 2000}\n" * 1000, CSV),
    "CSV, repeated names": ("POST", "/contacts/batch", ",".join(names(200_000) * 2), CSV),
    "CSV, long rows": ("POST", "/contacts/batch", "lastname\n" + "n,x\n" * 1000, CSV),
    "form": ("POST", "/contacts", "&".join(names(900)), {"Content-Type": "application/x-www-form-urlencoded"}),
    "multipart": (
        "POST", "/contacts",
        "".join(f'--B\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n\r\n' for name in names(900, 100)) + "--B--",
        {"Content-Type": "multipart/form-data; boundary=B"},
    ),
}  # fmt: skip


def send(admin, verb, path, body, headers):
    """Return the response, the size of the request, and that of the response."""
    content = "" if body is None else body if isinstance(body, str) else json.dumps(body)
    kind = {} if body is None else {"Content-Type": "application/json"}
    answer = admin.simulate_request(verb, path, body=content.encode(), headers=kind | headers)
    heads = [sum(len(name) + len(value) for name, value in each.items()) for each in (headers, answer.headers)]
    return answer, len(path) + len(content.encode()) + heads[0], len(answer.content) + heads[1]


@pytest.mark.parametrize("key", REQUESTS)
def test_a_response_has_no_more_than_20_times_the_size_of_its_request(admin, key):
    answer, asked, answered = send(admin, *REQUESTS[key])
    body = answer.json if answer.content else None
    many = body.get("results") or body.get("error", {}).get("errors", ()) if isinstance(body, dict) else ()
    assert answer.status_code < 500, answer.text[:300]
    read = answered if isinstance(body, list) else 0
    assert answered - read <= 20 * asked + ALLOWED + ALLOWED_FOR_EACH * len(many)


NAMES = ", ".join(names(20))


def test_a_warning_lists_20_names(admin):
    answer = admin.simulate_post("/contacts", json=unknown(400))
    assert answer.headers["warning"] == f'299 comptoir "ignored: {NAMES} and 380 more"'
    answer = admin.simulate_get("/contacts?" + "&".join(names(400)))
    assert answer.headers["warning"] == f'299 comptoir "ignored: {NAMES} and 380 more"'
    answer = admin.simulate_post("/contacts", json=unknown(1, LONG))
    assert answer.headers["warning"] == f'299 comptoir "ignored: {names(1, LONG)[0][:80]}"'
    assert "warning" not in admin.simulate_post("/contacts", json=unknown(0)).headers


def test_an_entry_and_the_lines_of_a_document_have_one_warning(admin):
    results = admin.ask("POST", "/contacts/batch", batch(unknown(400), 2))["results"]
    assert [each["warnings"] for each in results] == [[f"ignored: {NAMES} and 380 more"]] * 2
    answer = admin.simulate_post("/orders", json=order(**dict.fromkeys(names(400), 1)))
    assert answer.headers["warning"] == f'299 comptoir "ignored: {NAMES} and 380 more"'


def test_an_error_lists_20_names(admin):
    errors = admin.ask("POST", "/contacts", unknown(400), status=400, headers=STRICT)["error"]["errors"]
    assert [each["field"] for each in errors] == names(20)
    assert errors[0]["message"].startswith("`x00000` is unknown. Known names: ")
    assert errors[-1]["message"] == "`x00019` and 380 more are unknown"


def test_a_csv_file_has_one_warning_about_its_columns(admin):
    answer, _, _ = send(admin, "POST", "/contacts/batch", table(400, 6, 3), CSV)
    assert answer.headers["warning"] == f'299 comptoir "ignored: {NAMES} and 380 more"'
    assert [each.keys() for each in answer.json["results"]] == [{"line", "status", "result"}] * 3


def test_an_unknown_column_of_a_strict_csv_file_is_one_error(admin):
    before = len(admin.get("/contacts", limit=1000))
    answer, _, _ = send(admin, "POST", "/contacts/batch?atomic=0", "lastname,lastnam\na,\nb,x\nc,x", CSV | STRICT)
    assert answer.status_code == 400 and answer.json["error"]["line"] == 3
    assert [each["field"] for each in answer.json["error"]["errors"]] == ["line 3.lastnam"]
    assert len(admin.get("/contacts", limit=1000)) == before


def test_a_batch_lists_1000_wrong_fields_in_all(admin):
    results = admin.ask("POST", "/orders/batch", batch({"socid": 1, "lines": [1] * 400}, 4, atomic=False))["results"]
    assert [len(each["error"].get("errors", ())) for each in results] == [400, 400, 200, 0]
    assert results[3]["error"]["message"] == results[0]["error"]["message"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        # The first line has the names; an empty line counts as a value of each column. One column is a limit of
        # tests/test_limits.py
        ("lastname,town\na,b\n" + "\n" * 499_999, 200),
        ("lastname,town\na,b\n" + "\n" * 500_000, 400),
        ("lastname\na\n" + ",\n" * 500_000, 400),
        (",".join(["lastname", *names(999)]) + "\n" + "a\n" * 1000, 200),
        (",".join(["lastname", *names(1000)]) + "\n" + "a\n" * 1000, 400),
    ],
)
def test_a_csv_file_has_a_million_values(admin, content, status):
    answer, _, _ = send(admin, "POST", "/contacts/batch", content, CSV)
    assert answer.status_code == status, answer.text[:300]
    if status == 400:
        assert answer.json["error"]["message"] == "Bad Request: expected at most 1000000 values, got more"


def test_a_column_name_that_can_not_be_stored_is_one_error(admin):
    answer, _, _ = send(admin, "POST", "/contacts/batch", "lastname,a\x01b\nx,y\nx,y", CSV)
    assert answer.status_code == 400
    assert [each["field"] for each in answer.json["error"]["errors"]] == ["line 1[1]"]


@pytest.mark.parametrize("formatter", [TextLines, JsonLines])
def test_a_line_of_the_log_is_limited(formatter):
    try:
        raise ValueError("x" * 1_000_000)
    except ValueError as error:
        raised = (ValueError, error, error.__traceback__)
    record = logging.LogRecord("comptoir", logging.ERROR, "", 0, "failed: %s", ("x" * 1_000_000,), raised)
    assert 2 * MAX_TEXT_CHARS < len(formatter().format(record)) < 2 * MAX_TEXT_CHARS + 1000


def test_names_are_joined_for_a_message():
    assert joined([]) == ""
    assert joined(["a", "b"], {"b": "c"}) == "a, b (did you mean c?)"
    assert joined(names(20)) == NAMES
    assert joined(names(21)) == f"{NAMES} and 1 more"
    assert joined(["x" * 81]) == "x" * 80
    assert MAX_NAMES == 20

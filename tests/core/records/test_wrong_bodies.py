"""What must be there, and all that is wrong with a body at once, on each kind of database."""

import threading
from datetime import date
from itertools import count

import pytest

from core import Refused, transaction
from core.records import problems
from core.storage.database import backend, close, end_of_request, ensure_connected
from core.storage.model import meta_of
from core.testing import serving
from tests.core.records import club

pytestmark = pytest.mark.any_database


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("club")
    with serving(folder, kind, modules=club.fill(folder / "outside")) as served:
        yield served


@pytest.fixture(scope="module")
def admin(served):
    return served.client()


@pytest.fixture(scope="module")
def member(admin):
    return int(admin.ask("POST", "/clubmembers", {"label": "Ada", "number": "1"}))


_days = count(date(2020, 1, 1).toordinal())


def sheet(member, **more):
    return {"member": member, "day": str(date.fromordinal(next(_days))), "hours": "1.5", "task": "row", **more}


def wrong(client, verb, path, body, status):
    """The fields that an answer names."""
    error = client.ask(verb, path, body, status=status)["error"]
    return [each["field"] for each in error.get("errors", [])]


# What must be there ---------------------------------------------------------------------------------------------------


def test_a_column_without_null_and_default_is_required(admin, member):
    # `details` is set by the module, `week` and `place` by `prepare`, as `Meta` says
    assert wrong(admin, "POST", "/clubsheets", {}, 400) == ["member", "day", "hours", "task"]
    message = admin.refused("POST", "/clubsheets", {"member": member, "hours": 1, "task": "x"}, status=400)
    assert message == "Bad Request: `day` is required"
    made = admin.ask("POST", "/clubsheets", sheet(member))
    read = admin.get(f"/clubsheets/{made}")
    assert (read["week"] > 0, read["details"], read["state"]) == (True, {"by": "server"}, "new")


@pytest.mark.parametrize("value", [None, "absent"])
def test_null_is_missing_and_an_empty_text_is_one(admin, member, value):
    body = sheet(member)
    if value == "absent":
        del body["task"]
    else:
        body["task"] = value
    assert admin.refused("POST", "/clubsheets", body, status=400) == "Bad Request: `task` is required"
    made = admin.ask("POST", "/clubsheets", body | {"task": ""})
    assert admin.get(f"/clubsheets/{made}")["task"] == ""


@pytest.mark.parametrize("verb", ["PATCH", "PUT"])
def test_a_change_takes_nothing_away_that_must_be_there(admin, member, verb):
    path = f"/clubsheets/{admin.ask('POST', '/clubsheets', sheet(member))}"
    before = admin.get(path)
    for name in ("day", "hours", "task"):
        assert admin.refused(verb, path, {name: None}, status=400) == f"Bad Request: `{name}` is required"
    assert wrong(admin, verb, path, {"hours": None, "task": None, "day": "soon"}, 400) == ["day", "hours", "task"]
    assert wrong(admin, verb, path, {"member": None, "day": ""}, 400) == ["member", "day"]
    assert wrong(admin, verb, path, {"details": None}, 400) == ["details"]
    assert admin.get(path) == before
    # What is not sent stays, as whatever is required does
    assert admin.ask(verb, path, {"tag": "done"}) == before | {"tag": "done"}
    admin.ask(verb, path, {"tag": None})


def test_what_the_module_and_prepare_give_is_not_asked_of_a_body(admin, member):
    assert wrong(admin, "POST", "/clubsheets", {"hours": "many", "member": member}, 400) == ["hours", "day", "task"]


def test_the_description_says_what_is_required(admin):
    schemas = admin.get("/explorer/openapi/clubsheets.json")["components"]["schemas"]
    assert schemas["SheetNew"]["required"] == ["day", "details", "hours", "member", "task"]
    assert "required" not in schemas["SheetChange"]
    assert "minLength" not in schemas["SheetNew"]["properties"]["task"]


def test_lists_of_fields_of_a_base_add_up(admin):
    meta = meta_of(club.models().Member)
    assert (meta.required, meta.managed, meta.secret) == (("label",), ("id", "author", "joined"), ("pin",))
    assert meta.aliases == {"name": "label", "no": "number"}
    assert club.models().Sheets.managed == ("state",)
    schemas = admin.get("/explorer/openapi/clubmembers.json")["components"]["schemas"]
    assert schemas["MemberNew"]["required"] == ["label", "number"]
    assert not {"id", "author", "joined", "pin"} & {*schemas["MemberNew"]["properties"]}


# All at once ----------------------------------------------------------------------------------------------------------


def test_all_that_is_wrong_is_told_at_once(admin, member):
    day = {"day": "2026-03-01"}
    admin.ask("POST", "/clubsheets", sheet(member, **day, tag="a"))
    told = [
        # Alone each keeps its status
        ({"member": 999}, 404, ["member"], "Not Found: Member 999 not found"),
        ({"tag": "a"}, 405, ["tag"], "Method Not Allowed: Sheet rejected: tag a is already used"),
        (day, 405, ["member", "day"], f"Method Not Allowed: Sheet rejected: member {member} and day 2026-03-01 are "
         "already used together"),
        # Of several the first of 400, 404, 405 counts
        ({"member": 999, "tag": "a"}, 404, ["member", "tag"], "Not Found: Member 999 not found"),
        ({**day, "tag": "a"}, 405, ["tag", "member", "day"], "Method Not Allowed: Sheet rejected: tag a is already used"),
        ({"member": 999, "tag": "a", "task": None}, 400, ["task", "member", "tag"], "Bad Request: `task` is required"),
        ({"member": 999, "tag": "a", "hours": "x", "task": None}, 400, ["hours", "member", "tag", "task"], None),
        # What `prepare` refuses, too
        ({"member": 999, "tag": "a", "task": "fail"}, 400, ["task", "member", "tag"], "Bad Request: task must not fail"),
    ]  # fmt: skip
    path = f"/clubsheets/{admin.ask('POST', '/clubsheets', sheet(member))}"
    for changes, status, fields, message in told:
        for verb, where, body in (("POST", "/clubsheets", sheet(member) | changes), ("PATCH", path, changes)):
            assert sorted(wrong(admin, verb, where, body, status)) == sorted(fields), (verb, changes)
            assert message in (None, admin.refused(verb, where, body, status=status)), (verb, changes)


def test_what_a_row_has_already_is_not_told_of_it(admin, member):
    made = admin.ask("POST", "/clubsheets", sheet(member, tag="own"))
    read = admin.get(f"/clubsheets/{made}")
    assert admin.ask("PATCH", f"/clubsheets/{made}", read) == read
    assert wrong(admin, "PATCH", f"/clubsheets/{made}", read | {"hours": "x"}, 400) == ["hours"]
    assert admin.refused("PATCH", "/clubsheets/9999", {"hours": "x", "tag": "own"}, status=400)


def test_a_value_of_an_extra_field_is_told_along(admin):
    shade = {"label": "Shade", "type": "varchar", "unique": 1}
    admin.ask("POST", "/setup/extrafields/club_member/shade", shade)
    grey = {"array_options": {"options_shade": "grey"}}
    first = admin.ask("POST", "/clubmembers", {"label": "x", "number": "e1", **grey})
    field = "array_options.options_shade"
    assert wrong(admin, "POST", "/clubmembers", {"label": "x", "number": "e2", **grey}, 400) == [field]
    assert wrong(admin, "POST", "/clubmembers", {"label": "x", "number": "e1", **grey}, 400) == [field, "number"]
    body = {"label": "x", "number": "e1", "coach": "?", **grey}
    assert wrong(admin, "POST", "/clubmembers", body, 400) == ["coach", "number", field]
    path = f"/clubmembers/{admin.ask('POST', '/clubmembers', {'label': 'y', 'number': 'e3'})}"
    assert wrong(admin, "PATCH", path, {"number": "e1", **grey}, 400) == [field, "number"]
    assert wrong(admin, "PATCH", f"/clubmembers/{first}", {"coach": "?", "number": "e3", **grey}, 400) == [
        "coach", "number",
    ]  # fmt: skip


def test_a_patch_leaves_extra_fields_that_it_does_not_send(admin):
    for name in ("tone", "hue"):
        admin.ask("POST", f"/setup/extrafields/club_member/{name}", {"label": name, "type": "varchar"})
    extras = {"options_tone": "a", "options_hue": "b"}
    made = admin.ask("POST", "/clubmembers", {"label": "x", "number": "p1", "array_options": extras})
    changed = admin.ask("PATCH", f"/clubmembers/{made}", {"array_options": {"options_tone": "c"}})["array_options"]
    assert (changed["options_tone"], changed["options_hue"]) == ("c", "b")


def test_nothing_in_a_set_is_no_value(admin, member):
    for number in ("n1", "n2"):
        admin.ask("POST", "/clubmembers", {"label": "x", "number": number})
    for _ in range(2):
        admin.ask("POST", "/clubsheets", sheet(member, tag=None))


# Where somebody was faster --------------------------------------------------------------------------------------------


@pytest.fixture
def unseen(monkeypatch):
    """Whatever is looked for before a row is written is not found yet: it comes in between."""
    monkeypatch.setattr(problems, "has_other", lambda *_: False)
    monkeypatch.setattr(problems, "_exists", lambda *_: True)


@pytest.mark.every_database
@pytest.mark.usefixtures("unseen")
def test_what_the_database_refuses_is_named_alike(admin, member):
    body = sheet(member, tag="fast")
    path = f"/clubsheets/{admin.ask('POST', '/clubsheets', body)}"
    other = f"/clubsheets/{admin.ask('POST', '/clubsheets', sheet(member))}"
    for verb, where, sent in (("POST", "/clubsheets", sheet(member, tag="fast")), ("PATCH", other, {"tag": "fast"})):
        assert wrong(admin, verb, where, sent, 405) == ["tag"]
        assert admin.refused(verb, where, sent, status=405).endswith("Sheet rejected: tag fast is already used")
    for verb, where in (("POST", "/clubsheets"), ("PATCH", other)):
        sent = {**body, "tag": None}
        assert wrong(admin, verb, where, sent, 405) == ["member", "day"]
        told = admin.refused(verb, where, sent, status=405)
        assert told.endswith(f"member {member} and day {body['day']} are already used together")
    if backend().name == "sqlite":
        # It does not say which, and nobody can be faster within its one lock
        assert "a referenced record no longer exists" in admin.refused("POST", "/clubsheets", sheet(777), status=405)
    else:
        assert wrong(admin, "POST", "/clubsheets", sheet(777), 404) == ["member"]
        assert admin.refused("PATCH", path, {"member": 777}, status=404) == "Not Found: Member 777 not found"


@pytest.mark.every_database
def test_of_two_creations_at_once_one_is_told_which_value(admin, member):
    numbers = [f"race{each}" for each in range(6)]
    told = []
    for number in numbers:
        start = threading.Barrier(2)

        def create(number=number, start=start):
            start.wait()
            answer = admin.simulate_post("/clubmembers", json={"label": "x", "number": number})
            told.append((answer.status_code, answer.json))
            end_of_request()
            close()

        both = [threading.Thread(target=create) for _ in range(2)]
        for each in both:
            each.start()
        for each in both:
            each.join()
    refused = [data["error"] for status, data in told if status != 200]
    assert len(refused) == len(numbers)
    assert {error["code"] for error in refused} == {405}
    assert {error["errors"][0]["field"] for error in refused} == {"number"}


@pytest.mark.every_database
def test_a_refusal_that_is_caught_leaves_the_transaction_whole(admin, member):
    ensure_connected()
    sheets = club.models().sheets
    body = sheet(member, tag="once")
    with transaction():
        first = sheets.create(body, details={"a": 1})
        with pytest.raises(Refused):
            sheets.create(sheet(member, tag="once"), details={"a": 1})
        with pytest.raises(Refused):
            sheets.create(body | {"tag": None}, details={"a": 1})
        second = sheets.create(sheet(member), details={"a": 1})
    assert admin.get(f"/clubsheets/{first}")["tag"] == "once"
    assert admin.get(f"/clubsheets/{second}")["tag"] is None

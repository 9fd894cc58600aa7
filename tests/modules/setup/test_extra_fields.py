"""Definitions of extra fields, and what they do to records that are there."""

import pytest

from core.records import extra_field_definitions
from core.records.extra_fields import values_table
from core.storage.database import database, ensure_connected
from modules.users.models import User
from tests.modules.commercial.documents.test_at_once import at_once

SHAPE = [
    "type", "label", "size", "elementtype", "default", "computed", "unique", "required", "param", "pos",
    "alwayseditable", "perms", "list",
]  # fmt: skip


@pytest.fixture(autouse=True)
def clean(admin):
    yield
    for element, found in admin.get("/setup/extrafields").items():
        for name in found:
            admin.ask("DELETE", f"/setup/extrafields/{element}/{name}")


def define(admin, name, status=200, element="user", **body):
    body = {"label": f"A {name}", "type": "varchar", **body}
    return admin.ask("POST", f"/setup/extrafields/{element}/{name}", body, status=status)


_made = iter(range(1, 10000))


def user(admin, **options):
    body = {"login": f"extra.{next(_made)}"}
    return int(admin.ask("POST", "/users", body | ({"array_options": options} if options else {})))


def options(admin, user_id):
    return admin.get(f"/users/{user_id}")["array_options"]


def test_none_is_an_empty_map(admin):
    assert admin.get("/setup/extrafields") == {}


def test_the_shape_of_a_definition(admin):
    assert isinstance(define(admin, "ptext", size=255, pos=100), int)
    define(admin, "psel", type="select", param={"options": {"1": "one", "2": "two"}}, pos=50)
    found = admin.get("/setup/extrafields", type="user")
    assert list(found) == ["user"]
    assert list(found["user"]) == ["psel", "ptext"]
    text = found["user"]["ptext"]
    assert list(text) == SHAPE
    assert text == {
        "type": "varchar", "label": "A ptext", "size": "255", "elementtype": "user", "default": None,
        "computed": None, "unique": 0, "required": 0, "param": {}, "pos": 100, "alwayseditable": 1, "perms": None,
        "list": "1",
    }  # fmt: skip
    assert found["user"]["psel"]["param"] == {"options": {"1": "one", "2": "two"}}
    assert admin.get("/setup/extrafields/user/ptext") == text


def test_definitions_are_filtered_and_sorted(admin):
    define(admin, "one", pos=2)
    define(admin, "two", pos=1)
    assert list(admin.get("/setup/extrafields")["user"]) == ["two", "one"]
    assert list(admin.get("/setup/extrafields", sortorder="DESC")["user"]) == ["one", "two"]
    assert list(admin.get("/setup/extrafields", sqlfilters="(t.name:=:'two')")["user"]) == ["two"]
    assert admin.get("/setup/extrafields", type="propal") == {}
    admin.get("/setup/extrafields", sqlfilters="(t.nosuch:=:1)", status=400)
    admin.get("/setup/extrafields", sortfield="t.nosuch", status=400)


@pytest.mark.every_database
def test_an_extra_field_is_usable_at_once(server, admin):
    before = user(admin)
    define(admin, "badge", size=20)
    after = user(admin, options_badge="B7")
    assert options(admin, after) == {"options_badge": "B7"}
    assert options(admin, before) in ({}, {"options_badge": None})
    assert [each["id"] for each in admin.get("/users", sqlfilters="(ef.badge:=:'B7')")] == [after]
    admin.ask("PUT", f"/users/{after}", {"array_options": {"badge": "B8"}})
    assert options(admin, after) == {"options_badge": "B8"}
    answer = admin.simulate_put(f"/users/{after}", json={"array_options": {"options_nosuch": 1}})
    assert "nosuch" in answer.headers["warning"]
    admin.refused("PUT", f"/users/{after}", {"array_options": {"badge": "x" * 21}}, status=400)


def test_put_replaces_and_patch_merges(admin):
    define(admin, "one")
    define(admin, "two")
    user_id = user(admin, one="a", two="b")
    admin.ask("PATCH", f"/users/{user_id}", {"array_options": {"one": "c"}})
    assert options(admin, user_id) == {"options_one": "c", "options_two": "b"}
    admin.ask("PUT", f"/users/{user_id}", {"job": "x"})
    assert options(admin, user_id) == {"options_one": "c", "options_two": "b"}
    admin.ask("PUT", f"/users/{user_id}", {"array_options": {"one": "d"}})
    assert options(admin, user_id) == {"options_one": "d", "options_two": None}


VALUES = [
    ("varchar", "abc", "abc"),
    ("text", "a\nb", "a\nb"),
    ("int", 5, 5),
    ("int", "7", 7),
    ("double", "2.5", "2.50000000"),
    ("price", "12.5", "12.50000000"),
    ("date", 1795219200, 1795219200),
    ("date", "2026-12-25", 1798156800),
    ("datetime", 1795226000, 1795226000),
    ("boolean", 1, 1),
    ("boolean", "0", 0),
    ("mail", "a@example.org", "a@example.org"),
]


@pytest.mark.every_database
@pytest.mark.parametrize(("type_name", "sent", "read"), VALUES)
def test_values(admin, type_name, sent, read):
    define(admin, "value", type=type_name)
    assert options(admin, user(admin, value=sent)) == {"options_value": read}


@pytest.mark.parametrize(
    ("type_name", "sent"), [("int", "notint"), ("price", "x"), ("date", "someday"), ("boolean", 2), ("select", "3")]
)
def test_values_that_do_not_fit(admin, type_name, sent):
    define(admin, "value", type=type_name, param={"options": {"1": "one"}} if type_name == "select" else None)
    body = {"login": "extra.unfit", "array_options": {"options_value": sent}}
    assert "options_value" in admin.refused("POST", "/users", body, status=400)
    admin.get("/users/login/extra.unfit", status=404)


def test_a_required_extra_field(admin):
    define(admin, "badge", required=1)
    bodies = [{}, {"array_options": {}}, {"array_options": {"badge": ""}}]
    for sent in bodies:
        admin.refused("POST", "/users", {"login": "extra.required", **sent}, status=400)
    user_id = user(admin, badge="B1")
    admin.ask("PUT", f"/users/{user_id}", {"job": "x"})
    admin.refused("PUT", f"/users/{user_id}", {"array_options": {"badge": ""}}, status=400)


@pytest.mark.every_database
def test_a_default_and_a_unique_one(admin):
    define(admin, "badge", default="none")
    define(admin, "number", type="int", unique=1)
    user_id = user(admin, number=7)
    assert options(admin, user_id) == {"options_badge": "none", "options_number": 7}
    admin.refused("POST", "/users", {"login": "extra.twice", "array_options": {"number": 7}}, status=400)
    admin.ask("PATCH", f"/users/{user_id}", {"array_options": {"number": 7}})


def test_a_definition_is_changed(admin):
    define(admin, "badge")
    changed = admin.ask("PUT", "/setup/extrafields/user/badge", {"label": "Other", "required": 1, "pos": 9})
    assert (changed["label"], changed["required"], changed["pos"], changed["type"]) == ("Other", 1, 9, "varchar")
    admin.refused("POST", "/users", {"login": "extra.now"}, status=400)
    for fixed in ({"type": "int"}, {"size": "30"}):
        admin.refused("PUT", "/setup/extrafields/user/badge", fixed, status=400)
    admin.refused("PUT", "/setup/extrafields/user/badge", {"default": "x" * 256 + "\x00"}, status=400)
    admin.refused("PUT", "/setup/extrafields/user/nosuch", {"label": "x"}, status=404)


@pytest.mark.every_database
def test_a_definition_is_removed_with_its_values(admin):
    define(admin, "badge")
    user_id = user(admin, badge="B1")
    assert admin.ask("DELETE", "/setup/extrafields/user/badge")["success"]["code"] == 200
    assert options(admin, user_id) == {}
    admin.get("/setup/extrafields/user/badge", status=404)
    admin.refused("DELETE", "/setup/extrafields/user/badge", status=404)
    define(admin, "badge")
    assert options(admin, user_id) in ({}, {"options_badge": None})


@pytest.mark.parametrize(
    "name",
    # Those at the end a database keeps for itself
    ["Upper", "1a", "a-b", "a%20b", "a" * 64, "x;drop", "rowid", "fk_object", "ctid", "xmin", "tableoid", "db_row_id", "db_trx_id"],
)  # fmt: skip
def test_names_that_are_none(admin, name):
    admin.ask("POST", f"/setup/extrafields/user/{name}", {"label": "x", "type": "varchar"}, status=400)


@pytest.mark.parametrize(
    "body",
    [
        {}, {"label": "x"}, {"type": "int"}, {"label": "x", "type": "nosuch"}, {"label": "x", "type": "select"},
        {"label": "x", "type": "int", "default": "many"}, {"label": "a\x00b", "type": "int"},
        {"label": "x", "type": "select", "param": {"options": {"1": "a"}}, "default": "2"},
        {"label": "x", "type": "int", "required": 5}, {"label": "x", "type": "int", "pos": "first"},
        {"label": "x", "type": "select", "param": {"options": ["a"]}}, {"label": "x", "type": "select", "param": "a,b"},
    ],
)  # fmt: skip
def test_definitions_that_are_not_complete(admin, body):
    admin.refused("POST", "/setup/extrafields/user/value", body, status=400)
    assert admin.get("/setup/extrafields") == {}


def test_a_name_twice_and_an_unknown_kind(admin):
    define(admin, "badge")
    define(admin, "badge", status=400)
    define(admin, "badge", status=404, element="nosuch")


def test_a_user_with_users_self_does_not_reach_them(server, admin):
    define(admin, "grade")
    client = server.user("users.self")
    user_id = int(client.get("/users/info")["id"])
    answer = client.simulate_put(f"/users/{user_id}", json={"town": "Lyon", "array_options": {"grade": "A"}})
    assert answer.status_code == 200
    assert "array_options" in answer.headers["warning"]
    assert options(admin, user_id) in ({}, {"options_grade": None})


def test_options_that_are_no_text(admin):
    define(admin, "rate", type="select", param={"options": {"low": 5.5, "high": 19.6}})
    assert admin.get("/setup/extrafields")["user"]["rate"]["param"] == {"options": {"low": "5.5", "high": "19.6"}}
    half = b'{"label": "Half", "type": "select", "param": {"options": {"a": "\\ud800"}}}'
    assert admin.simulate_post("/setup/extrafields/user/half", body=half).status_code == 400


# What goes wrong ----------------------------------------------------------------------------------------------------


def columns():
    """The columns of users' extra fields."""
    ensure_connected()
    return {column.name for column in database.get_columns(values_table(User))}


@pytest.mark.every_database
def test_a_definition_that_fails_leaves_no_column_behind(admin, monkeypatch):
    def fail():
        raise OSError("the power went")

    with monkeypatch.context() as fault:
        # Between the column and the end of its definition
        fault.setattr(extra_field_definitions, "bump", fail)
        assert (
            admin.simulate_post("/setup/extrafields/user/torn", json={"label": "x", "type": "int"}).status_code == 500
        )
    assert "torn" not in columns()
    assert admin.get("/setup/extrafields") == {}
    # The same name is free, with another type
    define(admin, "torn", type="varchar", size=5)
    assert options(admin, user(admin, options_torn="whole")) == {"options_torn": "whole"}


@pytest.mark.every_database
def test_a_field_that_several_define_or_remove_at_once_is_whole(admin):
    path, body = "/setup/extrafields/user/shared", {"label": "Shared", "type": "varchar"}
    for turn in range(5):
        assert sorted(at_once([lambda: admin.simulate_post(path, json=body).status_code] * 3)) == [200, 400, 400]
        assert options(admin, user(admin, options_shared="kept")) == {"options_shared": "kept"}, turn
        assert {200} <= {*at_once([lambda: admin.simulate_delete(path).status_code] * 3)} <= {200, 404}
        assert "shared" not in columns()


@pytest.mark.every_database
def test_a_column_that_a_process_left_when_it_ended_is_taken_away(admin):
    ensure_connected()
    database.execute_sql(f"ALTER TABLE {values_table(User)} ADD COLUMN leftover INTEGER")
    define(admin, "leftover", type="varchar", size=10)
    assert options(admin, user(admin, options_leftover="a text")) == {"options_leftover": "a text"}


@pytest.mark.parametrize(
    "size", ["²", "٣", "-1", "1e3", "65536", "99999", "ten", "1.5", "8,", " ", True, [], {"a": 1}, 10**30]
)
def test_a_size_is_a_number_of_characters(admin, size):
    answer = define(admin, "sized", 400, size=size)
    assert "`size`: expected a number of characters from 1 to 65535" in answer["error"]["message"]
    assert "sized" not in columns()


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("size", "longest"),
    [(None, 255), ("", 255), (3, 3), ("3", 3), (255, 255), (256, 256), (20000, 20000), (65535, 16000)],
)
def test_texts_of_every_size_are_kept(admin, size, longest):
    define(admin, "sized", size=size)
    text = "é" * longest
    assert options(admin, user(admin, options_sized=text)) == {"options_sized": text}
    if size != 65535:
        body = {"login": "too.long", "array_options": {"options_sized": text + "x"}}
        assert f"at most {longest} characters" in admin.refused("POST", "/users", body, status=400)


@pytest.mark.every_database
def test_as_many_as_there_may_be_fit_into_a_row(kind, serve):
    # To drop a database takes less time than to drop the columns
    admin = serve(kind).client()
    names = [f"field{place}" for place in range(extra_field_definitions.MOST_FIELDS)]
    for name in names:
        define(admin, name, size=255)
    kept = {f"options_{name}": "é" * 255 for name in names}
    assert options(admin, user(admin, **kept)) == kept
    assert "60 extra fields, which is the maximum" in define(admin, "another", 400)["error"]["message"]


@pytest.mark.every_database
def test_options_of_many_bytes_are_refused_before_there_is_a_column(admin):
    # Fewer characters than a text may have, and more bytes than MariaDB's
    param = {"options": {"a": "é" * 40_000}}
    assert "at most 60000 bytes" in define(admin, "chosen", 400, type="select", param=param)["error"]["message"]
    assert "chosen" not in columns()


@pytest.mark.every_database("mysql")
@pytest.mark.slow
def test_fields_may_come_and_go_as_often_as_people_like(admin):
    """MariaDB keeps what was dropped in each row, until there is no room for a single one."""
    for _ in range(130):
        define(admin, "passing", size=20, default="x")
        admin.ask("DELETE", "/setup/extrafields/user/passing")
    define(admin, "passing", size=20)
    assert options(admin, user(admin, options_passing="kept")) == {"options_passing": "kept"}

"""Passwords and other secrets of users, and who is no longer valid."""

import importlib

import pytest

from core.testing import ADMIN_KEY
from tests.modules.users.users import PASSWORD, make, name, own_id, row

# Passwords and other secrets ------------------------------------------------------------------------------------------


def test_pass_sets_the_password_hashed(admin):
    user_id = make(admin, **{"pass": PASSWORD})
    kept = str(row(user_id).pass_crypted)
    assert kept.startswith("$argon2id$") and PASSWORD not in kept
    admin.ask("PUT", f"/users/{user_id}", {"pass": PASSWORD + "y"})
    assert str(row(user_id).pass_crypted).startswith("$argon2id$")
    assert row(user_id).pass_crypted != kept


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH"])
def test_password_is_ignored_with_a_warning_or_rejected(admin, verb):
    login = name()
    path = "/users" if verb == "POST" else f"/users/{make(admin, login=login)}"
    body = {"login": login, "password": PASSWORD}
    error = admin.ask(verb, path, body, status=400, headers={"Prefer": "handling=strict"})["error"]
    assert [each["field"] for each in error["errors"]] == ["password"]
    assert "`pass`" in error["message"] and PASSWORD not in error["message"]
    answer = admin.simulate_request(verb, path, json=body)
    assert answer.status_code == 200
    assert "password" in answer.headers["warning"] and PASSWORD not in answer.headers["warning"]
    assert row(admin.get(f"/users/login/{login}")["id"]).pass_crypted is None


@pytest.mark.parametrize(
    "password", ["", "short", "x" * 11, "x" * 1025, None, 123456789012, ["x" * 12], " " + "x" * 12]
)
def test_a_password_has_12_characters(admin, password):
    login = name()
    admin.refused("POST", "/users", {"login": login, "pass": password}, status=400)
    admin.get(f"/users/login/{login}", status=404)
    admin.refused("PUT", f"/users/{make(admin)}", {"pass": password}, status=400)


@pytest.mark.parametrize(
    "field", ["pass_crypted", "pass_indatabase", "pass_indatabase_crypted", "pass_temp", "api_key"]
)
def test_secrets_cannot_be_set(admin, field):
    text = f"`{field}` can't be set with the API"
    assert text in admin.refused("POST", "/users", {"login": name(), field: "x"}, status=401)
    assert text in admin.refused("PUT", f"/users/{make(admin)}", {field: "x"}, status=401)
    assert text in admin.refused("PATCH", f"/users/{make(admin)}", {field: "x"}, status=401)


def test_another_s_password_needs_its_right(server, admin):
    user_id = make(admin)
    writer = server.user("users.write")
    text = "the permission users.password is required to change the password of another user"
    assert text in writer.refused("PUT", f"/users/{user_id}", {"pass": PASSWORD}, status=401)
    assert row(user_id).pass_crypted is None
    server.user("users.password", "users.write").ask("PUT", f"/users/{user_id}", {"pass": PASSWORD})
    assert row(user_id).pass_crypted
    helper = server.user("users.password", "users.read")
    helper.ask("PUT", f"/users/{user_id}", {"pass": PASSWORD})
    helper.refused("PUT", f"/users/{user_id}", {"pass": PASSWORD, "job": "x"}, status=401)


def test_nobody_sets_the_password_of_those_who_may_more(server):
    above = own_id(server.user("thirdparties.read", "users.self"))
    client = server.user("users.password", "users.write")
    assert "thirdparties.read" in client.refused("PUT", f"/users/{above}", {"pass": PASSWORD}, status=401)
    assert row(above).pass_crypted is None


def test_one_s_own_password_needs_users_self(server):
    client = server.user("users.self")
    user_id = own_id(client)
    client.ask("PUT", f"/users/{user_id}", {"pass": PASSWORD})
    assert row(user_id).pass_crypted
    stranger = server.user("thirdparties.read")
    stranger.refused("PUT", f"/users/{own_id(stranger)}", {"pass": PASSWORD}, status=401)


def test_a_restricted_key_sets_no_password_that_opens_more(server):
    client = server.user("users.self", "thirdparties.read", only=["users.self"])
    client.refused("PUT", f"/users/{own_id(client)}", {"pass": PASSWORD}, status=401)


# At once --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change", [{"statut": 0}, {"dateendvalidity": "2020-01-01"}, {"datestartvalidity": "2100-01-01"}]
)
def test_who_is_no_longer_valid_is_refused_at_the_next_request(server, admin, change):
    client = server.user("users.read")
    user_id = own_id(client)
    client.get("/users")
    admin.ask("PUT", f"/users/{user_id}", change)
    client.get("/users", status=401)
    client.get("/status", status=401)
    admin.ask("PUT", f"/users/{user_id}", {"statut": 1, "dateendvalidity": None, "datestartvalidity": None})
    client.get("/users")


def test_no_secret_is_answered(server, admin):
    user_id = make(admin, **{"pass": PASSWORD})
    key = admin.ask("POST", f"/users/{user_id}/keys", {"label": "planted"})
    group = admin.ask("POST", "/users/groups", {"name": name("group")})
    admin.get(f"/users/{user_id}/setGroup/{group}")
    admin.ask("PUT", "/setup/conf/PLANTED_API_KEY_FREE_TEXT", {"value": "planted-constant"})
    login = row(user_id).login
    hash_kept = str(row(user_id).pass_crypted)
    digest = importlib.import_module("core.access.keys").digest_of(key["key"])
    for path in (
        "/users?limit=0", f"/users/{user_id}?includepermissions=1", f"/users/login/{login}", "/users/info",
        "/users/groups", f"/users/groups/{group}?load_members=1", f"/users/{user_id}/groups",
        f"/users/{user_id}/keys", f"/users/{user_id}/rights", f"/users/groups/{group}/rights", "/status",
        "/setup/company", "/setup/conf?limit=0", "/setup/modules", "/setup/extrafields",
    ):  # fmt: skip
        answer = admin.simulate_get(path)
        assert answer.status_code == 200, path
        for secret in (hash_kept, digest, key["key"], PASSWORD, "argon2", "planted-constant", "pass_crypted", "digest"):
            assert secret not in answer.text, (path, secret)
        assert ADMIN_KEY not in answer.text

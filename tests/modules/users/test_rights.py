"""Administrators, rights and external users: nobody gets more than those who give have."""

import importlib

import pytest

from core.access.accounts import Account
from core.common.errors import Refused
from tests.modules.users.users import PASSWORD, make, name, own_id, row

# Administrators -------------------------------------------------------------------------------------------------------


def test_only_an_administrator_makes_administrators(server, admin):
    text = "only an administrator with an unrestricted key may set `admin`"
    client = server.user("users.read", "users.write", "users.password", "users.self", "users.delete")
    login = name()
    assert text in client.refused("POST", "/users", {"login": login, "admin": 1}, status=401)
    admin.get(f"/users/login/{login}", status=404)
    for user_id in (own_id(client), make(admin)):
        assert text in client.refused("PUT", f"/users/{user_id}", {"admin": 1}, status=401)
        assert text in client.refused("PATCH", f"/users/{user_id}", {"admin": "1", "job": "x"}, status=401)
        assert row(user_id).admin == 0
    client.ask("PUT", f"/users/{own_id(client)}", {"admin": 0})
    user_id = make(admin)
    assert admin.ask("PUT", f"/users/{user_id}", {"admin": 1})["admin"] == 1
    assert admin.get(f"/users/{make(admin, admin=1)}")["admin"] == 1


def test_the_flag_is_not_taken_away(admin):
    text = "the API can't revoke administrator status"
    user_id = make(admin, admin=1)
    for value in (0, "0", None):
        assert text in admin.refused("PUT", f"/users/{user_id}", {"admin": value}, status=401)
    assert admin.ask("PUT", f"/users/{user_id}", {"admin": 1, "job": "x"})["admin"] == 1


def test_an_administrator_is_changed_by_administrators_alone(server, admin):
    client = server.user("users.read", "users.write", "users.password", "users.delete")
    user_id = make(admin, admin=1, **{"pass": PASSWORD})
    before = row(user_id).pass_crypted
    for verb, path, body in (
        ("PUT", f"/users/{user_id}", {"job": "x"}),
        ("PATCH", f"/users/{user_id}", {"statut": 0}),
        ("PUT", f"/users/{user_id}", {"pass": PASSWORD}),
        ("DELETE", f"/users/{user_id}", None),
        ("PUT", f"/users/{user_id}/rights", []),
    ):
        client.refused(verb, path, body, status=401)
    assert row(user_id).pass_crypted == before
    assert row(user_id).statut == 1
    admin.ask("PUT", f"/users/{user_id}", {"job": "x", "pass": PASSWORD + "z"})
    assert row(user_id).pass_crypted != before
    assert admin.ask("DELETE", f"/users/{user_id}")["success"]["code"] == 200


def test_nobody_deletes_themselves(server, admin):
    admin.refused("DELETE", f"/users/{own_id(admin)}", status=405)
    client = server.user("users.delete")
    client.refused("DELETE", f"/users/{own_id(client)}", status=405)


def test_an_administrator_stays(server, admin):
    me = own_id(admin)
    others = [each.id for each in Account.select().where(Account.admin == 1, Account.id != me)]
    Account.update(statut=0).where(Account.id.in_(others)).execute()
    for body in ({"statut": 0}, {"dateendvalidity": 0}, {"datestartvalidity": 4102444800}):
        assert "last active administrator" in admin.refused("PUT", f"/users/{me}", body, status=405)
    users = importlib.import_module("modules.users.users").users
    with pytest.raises(Refused, match="last active administrator"):
        users.delete(me)
    # An account whose time is over can't log in
    expired = make(admin, admin=1, dateendvalidity="2020-01-01")
    assert "last active administrator" in admin.refused("PUT", f"/users/{me}", {"statut": 0}, status=405)
    assert admin.ask("DELETE", f"/users/{expired}")["success"]["code"] == 200
    Account.update(statut=1).where(Account.id.in_(others)).execute()
    make(admin, admin=1)
    assert admin.get("/users/info")["statut"] == 1


def test_rights_of_an_administrator(server, admin):
    everything = admin.get("/users/info", includepermissions=1)["rights"]
    assert {"users.read", "users.password", "users.self", "setup.write"} <= set(everything)
    limited = server.user(admin=True, only=["setup.read"])
    limited.get("/users", status=401)
    limited.get("/setup/modules")


# Rights ---------------------------------------------------------------------------------------------------------------


def test_one_s_own_account_is_read_with_any_key(server, admin):
    client = server.user()
    user_id = own_id(client)
    assert client.get(f"/users/{user_id}")["id"] == user_id
    assert client.get("/users/info")["user_group_list"] == []
    for part in ("groups", "rights"):
        assert client.get(f"/users/{user_id}/{part}") == []


def test_users_self_reaches_personal_fields(server):
    client = server.user("users.self")
    user_id = own_id(client)
    assert client.ask("PUT", f"/users/{user_id}", {"office_phone": "+33 9"})["office_phone"] == "+33 9"
    for body in (
        {"job": "chief"}, {"salary": "9999"}, {"login": name()}, {"dateendvalidity": 4102444800}, {"statut": 0},
        {"fk_user": 1}, {"employee": 0}, {"ref_ext": "x"}, {"admin": 1}, {"entity": 2},
    ):  # fmt: skip
        client.refused("PUT", f"/users/{user_id}", body, status=401)
    # What was read may be sent back
    record = client.get(f"/users/{user_id}")
    assert client.ask("PUT", f"/users/{user_id}", record | {"town": "Lyon"})["town"] == "Lyon"


def test_rights_are_shown_on_request(server, admin):
    client = server.user("users.read", "thirdparties.read")
    user_id = own_id(client)
    assert "rights" not in client.get(f"/users/{user_id}")
    assert client.get(f"/users/{user_id}", includepermissions=1)["rights"] == ["thirdparties.read", "users.read"]
    login = client.get("/users/info", includepermissions=1)["login"]
    assert client.get(f"/users/login/{login}", includepermissions=1)["rights"] == ["thirdparties.read", "users.read"]


def test_rights_are_granted(server, admin):
    client = server.user()
    path = f"/users/{own_id(client)}/rights"
    client.get("/users", status=401)
    assert admin.ask("PUT", path, ["users.read", "users.write"]) == ["users.read", "users.write"]
    client.get("/users")
    assert admin.ask("PUT", path, {"rights": ["users.read"]}) == ["users.read"]
    assert admin.get(path) == ["users.read"]
    client.refused("POST", "/users", {"login": name()}, status=401)
    assert admin.ask("PUT", path, []) == []
    client.get("/users", status=401)


def test_an_unknown_right_is_refused(server, admin):
    path = f"/users/{make(admin)}/rights"
    for right in ("users.raed", "nosuch.read", "users", "", "users.read;x"):
        admin.refused("PUT", path, ["users.read", right], status=400)
    assert admin.get(path) == []


def test_nobody_grants_what_they_lack(server, admin):
    client = server.user("users.read", "users.write")
    other = make(admin)
    for user_id in (own_id(client), other):
        rights = admin.get(f"/users/{user_id}/rights")
        client.refused("PUT", f"/users/{user_id}/rights", [*rights, "users.delete"], status=401)
        client.refused("PUT", f"/users/{user_id}/rights", [*rights, "setup.write"], status=401)
        assert admin.get(f"/users/{user_id}/rights") == rights
    assert client.ask("PUT", f"/users/{other}/rights", ["users.read"]) == ["users.read"]
    restricted = server.user("users.write", "users.delete", only=["users.write"])
    restricted.refused("PUT", f"/users/{other}/rights", ["users.delete"], status=401)


# External users -------------------------------------------------------------------------------------------------------


def test_an_external_user_sees_and_touches_nobody_else(server, admin):
    rights = ("users.read", "users.write", "users.delete", "users.password", "users.self")
    client = server.user(*rights, socid=1)
    user_id, other = own_id(client), make(admin)
    assert [each["id"] for each in client.get("/users")] == [user_id]
    assert client.get("/users", user_ids=str(other)) == []
    assert client.get("/users", sqlfilters="(t.rowid:>:0) or (t.rowid:>:0)") == [client.get(f"/users/{user_id}")]
    client.refused("POST", "/users", {"login": name()}, status=401)
    client.refused("PUT", f"/users/{user_id}/thirdparty", {"socid": None}, status=401)
    group = admin.ask("POST", "/users/groups", {"name": name("group")})
    admin.get(f"/users/{other}/setGroup/{group}")
    admin.get(f"/users/{user_id}/setGroup/{group}")
    members = client.get(f"/users/groups/{group}", load_members=1)["members"]
    assert [each["id"] for each in members] == [user_id]
    client.refused("POST", "/users/groups", {"name": name("group")}, status=401)
    client.refused("PUT", f"/users/groups/{group}", {"note": "x"}, status=401)
    client.refused("PUT", f"/users/groups/{group}/rights", ["users.read"], status=401)
    client.refused("DELETE", f"/users/groups/{group}", status=401)
    client.refused("DELETE", f"/users/{user_id}/groups/{group}", status=401)


def test_an_administrator_makes_a_user_external(server, admin):
    socid = admin.ask("POST", "/thirdparties", {"name": name("Third party")})
    client = server.user("users.read")
    path = f"/users/{own_id(client)}/thirdparty"
    server.user("users.write").refused("PUT", path, {"socid": socid}, status=401)
    admin.refused("PUT", path, {"socid": 99999}, status=404)
    assert admin.ask("PUT", path, {"socid": socid})["socid"] == socid
    assert len(client.get("/users")) == 1
    assert admin.ask("PUT", path, {"socid": None})["socid"] is None
    assert len(client.get("/users")) > 1
    admin.refused("PUT", f"/users/{own_id(admin)}/thirdparty", {"socid": socid}, status=405)

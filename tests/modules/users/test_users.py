"""Users: fields.md section user, rules.md 1 and 2, differences.md 2, security-tests.md S20, S27, S28."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

import pytest

from core.access.accounts import Account
from core.common.errors import Refused
from core.testing import ADMIN_KEY, Client, Served

_numbers = itertools.count(1)

PASSWORD = "Secret#12345x"


def name(stem: str = "person") -> str:
    return f"{stem}.{next(_numbers)}"


def make(client: Client, **fields: Any) -> int:
    return int(client.ask("POST", "/users", {"login": name(), "lastname": "Test", **fields}))


def row(user_id: int) -> Account:
    return Account.get_by_id(user_id)


def own_id(client: Client) -> int:
    return int(client.get("/users/info")["id"])


# Creating ------------------------------------------------------------------------------------------------------------


def test_a_user_is_created_with_the_defaults_of_the_reference(admin: Client) -> None:
    login = name()
    user = admin.get(f"/users/{make(admin, login=login)}")
    assert user["login"] == login
    assert user["ref"] == user["id"]
    expected = {"entity": 1, "admin": 0, "statut": 1, "employee": 1, "socid": None, "fk_user": None, "birth": None}
    assert {key: user[key] for key in expected} == expected
    assert user["array_options"] == {}
    assert isinstance(user["datec"], int) and isinstance(user["datem"], int)


FIELDS: dict[str, Any] = {
    "lastname": "Durand", "firstname": "Rita", "civility_code": "MME", "gender": "woman", "birth": 631152000,
    "personal_email": "r@example.org", "job": "clerk", "signature": "R. D.", "address": "1 rue Haute", "zip": "69001",
    "town": "Lyon", "country_id": 1, "state_id": 3, "office_phone": "+33 1", "office_fax": "+33 2",
    "user_mobile": "+33 6", "personal_mobile": "+33 7", "employee": 0, "statut": 1, "lang": "fr_FR",
    "color": "ff8800", "photo": "rita.png", "accountancy_code": "421", "thm": "21.50000000", "tjm": "150.00000000",
    "salary": "2000.12345678", "salaryextra": "100.00000000", "weeklyhours": "35.00000000",
    "dateemployment": 1577836800, "dateemploymentend": 1893456000, "datestartvalidity": 1577836800,
    "dateendvalidity": 2208988800, "note_public": "a", "note_private": "b", "national_registration_number": "1 85",
    "ref_employee": "E1", "ref_ext": "X1", "fk_warehouse": 4,
}  # fmt: skip


def test_every_writable_field_is_stored_and_read_back(admin: Client) -> None:
    user_id = make(admin, **FIELDS)
    user = admin.get(f"/users/{user_id}")
    assert {key: user[key] for key in FIELDS} == FIELDS
    assert admin.ask("PUT", f"/users/{user_id}", user) | {"datem": 0} == user | {"datem": 0}


def test_a_change_merges(admin: Client) -> None:
    user_id = make(admin, job="clerk", town="Lyon")
    assert admin.ask("PUT", f"/users/{user_id}", {"job": "chief"})["town"] == "Lyon"
    assert admin.ask("PATCH", f"/users/{user_id}", {"town": "Paris"})["job"] == "chief"


@pytest.mark.parametrize("body", [{}, {"lastname": "x"}, {"login": ""}, {"login": None}, {"login": "  "}])
def test_a_login_is_needed(admin: Client, body: dict[str, Any]) -> None:
    admin.refused("POST", "/users", body, status=400)


@pytest.mark.parametrize("character", [",", "@", "<", ">", '"', "'"])
def test_a_login_has_none_of_some_characters(admin: Client, character: str) -> None:
    admin.refused("POST", "/users", {"login": f"a{character}b"}, status=400)
    admin.refused("PUT", f"/users/{make(admin)}", {"login": f"a{character}b"}, status=400)


def test_login_and_address_are_unique(admin: Client) -> None:
    login, email = name(), f"{name()}@example.org"
    make(admin, login=login, email=email)
    assert "login" in admin.refused("POST", "/users", {"login": login}, status=405)
    assert "email" in admin.refused("POST", "/users", {"login": name(), "email": email}, status=405)
    assert "login" in admin.refused("PUT", f"/users/{make(admin)}", {"login": login}, status=405)


def test_an_empty_address_is_none(admin: Client) -> None:
    assert admin.get(f"/users/{make(admin, email='')}")["email"] is None
    assert admin.get(f"/users/{make(admin, email='')}")["email"] is None
    admin.refused("POST", "/users", {"login": name(), "email": "nobody"}, status=400)


@pytest.mark.parametrize("field", ["admin", "statut", "employee"])
def test_flags_are_0_or_1(admin: Client, field: str) -> None:
    admin.refused("POST", "/users", {"login": name(), field: 2}, status=400)


def test_managed_fields_are_ignored_with_a_warning(admin: Client) -> None:
    body = {"login": name(), "id": 999, "socid": 1, "fk_soc": 1, "datec": 5, "datelastlogin": 5, "nosuch": 1}
    answer = admin.simulate_post("/users", json=body)
    for key in ("id", "socid", "fk_soc", "datec", "datelastlogin", "nosuch"):
        assert key in answer.headers["warning"]
    user = admin.get(f"/users/{answer.json}")
    assert (user["socid"], user["datelastlogin"]) == (None, None)
    assert user["id"] != 999 and user["datec"] != 5


def test_another_company_is_refused(admin: Client) -> None:
    text = "Changing entity of a user using the APIs is not possible"
    assert text in admin.refused("POST", "/users", {"login": name(), "entity": 2}, status=401)
    user_id = make(admin, entity=1)
    assert text in admin.refused("PUT", f"/users/{user_id}", {"entity": 2}, status=401)
    admin.ask("PUT", f"/users/{user_id}", {"entity": 1})


# Passwords and other secrets -----------------------------------------------------------------------------------------


def test_pass_sets_the_password_hashed(admin: Client) -> None:
    user_id = make(admin, **{"pass": PASSWORD})
    kept = str(row(user_id).pass_crypted)
    assert kept.startswith("$argon2id$") and PASSWORD not in kept
    admin.ask("PUT", f"/users/{user_id}", {"pass": PASSWORD + "y"})
    assert str(row(user_id).pass_crypted).startswith("$argon2id$")
    assert row(user_id).pass_crypted != kept


def test_password_is_ignored_with_a_warning(admin: Client) -> None:
    answer = admin.simulate_post("/users", json={"login": name(), "password": PASSWORD})
    assert answer.status_code == 200
    assert "password" in answer.headers["warning"] and PASSWORD not in answer.headers["warning"]
    assert row(answer.json).pass_crypted is None


@pytest.mark.parametrize(
    "password", ["", "short", "x" * 11, "x" * 1025, None, 123456789012, ["x" * 12], " " + "x" * 12]
)
def test_a_password_has_12_characters(admin: Client, password: object) -> None:
    login = name()
    admin.refused("POST", "/users", {"login": login, "pass": password}, status=400)
    admin.get(f"/users/login/{login}", status=404)
    admin.refused("PUT", f"/users/{make(admin)}", {"pass": password}, status=400)


@pytest.mark.parametrize(
    "field", ["pass_crypted", "pass_indatabase", "pass_indatabase_crypted", "pass_temp", "api_key"]
)
def test_secrets_cannot_be_set(admin: Client, field: str) -> None:
    text = f"The property {field} can't be set/modified using the APIs"
    assert text in admin.refused("POST", "/users", {"login": name(), field: "x"}, status=401)
    assert text in admin.refused("PUT", f"/users/{make(admin)}", {field: "x"}, status=401)
    assert text in admin.refused("PATCH", f"/users/{make(admin)}", {field: "x"}, status=401)


@pytest.mark.parametrize("field", ["pass_crypted", "pass", "api_key", "password"])
def test_secrets_cannot_be_filtered_sorted_or_asked_for(admin: Client, field: str) -> None:
    admin.get("/users", sqlfilters=f"(t.{field}:like:'%')", status=400)
    admin.get("/users", sortfield=f"t.{field}", status=400)
    admin.get("/users", properties=field, status=400)


def test_another_s_password_needs_its_right(server: Served, admin: Client) -> None:
    user_id = make(admin)
    writer = server.user("users.write")
    text = "You are not allowed to modify password of other users"
    assert text in writer.refused("PUT", f"/users/{user_id}", {"pass": PASSWORD}, status=401)
    assert row(user_id).pass_crypted is None
    server.user("users.password", "users.write").ask("PUT", f"/users/{user_id}", {"pass": PASSWORD})
    assert row(user_id).pass_crypted
    helper = server.user("users.password", "users.read")
    helper.ask("PUT", f"/users/{user_id}", {"pass": PASSWORD})
    helper.refused("PUT", f"/users/{user_id}", {"pass": PASSWORD, "job": "x"}, status=401)


def test_nobody_sets_the_password_of_those_who_may_more(server: Served) -> None:
    above = own_id(server.user("thirdparties.read", "users.self"))
    client = server.user("users.password", "users.write")
    assert "thirdparties.read" in client.refused("PUT", f"/users/{above}", {"pass": PASSWORD}, status=401)
    assert row(above).pass_crypted is None


def test_one_s_own_password_needs_users_self(server: Served) -> None:
    client = server.user("users.self")
    user_id = own_id(client)
    client.ask("PUT", f"/users/{user_id}", {"pass": PASSWORD})
    assert row(user_id).pass_crypted
    stranger = server.user("thirdparties.read")
    stranger.refused("PUT", f"/users/{own_id(stranger)}", {"pass": PASSWORD}, status=401)


def test_a_restricted_key_sets_no_password_that_opens_more(server: Served) -> None:
    client = server.user("users.self", "thirdparties.read", only=["users.self"])
    client.refused("PUT", f"/users/{own_id(client)}", {"pass": PASSWORD}, status=401)


# Administrators ------------------------------------------------------------------------------------------------------


def test_only_an_administrator_makes_administrators(server: Served, admin: Client) -> None:
    text = "Only an admin user can modify the admin status of another user"
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


def test_an_administrator_s_restricted_key_makes_none(server: Served, admin: Client) -> None:
    client = server.user(admin=True, only=["users.read", "users.write"])
    client.refused("POST", "/users", {"login": name(), "admin": 1}, status=401)
    client.refused("PUT", f"/users/{make(admin)}", {"admin": 1}, status=401)


def test_the_flag_is_not_taken_away(admin: Client) -> None:
    text = "Reseting the admin status of a user is not possible using the API"
    user_id = make(admin, admin=1)
    for value in (0, "0", None):
        assert text in admin.refused("PUT", f"/users/{user_id}", {"admin": value}, status=401)
    assert admin.ask("PUT", f"/users/{user_id}", {"admin": 1, "job": "x"})["admin"] == 1


def test_an_administrator_is_changed_by_administrators_alone(server: Served, admin: Client) -> None:
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
    assert admin.ask("DELETE", f"/users/{user_id}") == 1


def test_nobody_deletes_themselves(server: Served, admin: Client) -> None:
    admin.refused("DELETE", f"/users/{own_id(admin)}", status=405)
    client = server.user("users.delete")
    client.refused("DELETE", f"/users/{own_id(client)}", status=405)


def test_an_administrator_stays(server: Served, admin: Client) -> None:
    me = own_id(admin)
    others = [each.id for each in Account.select().where(Account.admin == 1, Account.id != me)]
    Account.update(statut=0).where(Account.id.in_(others)).execute()
    for body in ({"statut": 0}, {"dateendvalidity": 0}, {"datestartvalidity": 4102444800}):
        assert "last active administrator" in admin.refused("PUT", f"/users/{me}", body, status=405)
    users = importlib.import_module("modules.users.users").users
    with pytest.raises(Refused, match="last active administrator"):
        users.delete(me)
    Account.update(statut=1).where(Account.id.in_(others)).execute()
    make(admin, admin=1)
    assert admin.get("/users/info")["statut"] == 1


def test_rights_of_an_administrator(server: Served, admin: Client) -> None:
    everything = admin.get("/users/info", includepermissions=1)["rights"]
    assert {"users.read", "users.password", "users.self", "setup.write"} <= set(everything)
    limited = server.user(admin=True, only=["setup.read"])
    limited.get("/users", status=401)
    limited.get("/setup/modules")


# Rights --------------------------------------------------------------------------------------------------------------


def test_rights_are_needed(server: Served, admin: Client) -> None:
    client = server.user("thirdparties.read")
    other = make(admin)
    for verb, path, body in (
        ("GET", "/users", None),
        ("GET", f"/users/{other}", None),
        ("GET", "/users/99999", None),
        ("GET", "/users/login/administrator", None),
        ("GET", "/users/email/a@example.org", None),
        ("POST", "/users", {"login": name()}),
        ("PUT", f"/users/{other}", {"job": "x"}),
        ("PUT", "/users/99999", {"pass": PASSWORD}),
        ("PATCH", f"/users/{other}", {"job": "x"}),
        ("DELETE", f"/users/{other}", None),
        ("PUT", f"/users/{other}/thirdparty", {"socid": None}),
        ("GET", f"/users/{other}/groups", None),
        ("GET", f"/users/{other}/rights", None),
        ("GET", f"/users/{other}/keys", None),
        ("PUT", f"/users/{own_id(client)}", {"job": "x"}),
    ):
        client.refused(verb, path, body, status=401)
    server.client(None).get("/users", status=401)


def test_one_s_own_account_is_read_with_any_key(server: Served, admin: Client) -> None:
    client = server.user()
    user_id = own_id(client)
    assert client.get(f"/users/{user_id}")["id"] == user_id
    assert client.get("/users/info")["user_group_list"] == []
    for part in ("groups", "rights"):
        assert client.get(f"/users/{user_id}/{part}") == []


def test_users_self_reaches_personal_fields(server: Served) -> None:
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


def test_rights_are_shown_on_request(server: Served, admin: Client) -> None:
    client = server.user("users.read", "thirdparties.read")
    user_id = own_id(client)
    assert "rights" not in client.get(f"/users/{user_id}")
    assert client.get(f"/users/{user_id}", includepermissions=1)["rights"] == ["thirdparties.read", "users.read"]
    login = client.get("/users/info", includepermissions=1)["login"]
    assert client.get(f"/users/login/{login}", includepermissions=1)["rights"] == ["thirdparties.read", "users.read"]


def test_rights_are_granted(server: Served, admin: Client) -> None:
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


def test_an_unknown_right_is_refused(server: Served, admin: Client) -> None:
    path = f"/users/{make(admin)}/rights"
    for right in ("users.raed", "nosuch.read", "users", "", "users.read;x"):
        admin.refused("PUT", path, ["users.read", right], status=400)
    assert admin.get(path) == []
    admin.refused("PUT", "/users/99999/rights", ["users.read"], status=404)


def test_nobody_grants_what_they_lack(server: Served, admin: Client) -> None:
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


# Lists and look-ups --------------------------------------------------------------------------------------------------


def test_users_are_listed(admin: Client) -> None:
    mark = name("listed").replace(".", "")
    ids = [make(admin, login=f"{mark}{letter}", lastname=mark) for letter in "abc"]
    found = admin.get("/users", sqlfilters=f"(t.lastname:=:'{mark}')")
    assert [each["id"] for each in found] == ids
    found = admin.get("/users", sqlfilters=f"(t.lastname:=:'{mark}')", sortfield="t.login", sortorder="DESC", limit=2)
    assert [each["id"] for each in found] == [ids[2], ids[1]]
    assert [each["id"] for each in admin.get("/users", user_ids=f"{ids[0]},{ids[2]}")] == [ids[0], ids[2]]
    assert len(admin.get("/users", user_ids="0", limit=2)) == 2
    assert admin.get("/users", user_ids="99999999999999999999") == []
    assert admin.get("/users", category=1) == []
    admin.get("/users", user_ids="1;2", status=400)
    assert admin.get("/users", user_ids=str(ids[0]), properties="login") == [{"login": f"{mark}a"}]


def test_a_user_is_found_by_login_and_address(admin: Client) -> None:
    login = name()
    user_id = make(admin, login=login, email=f"{login}@example.org")
    assert admin.get(f"/users/login/{login}")["id"] == user_id
    assert admin.get(f"/users/email/{login}@example.org")["id"] == user_id
    admin.get("/users/login/nobody", status=404)
    admin.get("/users/email/nobody@example.org", status=404)
    admin.get("/users/email/nobody", status=400)
    admin.get("/users/99999", status=404)
    admin.get("/users/0", status=400)
    admin.refused("PUT", "/users/99999", {"job": "x"}, status=404)


def test_a_user_goes_with_keys_rights_and_memberships(server: Served, admin: Client) -> None:
    client = server.user("users.read")
    user_id = own_id(client)
    group = admin.ask("POST", "/users/groups", {"name": name("group")})
    admin.get(f"/users/{user_id}/setGroup/{group}")
    assert admin.ask("DELETE", f"/users/{user_id}") == 1
    admin.get(f"/users/{user_id}", status=404)
    client.get("/status", status=401)


def test_a_supervisor_exists_and_stays(admin: Client) -> None:
    chief = make(admin)
    user_id = make(admin, fk_user=chief)
    assert admin.get(f"/users/{user_id}")["fk_user"] == chief
    admin.refused("POST", "/users", {"login": name(), "fk_user": 99999}, status=404)
    admin.refused("DELETE", f"/users/{chief}", status=405)


# External users ------------------------------------------------------------------------------------------------------


def test_an_external_user_sees_and_touches_nobody_else(server: Served, admin: Client) -> None:
    rights = ("users.read", "users.write", "users.delete", "users.password", "users.self")
    client = server.user(*rights, socid=1)
    user_id, other = own_id(client), make(admin, email=f"{name()}@example.org")
    record = admin.get(f"/users/{other}")
    assert [each["id"] for each in client.get("/users")] == [user_id]
    assert client.get("/users", user_ids=str(other)) == []
    assert client.get("/users", sqlfilters="(t.rowid:>:0) or (t.rowid:>:0)") == [client.get(f"/users/{user_id}")]
    for path in (
        f"{other}",
        f"login/{record['login']}",
        f"email/{record['email']}",
        f"{other}/groups",
        f"{other}/keys",
    ):
        client.get(f"/users/{path}", status=404)
    client.refused("PUT", f"/users/{other}", {"job": "x"}, status=404)
    client.refused("PUT", f"/users/{other}", {"pass": PASSWORD}, status=404)
    client.refused("DELETE", f"/users/{other}", status=404)
    client.refused("PUT", f"/users/{other}/rights", ["users.read"], status=404)
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


def test_an_administrator_makes_a_user_external(server: Served, admin: Client) -> None:
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


# At once -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change", [{"statut": 0}, {"dateendvalidity": "2020-01-01"}, {"datestartvalidity": "2100-01-01"}]
)
def test_who_is_no_longer_valid_is_refused_at_the_next_request(
    server: Served, admin: Client, change: dict[str, Any]
) -> None:
    client = server.user("users.read")
    user_id = own_id(client)
    client.get("/users")
    admin.ask("PUT", f"/users/{user_id}", change)
    client.get("/users", status=401)
    client.get("/status", status=401)
    admin.ask("PUT", f"/users/{user_id}", {"statut": 1, "dateendvalidity": None, "datestartvalidity": None})
    client.get("/users")


def test_no_secret_is_answered(server: Served, admin: Client) -> None:
    user_id = make(admin, **{"pass": PASSWORD})
    key = admin.ask("POST", f"/users/{user_id}/keys", {"label": "planted"})
    group = admin.ask("POST", "/users/groups", {"name": name("group")})
    admin.get(f"/users/{user_id}/setGroup/{group}")
    admin.ask("PUT", "/setup/conf/PLANTED_API_KEY", {"value": "planted-constant"})
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

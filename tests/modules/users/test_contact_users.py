"""Users who are made from contacts: `POST /contacts/{id}/createUser`."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.storage.database import close
from tests.modules.users.users import PASSWORD, make, name, row


def contact(client, **fields):
    return int(client.ask("POST", "/contacts", {"lastname": "Lenoir", "firstname": "Anne", **fields}))


def opening(login=""):
    return {"login": login or name("contact"), "password": PASSWORD}


def test_a_user_with_the_contacts_names(admin):
    company = admin.ask("POST", "/thirdparties", {"name": "Company"})
    person = contact(admin, socid=company, email="anne.lenoir@example.org", civility_code="MME")
    body = opening()
    user = admin.ask("POST", f"/contacts/{person}/createUser", body)
    record = admin.get(f"/users/{user}")
    expected = {
        "login": body["login"], "lastname": "Lenoir", "firstname": "Anne", "email": "anne.lenoir@example.org",
        "civility_code": "MME", "socid": company, "contact_id": person, "admin": 0, "employee": 0, "statut": 1,
    }  # fmt: skip
    assert {key: record[key] for key in expected} == expected
    assert str(row(user).pass_crypted).startswith("$argon2id$")
    assert admin.get(f"/users/{user}/rights") == []
    found = admin.get(f"/contacts/{person}")
    assert (found["user_id"], found["user_login"]) == (user, body["login"])
    token = admin.ask("POST", "/login", body)["success"]["token"]
    assert token


def test_of_no_third_party_it_is_an_internal_one(admin):
    user = admin.ask("POST", f"/contacts/{contact(admin)}/createUser", opening())
    assert admin.get(f"/users/{user}")["socid"] is None


def test_a_contact_has_one_user(admin):
    person = contact(admin)
    admin.ask("POST", f"/contacts/{person}/createUser", opening())
    assert "already has a user" in admin.refused("POST", f"/contacts/{person}/createUser", opening(), status=405)


def test_several_at_once_make_one(admin):
    person = contact(admin)

    def make_one(_):
        try:
            return int(admin.simulate_post(f"/contacts/{person}/createUser", json=opening()).status_code)
        finally:
            close()

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(make_one, range(3))) == [200, 405, 405]


def test_a_login_and_an_address_are_used_once(admin):
    login = name()
    make(admin, login=login, email="taken@example.org")
    path = f"/contacts/{contact(admin)}/createUser"
    assert "login" in admin.refused("POST", path, opening(login), status=405)
    path = f"/contacts/{contact(admin, email='taken@example.org')}/createUser"
    assert "email" in admin.refused("POST", path, opening(), status=405)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"login", "password"}), ({"login": "x.y"}, {"password"}), ({"password": PASSWORD}, {"login"}),
        ({"login": "x.y", "password": "short"}, {"password"}), ({"login": "x.y", "password": [PASSWORD]}, {"password"}),
        ({"login": "x.y", "password": f" {PASSWORD}"}, {"password"}), ({"login": "a,b", "password": PASSWORD}, {"login"}),
        ({"login": ["x"], "password": PASSWORD}, {"login"}), ({"login": "x" * 51, "password": PASSWORD}, {"login"}),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_400_and_makes_nobody(admin, body, fields):
    person = contact(admin)
    error = admin.ask("POST", f"/contacts/{person}/createUser", body, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == fields
    assert admin.get(f"/contacts/{person}")["user_id"] is None


def test_what_else_is_sent_is_ignored(admin):
    answer = admin.simulate_post(f"/contacts/{contact(admin)}/createUser", json=opening() | {"admin": 1})
    assert admin.get(f"/users/{answer.json}")["admin"] == 0
    assert "admin" in answer.headers["warning"]


def test_who_may(server, admin):
    other = admin.ask("POST", "/thirdparties", {"name": "Other"})
    own = admin.ask("POST", "/thirdparties", {"name": "Own"})
    person, colleague = contact(admin, socid=other), contact(admin, socid=own)
    rights = ("contacts.read", "users.write")
    # Who sees neither the third party nor its contacts
    server.user(*rights).refused("POST", f"/contacts/{person}/createUser", opening(), status=404)
    external = server.user(*rights, socid=own)
    external.refused("POST", f"/contacts/{person}/createUser", opening(), status=404)
    assert "external" in external.refused("POST", f"/contacts/{colleague}/createUser", opening(), status=401)
    assert server.user(*rights, "thirdparties.all").ask("POST", f"/contacts/{person}/createUser", opening())

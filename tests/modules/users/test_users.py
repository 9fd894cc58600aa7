"""Users over HTTP: creating, changing, listing, deleting."""

import pytest

from tests.modules.stock.goods import warehouses
from tests.modules.users.users import make, name, own_id, row

# Creating -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def _warehouses(admin):
    """Those that records name here."""
    warehouses(admin, 6)


def test_a_user_is_created_with_the_defaults_of_the_reference(admin):
    login = name()
    user = admin.get(f"/users/{make(admin, login=login)}")
    assert user["login"] == login
    assert user["ref"] == user["id"]
    expected = {"entity": 1, "admin": 0, "statut": 1, "employee": 1, "socid": None, "fk_user": None, "birth": None}
    assert {key: user[key] for key in expected} == expected
    assert user["array_options"] == {}
    assert isinstance(user["datec"], int) and isinstance(user["datem"], int)


FIELDS = {
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


def test_every_writable_field_is_stored_and_read_back(admin):
    user_id = make(admin, **FIELDS)
    user = admin.get(f"/users/{user_id}")
    assert {key: user[key] for key in FIELDS} == FIELDS
    assert admin.ask("PUT", f"/users/{user_id}", user) | {"datem": 0} == user | {"datem": 0}


def test_a_change_merges(admin):
    user_id = make(admin, job="clerk", town="Lyon")
    assert admin.ask("PUT", f"/users/{user_id}", {"job": "chief"})["town"] == "Lyon"
    assert admin.ask("PATCH", f"/users/{user_id}", {"town": "Paris"})["job"] == "chief"


@pytest.mark.parametrize("body", [{}, {"lastname": "x"}, {"login": ""}, {"login": None}, {"login": "  "}])
def test_a_login_is_needed(admin, body):
    admin.refused("POST", "/users", body, status=400)


@pytest.mark.parametrize("character", [",", "@", "<", ">", '"', "'"])
def test_a_login_has_none_of_some_characters(admin, character):
    admin.refused("POST", "/users", {"login": f"a{character}b"}, status=400)
    admin.refused("PUT", f"/users/{make(admin)}", {"login": f"a{character}b"}, status=400)


def test_login_and_address_are_unique(admin):
    login, email = name(), f"{name()}@example.org"
    make(admin, login=login, email=email)
    assert "login" in admin.refused("POST", "/users", {"login": login}, status=405)
    assert "email" in admin.refused("POST", "/users", {"login": name(), "email": email}, status=405)
    assert "login" in admin.refused("PUT", f"/users/{make(admin)}", {"login": login}, status=405)


def test_an_empty_address_is_none(admin):
    assert admin.get(f"/users/{make(admin, email='')}")["email"] is None
    assert admin.get(f"/users/{make(admin, email='')}")["email"] is None
    admin.refused("POST", "/users", {"login": name(), "email": "nobody"}, status=400)


@pytest.mark.parametrize("field", ["admin", "statut", "employee"])
def test_flags_are_0_or_1(admin, field):
    admin.refused("POST", "/users", {"login": name(), field: 2}, status=400)


def test_managed_fields_are_ignored_with_a_warning(admin):
    body = {"login": name(), "id": 999, "socid": 1, "datec": 5, "datelastlogin": 5}
    answer = admin.simulate_post("/users", json=body)
    for key in ("id", "socid", "datec", "datelastlogin"):
        assert key in answer.headers["warning"]
    user = admin.get(f"/users/{answer.json}")
    assert (user["socid"], user["datelastlogin"]) == (None, None)
    assert user["id"] != 999 and user["datec"] != 5


def test_what_is_misspelt_opens_no_account_wider_than_meant(admin):
    login = name()
    for typo in ({"status": 0}, {"dateendvaliditi": "2026-01-01"}, {"fk_soc": 1}):
        (key,) = typo
        assert f"`{key}` is unknown" in admin.refused("POST", "/users", {"login": login, **typo}, status=400)
        admin.get(f"/users/login/{login}", status=404)
        user_id = make(admin)
        for verb in ("PUT", "PATCH"):
            admin.refused(verb, f"/users/{user_id}", {"job": "x", **typo}, status=400)
            assert row(user_id).statut == 1
    # What was read can be sent back, with what is answered besides the fields
    record = admin.get(f"/users/{user_id}", includepermissions=1)
    admin.ask("PUT", f"/users/{user_id}", record | {"user_group_list": []})


def test_another_company_is_refused(admin):
    text = "the API can't change the `entity` of a user"
    assert text in admin.refused("POST", "/users", {"login": name(), "entity": 2}, status=401)
    user_id = make(admin, entity=1)
    assert text in admin.refused("PUT", f"/users/{user_id}", {"entity": 2}, status=401)
    admin.ask("PUT", f"/users/{user_id}", {"entity": 1})


# Lists and look-ups ---------------------------------------------------------------------------------------------------


def test_users_are_listed(admin):
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


def test_a_user_is_found_by_login_and_address(admin):
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


def test_a_user_goes_with_keys_rights_and_memberships(server, admin):
    client = server.user("users.read")
    user_id = own_id(client)
    group = admin.ask("POST", "/users/groups", {"name": name("group")})
    admin.get(f"/users/{user_id}/setGroup/{group}")
    assert admin.ask("DELETE", f"/users/{user_id}")["success"]["code"] == 200
    admin.get(f"/users/{user_id}", status=404)
    client.get("/status", status=401)


def test_a_supervisor_exists_and_stays(admin):
    chief = make(admin)
    user_id = make(admin, fk_user=chief)
    assert admin.get(f"/users/{user_id}")["fk_user"] == chief
    admin.refused("POST", "/users", {"login": name(), "fk_user": 99999}, status=404)
    admin.refused("DELETE", f"/users/{chief}", status=405)

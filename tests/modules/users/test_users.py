"""Users over HTTP, apart from the fields that `services` lists."""

from tests.modules.users.users import make, name, row


def test_login_and_address_are_unique(admin):
    login, email = name(), f"{name()}@example.org"
    make(admin, login=login, email=email)
    assert "login" in admin.refused("POST", "/users", {"login": login}, status=405)
    assert "email" in admin.refused("POST", "/users", {"login": name(), "email": email}, status=405)
    assert "login" in admin.refused("PUT", f"/users/{make(admin)}", {"login": login}, status=405)


def test_an_empty_address_is_none(admin):
    for _ in range(2):
        assert admin.get(f"/users/{make(admin, email='')}")["email"] is None


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


def test_a_supervisor_exists_and_stays(admin):
    chief = make(admin)
    user_id = make(admin, fk_user=chief)
    assert admin.get(f"/users/{user_id}")["fk_user"] == chief
    admin.refused("POST", "/users", {"login": name(), "fk_user": 99999}, status=404)
    admin.refused("DELETE", f"/users/{chief}", status=405)

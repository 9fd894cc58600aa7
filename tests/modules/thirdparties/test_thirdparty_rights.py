"""Who may do what to third parties, and their representatives."""

from tests.modules.thirdparties.thirdparties import make

# Representatives ------------------------------------------------------------------------------------------------------


def test_representatives(server, admin):
    identifier = make(admin)
    path = f"/thirdparties/{identifier}/representatives"
    assert admin.get(path) == []
    first, second = (server.user().user_id for _ in range(2))
    admin.ask("POST", f"{path}/{second}")
    assert admin.ask("POST", f"{path}/{first}")["id"] == identifier
    told = admin.get(path)
    assert [user["id"] for user in told] == [first, second]
    assert {"id", "login", "lastname", "firstname", "email", "statut"} <= set(told[0])
    assert not [key for key in told[0] if "pass" in key or "key" in key or key == "admin"]
    assert admin.get(path, mode=1) == [first, second]
    assert "already" in admin.refused("POST", f"{path}/{first}", status=405)
    assert admin.ask("DELETE", f"{path}/{first}")["success"]["code"] == 200
    admin.refused("DELETE", f"{path}/{first}", status=404)
    assert admin.get(path, mode=1) == [second]
    admin.refused("GET", path, status=400, params={"mode": "2"})


def test_representatives_are_told_by_name_without_the_right_to_read_users(server, admin):
    identifier = make(admin)
    path = f"/thirdparties/{identifier}/representatives"
    body = {"login": "secretlogin", "email": "secret@example.org", "lastname": "Lovelace", "firstname": "Ada"}
    user = admin.ask("POST", "/users", body)
    name = {"id": user, "lastname": "Lovelace", "firstname": "Ada"}
    told = server.user("thirdparties.read", "thirdparties.write", "thirdparties.all")
    assert told.ask("POST", f"{path}/{user}")["id"] == identifier
    assert told.get(path) == [name]
    assert server.user("thirdparties.read", socid=identifier).get(path) == [name]
    # An external user sees no other user, whatever the rights
    assert server.user("thirdparties.read", "users.read", socid=identifier).get(path) == [name]
    reader = server.user("thirdparties.read", "thirdparties.all", "users.read")
    assert reader.get(path) == admin.get(path) == [
        {"id": user, "entity": 1, "login": "secretlogin", "lastname": "Lovelace", "firstname": "Ada",
         "email": "secret@example.org", "statut": 1}
    ]  # fmt: skip
    limited = server.user("thirdparties.read", "thirdparties.all", "users.read", only=["thirdparties.read"])
    admin.ask("POST", f"{path}/{limited.user_id}")
    assert name in limited.get(path)
    assert "secret" not in str(limited.get(path))


def test_an_external_user_represents_nobody(server, admin):
    identifier = make(admin)
    external = server.user(socid=identifier).user_id
    admin.refused("POST", f"/thirdparties/{identifier}/representatives/{external}", status=405)
    admin.refused("POST", "/thirdparties", {"name": "x", "commercial_id": external}, status=405)


def test_a_creation_names_a_representative(server, admin):
    user = server.user().user_id
    identifier = make(admin, commercial_id=user)
    assert admin.get(f"/thirdparties/{identifier}/representatives", mode=1) == [user]
    assert admin.get(f"/thirdparties/{make(admin, commercial_id=-1)}/representatives") == []
    message = admin.refused("POST", "/thirdparties", {"name": "No trace 2", "commercial_id": 99999}, status=404)
    assert "99999" in message
    assert admin.get("/thirdparties", sqlfilters="(t.nom:=:'No trace 2')") == []

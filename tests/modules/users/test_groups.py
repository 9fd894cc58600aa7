"""Groups of users: who is in them and what they may do."""

import itertools

_numbers = itertools.count(1)


def make(admin, *rights):
    group = int(admin.ask("POST", "/users/groups", {"name": f"Group {next(_numbers)}"}))
    if rights:
        admin.ask("PUT", f"/users/groups/{group}/rights", list(rights))
    return group


def own_id(client):
    return int(client.get("/users/info")["id"])


def test_a_group_has_a_name_of_its_own(admin):
    admin.ask("POST", "/users/groups", {"name": "Twice"})
    admin.refused("POST", "/users/groups", {"name": "Twice"}, status=405)


def test_groups_are_listed(admin):
    first, second = make(admin), make(admin)
    found = admin.get("/users/groups", group_ids=f"{first},{second}", sortorder="DESC", sortfield="t.rowid")
    assert [each["id"] for each in found] == [second, first]
    assert admin.get("/users/groups", sqlfilters="(t.nom:=:'nobody')") == []
    admin.get("/users/groups", group_ids="x", status=400)


def test_a_get_puts_a_user_into_a_group(server, admin):
    client = server.user()
    user_id, group = own_id(client), make(admin)
    for _ in range(2):
        assert admin.get(f"/users/{user_id}/setGroup/{group}")["id"] == user_id
    assert [each["id"] for each in admin.get(f"/users/{user_id}/groups")] == [group]
    assert [each["id"] for each in client.get("/users/info")["user_group_list"]] == [group]
    assert "members" not in admin.get(f"/users/groups/{group}")
    members = admin.get(f"/users/groups/{group}", load_members=1)["members"]
    assert [each["id"] for each in members] == [user_id]
    admin.get(f"/users/groups/{group}", load_members=2, status=400)
    admin.get(f"/users/99999/setGroup/{group}", status=404)
    admin.get(f"/users/{user_id}/setGroup/99999", status=404)
    assert admin.ask("DELETE", f"/users/{user_id}/groups/{group}")["success"]["code"] == 200
    assert admin.get(f"/users/{user_id}/groups") == []
    admin.refused("DELETE", f"/users/{user_id}/groups/99999", status=404)


def test_a_group_s_rights_are_its_members(server, admin):
    client = server.user()
    user_id, group = own_id(client), make(admin, "users.read")
    assert admin.get(f"/users/groups/{group}/rights") == ["users.read"]
    client.get("/users", status=401)
    admin.get(f"/users/{user_id}/setGroup/{group}")
    client.get("/users")
    assert client.get("/users/info", includepermissions=1)["rights"] == ["users.read"]
    assert client.get(f"/users/{user_id}/rights") == []
    admin.ask("PUT", f"/users/groups/{group}/rights", {"rights": []})
    client.get("/users", status=401)
    admin.ask("PUT", f"/users/groups/{group}/rights", ["users.read"])
    client.get("/users")
    admin.ask("DELETE", f"/users/groups/{group}")
    client.get("/users", status=401)


def test_nobody_rises_by_a_group(server, admin):
    client = server.user("users.read", "users.write")
    me, mighty, own = own_id(client), make(admin, "users.delete", "setup.write"), make(admin)
    client.get(f"/users/{me}/setGroup/{mighty}", status=401)
    assert client.get("/users/info")["user_group_list"] == []
    client.get(f"/users/{me}/setGroup/{own}")
    client.refused("PUT", f"/users/groups/{own}/rights", ["setup.write"], status=401)
    assert admin.get(f"/users/groups/{own}/rights") == []
    assert client.ask("PUT", f"/users/groups/{own}/rights", ["users.read"]) == ["users.read"]
    client.refused("PUT", f"/users/groups/{own}/rights", ["users.raed"], status=400)
    restricted = server.user(admin=True, only=["users.write"])
    restricted.get(f"/users/{me}/setGroup/{mighty}", status=401)


def test_an_administrator_is_moved_by_administrators_alone(server, admin):
    group = make(admin)
    server.user("users.write").get(f"/users/{own_id(admin)}/setGroup/{group}", status=401)
    admin.get(f"/users/{own_id(admin)}/setGroup/{group}")
    server.user("users.write").refused("DELETE", f"/users/{own_id(admin)}/groups/{group}", status=401)

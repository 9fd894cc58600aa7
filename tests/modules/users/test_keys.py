"""Keys: several per user, shown once, kept as a digest; what they may not give, and when they end."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest

from core.access.keys import Key, digest_of
from core.common.clock import utc_now
from core.testing import Client, Served


def own_id(client: Client) -> int:
    return int(client.get("/users/info")["id"])


def make(client: Client, user_id: int, **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = client.ask("POST", f"/users/{user_id}/keys", fields)
    return made


def test_a_key_is_shown_once_and_kept_as_a_digest(server: Served, admin: Client) -> None:
    user_id = own_id(server.user("users.read"))
    made = make(admin, user_id, label="nightly job")
    assert set(made) == {"id", "key", "label", "expires", "rights"}
    assert (made["label"], made["expires"], made["rights"]) == ("nightly job", None, None)
    server.client(made["key"]).get("/users")
    listed = next(each for each in admin.get(f"/users/{user_id}/keys") if each["id"] == made["id"])
    assert listed["label"] == "nightly job"
    assert isinstance(listed["created"], int)
    assert "key" not in listed and "digest" not in listed
    row = Key.get_by_id(made["id"])
    assert row.digest == digest_of(made["key"])
    assert made["key"] not in map(str, row.__data__.values())


def test_a_user_has_several_keys(server: Served) -> None:
    client = server.user("users.self")
    user_id = own_id(client)
    keys = [make(client, user_id, label=f"key {number}")["key"] for number in range(3)]
    assert len(set(keys)) == 3
    for key in keys:
        assert own_id(server.client(key)) == user_id
    assert len(client.get(f"/users/{user_id}/keys")) == 4


def test_a_deleted_key_is_refused_at_the_next_request(server: Served, admin: Client) -> None:
    user_id = own_id(server.user("users.read"))
    made = make(admin, user_id)
    client = server.client(made["key"])
    client.get("/users")
    assert admin.ask("DELETE", f"/users/{user_id}/keys/{made['id']}") == 1
    client.get("/users", status=401)
    client.get("/status", status=401)
    admin.refused("DELETE", f"/users/{user_id}/keys/{made['id']}", status=404)


def test_an_expired_key_is_refused(server: Served, admin: Client) -> None:
    user_id = own_id(server.user("users.read"))
    expires = int(time.time()) + 3600
    made = make(admin, user_id, expires=expires)
    assert made["expires"] == expires
    client = server.client(made["key"])
    client.get("/users")
    Key.update(expires=utc_now() - timedelta(seconds=1)).where(Key.id == made["id"]).execute()
    client.get("/users", status=401)
    for past in (0, "2020-01-01", int(time.time()) - 1):
        admin.refused("POST", f"/users/{user_id}/keys", {"expires": past}, status=400)
    admin.refused("POST", f"/users/{user_id}/keys", {"expires": "soon"}, status=400)


def test_a_restricted_key_opens_nothing_else(server: Served, admin: Client) -> None:
    client = server.user("users.read", "users.write", "users.self")
    user_id = own_id(client)
    made = make(client, user_id, rights=["users.read"])
    assert made["rights"] == ["users.read"]
    restricted = server.client(made["key"])
    restricted.get("/users")
    restricted.refused("POST", "/users", {"login": "restricted.new"}, status=401)
    listed = next(each for each in client.get(f"/users/{user_id}/keys") if each["id"] == made["id"])
    assert listed["rights"] == ["users.read"]
    nothing = server.client(make(admin, user_id, rights=[])["key"])
    nothing.get("/users", status=401)
    nothing.get("/status")
    client.refused("POST", f"/users/{user_id}/keys", {"rights": ["users.raed"]}, status=400)


def test_a_restricted_key_makes_no_wider_one(server: Served) -> None:
    client = server.user("users.read", "users.self", only=["users.self"])
    user_id = own_id(client)
    assert make(client, user_id)["rights"] == ["users.self"]
    client.refused("POST", f"/users/{user_id}/keys", {"rights": ["users.read"]}, status=401)
    locked = server.user("users.self", "users.read", only=["users.read"])
    locked.refused("POST", f"/users/{own_id(locked)}/keys", {}, status=401)
    chief = server.user(admin=True, only=["users.write", "users.self"])
    assert make(chief, own_id(chief))["rights"] == ["users.self", "users.write"]


def test_keys_of_others_are_made_by_administrators(server: Served, admin: Client) -> None:
    other = own_id(server.user("users.read"))
    client = server.user("users.read", "users.write", "users.password", "users.self")
    client.refused("POST", f"/users/{other}/keys", {}, status=401)
    client.refused("POST", f"/users/{own_id(admin)}/keys", {}, status=401)
    server.user(admin=True, only=["users.write"]).refused("POST", f"/users/{other}/keys", {}, status=401)
    admin.refused("POST", "/users/99999/keys", {}, status=404)


def test_who_may_list_and_revoke(server: Served, admin: Client) -> None:
    plain, other = server.user(), server.user("users.self")
    plain_key = plain.get(f"/users/{own_id(plain)}/keys")[0]["id"]
    other_key = other.get(f"/users/{own_id(other)}/keys")[0]["id"]
    admin_key = admin.get(f"/users/{own_id(admin)}/keys")[0]["id"]
    plain.get(f"/users/{own_id(other)}/keys", status=401)
    plain.refused("POST", f"/users/{own_id(plain)}/keys", {}, status=401)
    plain.refused("DELETE", f"/users/{own_id(plain)}/keys/{plain_key}", status=401)
    other.refused("DELETE", f"/users/{own_id(plain)}/keys/{plain_key}", status=401)
    # A key of another user is not to be reached by one's own account
    other.refused("DELETE", f"/users/{own_id(other)}/keys/{plain_key}", status=404)
    writer = server.user("users.write")
    writer.refused("DELETE", f"/users/{own_id(admin)}/keys/{admin_key}", status=401)
    assert writer.ask("DELETE", f"/users/{own_id(plain)}/keys/{plain_key}") == 1
    plain.get("/status", status=401)
    assert other.ask("DELETE", f"/users/{own_id(other)}/keys/{other_key}") == 1
    other.get("/status", status=401)


@pytest.mark.parametrize("key", ["", " ", "null", "0", "x" * 600, "' or '1'='1", "%", "_" * 40])
def test_no_other_text_is_a_key(server: Served, key: str) -> None:
    client = server.client(None)
    client.ask("GET", "/users/info", status=401, headers={"DOLAPIKEY": key})
    client.ask("GET", "/users/info", status=401, headers={"Authorization": f"Bearer {key}"})


def test_the_digest_is_no_key_and_no_filter(server: Served, admin: Client) -> None:
    user_id = own_id(server.user())
    row = Key.select().where(Key.user == user_id).get()
    server.client(row.digest).get("/status", status=401)
    admin.get(f"/users/{user_id}/keys", sqlfilters="(t.digest:like:'a%')", status=400)
    admin.get(f"/users/{user_id}/keys", sortfield="t.digest", status=400)
    admin.get(f"/users/{user_id}/keys", properties="digest", status=400)


def test_a_key_in_the_url_does_not_count(server: Served) -> None:
    key = make(server.client(), own_id(server.user()))["key"]
    server.client(None).get("/status", DOLAPIKEY=key, status=401)
    server.client(None).get("/status", api_key=key, status=401)

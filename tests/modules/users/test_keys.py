"""Keys: several per user, shown once, kept as a digest; what they may not give, and when they end."""

from datetime import datetime, timedelta
from ipaddress import ip_network

import pytest

from core.access.keys import Key, digest_of, make_key
from core.common.clock import as_if
from core.for_natives import Restriction
from core.storage.database import ensure_connected
from core.testing import Client
from tests.moments import LEAP_DAY_END


def own_id(client):
    return int(client.get("/users/info")["id"])


def make(client, user_id, **fields):
    return client.ask("POST", f"/users/{user_id}/keys", fields)


def test_a_key_is_shown_once_and_kept_as_a_digest(server, admin):
    user_id = own_id(server.user("users.read"))
    made = make(admin, user_id, label="nightly job")
    assert set(made) == {"id", "key", "label", "expires", "rights", "addresses", "rate"}
    assert made == made | {"label": "nightly job", "expires": None, "rights": None, "addresses": None, "rate": None}
    server.client(made["key"]).get("/users")
    listed = next(each for each in admin.get(f"/users/{user_id}/keys") if each["id"] == made["id"])
    assert listed["label"] == "nightly job"
    assert isinstance(listed["created"], int)
    assert "key" not in listed and "digest" not in listed
    row = Key.get_by_id(made["id"])
    assert row.digest == digest_of(made["key"])
    assert made["key"] not in map(str, row.__data__.values())


def test_a_deleted_key_is_refused_at_the_next_request(server, admin):
    user_id = own_id(server.user("users.read"))
    made = make(admin, user_id)
    client = server.client(made["key"])
    client.get("/users")
    assert admin.ask("DELETE", f"/users/{user_id}/keys/{made['id']}")["success"]["code"] == 200
    client.get("/users", status=401)
    client.get("/status", status=401)
    admin.refused("DELETE", f"/users/{user_id}/keys/{made['id']}", status=404)


def test_an_expired_key_is_refused(server, admin):
    user_id = own_id(server.user("users.read"))
    expires = LEAP_DAY_END + 3600
    with as_if(LEAP_DAY_END):
        made = make(admin, user_id, expires=expires)
        assert made["expires"] == expires
        for past in (0, "2020-01-01", LEAP_DAY_END):
            admin.refused("POST", f"/users/{user_id}/keys", {"expires": past}, status=400)
    client = server.client(made["key"])
    with as_if(expires - 1):
        client.get("/users")
    with as_if(expires):
        client.get("/users", status=401)
    admin.refused("POST", f"/users/{user_id}/keys", {"expires": "soon"}, status=400)


def test_a_restricted_key_opens_nothing_else(server, admin):
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


def key_of(client, **fields):
    """A further key of the client's user, made past the interface."""
    assert client.user_id is not None
    ensure_connected()
    return make_key(client.user_id, "restricted", restriction=Restriction(**fields))


def test_addresses_are_kept_shown_and_enforced(server, admin):
    user = server.user("users.read")
    asked = ["10.0.0.128/25", "10.0.0.0/25", "::ffff:192.0.2.7", "2001:db8::/32"]
    made = make(admin, user.user_id or 0, addresses=asked)
    listed = next(each for each in admin.get(f"/users/{user.user_id}/keys") if each["id"] == made["id"])
    assert made["addresses"] == listed["addresses"] == ["10.0.0.0/24", "192.0.2.7", "2001:db8::/32"]
    client = server.client(made["key"])
    # What calls in the tests is a proxy of ours
    for address, status in (
        ("10.0.0.5", 200),
        ("192.0.2.7", 200),
        ("2001:db8::5", 200),
        ("::ffff:10.0.0.5", 200),
        ("203.0.113.9, 10.0.0.5", 200),
        ("10.0.0.5, 203.0.113.9", 401),
        ("192.0.2.8", 401),
        ("nobody", 401),
    ):
        answer = client.simulate_get("/users", headers={"X-Forwarded-For": address})
        assert answer.status_code == status, address
        client.ask("GET", "/explorer/index.json", status=status, headers={"X-Forwarded-For": address})
    said = client.refused("GET", "/users", status=401, headers={"X-Forwarded-For": "203.0.113.9"})
    assert said == "Unauthorized: this key can't be used from 203.0.113.9"
    assert make(admin, user.user_id or 0, addresses=None)["addresses"] is None


def test_each_wrong_address_is_named(server, admin):
    path = f"/users/{own_id(server.user())}/keys"
    asked = {"addresses": ["10.0.0.1", "10.0.0.5/24", "office", "10.0.0.0/8"]}
    error = admin.ask("POST", path, asked, status=400)["error"]
    assert [each["field"] for each in error["errors"]] == ["addresses", "addresses"]
    assert "'10.0.0.5/24'; did you mean 10.0.0.0/24?" in error["errors"][0]["message"]
    assert "'office'" in error["errors"][1]["message"]
    admin.refused("POST", path, {"addresses": []}, status=400)
    admin.refused("POST", path, {"addresses": ["10.0.0.1"] * 101}, status=400)
    for rate in (0, -1, 1_000_001, "many"):
        assert "rate" in admin.refused("POST", path, {"rate": rate}, status=400)


LATER, MUCH_LATER = datetime(2100, 1, 1), datetime(2100, 1, 2)


@pytest.mark.parametrize(
    ("own", "wider", "narrower"),
    [
        ({"rights": frozenset(["users.self"])}, {"rights": ["users.self", "users.read"]}, {"rights": []}),
        (
            {"addresses": (ip_network("10.0.0.0/8"),)},
            {"addresses": ["10.0.0.0/8", "192.0.2.7"]},
            {"addresses": ["10.0.0.5"]},
        ),
        ({"expires": LATER}, {"expires": f"{MUCH_LATER}Z"}, {"expires": f"{LATER - timedelta(hours=1)}Z"}),
        ({"rate": 60}, {"rate": 61}, {"rate": 59}),
    ],
)
@pytest.mark.parametrize("admin_too", [False, True])
def test_a_key_gives_no_key_what_it_has_not_itself(server, own, wider, narrower, admin_too):
    user = server.user("users.self", "users.read", admin=admin_too)
    assert user.user_id is not None
    path = f"/users/{user.user_id}/keys"
    (name,) = own
    client = Client(server.app, headers={"DOLAPIKEY": key_of(user, **own), "X-Forwarded-For": "10.0.0.5"})
    client.refused("POST", path, wider, status=401)
    made = client.ask("POST", path, {})
    assert make_known(made["id"]) == Restriction(**own)
    assert make_known(client.ask("POST", path, narrower)["id"]) != Restriction(**own)
    if admin_too and name != "rights":
        other = own_id(server.user())
        client.refused("POST", f"/users/{other}/keys", wider, status=401)
        assert make_known(client.ask("POST", f"/users/{other}/keys", {})["id"]) == Restriction(**own)
    # Nor by changing one that is wider for a new one; its own may be changed, and ends by that
    for each in sorted(client.get(path), key=lambda each: str(each["label"]) == "restricted"):
        client.ask("POST", f"{path}/{each['id']}/rotate", {}, status=200 if each[name] is not None else 401)
    assert len(client.get(path)) == 7


def make_known(key_id):
    """What a key is restricted to."""
    ensure_connected()
    return Key.get_by_id(key_id).restriction


def test_the_setting_bounds_whoever_is_no_administrator(serve):
    served = serve(rate=60)
    user = served.user("users.self")
    path = f"/users/{user.user_id}/keys"
    user.refused("POST", path, {"rate": 61}, status=401)
    assert user.ask("POST", path, {"rate": 60})["rate"] == 60
    # It goes on following the setting
    assert user.ask("POST", path, {})["rate"] is None
    assert served.client().ask("POST", path, {"rate": 600})["rate"] == 600


@pytest.mark.parametrize(
    "typo",
    [
        {"right": ["users.read"]},
        {"expire": "2099-01-01"},
        {"address": ["10.0.0.1"]},
        {"rates": 5},
        {"Rights": []},
    ],
)
def test_a_misspelt_restriction_makes_no_key(server, admin, typo):
    user = server.user("users.self")
    path, (name,) = f"/users/{user.user_id}/keys", typo
    said = admin.ask("POST", path, {"label": "x", **typo}, status=400)["error"]
    assert said["message"].startswith(f"Bad Request: `{name}` is unknown. ")
    assert said["message"].endswith("Known names: label, expires, rights, addresses, rate")
    assert "Did you mean `" in said["message"]
    assert [each["field"] for each in said["errors"]] == [name]
    admin.refused("POST", path, {"label": "x"}, status=400, params={name: "1"})
    assert len(admin.get(path)) == 1
    (key,) = admin.get(path)
    admin.refused("POST", f"{path}/{key['id']}/rotate", {"overlp": 0}, status=400)
    admin.refused("POST", f"{path}/{key['id']}/rotate?overlp=0", status=400)


def test_all_that_is_wrong_is_named_at_once(server, admin):
    path = f"/users/{own_id(server.user())}/keys"
    body = {"right": [], "rate": 0, "label": "x" * 200}
    error = admin.ask("POST", path, body, status=400, params={"adress": "10.0.0.1"})["error"]
    assert [each["field"] for each in error["errors"]] == ["adress", "right", "label", "rate"]


# Changing a key for a new one -----------------------------------------------------------------------------------------


def test_a_key_is_changed_for_a_new_one_while_both_are_valid(server):
    user = server.user("users.self", "users.read")
    path = f"/users/{user.user_id}/keys"
    end = LEAP_DAY_END + 90_000
    with as_if(LEAP_DAY_END):
        old = make(user, user.user_id or 0, label="nightly", expires=end, addresses=["10.0.0.5"], rate=1000)
        new = user.ask("POST", f"{path}/{old['id']}/rotate")
    assert new == old | {"id": new["id"], "key": new["key"]}
    assert new["id"] != old["id"] and new["key"] != old["key"]
    with as_if(LEAP_DAY_END + 3599):
        for made in (old, new):
            server.client(made["key"]).ask("GET", "/users", headers={"X-Forwarded-For": "10.0.0.5"})
    ends = {each["id"]: each["expires"] for each in user.get(path)}
    assert ends[new["id"]] == end
    assert ends[old["id"]] == LEAP_DAY_END + 3600


def test_the_old_key_ends_when_it_is_said_to_and_never_later_than_its_own_end(server):
    user = server.user("users.self")
    path = f"/users/{user.user_id}/keys"
    first = make(user, user.user_id or 0, label="job")
    second = user.ask("POST", f"{path}/{first['id']}/rotate", {"overlap": 0})
    server.client(first["key"]).get("/status", status=401)
    user.refused("POST", f"{path}/{first['id']}/rotate", status=404)
    server.client(second["key"]).get("/status")
    soon = LEAP_DAY_END + 600
    with as_if(LEAP_DAY_END):
        third = make(user, user.user_id or 0, expires=soon)
        user.ask("POST", f"{path}/{third['id']}/rotate", {"overlap": 2_592_000})
    assert {each["expires"] for each in user.get(path) if each["id"] == third["id"]} == {soon}
    for wrong in (-1, 2_592_001, "soon"):
        user.refused("POST", f"{path}/{second['id']}/rotate", {"overlap": wrong}, status=400)
    with as_if(soon):
        user.refused("POST", f"{path}/{third['id']}/rotate", status=405)


def test_who_may_change_a_key_for_a_new_one(server, admin):
    plain, user, other = server.user(), server.user("users.self"), server.user("users.self", "users.write")
    (key,) = user.get(f"/users/{user.user_id}/keys")
    path = f"/users/{user.user_id}/keys/{key['id']}/rotate"
    for client in (plain, other, server.user(admin=True, only=["users.write"])):
        client.refused("POST", path, status=401)
    # A key of another user is not to be reached by one's own account
    other.refused("POST", f"/users/{other.user_id}/keys/{key['id']}/rotate", status=404)
    (own,) = plain.get(f"/users/{plain.user_id}/keys")
    plain.refused("POST", f"/users/{plain.user_id}/keys/{own['id']}/rotate", status=401)
    assert own_id(server.client(admin.ask("POST", path)["key"])) == user.user_id
    # The key itself, as a program does
    assert own_id(server.client(user.ask("POST", path)["key"])) == user.user_id


def test_keys_of_others_are_made_by_administrators(server, admin):
    other = own_id(server.user("users.read"))
    client = server.user("users.read", "users.write", "users.password", "users.self")
    client.refused("POST", f"/users/{other}/keys", {}, status=401)
    client.refused("POST", f"/users/{own_id(admin)}/keys", {}, status=401)
    server.user(admin=True, only=["users.write"]).refused("POST", f"/users/{other}/keys", {}, status=401)


def test_who_may_list_and_revoke(server, admin):
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
    assert writer.ask("DELETE", f"/users/{own_id(plain)}/keys/{plain_key}")["success"]["code"] == 200
    plain.get("/status", status=401)
    assert other.ask("DELETE", f"/users/{own_id(other)}/keys/{other_key}")["success"]["code"] == 200
    other.get("/status", status=401)


def test_a_permission_that_the_user_lacks_warns(admin, server):
    user_id = server.user("orders.read").user_id
    answer = admin.simulate_post(f"/users/{user_id}/keys", json={"rights": ["orders.read", "orders.write"]})
    assert answer.status_code == 200
    assert "the key has no effect for orders.write, because its user doesn't have" in answer.headers["Warning"]
    answer = admin.simulate_post(f"/users/{user_id}/keys", json={"rights": ["orders.read"]})
    assert "Warning" not in answer.headers

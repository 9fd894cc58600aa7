"""What a restricted key does not open it does not get by an account either: ways in, rights, groups."""

from datetime import timedelta
from ipaddress import ip_network

import pytest

from core.access.keys import make_key
from core.common.clock import now
from core.for_natives import Restriction
from core.storage.database import ensure_connected
from core.testing import Client
from tests.modules.users.users import PASSWORD, make, name, own_id, row

RESTRICTIONS = {
    "rights": {"rights": frozenset(["users.self", "users.write", "users.password", "users.read"])},
    "addresses": {"addresses": (ip_network("10.0.0.0/8"),)},
    "expires": {"expires": now() + timedelta(days=1)},
    "rate": {"rate": 1000},
}
#: what opens an account
OPENING = {
    "login": "another.login",
    "email": "another@example.org",
    "pass": PASSWORD,
    "statut": 0,
    "datestartvalidity": "2020-01-01",
    "dateendvalidity": "2099-01-01",
}


def restricted(server, user_id, *, by_login=False, **fields):
    """A client with a restricted key of a user."""
    assert user_id is not None
    ensure_connected()
    key = make_key(user_id, "r", restriction=Restriction(**fields), by_login=by_login)
    return Client(server.app, headers={"DOLAPIKEY": key, "X-Forwarded-For": "10.0.0.5"})


def test_a_key_for_personal_fields_changes_no_administrator_s_address(server):
    chief = server.user(admin=True)
    client = restricted(server, chief.user_id, rights=frozenset(["users.self"]))
    before = row(chief.user_id or 0).email
    said = client.refused("PUT", f"/users/{chief.user_id}", {"email": "evil@example.org"}, status=401)
    assert "change `email`" in said
    assert row(chief.user_id or 0).email == before
    # What opens nothing may be changed
    client.ask("PUT", f"/users/{chief.user_id}", {"town": "Lyon", "email": before})
    chief.ask("PUT", f"/users/{chief.user_id}", {"email": f"{name()}@example.org"})


@pytest.mark.parametrize("restriction", RESTRICTIONS)
@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_a_restricted_key_changes_no_way_into_an_account_that_holds_more(server, restriction, verb):
    target = server.user("users.read", "setup.write")
    client = restricted(server, server.user(admin=True).user_id, **RESTRICTIONS[restriction])
    for field, value in OPENING.items():
        before = row(target.user_id or 0).__data__
        client.refused(verb, f"/users/{target.user_id}", {field: value}, status=401)
        assert row(target.user_id or 0).__data__ == before
    client.ask(verb, f"/users/{target.user_id}", {"job": "clerk"})
    client.refused("PUT", f"/users/{target.user_id}/thirdparty", {"socid": None}, status=401)


@pytest.mark.parametrize("restriction", RESTRICTIONS)
def test_a_restricted_key_gives_no_account_more_than_it_has(server, admin, restriction):
    client = restricted(server, server.user(admin=True).user_id, **RESTRICTIONS[restriction])
    # An account without rights holds nothing
    user_id = make(client, **{"pass": PASSWORD})
    client.ask("PUT", f"/users/{user_id}", {"email": f"{name()}@example.org"})
    client.refused("PUT", f"/users/{user_id}/rights", ["setup.write"], status=401)
    group = admin.ask("POST", "/users/groups", {"name": name("group")})
    client.refused("PUT", f"/users/groups/{group}/rights", ["setup.write"], status=401)
    admin.ask("PUT", f"/users/groups/{group}/rights", ["setup.write"])
    client.get(f"/users/{user_id}/setGroup/{group}", status=401)
    client.refused("PUT", f"/users/{user_id}", {"admin": 1}, status=401)
    client.refused("POST", "/users", {"login": name(), "admin": 1}, status=401)
    assert row(user_id).admin == 0


def test_a_key_passes_on_no_right_that_its_user_lacks(server, admin):
    user = server.user("users.write", "users.read")
    client = restricted(server, user.user_id, rights=frozenset(["users.write", "users.read", "invoices.read"]))
    target = make(admin)
    client.refused("PUT", f"/users/{target}/rights", ["invoices.read"], status=401)
    assert client.ask("PUT", f"/users/{target}/rights", ["users.read"]) == ["users.read"]


def test_who_has_logged_in_changes_what_opens_an_account(server):
    user, chief = server.user("users.self", "users.read"), server.user(admin=True)
    soon = now() + timedelta(days=30)
    for by_login, status in ((True, 200), (False, 401)):
        client = restricted(server, user.user_id, by_login=by_login, expires=soon)
        for body in ({"pass": PASSWORD}, {"email": f"{name()}@example.org"}):
            client.ask("PUT", f"/users/{user.user_id}", body, status=status)
        client = restricted(server, chief.user_id, by_login=by_login, expires=soon)
        client.ask("PUT", f"/users/{user.user_id}", {"pass": PASSWORD}, status=status)
        client.ask("PUT", f"/users/{make(chief)}/rights", ["users.read"], status=status)
    # A key that one makes then ends all the same
    client = restricted(server, user.user_id, by_login=True, expires=soon)
    made = client.ask("POST", f"/users/{user.user_id}/keys", {})
    assert made["expires"] is not None
    client.refused("POST", f"/users/{user.user_id}/keys", {"expires": "2999-01-01"}, status=401)
    server.client(made["key"]).refused("PUT", f"/users/{user.user_id}", {"pass": PASSWORD}, status=401)


def test_a_key_that_ends_gets_no_login_s_key_for_its_own(server):
    user = server.user("users.self")
    soon = now() + timedelta(days=1)
    for by_login, status in ((False, 401), (True, 200)):
        restricted(server, user.user_id, by_login=True, expires=soon)
        client = restricted(server, user.user_id, by_login=by_login, expires=soon)
        path = f"/users/{user.user_id}/keys"
        old = next(each["id"] for each in client.get(path) if each["by_login"])
        made = server.client(client.ask("POST", f"{path}/{old}/rotate")["key"])
        made.ask("PUT", f"/users/{user.user_id}", {"pass": PASSWORD}, status=status)


def test_a_login_shows_that_the_password_is_known(server):
    user = server.user("users.self")
    user.ask("PUT", f"/users/{user.user_id}", {"pass": PASSWORD})
    login = user.get("/users/info")["login"]
    token = server.client(None).ask("POST", "/login", {"login": login, "password": PASSWORD})["success"]["token"]
    client = server.client(token)
    client.ask("PUT", f"/users/{own_id(client)}", {"pass": PASSWORD + "y"})


def test_an_account_that_holds_no_more_than_the_key_may_be_opened(server):
    user = server.user("users.self")
    client = restricted(server, user.user_id, rights=frozenset(["users.self"]))
    client.ask("PUT", f"/users/{user.user_id}", {"email": f"{name()}@example.org", "pass": PASSWORD})
    keeper = server.user("users.write", "users.read", "users.password")
    client = restricted(server, keeper.user_id, rights=frozenset(["users.write", "users.password"]))
    client.ask("PUT", f"/users/{own_id(server.user())}", {"login": name(), "pass": PASSWORD})
    client.refused("PUT", f"/users/{own_id(server.user('users.read'))}", {"login": name()}, status=401)

"""What the tests of users say to the server."""

import itertools

from core.access.accounts import Account

_numbers = itertools.count(1)
PASSWORD = "Secret#12345x"


def name(stem="person"):
    return f"{stem}.{next(_numbers)}"


def make(client, **fields):
    return int(client.ask("POST", "/users", {"login": name(), "lastname": "Test", **fields}))


def row(user_id):
    return Account.get_by_id(user_id)


def own_id(client):
    return int(client.get("/users/info")["id"])

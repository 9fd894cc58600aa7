"""Login: who gets a key, how long it lasts, and how often one may fail."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from argon2 import PasswordHasher

import core.access.keys
from core.access.accounts import Account
from core.access.keys import Key, hash_password
from core.common.settings import configure
from core.storage.database import close, database
from core.testing import Client, Served

_numbers = itertools.count(1)
PASSWORD = "Secret#12345x"


@pytest.fixture(autouse=True, scope="module")
def cheap() -> Iterator[None]:
    """Hash with less work, for the many wrong passwords of this file."""
    usual = core.access.keys._hasher, core.access.keys._NOBODY
    core.access.keys._hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    core.access.keys._NOBODY = core.access.keys._hasher.hash("nobody")
    yield
    core.access.keys._hasher, core.access.keys._NOBODY = usual


def make(**fields: Any) -> str:
    login = f"login.{next(_numbers)}"
    Account.create(login=login, pass_crypted=hash_password(PASSWORD), **fields)
    return login


class Stranger:
    """A client without a key, at an address of its own."""

    def __init__(self, server: Served) -> None:
        self.client = server.client(None)
        self.address = f"10.0.{next(_numbers)}.1"

    def post(self, body: Any, status: int = 200) -> Any:
        return self.client.ask("POST", "/login", body, status=status, headers={"X-Forwarded-For": self.address})

    def log_in(self, login: str, password: str = PASSWORD, status: int = 200, **more: Any) -> Any:
        return self.post({"login": login, "password": password, **more}, status)

    def fail(self, login: str, times: int) -> None:
        for _ in range(times):
            self.log_in(login, "wrong", 403)


@pytest.fixture
def stranger(server: Served) -> Stranger:
    return Stranger(server)


def keys_of(login: str) -> list[Key]:
    user = Account.get(Account.login == login)
    return list(Key.select().where(Key.user == user.id).order_by(Key.id))


def test_login_answers_a_key(server: Served, stranger: Stranger) -> None:
    login = make()
    success = stranger.log_in(login)["success"]
    assert set(success) == {"code", "token", "entity", "message"}
    assert (success["code"], success["entity"]) == (200, "1")
    assert success["message"].startswith(f"Welcome {login} - ")
    assert server.client(success["token"]).get("/users/info")["login"] == login
    (key,) = keys_of(login)
    assert key.label == "login"
    assert key.digest == core.access.keys.digest_of(success["token"])
    assert key.expires is not None
    assert abs((key.expires - key.created).total_seconds() - 30 * 86400) < 5
    assert server.client(success["token"]).get("/users/info")["datelastlogin"] >= int(time.time()) - 60


def test_the_address_of_a_user_is_a_login_too(stranger: Stranger) -> None:
    email = f"mail{next(_numbers)}@example.org"
    login = make(email=email)
    assert stranger.log_in(email)["success"]["message"].startswith(f"Welcome {login} - ")


def test_the_ten_newest_keys_stay(server: Served, stranger: Stranger) -> None:
    login = make()
    user = Account.get(Account.login == login)
    other = core.access.keys.make_key(user.id, "mine")
    tokens = [stranger.log_in(login)["success"]["token"] for _ in range(12)]
    assert len(set(tokens)) == 12
    for token in tokens[:2]:
        server.client(token).get("/status", status=401)
    for token in (*tokens[2:], other):
        server.client(token).get("/status")
    last = stranger.log_in(login, reset=1)["success"]
    assert last["message"].endswith(" - Token is new")
    for token in tokens:
        server.client(token).get("/status", status=401)
    for token in (last["token"], other):
        server.client(token).get("/status")


@pytest.mark.parametrize("entity", ["", "1", 1, "0", 0])
def test_the_company(stranger: Stranger, entity: object) -> None:
    assert stranger.log_in(make(), entity=entity)["success"]["entity"] == "1"


def test_another_company(stranger: Stranger) -> None:
    login = make()
    message = stranger.log_in(login, entity="one", status=403)["error"]["message"]
    assert message == "Forbidden: Bad value for entity, must be the numeric ID of company."
    stranger.log_in(login, entity="2", status=403)
    assert keys_of(login) == []


@pytest.mark.parametrize(
    "body",
    [
        {}, {"login": "x"}, {"password": "x"}, {"login": "", "password": "x"}, {"login": "x", "password": ""}, [1], "x",
        {"login": ["x"], "password": "x"}, {"login": "x", "password": {"a": 1}}, {"login": "x", "password": None},
        {"login": "x", "password": "y" * 1025},
    ],
)  # fmt: skip
def test_what_is_missing_or_malformed_is_400(stranger: Stranger, body: Any) -> None:
    message = stranger.post(body, 400)["error"]["message"]
    if body == {"login": "x"}:
        assert message == "Bad Request: `password` is required."


def test_wrong_is_403_whatever_is_wrong(stranger: Stranger) -> None:
    disabled = make(statut=0)
    without = f"login.{next(_numbers)}"
    Account.create(login=without)
    answers = [
        stranger.log_in(make(), "wrong", 403),
        stranger.log_in("nobody", "wrong", 403),
        stranger.log_in(disabled, status=403),
        stranger.log_in(without, "", 400) and stranger.log_in(without, "no password", 403),
    ]
    for answer in answers:
        answer["error"].pop("request_id", None)
        assert answer == {"error": {"code": 403, "message": "Forbidden: Access denied"}}


def test_an_unknown_user_costs_as_much(stranger: Stranger, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[bool] = []
    known = make()

    class Hasher:
        def verify(self, kept: str, password: str) -> bool:
            # A check takes its time, so it must not hold up those who write
            checked.append(kept.startswith("$argon2id$") and not database.in_transaction())
            return real.verify(kept, password)

    real = core.access.keys._hasher
    monkeypatch.setattr(core.access.keys, "_hasher", Hasher())
    for login in (known, "nobody", known, "nobody"):
        stranger.log_in(login, "wrong", 403)
    assert checked == [True] * 4


def test_too_many_failures_of_a_login(server: Served) -> None:
    login = make()
    for _ in range(2):
        Stranger(server).fail(login, 5)
    late = Stranger(server)
    headers = {"X-Forwarded-For": late.address}
    answer = late.client.simulate_post("/login", json={"login": login, "password": PASSWORD}, headers=headers)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 900
    for alias in (login.upper(), f" {login} ", login.replace("o", "ó")):
        late.log_in(alias, status=429)
    assert keys_of(login) == []
    # Others go on logging in from there
    late.log_in(make())


def test_too_many_failures_from_an_address(server: Served, stranger: Stranger) -> None:
    for number in range(10):
        stranger.fail(f"guess{number}", 1)
    login = make()
    stranger.log_in(login, status=429)
    Stranger(server).log_in(login)


def test_failures_are_forgotten_after_a_while(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    login = make()
    Stranger(server).fail(login, 10)
    Stranger(server).log_in(login, status=429)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 901)
    Stranger(server).log_in(login)


def test_success_forgets_the_failures_of_the_login(server: Served) -> None:
    login = make()
    for _ in range(3):
        Stranger(server).fail(login, 9)
        Stranger(server).log_in(login)


def test_attempts_at_the_same_moment_do_not_pass_together(server: Served) -> None:
    login = make()

    def attempt(_: int) -> int:
        try:
            headers = {"X-Forwarded-For": f"10.1.{next(_numbers)}.1"}
            body = {"login": login, "password": "wrong"}
            return server.client(None).simulate_post("/login", json=body, headers=headers).status_code
        finally:
            close()

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(attempt, range(40)))
    assert set(statuses) == {403, 429}
    assert statuses.count(403) <= 10


def test_refused_attempts_do_not_prolong(server: Served) -> None:
    login = make()
    Stranger(server).fail(login, 10)
    model = next(each for each in _catalogue().models if each._meta.table_name == "comptoir_login_failure")
    before = model.select().count()
    for _ in range(3):
        Stranger(server).log_in(login, status=429)
    assert model.select().count() == before
    assert login not in {value for row in model.select() for value in map(str, row.__data__.values())}


def _catalogue() -> Any:
    from core.contract.catalogue import catalogue

    return catalogue()


def test_a_get_is_refused(server: Served) -> None:
    client = server.client(None)
    for params in ({"login": make(), "password": PASSWORD}, {}):
        answer = client.simulate_get("/login", params=params)
        assert answer.status_code == 405
        assert "POST" in answer.headers["allow"]
        assert "POST" in answer.json["error"]["message"]


def test_the_service_can_be_switched_off(server: Served, admin: Client, stranger: Stranger) -> None:
    from dataclasses import replace

    login = make()
    configure(replace(server.settings, login=False))
    try:
        stranger.log_in(login, status=403)
    finally:
        configure(server.settings)
    for name in ("API_DISABLE_LOGIN_API", "MAIN_MODULE_API_LOGIN_DISABLED"):
        admin.ask("PUT", f"/setup/conf/{name}", {"value": "1"})
        stranger.log_in(login, status=403)
        admin.ask("PUT", f"/setup/conf/{name}", {"value": "0"})
    stranger.log_in(login)


def test_a_password_set_over_http_logs_in(server: Served, admin: Client, stranger: Stranger) -> None:
    login = f"login.{next(_numbers)}"
    user_id = admin.ask("POST", "/users", {"login": login, "pass": "a first password"})
    stranger.log_in(login, "a first password")
    admin.ask("PUT", f"/users/{user_id}", {"pass": "a second password"})
    stranger.log_in(login, "a first password", 403)
    token = stranger.log_in(login, "a second password")["success"]["token"]
    admin.ask("PUT", f"/users/{user_id}", {"statut": 0})
    server.client(token).get("/status", status=401)
    stranger.log_in(login, "a second password", 403)

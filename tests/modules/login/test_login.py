"""Login: who gets a key, how long it lasts, and how often one may fail."""

import hashlib
import hmac
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime

import pytest
from argon2 import PasswordHasher
from click.testing import CliRunner

import core.access.keys
import core.access.passwords
from core.__main__ import main
from core.access.accounts import Account, Grant
from core.access.keys import Key, make_key
from core.access.passwords import hash_password
from core.audit.change import Change
from core.common.clock import as_if
from core.common.runtime import active
from core.storage.database import close, database, ensure_connected, transaction
from modules.login.tokens import note_failure
from tests.moments import LEAP_DAY_END

_numbers = itertools.count(1)
PASSWORD = "Secret#12345x"


@pytest.fixture(autouse=True, scope="module")
def cheap():
    """Hash with less work, for the many wrong passwords of this file."""
    usual = core.access.passwords._hasher, core.access.passwords._NOBODY
    core.access.passwords._hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    core.access.passwords._NOBODY = core.access.passwords._hasher.hash("nobody")
    yield
    core.access.passwords._hasher, core.access.passwords._NOBODY = usual


def make(**fields):
    login = f"login.{next(_numbers)}"
    ensure_connected()
    Account.create(login=login, pass_crypted=hash_password(PASSWORD), **fields)
    return login


class Stranger:
    """A client without a key, at an address of its own."""

    def __init__(self, server, address=""):
        self.client = server.client(None)
        number = next(_numbers)
        self.address = address or f"10.{number // 250}.{number % 250}.1"

    def post(self, body, status=200):
        return self.client.ask("POST", "/login", body, status=status, headers={"X-Forwarded-For": self.address})

    def answer(self, login, password):
        headers = {"X-Forwarded-For": self.address}
        return self.client.simulate_post("/login", json={"login": login, "password": password}, headers=headers)

    def log_in(self, login, password=PASSWORD, status=200, **more):
        return self.post({"login": login, "password": password, **more}, status)

    def fail(self, login, times):
        for _ in range(times):
            self.log_in(login, "wrong", 403)


@pytest.fixture
def stranger(server):
    return Stranger(server)


def keys_of(login):
    user = Account.get(Account.login == login)
    return list(Key.select().where(Key.user == user.id).order_by(Key.id))


def test_login_answers_a_key(server, stranger):
    login = make()
    with as_if(LEAP_DAY_END):
        success = stranger.log_in(login)["success"]
    assert set(success) == {"code", "token", "entity", "message"}
    assert (success["code"], success["entity"]) == (200, "1")
    assert success["message"].startswith(f"Welcome {login} - ")
    with as_if(LEAP_DAY_END + 30 * 86400 - 1):
        info = server.client(success["token"]).get("/users/info")
    assert (info["login"], info["datelastlogin"]) == (login, LEAP_DAY_END)
    with as_if(LEAP_DAY_END + 30 * 86400):
        server.client(success["token"]).get("/users/info", status=401)
    (key,) = keys_of(login)
    assert key.label == "login"
    assert key.digest == core.access.keys.digest_of(success["token"])
    assert (key.created, key.expires) == (datetime(2028, 2, 29, 23, 59, 59), datetime(2028, 3, 30, 23, 59, 59))


def test_the_ten_newest_keys_stay(server, stranger):
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


@pytest.mark.parametrize("by", ["PUT", "PATCH", "batch", "another user's key", "another key of the user"])
def test_a_new_password_revokes_the_keys_that_logins_have_made(server, stranger, by):
    login = make()
    user = Account.get(Account.login == login)
    Grant.create(user=user.id, name="users.self")
    own = make_key(user.id, "mine")
    stolen, calling = (stranger.log_in(login)["success"]["token"] for _ in range(2))
    other = stranger.log_in(make())["success"]["token"]
    client, change = server.client(calling), {"pass": PASSWORD + "y"}
    if by.startswith("another"):
        client = server.client() if "user's" in by else server.client(own)
        client.ask("PATCH", f"/users/{user.id}", change)
    elif by == "batch":
        client.ask("POST", "/users/batch", {"entries": [{"method": "PATCH", "id": user.id, "body": change}]})
    else:
        client.ask(by, f"/users/{user.id}", change)
    server.client(stolen).get("/status", status=401)
    server.client(calling).get("/status", status=401 if by.startswith("another") else 200)
    for key in (own, other):
        server.client(key).get("/status")
    stranger.log_in(login, status=403)
    stranger.log_in(login, PASSWORD + "y")


def test_a_change_that_fails_revokes_no_key(server, stranger):
    login = make()
    user = Account.get(Account.login == login)
    token = stranger.log_in(login)["success"]["token"]
    body = {"pass": PASSWORD + "y", "email": "no address"}
    assert "email" in server.client().refused("PATCH", f"/users/{user.id}", body, status=400)
    stale = server.client().simulate_patch(f"/users/{user.id}", json=body | {"email": ""}, headers={"If-Match": '"x"'})
    assert stale.status_code == 412
    server.client().ask("PATCH", f"/users/{user.id}", {"signature": "Ada"})
    server.client(token).get("/status")
    stranger.log_in(login)


def test_no_key_is_made_with_a_password_that_is_replaced_meanwhile(stranger, monkeypatch):
    login = make()

    user, new = Account.get(Account.login == login), hash_password(PASSWORD + "y")

    class Overtaken(PasswordHasher):
        def verify(self, *arguments):
            right = super().verify(*arguments)
            core.access.keys.set_password(user.id, new)
            return right

    monkeypatch.setattr(core.access.passwords, "_hasher", Overtaken())
    stranger.log_in(login, status=403)
    assert keys_of(login) == []


@pytest.mark.parametrize("entity", ["", "1", 1, "0", 0])
def test_the_company(stranger, entity):
    assert stranger.log_in(make(), entity=entity)["success"]["entity"] == "1"


def test_another_company(stranger):
    login = make()
    message = stranger.log_in(login, entity="one", status=403)["error"]["message"]
    assert message == 'Forbidden: `entity`: expected the ID of a company, got "one"'
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
def test_what_is_missing_or_malformed_is_400(stranger, body):
    message = stranger.post(body, 400)["error"]["message"]
    if body == {"login": "x"}:
        assert message == "Bad Request: `password` is required."


def test_wrong_is_403_whatever_is_wrong(stranger):
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
        assert answer == {"error": {"code": 403, "message": "Forbidden: Access denied", "reason": "login_rejected"}}


def test_an_unknown_user_costs_as_much(stranger, monkeypatch):
    checked = []
    known = make()

    class Hasher:
        def verify(self, kept, password):
            # A check takes its time, so it must not hold up those who write
            checked.append(kept.startswith("$argon2id$") and not database.in_transaction())
            return real.verify(kept, password)

    real = core.access.passwords._hasher
    monkeypatch.setattr(core.access.passwords, "_hasher", Hasher())
    for login in (known, "nobody", known, "nobody"):
        stranger.log_in(login, "wrong", 403)
    assert checked == [True] * 4


@pytest.fixture
def clock(monkeypatch):
    """Time stands still; ``clock(5)`` lets five seconds pass."""
    now = [float(LEAP_DAY_END)]
    monkeypatch.setattr(time, "time", lambda: now[0])

    def passing(seconds):
        now[0] += seconds

    return passing


def test_a_user_is_locked_at_the_address_that_failed(server, clock):
    login, guesser, elsewhere = make(), Stranger(server), Stranger(server)
    guesser.fail(login, 10)
    for password in (PASSWORD, "wrong"):
        answer = guesser.answer(login, password)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "900")
    assert keys_of(login) == []
    # Neither the user elsewhere nor others there are locked out
    elsewhere.log_in(login)
    guesser.log_in(make())
    clock(901)
    guesser.log_in(login)


def test_a_user_is_found_by_login_and_by_address(server, stranger):
    email = f"mail{next(_numbers)}@example.org"
    login = make(email=email)
    stranger.fail(login, 5)
    stranger.fail(email, 5)
    for name in (login, email):
        stranger.log_in(name, status=429)


def test_failures_from_everywhere_ask_to_wait_and_lock_nobody_out(server, clock):
    login = make()
    for _ in range(10):
        Stranger(server).fail(login, 1)
    waits = []
    for _ in range(4):
        answer = Stranger(server).answer(login, "wrong")
        assert answer.status_code == 429
        waits.append(int(answer.headers["retry-after"]))
    # Ten failures ask for a second, and each further one for twice as much
    assert waits == [2, 4, 8, 16]
    clock(16)
    Stranger(server).log_in(login, "wrong", 403)
    assert Stranger(server).answer(login, "wrong").headers["retry-after"] == "64"
    Stranger(server).log_in(login)
    # A success forgets what others did
    Stranger(server).log_in(login, "wrong", 403)


def test_the_wait_does_not_grow_for_ever(server, clock):
    login = make()
    for _ in range(25):
        last = Stranger(server).answer(login, "wrong")
    assert last.headers["retry-after"] == "900"
    # No more is kept of a name than the longest wait needs
    counted = {}
    for row in failures().select():
        counted[row.name] = counted.get(row.name, 0) + 1
    assert max(counted.values()) <= 21


def test_an_office_is_not_locked_out_by_one_of_its_people(server, stranger, clock):
    for number in range(10):
        stranger.fail(f"guess{number}", 1)
    answer = stranger.answer(make(), "wrong")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
    for _ in range(3):
        stranger.log_in(make())


@pytest.mark.parametrize(
    ("addresses", "one"),
    [
        (["2001:db8:5:6::1", "2001:db8:5:6:ffff::2"], True),
        (["2001:db8:5:7::1", "2001:db8:5:8::1"], False),
        (["::ffff:192.0.2.44", "192.0.2.44"], True),
        (["::ffff:192.0.2.45", "::ffff:192.0.2.46"], False),
    ],
)
def test_what_is_one_address(server, addresses, one):
    login = make()
    first, second = (Stranger(server, address) for address in addresses)
    first.fail(login, 10)
    second.log_in(login, status=429 if one else 200)


def test_logins_that_differ_in_a_capital_are_two(server, admin, stranger):
    login = f"Bob{next(_numbers)}"
    first, second = (admin.ask("POST", "/users", {"login": name}) for name in (login, login.lower()))
    assert first != second
    assert admin.get(f"/users/login/{login.lower()}")["id"] == second
    for number, identifier in enumerate((first, second)):
        admin.ask("PUT", f"/users/{identifier}", {"pass": f"a password of {number}"})
    stranger.log_in(login, "a password of 0")
    stranger.log_in(login, "a password of 1", 403)
    stranger.log_in(login.lower(), "a password of 1")
    # Patterns and orders are blind to it
    found = admin.get("/users", sqlfilters=f"(t.login:like:'{login.upper()}')", sortfield="t.login", limit=1, count=1)
    assert len(found) == 1
    assert len(admin.get("/users", sqlfilters=f"(t.login:like:'{login.upper()}')")) == 2
    assert [user["id"] for user in admin.get("/users", sqlfilters=f"(t.login:=:'{login}')")] == [first]
    admin.refused("POST", "/users", {"login": login}, status=405)


@pytest.mark.parametrize("sign", ["\u00ad", "\x01", "\u200b", "\u202e", "\ufeff", "\n", "\x7f", "\u2028", "\u00a0"])
def test_a_new_login_has_only_signs_that_are_seen(admin, sign):
    number = next(_numbers)
    for name, value in (("login", f"bert{sign}rand{number}"), ("email", f"bert{sign}rand{number}@example.org")):
        body = {"login": f"fine{number}", name: value}
        error = admin.ask("POST", "/users", body, status=400)["error"]
        assert [each["field"] for each in error["errors"]] == [name]
    old = Account.create(login=f"old{sign}{number}")
    if sign == "\x01":
        # What no text may hold comes in nowhere, whatever is there already
        admin.ask("PUT", f"/users/{old.id}", {"login": old.login}, status=400)
        return
    # One that is there already may be read and sent back
    assert admin.ask("PUT", f"/users/{old.id}", {"login": old.login, "lastname": "Old"})["lastname"] == "Old"


def test_failures_are_forgotten_after_a_while(stranger, clock):
    login = make()
    stranger.fail(login, 10)
    clock(899)
    assert stranger.answer(login, PASSWORD).headers["retry-after"] == "1"
    clock(1)
    stranger.log_in(login)


def test_success_forgets_the_failures_of_the_login(stranger):
    login = make()
    stranger.fail(login, 9)
    stranger.log_in(login)
    assert rows_of_user(login) == []
    stranger.fail(login, 1)
    stranger.log_in(login)


def test_success_does_not_forget_the_failures_of_the_address(stranger, clock):
    mine = make()
    for number in range(10):
        stranger.log_in(f"spray{number}", "wrong", 403)
        stranger.log_in(mine)
    stranger.log_in("spray10", "wrong", 429)


def test_attempts_at_the_same_moment_do_not_pass_together(server):
    login, address = make(), f"10.1.{next(_numbers)}.1"

    def attempt(_):
        try:
            return Stranger(server, address).answer(login, "wrong").status_code
        finally:
            close()

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(attempt, range(60)))
    assert set(statuses) == {403, 429}
    assert len(rows_of_user(login)) <= 10


def test_refused_attempts_do_not_prolong(server, stranger):
    login = make()
    stranger.fail(login, 10)
    before = failures().select().count()
    for _ in range(3):
        stranger.log_in(login, status=429)
    assert failures().select().count() == before
    assert login not in {value for row in failures().select() for value in map(str, row.__data__.values())}


def test_what_an_attack_costs_is_bounded(server, monkeypatch):
    """One process looks at four at once: two where the user is known, one of a stranger, one of who fails often."""
    login, looking, enough = make(), threading.Semaphore(0), threading.Event()
    home, guesser = Stranger(server), Stranger(server)
    home.log_in(login)
    guesser.fail(login, 5)
    for _ in range(5):
        Stranger(server).fail(login, 1)

    class Slow:
        def verify(self, kept, password):
            looking.release()
            assert enough.wait(60)
            return real.verify(kept, password)

    real = core.access.passwords._hasher
    monkeypatch.setattr(core.access.passwords, "_hasher", Slow())
    monkeypatch.setattr(core.access.passwords, "LONGEST", 60)

    def attempt(stranger, password):
        try:
            answer = stranger.answer(login, password)
            return answer.status_code, answer.headers.get("retry-after", "")
        finally:
            close()

    with ThreadPoolExecutor(17) as pool:
        doubtful = [pool.submit(attempt, guesser, "wrong") for _ in range(4)]
        unknown = [pool.submit(attempt, Stranger(server), "wrong") for _ in range(8)]
        known = [pool.submit(attempt, home, PASSWORD) for _ in range(5)]
        lanes = (doubtful, unknown, known)
        every = [*doubtful, *unknown, *known]
        try:
            refused = [each.result() for each in itertools.islice(as_completed(every, 60), 10)]
            assert refused == [(429, "1")] * 10
            assert [sum(each.done() for each in lane) for lane in lanes] == [3, 5, 2]
            for _ in range(4):
                assert looking.acquire(timeout=60)
            assert not looking.acquire(timeout=0.2)
        finally:
            enough.set()
    # The others were looked at, one behind the other; who is known got in
    assert [sum(wait == "1" for _, wait in (each.result() for each in lane)) for lane in lanes] == [3, 5, 2]
    assert [each.result()[0] for each in known].count(200) == 3


def test_nobody_waits_for_long(server, monkeypatch):
    monkeypatch.setattr(core.access.passwords, "LONGEST", 0.01)
    with core.access.passwords.room_for_password():
        answer = Stranger(server).answer(make(), PASSWORD)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    Stranger(server).log_in(make())


def test_for_thirty_days_it_is_known_where_a_user_logs_in(stranger, clock):
    login = make()
    user = Account.get(Account.login == login)
    digest = hashlib.sha256(f"user {user.id}".encode()).hexdigest()
    for _ in range(2):
        stranger.log_in(login)
        (row,) = rows_of("known", f"{digest} {stranger.address}")
        assert row.moment == int(time.time()) + 30 * 86400
    clock(30 * 86400 + 901)
    stranger.log_in(make())
    assert rows_of("known", f"{digest} {stranger.address}") == []


def test_a_failure_is_logged_without_what_was_typed(stranger, caplog):
    login = make()
    caplog.set_level("INFO", "comptoir.login")
    stranger.log_in(login, "wrong", 403)
    stranger.log_in("hunter2 in the wrong box", "wrong", 403)
    user = Account.get(Account.login == login)
    assert [record.getMessage() for record in caplog.records if record.name == "comptoir.login"] == [
        f"login failed: user {user.id}, from {stranger.address}",
        f"login failed: unknown user, from {stranger.address}",
    ]


def digests(admin, number):
    """The digests in the newest failed logins."""
    entries = admin.get("/audit", kind="login_failed", limit=number, sortfield="t.rowid", sortorder="DESC")
    return [each["after"]["login_digest"] for each in entries]


def test_an_unknown_login_is_noted_under_a_secret_of_the_installation(admin, stranger):
    for login in ("hunter2", "hunter3", "hunter2"):
        stranger.log_in(login, "wrong", 403)
    first, other, again = digests(admin, 3)
    assert first == again != other
    assert first != hashlib.sha256(b"hunter2").hexdigest()[:12]
    (secret,) = database.execute_sql("SELECT value FROM comptoir_login_secret").fetchall()
    assert first == hmac.digest(bytes.fromhex(secret[0]), b"hunter2", "sha256").hex()[:12]
    # Whoever reads all that the server says does not find it
    for path in ("/setup/conf", "/audit"):
        assert secret[0] not in str(admin.get(path, limit=0))
    admin.get("/setup/conf", status=400, sqlfilters="(t.comptoir_login_secret:=:1)")


def test_workers_that_begin_at_once_agree_on_the_secret(admin):
    with transaction():
        database.execute_sql("DELETE FROM comptoir_login_secret")
    start = threading.Barrier(4)

    def fail(_):
        ensure_connected()
        start.wait(30)
        try:
            note_failure("hunter4", None)
        finally:
            close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(fail, range(4)))
    assert len(set(digests(admin, 4))) == 1
    ((number,),) = database.execute_sql("SELECT COUNT(*) FROM comptoir_login_secret").fetchall()
    assert number == 1


def failures():
    return next(each for each in _catalogue().models if each._meta.table_name == "comptoir_login_failure")


def rows_of(kind, value):
    digest = hashlib.sha256(f"{kind} {value}".encode()).hexdigest()
    return list(failures().select().where(failures().name == digest))


def rows_of_user(login):
    return rows_of("user", str(Account.get(Account.login == login).id))


def _catalogue():
    from core.contract.catalogue import catalogue

    return catalogue()


def test_a_get_is_refused(server):
    client = server.client(None)
    for params in ({"login": make(), "password": PASSWORD}, {}):
        answer = client.simulate_get("/login", params=params)
        assert answer.status_code == 405
        assert "POST" in answer.headers["allow"]
        assert "POST" in answer.json["error"]["message"]


def test_the_service_can_be_switched_off(server, admin, stranger, monkeypatch):
    from dataclasses import replace

    login = make()
    with monkeypatch.context() as changed:
        changed.setattr(active.runtime, "settings", replace(server.settings, login=False))
        stranger.log_in(login, status=403)
    for name in ("API_DISABLE_LOGIN_API", "MAIN_MODULE_API_LOGIN_DISABLED"):
        admin.ask("PUT", f"/setup/conf/{name}", {"value": "1"})
        stranger.log_in(login, status=403)
        admin.ask("PUT", f"/setup/conf/{name}", {"value": "0"})
    stranger.log_in(login)


# The command line ----------------------------------------------------------------------------------------------------


def test_a_password_set_on_the_command_line_ends_what_was_opened_with_the_old_one(server):
    login, stranger = make(), Stranger(server)
    token = stranger.log_in(login)["success"]["token"]
    other = make_key(Account.get(Account.login == login).id, "laptop")
    assert server.client(token).simulate_get("/users/info").status_code == 200
    variables = {"COMPTOIR_DATABASE": server.settings.database, "COMPTOIR_DOCUMENTS": server.settings.documents}
    done = CliRunner().invoke(main, ["user", "password", login], input="Another#12345\n", env=variables)
    assert (done.exit_code, done.output) == (0, f"Set the password of {login} and revoked 1 key issued by /login.\n")
    assert server.client(token).simulate_get("/users/info").status_code == 401
    assert server.client(other).simulate_get("/users/info").status_code == 200
    stranger.log_in(login, status=403)
    stranger.log_in(login, "Another#12345")
    ensure_connected()
    noted = [each for each in Change.select() if each.operation == "user password"]
    assert {(each.kind, each.element) for each in noted} == {("changed", "llx_user"), ("deleted", "comptoir_key")}
    assert not any("$argon2" in str((each.before, each.after)) for each in noted)

"""A request whose body comes later: what is found out before is not asked again, and is the answer if it is an error."""

import json

import pytest

from core.access import keys
from core.access.keys import Key, make_key
from core.access.limits import limiter
from core.access.restrictions import Restriction
from core.common.request_state import current_state
from core.storage.database import query
from core.testing import ADMIN_KEY
from core.web import endpoint
from tests.core.serving.conversation import Conversation, answers
from tests.moments import LEAP_DAY_END

pytestmark = pytest.mark.natives

BODY = b'{"name": "Late Ltd"}'


@pytest.fixture
def talk(sample_server):
    made = Conversation(sample_server.app)
    yield made
    made.close()


def head(line="POST /thirdparties", key=ADMIN_KEY, length=len(BODY), more=""):
    """A head that the body follows."""
    fields = f"Host: x\r\nDOLAPIKEY: {key}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{more}"
    return f"{line} HTTP/1.1\r\n{fields}\r\n".encode()


def counted(function, calls):
    def also(*arguments):
        calls.append(arguments)
        return function(*arguments)

    return also


def test_the_key_is_looked_up_once(talk, monkeypatch):
    looked_up, stored = [], "SELECT COUNT(*) FROM llx_societe WHERE nom = 'Late Ltd'"
    (before,) = query(stored)[0]
    monkeypatch.setattr(endpoint, "identify", counted(endpoint.identify, looked_up))
    for pieces in ([head(), BODY[:5], BODY[5:]], [head() + BODY]):
        looked_up.clear()
        ((status, body),) = answers(talk.exchange(pieces))
        assert (status, body.isdigit()) == (200, True), body
        assert len(looked_up) == 1
        assert current_state() is None
    assert query(stored)[0][0] == before + 2


@pytest.mark.parametrize(
    ("line", "key", "status"),
    [
        ("POST /thirdparties", "wrong", 401),
        ("POST /thirdparties", "", 401),
        ("POST /nosuch", ADMIN_KEY, 404),
        ("POST /thirdparties/1", ADMIN_KEY, 405),
        ("PUT /thirdparties/x", ADMIN_KEY, 400),
        ("POST /explorer", ADMIN_KEY, 405),
        ("POST nothing", ADMIN_KEY, 400),
    ],
)
def test_an_error_is_answered_without_the_body_as_with_it(sample_server, talk, line, key, status):
    other = Conversation(sample_server.app)
    late, whole = talk.exchange([head(line, key)]), other.exchange([head(line, key) + BODY])
    other.close()
    assert b"Connection: close" in late
    told = [
        [(each, {**json.loads(body)["error"], "request_id": ""}) for each, body in answers(both)]
        for both in (late, whole)
    ]
    assert told[0] == told[1]
    assert told[0][0][0] == status
    assert not talk.uploads


def test_a_missing_permission_is_answered_without_the_body(sample_server, talk):
    user = sample_server.user("thirdparties.read").user_id
    assert user is not None
    ((status, body),) = answers(talk.exchange([head(key=make_key(user, "tests"))]))
    assert status == 401
    assert b"thirdparties.write" in body


def test_too_much_is_answered_before_the_client_goes_on(sample_server, talk):
    length = sample_server.settings.max_body + 1
    ((status, body),) = answers(talk.exchange([head(length=length, more="Expect: 100-continue\r\n")]))
    assert status == 413
    assert f"the body has {length} bytes; the limit is {length - 1}" in json.loads(body)["error"]["message"]


def test_a_login_is_short_before_it_comes(talk):
    ((status, body),) = answers(talk.exchange([head("POST /login", "", 16_385)]))
    assert status == 413
    assert b"the limit is 16384" in body


def test_another_verb_is_meant(talk):
    more = "X-HTTP-Method-Override: GET\r\n"
    content = talk.exchange([head("POST /thirdparties?limit=1", more=more)])
    assert [status for status, _ in answers(content)] == [200]


def test_a_request_counts_once(sample_server, talk, monkeypatch):
    monkeypatch.setattr(limiter.value, "_clock", lambda: LEAP_DAY_END)
    key = make_key(sample_server.administrator.id, "tests", restriction=Restriction(rate=5))
    left = []
    for pieces in ([head(key=key), BODY], [head(key=key) + BODY], [head(key=key), BODY]):
        content = talk.exchange(pieces).decode()
        assert content.startswith("HTTP/1.1 200 "), content
        left.append(int(content.lower().partition('ratelimit: "key";r=')[2].partition(";")[0]))
    assert left == [4, 3, 2]


def test_a_key_that_is_gone_meanwhile_was_good(sample_server, talk):
    key = make_key(sample_server.administrator.id, "soon gone")
    talk.send(head(key=key))
    Key.delete().where(Key.digest == keys.digest_of(key)).execute()
    talk.send(BODY)
    assert [status for status, _ in answers(talk.read())] == [200]
    ((status, _),) = answers(talk.exchange([head(key=key) + BODY]))
    assert status == 401


def test_a_late_body_is_claimed_once(talk):
    more = 'Idempotency-Key: "late"\r\n'
    first, again = talk.exchange([head(more=more), BODY]), talk.exchange([head(more=more), BODY])
    assert answers(first) == answers(again)
    assert b"\r\nidempotency-replayed: true\r\n" in again.lower()
    assert b"idempotency-replayed" not in first.lower()

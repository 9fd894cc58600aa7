"""What else than a path is asked for, verbs nobody serves, chunks that are none: answered as the client's mistakes."""

import json

import pytest

from core.testing import serving
from tests.core.serving.conversation import Conversation, answers


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("targets")) as made:
        yield made


@pytest.fixture
def talk(served):
    made = Conversation(served.app)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("OPTIONS *", 204), ("CONNECT example.org:443", 400), ("CONNECT /status", 405), ("CONNECT /", 405), ("TRACE /status", 405),
        ("FOO /status", 405), ("PROPFIND /thirdparties/1", 405), ("FOO /nothing", 404), ("get /status", 400), ("OPTIONS /status", 405),
        ("GET http://elsewhere/status", 401), ("GET http://elsewhere", 302), ("GET ftp://elsewhere/status", 401), ("GET http://[", 400),
        ("OPTIONS http://elsewhere/status", 405), ("GET *", 400), ("TRACE *", 400), ("OPTIONS **", 400), ("GET status", 400),
        ("GET ?a=1", 400), ("GET #a", 400), ("GET //status", 401), ("GET /%zz", 404), ("GET /%ff%00", 404), ("GET /status/%00", 404),
    ],
)  # fmt: skip
def test_whatever_is_asked_for_is_answered_in_json(talk, line, status):
    ((given, body),) = answers(talk.exchange([f"{line} HTTP/1.1\r\nHost: x\r\n\r\n".encode()]))
    assert given == status
    if status >= 400:
        assert json.loads(body)["error"]["code"] == status


def test_what_the_server_can_do_at_all(talk):
    head = talk.exchange([b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"]).decode().lower()
    assert "\r\nallow: get, head, post, put, patch, delete\r\n" in head


def test_a_number_beyond_all_measure_before_a_key_is_asked_for(talk):
    body = b'{"login": 1e99999999999999999999}'
    head = b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
        body
    )
    ((status, content),) = answers(talk.exchange([head + body]))
    assert status == 400
    assert "the body can't be read as JSON: a number is above 1e400" in json.loads(content)["error"]["message"]

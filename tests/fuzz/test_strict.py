"""The strict reading that fuzzing compares with: what is a request, and where it ends."""

import pytest

from tests.fuzz.strict import Request, requests_of

GET = b"GET /c?d=1 HTTP/1.1\r\nHost: x\r\n\r\n"
THE_GET = Request(b"GET", b"/c?d=1", b"")
POST = b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n"
)


def test_requests_are_read_one_after_the_other():
    assert requests_of(GET + POST + CHUNKED + GET) == [
        THE_GET,
        Request(b"POST", b"/a", b"hello"),
        Request(b"POST", b"/b", b"hello world"),
        THE_GET,
    ]


@pytest.mark.parametrize(
    "sent", [POST[:-1], CHUNKED[:-2], CHUNKED.replace(b"5\r", b"+5\r"), CHUNKED.replace(b"o\r\n", b"o\n")]
)
def test_a_body_that_is_not_whole_ends_the_reading(sent):
    (found,) = requests_of(sent + (GET if sent.startswith(b"POST /b") else b""))
    assert found.body is None


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\nHost: x\n",
        b"GET  / HTTP/1.1\r\n",
        b"GET / HTTP/2.0\r\n",
        b"GET / HTTP/1.1\r\nHost : x\r\n",
        b"GET / HTTP/1.1\r\n folded\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: +1\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n",
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
        b"GET /\xe9 HTTP/1.1\r\n",
    ],
)
def test_what_is_no_proper_head_ends_the_reading(head):
    assert requests_of(head + b"\r\n" + GET) == []


@pytest.mark.parametrize("option", [b"close", b"x, Close", b"keep-alive, close"])
def test_behind_the_last_request_nothing_is_read(option):
    closing = GET.replace(b"Host: x", b"Connection: " + option)
    assert requests_of(closing + GET) == [THE_GET]


def test_an_old_request_is_the_last_one_unless_it_says_otherwise():
    old = GET.replace(b"1.1", b"1.0")
    assert requests_of(old + GET) == [THE_GET]
    assert requests_of(old.replace(b"Host: x", b"Connection: keep-alive") + GET) == [THE_GET, THE_GET]

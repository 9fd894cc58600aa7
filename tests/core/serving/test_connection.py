"""A connection: no thread waits for a client, whatever it sends, and in what pieces."""

import json
import select
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise
from threading import Lock
from types import SimpleNamespace

import pytest
from gunicorn.http import wsgi
from hypothesis import given
from hypothesis import strategies as some

from core.common.request_state import RequestState
from core.serving.worker import Worker, connection
from core.serving.worker.connection import GONE, KEEP_ALIVE_SECONDS, MAX_HEAD_BYTES, MIN_RATE, READ, WRITE
from core.serving.worker.request import MAX_TRAILER_BYTES, Head
from core.web.request_states import STATE

from .conversation import Conversation, Echo, answers

POST = b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello world"
CHUNKED = b"POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n"
GET = b"GET /c?d=1 HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def converse():
    """Makes conversations with an application, and ends them."""
    with ExitStack() as talks:

        def begin(app, **more):
            talk = Conversation(app, **more)
            talks.callback(talk.close)
            return talk

        yield begin


@pytest.fixture
def echo(converse):
    return converse(Echo())


@pytest.fixture
def clock(monkeypatch):
    """The time of connections, which stands still; ``clock.now += 1`` lets a second pass."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(connection, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_a_request_is_answered_and_the_next_one_too(echo):
    assert answers(echo.exchange([GET, POST])) == [(200, b"GET /c 0"), (200, b"POST /a 11")]
    assert echo.waits == READ
    assert echo.log.lines == ["GET /c 200 OK", "POST /a 200 OK"]


@given(some.lists(some.integers(0, len(POST + CHUNKED + GET + POST) - 1), max_size=12))
def test_the_pieces_in_which_requests_come_change_nothing(cuts):
    talk = Conversation(Echo())
    stream = POST + CHUNKED + GET + POST
    edges = sorted({0, len(stream), *cuts})
    content = talk.exchange(stream[start:end] for start, end in pairwise(edges))
    talk.close()
    assert answers(content) == [(200, b"POST /a 11"), (200, b"POST /b 11"), (200, b"GET /c 0"), (200, b"POST /a 11")]


def test_a_head_that_comes_byte_by_byte_calls_the_application_once(converse):
    app = Echo()
    talk = converse(app)
    for position in range(len(GET) - 1):
        talk.send(GET[position : position + 1])
        assert talk.waits == READ
    assert app.calls == []
    talk.send(GET[-1:])
    assert answers(talk.read()) == [(200, b"GET /c 0")]
    assert len(app.calls) == 1


def test_a_body_that_is_not_asked_for_is_not_waited_for(converse):
    # As when the key is not valid: the answer comes at once and ends the connection
    talk = converse(Echo(limit=None))
    talk.send(POST[:-5])
    content = talk.read()
    assert answers(content) == [(200, b"POST /a 0")]
    assert b"Connection: close" in content
    # What still comes is thrown away, so that the client can read the answer
    assert talk.waits == READ
    talk.send(b"world" + GET)
    assert talk.read() == b""
    talk.client.close()
    talk.go_on()
    assert talk.waits == GONE


def test_a_body_that_comes_with_its_head_is_not_asked_about(converse):
    app = Echo(limit=None)
    talk = converse(app)
    assert answers(talk.exchange([POST + CHUNKED + GET])) == [
        (200, b"POST /a 11"),
        (200, b"POST /b 11"),
        (200, b"GET /c 0"),
    ]
    assert app.asked == []


def test_a_body_that_comes_later_is_asked_about_once_and_calls_the_application_once(converse):
    for whole in (POST, CHUNKED):
        app = Echo()
        talk = converse(app)
        head, _, _ = whole.partition(b"\r\n\r\n")
        talk.send(head + b"\r\n\r\n")
        for position in range(len(head) + 4, len(whole)):
            assert app.calls == []
            talk.send(whole[position : position + 1])
        assert answers(talk.read())[0][0] == 200
        # What was found out about it is there when it is answered
        assert app.asked == app.calls
        assert app.bodies == [b"hello world"]
        assert app.calls[0]["CONTENT_LENGTH"] == "11"
        assert "HTTP_TRANSFER_ENCODING" not in app.calls[0]


def test_a_length_beyond_the_limit_is_refused_before_the_body_comes(converse):
    app = Echo(limit=10)
    talk = converse(app)
    talk.send(POST.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")[:-5])
    ((status, _),) = answers(talk.read())
    assert status == 413
    assert app.calls == []


def test_an_application_that_fails_when_it_is_asked_is_500(converse):
    class Fails(Echo):
        def admit(self, environ):
            raise OSError("the disk is gone")

    talk = converse(Fails())
    talk.log.exception = lambda *parts: None
    talk.send(POST[:-1])
    ((status, _),) = answers(talk.read())
    assert status == 500


def test_the_client_is_told_to_go_on_once_the_body_is_asked_for(converse):
    head, _, body = POST.partition(b"\r\n\r\n")
    head += b"\r\nExpect: 100-continue\r\n\r\n"
    talk = converse(Echo())
    talk.send(head)
    assert talk.read() == b"HTTP/1.1 100 Continue\r\n\r\n"
    talk.send(body)
    assert answers(talk.read()) == [(200, b"POST /a 11")]
    refused = converse(Echo(limit=None))
    refused.send(head)
    assert answers(refused.read()) == [(200, b"POST /a 0")]


def test_a_client_that_does_not_read_holds_up_nobody(converse):
    def large(environ, start_response):
        start_response("200 OK", [("Content-Length", str(40 * 100_000))])
        return iter([bytes([number]) * 100_000 for number in range(40)])

    talk = converse(large, small=True)
    talk.send(GET)
    assert talk.waits == WRITE
    # Not more is taken from the application than one piece beyond what the client has taken
    assert talk.connection.queued <= 2 * 100_000
    ((status, body),) = answers(talk.read())
    assert (status, len(body), body[-1]) == (200, 4_000_000, 39)
    assert talk.waits == READ


def test_a_stream_of_very_small_pieces(converse):
    def drops(environ, start_response):
        start_response("200 OK", [("Content-Length", "9000")])
        return iter([b"a"] * 9000)

    ((status, body),) = answers(converse(drops).exchange([GET]))
    assert (status, len(body)) == (200, 9000)


def test_a_head_without_an_end_is_refused_before_it_fills_the_memory(converse):
    talk = converse(Echo())
    sent, content = 0, b""
    while not content and sent < 2_000_000:
        talk.send(b"GET / HTTP/1.1\r\n" if not sent else b"A: " + b"b" * 4000 + b"\r\n")
        sent += 4005
        content = talk.read()
    assert answers(content)[0][0] == 431
    assert sent < 1_000_000


def test_a_head_is_limited_however_it_comes(converse):
    lines = [b"A: " + b"b" * 8000 + b"\r\n"] * 16
    head = b"GET /c HTTP/1.1\r\nHost: x\r\n" + b"".join(lines)
    for over, status in ((0, 200), (1, 431)):
        last = b"Z: " + b"z" * (MAX_HEAD_BYTES - len(head) - 7 + over) + b"\r\n\r\n"
        sent = head + last
        for step in (65536, 40000, 1000):
            talk = converse(Echo())
            pieces = [sent[start : start + step] for start in range(0, len(sent), step)]
            assert [each for each, _ in answers(talk.exchange(pieces))] == [status]


@pytest.mark.parametrize("with_head", [True, False])
@pytest.mark.parametrize(
    "chunk",
    [
        *(b"z\r\n", b"0x5\r\n", b"+5\r\n", b"5_0\r\n", b" 5\r\n", b"5 \r\n", b"-5\r\n", b";a\r\n", b"5;\r\n", b"\r\n"),
        *(b"5\r\nhelloxx", b"5\r\nhello\r\r", b"5;a=\rb\r\n", b"f" * 9000),
    ],
)
def test_a_chunk_that_is_none_is_refused_before_more_comes(chunk, with_head, converse):
    app = Echo()
    talk = converse(app)
    begin = b"POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
    content = talk.exchange([begin + chunk] if with_head else [begin, chunk])
    ((status, body),) = answers(content)
    assert status == 400
    assert "chunks" in json.loads(body)["error"]["message"]
    assert b"Connection: close" in content
    assert app.calls == []


def test_without_a_valid_key_a_chunk_that_is_none_is_not_told(converse):
    talk = converse(Echo(limit=None))
    assert answers(talk.exchange([CHUNKED.replace(b"6;a=b", b"z")])) == [(200, b"POST /b 0")]


ELSEWHERE = "192.0.2.1"


@pytest.mark.parametrize(("client", "limit"), [(ELSEWHERE, "ADDRESS_BYTES"), ("127.0.0.1", "ROOM_BYTES")])
def test_more_than_there_is_room_for_is_refused(client, limit, converse, monkeypatch):
    monkeypatch.setattr(connection, limit, 9)
    talk = converse(Echo(), client=client)
    talk.send(POST[:-3])
    assert talk.read() == b""
    talk.send(POST[-3:-1])
    ((status, body),) = answers(talk.read())
    assert status == 503
    assert "uploaded" in json.loads(body)["error"]["message"]
    assert not talk.uploads


@pytest.mark.parametrize(
    ("others", "status"),
    [
        ([ELSEWHERE], 503),
        (["192.0.2.2"], None),
        # A trusted proxy sends the requests of many clients
        (["127.0.0.1"], None),
        (["2001:db8::1"], None),
        (["::ffff:192.0.2.1"], 503),
    ],
)
def test_an_address_has_a_share_of_the_room(others, status, converse, monkeypatch):
    monkeypatch.setattr(connection, "ADDRESS_BYTES", 15)
    talk = converse(Echo(), client=ELSEWHERE)
    for each in others:
        other = converse(Echo(), client=each)
        other.uploads = talk.uploads
        other.send(POST[:-3])
    talk.send(POST[:-3])
    assert [each for each, _ in answers(talk.read())] == ([] if status is None else [status])


def test_clients_of_one_ipv6_network_share_its_room(converse, monkeypatch):
    monkeypatch.setattr(connection, "ADDRESS_BYTES", 15)
    first, second, third = (converse(Echo(), client=each) for each in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"))
    second.uploads = third.uploads = first.uploads
    for each in (first, second, third):
        each.send(POST[:-3])
    assert [bool(each.read()) for each in (first, second, third)] == [False, True, False]


def test_what_a_body_needs_is_kept_and_given_free(echo):
    echo.send(POST[:-3])
    # Whatever it claims: 8 of 11 bytes have come
    assert echo.uploads == {b"": 8}
    echo.send(POST[-3:-1])
    assert echo.uploads == {b"": 10}
    echo.send(POST[-1:])
    assert not echo.uploads


def test_a_piece_of_a_body_is_counted_without_a_look_at_other_bodies(converse):
    """Thousands of clients may send a byte per second; a sum over all of them for each byte stops the worker."""

    class Sums(Counter[bytes]):
        def values(self):
            raise AssertionError("the work grows with the number of bodies")

        __iter__ = items = copy = values

    talk = converse(Echo(), client=ELSEWHERE)
    talk.uploads = Sums()
    for each in (POST[:-3], POST[-3:-1]):
        talk.send(each)
    assert (talk.uploads[b""], len(talk.uploads)) == (10, 2)
    talk.send(POST[-1:])
    assert len(talk.uploads) == 0


def test_late_connections_are_closed_a_few_at_a_time():
    """Between them, the worker serves the requests that have arrived."""

    class Late:
        def __init__(self, number):
            self.sock, self.busy = SimpleNamespace(fileno=lambda: number), False

        def is_late(self, now):
            return True

        def expire(self, status, message):
            closed.append(status)

    closed = []
    worker = Worker.__new__(Worker)
    worker.__dict__.update(_swept=0.0, _connections={each: Late(each) for each in range(40)}, _lock=Lock())
    worker.__dict__.update(_place=0, board=memoryview(bytearray(2)).cast("H"))
    sizes = []
    with select.epoll() as worker._poll:
        for seconds in (60, 60, 0):
            # It waits for clients only if nothing is left to close
            worker._gather(seconds)
            sizes.append(len(closed))
    assert sizes == [16, 32, 40]


def test_a_body_is_freed_although_the_application_keeps_its_environ(converse):
    app = Echo()
    talk = converse(app)
    talk.send(POST)
    assert [status for status, _ in answers(talk.read())] == [200]
    (environ,) = app.calls
    assert environ["wsgi.input"].closed


def test_a_body_has_the_time_of_what_has_come(converse, clock):
    echo = converse(Echo(limit=10**8))
    length = 100 * MIN_RATE
    echo.send(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % length)
    # Whatever it claims
    assert echo.connection.until == 1020
    echo.send(b"a" * MIN_RATE)
    assert echo.connection.until == 1021
    echo.connection.expire(408, "too late")
    assert [status for status, _ in answers(echo.read())] == [408]


@pytest.mark.parametrize(
    ("piece", "most"),
    [
        pytest.param(b"fffffff\r\n", 9, id="one chunk that says it is huge"),
        pytest.param(b"1;" + b"x" * 500 + b"\r\na\r\n", 100_000, id="more wrapping than content"),
        pytest.param(b"100\r\n" + b"a" * 256 + b"\r\n", 2000, id="many chunks"),
    ],
)
def test_a_body_without_a_length_does_not_grow_for_ever(converse, piece, most):
    echo = converse(Echo(limit=1000))
    echo.send(b"POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    content, sent = b"", 0
    while not content and sent < 10_000_000:
        echo.send(piece)
        sent += len(piece)
        content = echo.read()
    ((status, body),) = answers(content)
    assert status == 413
    assert json.loads(body)["error"]["message"] == "Content Too Large: expected a body of at most 1000 bytes"
    assert sent <= most


CHUNKS = b"POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"


@pytest.mark.parametrize("pieces", ["at once", "in two", "in pieces"])
@pytest.mark.parametrize(("over", "status"), [(0, 200), (1, 400)])
def test_a_trailer_is_limited(over, status, pieces, converse):
    talk = converse(Echo())
    # Two lines, since each is limited, too; the limit is of all before the empty line
    lines = b"A: " + b"b" * 5000 + b"\r\nC: "
    trailer = lines + b"d" * (MAX_TRAILER_BYTES - len(lines) + over)
    sent = CHUNKS + trailer + b"\r\n\r\n"
    cuts = {"at once": [], "in two": [len(CHUNKS)], "in pieces": list(range(len(CHUNKS), len(sent), 700))}[pieces]
    content = talk.exchange(sent[start:end] for start, end in pairwise([0, *cuts, len(sent)]))
    assert [each for each, _ in answers(content)] == [status]


def test_an_answer_that_is_shorter_than_it_says_ends_the_connection(converse):
    def short(environ, start_response):
        start_response("200 OK", [("Content-Length", "10")])
        return [b"abc"]

    talk = converse(short)
    # Whoever waits for the rest would take the next answer for it
    assert talk.exchange([GET]).endswith(b"\r\n\r\nabc")
    assert talk.waits == GONE


@pytest.mark.parametrize(
    ("sent", "connection", "waits"),
    [
        (b"HEAD /c HTTP/1.1\r\nHost: x\r\n\r\n", b"keep-alive", READ),
        (b"GET /c HTTP/1.0\r\n\r\n", b"close", GONE),
        (b"GET /c HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", b"keep-alive", READ),
        (b"GET /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"close", GONE),
        (b"GET /c HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, close\r\n\r\n", b"close", GONE),
        (b"GET /c HTTP/1.1\r\nHost: x\r\nConnection: TE ,CLOSE\r\n\r\n", b"close", GONE),
        (b"GET /c HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", b"close", GONE),
        (b"GET /c HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", b"close", GONE),
        (b"GET /c HTTP/1.1\r\nHost:\r\nConnection: closed\r\n\r\n", b"keep-alive", READ),
    ],
)
def test_how_a_connection_goes_on(sent, connection, waits, converse):
    talk = converse(Echo())
    head, _, body = talk.exchange([sent]).partition(b"\r\n\r\n")
    assert b"\r\nConnection: " + connection + b"\r\n" in head
    assert body == (b"" if sent.startswith(b"HEAD") else b"GET /c 0")
    assert talk.waits == waits


def test_the_time_that_answering_took_is_not_the_clients(converse, clock):
    def slow(environ, start_response):
        clock.now += 0.3
        start_response("200 OK", [("Content-Length", "4000000")])
        return [b"a" * 4_000_000]

    talk = converse(slow, small=True)
    talk.client_timeout = 0.2
    talk.send(GET)
    assert talk.waits == WRITE
    assert not talk.connection.is_late(clock.now + 0.2)


def test_a_request_that_came_in_time_is_answered_by_a_busy_worker(echo):
    echo.send(GET)
    echo.read()
    late = echo.connection.until + 1
    assert echo.connection.is_late(late)
    echo.client.send(GET)
    assert not echo.connection.is_late(late)
    echo.go_on()
    assert answers(echo.read()) == [(200, b"GET /c 0")]
    echo.client.close()
    assert echo.connection.is_late(echo.connection.until + 1)


@pytest.mark.parametrize("begun", [False, True])
def test_whoever_is_stuck_in_the_midst_of_an_answer_says_nothing_more(begun, converse):
    def stuck(environ, start_response):
        environ[STATE] = RequestState(request_id="r-1")
        environ[STATE].operation = "/c/{id}"
        if begun:
            start_response("200 OK", [("Content-Length", "4000000")])
        else:
            give_up()
        return [b"a" * 2_000_000, b"a" * 2_000_000]

    def give_up():
        talk.connection.expire(503, "too late")

    talk = converse(stuck, small=True)
    talk.send(GET)
    if begun:
        give_up()
    talk.waits = READ
    content = talk.read()
    assert content.count(b"HTTP/1.1") == 1
    assert content.startswith(b"HTTP/1.1 200" if begun else b"HTTP/1.1 503")


def test_a_request_that_does_not_come_to_its_end_is_told_so(clock, echo):
    echo.send(GET[:10])
    assert echo.connection.until == 1020
    clock.now += 5
    echo.send(GET[10:12])
    # A deadline for all of it: more bytes do not put it off
    assert echo.connection.until == 1020
    echo.connection.expire(408, "too late")
    ((status, body),) = answers(echo.read())
    assert status == 408
    assert json.loads(body)["error"]["code"] == 408


def test_an_idle_connection_is_closed_without_a_word(clock, echo):
    echo.send(GET)
    echo.read()
    assert echo.connection.until == 1000 + KEEP_ALIVE_SECONDS
    echo.connection.expire(408, "too late")
    assert echo.read() == b""


def test_the_application_sees_the_variables_that_gunicorn_makes(converse):
    app = Echo()
    talk = converse(app)
    sent = (
        b"POST /a%20b/%C3%A9?x=%20y&z HTTP/1.1\r\nHost: example.org:8080\r\nContent-Type: a/b\r\nContent-Length: 0\r\n"
        b"Accept: a\r\nAccept: b\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 1.2.3.4\r\nDOLAPIKEY: k\r\n\r\n"
    )
    talk.send(sent)
    (environ,) = app.calls
    head = Head(talk.settings, sent, ("127.0.0.1", 40000), None)
    expected = wsgi.create(head, None, ("127.0.0.1", 40000), ("127.0.0.1", 8000), head.cfg)[1]
    # What no application of ours uses, and what is an object of its own
    for name in ("gunicorn.socket", "wsgi.early_hints", "wsgi.input"):
        expected.pop(name)
    del environ["wsgi.input"]
    assert app.bodies == [b""]
    for each in (environ, expected):
        del each["wsgi.errors"]
    assert environ.pop("wsgi.multithread") is True
    assert expected.pop("wsgi.multithread") is False
    assert environ == expected

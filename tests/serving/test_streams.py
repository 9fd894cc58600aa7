"""Answers that are made piece by piece: however long they take, a client sees whether it has all of one."""

import http.client
import json
import os
import signal
import socket
from contextlib import closing, contextmanager

import pytest

from tests.needed import program, why_without

from .nginx import nginx
from .running import PATIENCE, wait_until
from .slow_clients import has_ended

_PIECES = '''
import os
import time

from core import ListQuery

from core.for_natives import Page


class Pieces:
    """Many records.

    :access: public
    """

    needs_database = False

    def index(
        self, query: ListQuery, pieces: int = 3, seconds: float = 0.0, broken: int = 0, width: int = 1
    ) -> list[dict]:
        """Ten records a piece.

        :param pieces: how many
        :param seconds: for which each is made
        :param broken: the number of the one that fails
        :param width: characters of a record
        """
        number = int(query.after or 0)
        time.sleep(seconds)
        if broken and number == broken:
            raise RuntimeError("no more")
        page = Page({"number": number * 10 + each, "by": os.getpid(), "text": "x" * width} for each in range(10))
        page.cursor = str(number + 1) if number + 1 < pieces else ""
        return page
'''
ACCEPT = {"Accept": "application/x-ndjson"}
SERVER = {"workers": 1, "threads": 2}


def with_pieces(server):
    server.write("pieces/class/api_pieces.py", _PIECES)
    server.everywhere("/pieces", status=200)
    return server


@pytest.fixture(scope="module")
def server(server):
    return with_pieces(server)


@contextmanager
def asked(server, query):
    """The answer to a request, of which nothing has been read yet."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)) as wire:
        wire.request("GET", f"/pieces{query}", headers=ACCEPT)
        with wire.getresponse() as answer:
            yield answer


def lines(server, query):
    with asked(server, query) as answer:
        return answer.read().splitlines() if answer.status == 200 else []


def _raw(server, query, version="1.1"):
    wire = socket.socket()
    wire.settimeout(PATIENCE)
    # Set before connecting: over loopback, segments have 64 kB, and the kernel would buffer more than 1 MB of an unread
    # response
    wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.connect(("127.0.0.1", server.port))
    wire.sendall(f"GET /pieces{query} HTTP/{version}\r\nHost: here\r\nAccept: {ACCEPT['Accept']}\r\n\r\n".encode())
    return wire


def test_it_may_take_longer_than_a_request(start):
    # Of its own, for its time-out
    server = with_pieces(start(workers=1, timeout=2))
    records = [json.loads(line) for line in lines(server, "?all=1&pieces=16&seconds=0.3")]
    assert [each["number"] for each in records] == list(range(160))
    assert len({each["by"] for each in records}) == 1
    assert "the worker is replaced" not in server.log.read_text()


def test_others_are_answered_meanwhile(server):
    with asked(server, "?all=1&pieces=10&seconds=0.3") as slow:
        for _ in range(3):
            assert len(lines(server, "?all=1")) == 30
        assert len(slow.read().splitlines()) == 100


def test_one_that_breaks_does_not_look_whole(server):
    broken = pytest.raises((http.client.IncompleteRead, ConnectionResetError))
    with broken, asked(server, "?all=1&broken=2&seconds=0.3") as answer:
        assert answer.status == 200
        answer.read()
    # The connection is reset, too
    with _raw(server, "?all=1&broken=2") as wire, pytest.raises(ConnectionResetError):
        while wire.recv(65536):
            pass


@pytest.mark.skipif(program("nginx") is None, reason=str(why_without("nginx")))
@pytest.mark.fault(
    "A worker is killed during a streamed response, behind nginx", "the client detects the incomplete response"
)
def test_half_a_stream_is_not_whole_behind_nginx(server, tmp_path, seen):
    (worker,) = server.workers
    with nginx(tmp_path / "nginx", server.port) as port, closing(http.client.HTTPConnection("127.0.0.1", port)) as wire:
        wire.request("GET", "/comptoir/pieces?all=1&pieces=1000&seconds=0.1&width=1000", headers=ACCEPT)
        with wire.getresponse() as answer:
            assert answer.status == 200
            answer.readline()
            os.kill(worker, signal.SIGKILL)
            with pytest.raises(http.client.IncompleteRead) as broken:
                answer.read()
            seen(f"200, then {broken.value!r:.60}")
    with _raw(server, "?all=1", "1.0") as old:
        assert old.recv(100).startswith(b"HTTP/1.0 400 ")
    wait_until(lambda: len(server.workers - {worker}) == 1)


def test_a_client_that_takes_nothing_is_let_go(start):
    # Of its own, for the time it gives a client
    server = with_pieces(start(workers=1, client_timeout=1))
    with _raw(server, "?all=1&pieces=1000&width=10000") as wire:
        wait_until(lambda: has_ended(wire))
        taken = b""
        with pytest.raises(ConnectionResetError):
            while content := wire.recv(1 << 20):
                taken += content
    assert b"\r\n0\r\n\r\n" not in taken
    assert len(lines(server, "?all=1")) == 30

"""Requests as bytes: what the server hands to its application is what a strict reader finds, however the bytes come."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from gunicorn import util

from core.serving.connection import GONE, WRITE
from core.serving.refusals import Refusal, answer_improper_request
from tests.core.serving.conversation import Conversation
from tests.fuzz.findings import Broken, insist
from tests.fuzz.site import Site
from tests.fuzz.strict import Request, requests_of

_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3}) ")


class _Talk(Conversation):
    """A conversation that fails where a server would write a traceback."""

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        self.log.exception = self._failed  # type: ignore[method-assign]
        #: requests that were answered beneath the application
        self.refused = 0

    def _failed(self, text: str, *parts: object) -> None:
        raise Broken("no answer is broken off", text)

    def handle_error(self, request: Any, connection: Any, address: Any, error: Exception) -> None:
        if type(error).__module__.startswith("gunicorn") or isinstance(error, Refusal):
            self.refused += 1
            super().handle_error(request, connection, address, error)
            return
        raise Broken("nothing fails beneath the application") from error


class _Reader:
    """An application that keeps what it was handed."""

    def __init__(self, *, reads: bool) -> None:
        self._reads = reads
        self.seen: list[Request] = []

    def __call__(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        method, target = environ["REQUEST_METHOD"].encode("latin-1"), environ["RAW_URI"].encode("latin-1")
        body: bytes | None = b""
        if self._reads:
            body = None
            try:
                body = environ["wsgi.input"].read(10**7)
            except Exception:
                start_response("400 Bad Request", [("Content-Length", "0")])
                self.seen.append(Request(method, target, None))
                return []
        self.seen.append(Request(method, target, body))
        start_response("200 OK", [("Content-Length", "0")])
        return []


class Target:
    """How the bytes are cut, and which application answers; the bytes."""

    seeds = [
        b"\x00GET /status?a=b HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: administrator-key-0123456789\r\n\r\n",
        b"\x01POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-A: 1\r\n\r\n"
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x02POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
        b"GET /status HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        b"\x01PUT /c HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
        b"\x02GET http://x/a%20b;c?d#e HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n\r\n",
        b"\x03HEAD /explorer HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nAccept: a\r\n\r\nDELETE /a HTTP/1.1\r\nHost: y\r\n\r\n",
        b"\x02POST /thirdparties HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: administrator-key-0123456789\r\n"
        b'Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nd\r\n{"name": "L"}\r\n0\r\n\r\n',
    ]
    words = [
        *(b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\n\n", b" ", b"\t", b"\0", b"\x0b", b"\x85", b"\xa0", b"\xb2", b":", b"0\r\n\r\n"),
        *(b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: identity, chunked\r\n"),
        *(b"Transfer-Encoding:\tchunked\r\n", b"content-length:", b"Content_Length: 5\r\n", b"Host: y\r\n", b"Connection: close\r\n"),
        *(b"Connection: x, close\r\n", b"Connection: keep-alive\r\n", b"Expect: 100-continue\r\n", b"Upgrade: h2c\r\n"),
        *(b"GET / HTTP/1.1\r\n", b"HTTP/1.0", b"HTTP/2.0", b"OPTIONS * ", b"CONNECT a:1 ", b"*", b"http://", b"?://", b"//", b"+5", b"0x5"),
        *(b"-1", b"0", b"5_0", b"ffffffff", b";a=\"\\\r\"", b";", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n"),
    ]  # fmt: skip

    def __init__(self, folder: Path) -> None:
        util.write_error = self._write_error
        self._improper: list[int] = []
        self._refused = 0
        self._site = Site(folder)

    def _write_error(self, connection: Any, status: int, reason: str, message: str) -> None:
        self._improper.append(status)
        answer_improper_request(connection, status, reason, message)

    def __call__(self, data: bytes) -> None:
        kind, content = (data or b"\0")[0], data[1:]
        self._improper.clear()
        if kind % 4 == 2:
            said = self._exchange(self._site_app, _pieces(content, kind))
            insist(all(each < 500 or each in (501, 503) for each in said), "no bytes make the server fail", said)
            return
        whole, cut = _Reader(reads=bool(kind % 2)), _Reader(reads=bool(kind % 2))
        said = self._exchange(whole, [content])
        answered = len(whole.seen) + self._refused
        insist(len(said) <= answered, "there is no answer without a request", (said, whole.seen))
        insist(
            all(400 <= each < 500 or each == 501 for each in self._improper),
            "what is no proper HTTP is its sender's fault",
            self._improper,
        )
        self._exchange(cut, _pieces(content, kind))
        # What is no proper body may be waited for
        waited = whole.seen[:-1] if whole.seen and whole.seen[-1].body is None else whole.seen
        same = cut.seen in (whole.seen, waited)
        insist(same, "the pieces in which bytes come change nothing", (whole.seen, cut.seen))
        strict = requests_of(content)
        if not kind % 2:
            strict = [Request(each.method, each.target, b"") for each in strict]
        insist(len(whole.seen) <= len(strict), "no request is found where there is none", (whole.seen, strict))
        for ours, theirs in zip(whole.seen, strict, strict=False):
            same = ours == theirs or (
                ours.body is None and (ours.method, ours.target) == (theirs.method, theirs.target)
            )
            insist(same, "a request is what the bytes say", (ours, theirs))

    def _site_app(self, environ: dict[str, Any], start_response: Any) -> Any:
        answer = self._site.answer(environ)
        start_response(f"{answer.status} X", list(answer.headers.items()))
        return [answer.body]

    def _exchange(self, app: Any, pieces: Iterable[bytes]) -> list[int]:
        """Send the pieces; answers the statuses that come back."""
        talk = _Talk(app)
        received = b""
        try:
            for piece in pieces:
                talk.send(piece)
                received += talk.read()
                if talk.waits == GONE:
                    break
            insist(talk.waits != WRITE, "an answer is sent to its end")
        finally:
            talk.close()
            self._refused = talk.refused
        said = [int(status) for status in _STATUS.findall(received)]
        return [status for status in said if status != 100]

    def close(self) -> None:
        """Nothing stays open."""
        self._site.close()


def _pieces(content: bytes, kind: int) -> list[bytes]:
    random, pieces, at = Random(kind), [], 0
    while at < len(content):
        size = random.choice((1, 1, 2, 3, 7, 30, 200, 2000))
        pieces.append(content[at : at + size])
        at += size
    return pieces

"""Requests as bytes: what the server hands to its application is what a strict reader finds, however the bytes come."""

import re
from random import Random

from core.serving.worker.connection import GONE, WRITE
from tests.core.serving.conversation import Conversation
from tests.fuzz.findings import Broken, insist
from tests.fuzz.site import Site
from tests.fuzz.strict import Request, requests_of

_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3}) ")


class _Talk(Conversation):
    """A conversation that fails where a server would write a traceback."""

    def __init__(self, app):
        super().__init__(app)
        self.log.exception = self._failed
        #: statuses of the requests that were answered beneath the application
        self.refused = []

    def _failed(self, text, *parts):
        raise Broken("nothing fails beneath the application", text)

    def reject(self, connection, status, message):
        self.refused.append(status)
        super().reject(connection, status, message)


class _Reader:
    """An application that keeps what it was handed."""

    def __init__(self):
        self.seen = []

    def admit(self, environ):
        return 10**7

    def __call__(self, environ, start_response):
        method, target = environ["REQUEST_METHOD"].encode("latin-1"), environ["RAW_URI"].encode("latin-1")
        self.seen.append(Request(method, target, environ["wsgi.input"].read()))
        start_response("200 OK", [("Content-Length", "0")])
        return []


class _SiteApp:
    """The server's own application."""

    def __init__(self, site):
        self._site = site
        self.admit = site.served.app.admit

    def __call__(self, environ, start_response):
        answer = self._site.answer(environ)
        start_response(f"{answer.status} X", list(answer.headers.items()))
        return [answer.body]


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

    def __init__(self, folder):
        self._site = Site(folder)

    def __call__(self, data):
        kind, content = (data or b"\0")[0], data[1:]
        if kind % 4 == 2:
            said, _ = self._exchange(_SiteApp(self._site), _pieces(content, kind))
            insist(all(each < 500 or each in (501, 503) for each in said), "no bytes make the server fail", said)
            return
        whole, cut = _Reader(), _Reader()
        said, refused = self._exchange(whole, [content])
        insist(len(said) <= len(whole.seen) + len(refused), "there is no answer without a request", (said, whole.seen))
        fault = all(400 <= each < 500 or each == 501 for each in refused)
        insist(fault, "what is no proper HTTP is its sender's fault", refused)
        self._exchange(cut, _pieces(content, kind))
        insist(cut.seen == whole.seen, "the pieces in which bytes come change nothing", (whole.seen, cut.seen))
        strict = requests_of(content)
        insist(len(whole.seen) <= len(strict), "no request is found where there is none", (whole.seen, strict))
        for ours, theirs in zip(whole.seen, strict, strict=False):
            insist(ours == theirs, "a request is what the bytes say", (ours, theirs))

    def _exchange(self, app, pieces):
        """Send the pieces; return the statuses of the responses, and which of them came from below the application."""
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
        said = [int(status) for status in _STATUS.findall(received)]
        return [status for status in said if status != 100], talk.refused

    def close(self):
        """Nothing stays open."""
        self._site.close()


def _pieces(content, kind):
    random, pieces, at = Random(kind), [], 0
    while at < len(content):
        size = random.choice((1, 1, 2, 3, 7, 30, 200, 2000))
        pieces.append(content[at : at + size])
        at += size
    return pieces

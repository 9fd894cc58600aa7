"""A request: its head as gunicorn parses it, its body as it arrives, its variables, and the head of its response.

gunicorn decides what valid HTTP is and how a response is framed, except for a few rules of RFC 9112 that it lacks.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.http.body import CHUNK_EXT_RE, ChunkedReader  # type: ignore[import-untyped]
from gunicorn.http.message import Request  # type: ignore[import-untyped]
from gunicorn.http.unreader import IterUnreader  # type: ignore[import-untyped]
from gunicorn.http.wsgi import Response, base_environ  # type: ignore[import-untyped]

#: bytes of a chunk's first line, and of the trailer after the last chunk
MAX_CHUNK_LINE_BYTES = MAX_TRAILER_BYTES = 8192

#: a host with its port, or nothing (RFC 3986, 3.2.2)
_HOST = re.compile(r"(\[[0-9A-Fa-fv:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]+)" + CHUNK_EXT_RE.pattern)
_STATUSES = {
    errors.LimitRequestLine: 414, errors.LimitRequestHeaders: 431, errors.UnsupportedTransferCoding: 501,
    errors.ExpectationFailed: 417,
}  # fmt: skip


class Rejected(Exception):
    """A request that the worker responds to before it ends the connection: a status, and a message."""


class Configuration(SimpleNamespace):
    """gunicorn's settings as plain attributes: its own look-ups, forty for a request, cost as much as the rest."""

    def __init__(self, settings: Any) -> None:
        super().__init__(**{name: getattr(settings, name) for name in settings.settings})
        self.is_ssl = settings.is_ssl
        self.forwarded_allow_networks = settings.forwarded_allow_networks
        #: the variables that all requests have in common
        self.environ = base_environ(settings) | {"wsgi.multithread": True, "SCRIPT_NAME": ""}


class Head(Request):  # type: ignore[misc]
    """The head of a request.

    :param content: all of it
    :param trusted: the headers that the peer may set, as `trusted` of an earlier head; None: not known
    :raises Rejected: it isn't valid HTTP
    """

    def __init__(self, cfg: Configuration, content: bytes, peer: Any, trusted: Any) -> None:
        self.trusted = trusted
        try:
            super().__init__(cfg, IterUnreader([content]), peer, 1 if trusted is None else 2)
        except (errors.ParseException, errors.NoMoreData) as error:
            raise Rejected(_STATUSES.get(type(error), 400), str(error)) from error
        host = None
        for name, value in self.headers:
            if name == "HOST":
                host = value
            elif name == "CONNECTION":
                # At any position of any such header (RFC 9112, 9.6)
                if "close" in (each.strip(" \t") for each in value.lower().split(",")):
                    self.force_close()
            elif name == "TRANSFER-ENCODING" and value.lower() != "chunked":
                raise Rejected(400, f"`Transfer-Encoding`: expected chunked, got {value!r:.80}")
        if host is None and self.version >= (1, 1):
            raise Rejected(400, "expected a `Host` header, got none")
        if host and not _HOST.fullmatch(host):
            raise Rejected(400, f"`Host`: expected a host with an optional port, got {host!r:.80}")

    def environ(self, common: dict[str, Any]) -> dict[str, Any]:
        """Return the variables of the request, as gunicorn makes them, without `wsgi.input`.

        :param common: those of the connection
        """
        environ = common | {
            "wsgi.url_scheme": self.scheme,
            "REQUEST_METHOD": self.method,
            "QUERY_STRING": self.query,
            "RAW_URI": self.uri,
            "PATH_INFO": util.unquote_to_wsgi_str(self.path),
            "SERVER_PROTOCOL": f"HTTP/{self.version[0]}.{self.version[1]}",
        }
        for name, value in self.headers:
            key = name.replace("-", "_")
            if name not in ("CONTENT-TYPE", "CONTENT-LENGTH"):
                key = f"HTTP_{key}"
            environ[key] = f"{environ[key]},{value}" if key in environ else value
        return environ

    @property
    def network(self) -> bytes:
        """The client's address, or its /64 network with IPv6; empty: a trusted proxy, or a Unix domain socket."""
        if self._peer_is_trusted_proxy():
            return b""
        address = ip_address(self.peer_addr[0].partition("%")[0])
        packed: bytes = (getattr(address, "ipv4_mapped", None) or address).packed
        return packed[:8]

    def _peer_trusted_for_forwarded(self) -> Any:
        if self.trusted is None:
            self.trusted = super()._peer_trusted_for_forwarded()
        return self.trusted


class Body:
    """The body of a request: the part that has arrived.

    :ivar length: bytes that it has, or that its chunks have announced so far
    """

    def __init__(self, head: Head) -> None:
        reader = head.body.reader
        self.is_chunked = isinstance(reader, ChunkedReader)
        self.length: int = 0 if self.is_chunked else reader.length
        self.content = bytearray()
        self.head = head
        self._searched = 0
        self._is_in_chunk = self._is_in_trailer = False

    def take(self, received: bytearray) -> bool:
        """Take the bytes of the body from the received ones; return whether it is complete.

        :raises Rejected: it isn't properly chunked
        """
        if not self.is_chunked:
            self._fill(received)
            return len(self.content) == self.length
        try:
            return self._take_chunks(received)
        except (ValueError, errors.ParseException) as error:
            raise Rejected(400, "the body's chunks (Transfer-Encoding: chunked) can't be read") from error

    def _fill(self, received: bytearray) -> None:
        missing = self.length - len(self.content)
        self.content += received[:missing]
        del received[:missing]

    def _take_chunks(self, received: bytearray) -> bool:
        while not self._is_in_trailer:
            if self._is_in_chunk:
                self._fill(received)
                if received[:2] != b"\r\n"[: len(received)]:
                    raise ValueError
                if len(received) < 2:
                    return False
                del received[:2]
                self._is_in_chunk = False
            line = self._take_until(b"\r\n", received, MAX_CHUNK_LINE_BYTES)
            if line is None:
                return False
            found = _CHUNK_LINE.fullmatch(line)
            if found is None:
                raise ValueError
            size = int(found[1], 16)
            self.length += size
            self._is_in_chunk, self._is_in_trailer = size > 0, size == 0
        if received[:2] == b"\r\n":
            del received[:2]
            return True
        trailer = self._take_until(b"\r\n\r\n", received, MAX_TRAILER_BYTES)
        if trailer is not None:
            self.head.parse_headers(trailer, from_trailer=True)
        return trailer is not None

    def _take_until(self, end: bytes, received: bytearray, limit: int) -> bytes | None:
        """Take the bytes before an end; None: it has not arrived."""
        found = received.find(end, self._searched)
        if found > limit or (found < 0 and len(received) >= limit + len(end)):
            raise ValueError
        self._searched = max(len(received) - len(end) + 1, 0) if found < 0 else 0
        if found < 0:
            return None
        taken = bytes(received[:found])
        del received[: found + len(end)]
        return taken


@lru_cache(maxsize=1)
def _date(now: int) -> str:
    return str(util.http_date(now))


class Answer(Response):  # type: ignore[misc]
    """gunicorn's response; it formats the date once a second."""

    def default_headers(self) -> list[str]:
        """Return the status line, and the headers of every response."""
        # At most our own version, whatever the client's is
        major, minor = min(self.req.version, (1, 1))
        first = f"HTTP/{major}.{minor} {self.status}\r\nServer: {self.version}\r\nDate: {_date(int(time.time()))}\r\n"
        first += f"Connection: {'close' if self.should_close() else 'keep-alive'}\r\n"
        return [first + "Transfer-Encoding: chunked\r\n" if self.chunked else first]

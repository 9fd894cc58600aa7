"""A request as gunicorn's parser makes it, its variables for the application, and the answer's head.

What is proper HTTP and how an answer is framed is gunicorn's to say, except for a few rules of RFC 9112 that it lacks.
What never changes is worked out once: looking up its settings some forty times a request cost as much as answering.
"""

from __future__ import annotations

import re
import time
from types import SimpleNamespace
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http.body import ChunkedReader  # type: ignore[import-untyped]
from gunicorn.http.errors import LimitRequestHeaders  # type: ignore[import-untyped]
from gunicorn.http.message import Request  # type: ignore[import-untyped]
from gunicorn.http.wsgi import Response, base_environ  # type: ignore[import-untyped]

from .incoming import MAX_TRAILER_BYTES
from .refusals import NotHttp

#: a host with its port, or nothing (RFC 3986, 3.2.2)
_HOST = re.compile(r"(\[[0-9A-Fa-fv:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")


class Configuration(SimpleNamespace):
    """gunicorn's settings as plain attributes; they do not change while a worker lives."""

    def __init__(self, settings: Any) -> None:
        super().__init__(**{name: getattr(settings, name) for name in settings.settings})
        self.is_ssl = settings.is_ssl
        self.forwarded_allow_networks = settings.forwarded_allow_networks
        #: what the variables of every request have in common
        self.environ = base_environ(settings) | {"wsgi.multithread": True, "SCRIPT_NAME": ""}


class Head(Request):  # type: ignore[misc]
    """A request's head.

    :param trusted: what its peer may set, as `trusted_headers` answered for its connection; None: ask
    """

    def __init__(self, cfg: Configuration, unreader: Any, peer: Any, number: int, trusted: Any) -> None:
        self._trusted = trusted
        super().__init__(cfg, unreader, peer, number)
        self._check()

    def _check(self) -> None:
        """Check what RFC 9112 asks for and gunicorn does not.

        :raises NotHttp: no Host, or a wrong one (3.2); a coding beside `chunked` (6.1)
        """
        host = None
        for name, value in self.headers:
            if name == "HOST":
                host = value
            elif name == "CONNECTION":
                # In any place of any such header (9.6)
                if "close" in (each.strip(" \t") for each in value.lower().split(",")):
                    self.force_close()
            elif name == "TRANSFER-ENCODING" and value.lower() != "chunked":
                raise NotHttp(f"`Transfer-Encoding`: expected chunked, got {value!r:.80}")
        if host is None and self.version >= (1, 1):
            raise NotHttp("expected a `Host` header, got none")
        if host and not _HOST.fullmatch(host):
            raise NotHttp(f"`Host`: expected a host with an optional port, got {host!r:.80}")

    def parse_headers(self, data: bytes, from_trailer: bool = False) -> Any:
        """The headers of a head, or of the trailer of a chunked body, which may be less long."""
        if from_trailer and len(data) > MAX_TRAILER_BYTES:
            raise LimitRequestHeaders(f"expected a trailer of at most {MAX_TRAILER_BYTES} bytes, got {len(data)}")
        return super().parse_headers(data, from_trailer=from_trailer)

    def set_body_reader(self) -> None:
        """Make the reader of the body; what it waits for of a trailer is as long as one may be."""
        super().set_body_reader()
        if isinstance(self.body.reader, ChunkedReader):
            self.body.reader.limit_trailer_section = MAX_TRAILER_BYTES

    def _peer_trusted_for_forwarded(self) -> Any:
        if self._trusted is None:
            self._trusted = super()._peer_trusted_for_forwarded()
        return self._trusted

    @property
    def trusted(self) -> Any:
        """What its peer may set: the same for every request of a connection."""
        return self._trusted


def environ_of(head: Head, client: Any, server: Any) -> dict[str, Any]:
    """The variables of a request for the application, as gunicorn makes them."""
    environ: dict[str, Any] = head.cfg.environ.copy()
    environ["wsgi.input"] = head.body
    environ["wsgi.url_scheme"] = head.scheme
    environ["REQUEST_METHOD"] = head.method
    environ["QUERY_STRING"] = head.query
    environ["RAW_URI"] = head.uri
    environ["PATH_INFO"] = util.unquote_to_wsgi_str(head.path)
    environ["SERVER_PROTOCOL"] = f"HTTP/{head.version[0]}.{head.version[1]}"
    if isinstance(client, tuple):
        environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = client[0], str(client[1])
    else:
        environ["REMOTE_ADDR"] = client if isinstance(client, str) else client.decode()
    host = None
    for name, value in head.headers:
        if name == "CONTENT-TYPE":
            environ["CONTENT_TYPE"] = value
        elif name == "CONTENT-LENGTH":
            environ["CONTENT_LENGTH"] = value
        else:
            if name == "HOST":
                host = value
            key = "HTTP_" + name.replace("-", "_")
            known = environ.get(key)
            environ[key] = value if known is None else f"{known},{value}"
    if isinstance(server, tuple):
        environ["SERVER_NAME"], environ["SERVER_PORT"] = server[0], str(server[1])
    else:
        # A socket in the file system has no address; what the client calls it has
        name, _, port = (host or server).partition(":")
        environ["SERVER_NAME"], environ["SERVER_PORT"] = name, port or ("443" if head.scheme == "https" else "80")
    return environ


class Answer(Response):  # type: ignore[misc]
    """gunicorn's answer; its first line and the headers of every answer are put together once a second."""

    _second = 0
    _date = ""

    def default_headers(self) -> list[str]:
        """The first line, and what gunicorn says of every answer."""
        now = int(time.time())
        if now != Answer._second:
            Answer._date = util.http_date(now)
            Answer._second = now
        # At most ours, whatever the client speaks
        major, minor = min(self.req.version, (1, 1))
        first = f"HTTP/{major}.{minor} {self.status}\r\nServer: {self.version}\r\nDate: {self._date}\r\n"
        first += f"Connection: {'close' if self.should_close() else 'keep-alive'}\r\n"
        return [first + "Transfer-Encoding: chunked\r\n" if self.chunked else first]

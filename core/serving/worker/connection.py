"""The connection of one client: what has arrived, the request in progress, and what the client has yet to read.

No thread waits for a client. The application is called once, when the body is complete.
"""

from __future__ import annotations

import re
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from fcntl import ioctl
from io import BytesIO
from termios import TIOCOUTQ
from threading import Lock
from typing import Any

from .request import Answer, Body, Head, Rejected

#: bytes of a head
MAX_HEAD_BYTES = 128 * 1024
#: bytes of incomplete bodies that a worker keeps in all, and those of one client address
ROOM_BYTES, ADDRESS_BYTES = 256 * 1024 * 1024, 64 * 1024 * 1024
#: bytes per second that a client must send or read, once its first `client_timeout` seconds have passed
MIN_RATE = 32 * 1024
#: seconds for which an idle connection is kept open
KEEP_ALIVE_SECONDS = 5.0
#: seconds for which the rest of a rejected request is read and dropped, so that the client reads the response
LINGER_SECONDS = 2.0
#: seconds after which a response that is made in pieces gives other connections their turn
TURN_SECONDS = 0.25
#: bytes received at once, and bytes of a response that are collected before they are sent
_PIECE_BYTES = 65536

_END_OF_HEAD = re.compile(rb"\n\r?\n")

#: what a connection waits for; AGAIN: nothing, the next request has already arrived
READ, WRITE, AGAIN, GONE = "read", "write", "again", "gone"

#: held to count the bytes of incomplete bodies
_counting = Lock()


class Connection:
    """A connection, used by one thread at a time; for gunicorn's response, a socket that never blocks.

    :param server: the `Worker`
    :param client: the client's address and port; anything but a tuple is a Unix domain socket
    :param address: our own
    """

    def __init__(self, server: Any, sock: socket.socket, client: Any, address: Any) -> None:
        self.sock = sock
        #: whether a thread works with it, or is about to
        self.busy = False
        #: when it ends if the client does nothing (`time.monotonic`)
        self.until = time.monotonic() + server.client_timeout
        self.head: Head | None = None
        self.environ: dict[str, Any] = {}
        #: what waits for the client to read, its bytes, and those of the current response that the system has accepted
        self._unsent: list[memoryview] = []
        self.queued = self._sent = 0
        #: bytes of an incomplete body, and the client network whose total includes them
        self.held, self.network = 0, b""
        self._server = server
        self._client = client
        remote, port = client[:2] if isinstance(client, tuple) else ("", "")
        name, own_port = address[:2] if isinstance(address, tuple) else ("localhost", 80)
        self._common = server.settings.environ | {
            "REMOTE_ADDR": remote, "REMOTE_PORT": str(port), "SERVER_NAME": name, "SERVER_PORT": str(own_port)
        }  # fmt: skip
        self._received = bytearray()
        #: bytes that were searched for the end of a head
        self._searched = 0
        #: the next request, or a part of it, has arrived with the one before
        self._has_next = False
        self._trusted: Any = None
        self._body: Body | None = None
        #: bytes that the body may have, once the request is admitted
        self._limit: int | None = None
        #: bytes of the body that have arrived, with the lines between chunks
        self._arrived = 0
        #: the application responds without the body
        self._is_unread = False
        #: when the body or the application began, and when the response began
        self._began = self._answered = 0.0
        self._response: Answer | None = None
        self._chunks: Iterator[bytes] | None = None
        self._close_chunks: Callable[[], object] | None = None
        #: what still arrives is dropped
        self._lingers = False

    def proceed(self) -> str:
        """Continue as far as possible without waiting; return what to wait for."""
        try:
            if self._response is not None:
                return self._send(self._response)
            if not self._has_next and not self._receive():
                return GONE
            self._has_next = False
            if self._lingers or (self.head is None and not self._read_head()):
                return READ
            return self._call() if self._body is None or self._read_body(self._body) else READ
        except Rejected as error:
            self._server.reject(self, *error.args)
            return self._linger()
        except OSError:
            return GONE

    def _receive(self) -> bool:
        """Receive what has arrived; return whether the client may send more."""
        try:
            content = self.sock.recv(_PIECE_BYTES)
        except (BlockingIOError, InterruptedError):
            return True
        if not self._lingers:
            if self.is_idle:
                self.until = time.monotonic() + self._server.client_timeout
            self._received += content
            self._arrived += len(content)
        return bool(content)

    def _read_head(self) -> bool:
        """Parse the head; return whether it is complete."""
        received = self._received
        found = _END_OF_HEAD.search(received, max(self._searched - 3, 0))
        self._searched = len(received)
        end = found.end() if found else 0
        if (end or len(received)) > MAX_HEAD_BYTES:
            raise Rejected(431, f"expected a request line and headers of at most {MAX_HEAD_BYTES} bytes")
        if not end:
            return False
        head = Head(self._server.settings, bytes(received[:end]), self._client, self._trusted)
        del received[:end]
        self.head, self.environ, self._trusted = head, head.environ(self._common), head.trusted
        self._searched, self._arrived = 0, len(received)
        body = Body(head)
        self._body = body if body.length or body.is_chunked else None
        return True

    def _read_body(self, body: Body) -> bool:
        """Take what has arrived of the body; return whether the application can be called."""
        improper = None
        try:
            if body.take(self._received):
                self.environ.pop("HTTP_TRANSFER_ENCODING", None)
                self.environ["CONTENT_LENGTH"] = str(body.length)
                return True
        except Rejected as error:
            improper = error
        is_new = self._limit is None
        if is_new:
            self.environ["wsgi.input"] = BytesIO()
            self._limit, self._began = self._ask(self._server.wsgi.admit, self.environ), time.monotonic()
        if self._limit is None:
            self._is_unread, self._body = True, None
            return True
        if improper is not None:
            raise improper
        # The lines between chunks are limited as well
        if body.length > self._limit or self._arrived > 2 * self._limit + _PIECE_BYTES:
            raise Rejected(413, f"expected a body of at most {self._limit} bytes")
        if is_new:
            self.network = body.head.network
        self._hold(len(body.content) + len(self._received))
        uploads = self._server.uploads
        if uploads[b""] > ROOM_BYTES or (self.network and uploads[self.network] > ADDRESS_BYTES):
            raise Rejected(503, "too many bytes are being uploaded at once; try again later")
        if is_new and body.head._expected_100_continue:
            self.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._flush()
        self.until = self._began + self._server.client_timeout + self._arrived / MIN_RATE
        return False

    def _hold(self, count: int) -> None:
        """Count the bytes of an incomplete body, without looking at other bodies: there may be thousands."""
        uploads, more = self._server.uploads, count - self.held
        self.held = count
        with _counting:
            for network in {b"", self.network}:
                uploads[network] += more
                if not uploads[network]:
                    del uploads[network]

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the application."""
        try:
            return function(*arguments)
        except BaseException as error:
            self._server.log.exception("the application failed")
            raise Rejected(500, "") from error

    def _call(self) -> str:
        """Call the application."""
        body, self._body = self._body, None
        # Of bytes, because their reader shares them instead of copying them
        self.environ["wsgi.input"] = BytesIO(b"" if body is None else bytes(body.content))
        del body
        response = Answer(self.head, self, self._server.settings)
        if self._is_unread or not self._server.alive:
            response.force_close()
        self._began = time.monotonic()
        chunks = self._ask(self._server.wsgi, self.environ, response.start_response)
        self._close_chunks = getattr(chunks, "close", None)
        self._chunks = iter(chunks)
        self._response, self._answered = response, time.monotonic()
        self._sent = 0
        return self._send(response)

    def _send(self, response: Answer) -> str:
        """Send as much of the response as the client reads."""
        ends = time.monotonic() + TURN_SECONDS
        while time.monotonic() < ends:
            while self._chunks is not None and self.queued < _PIECE_BYTES and time.monotonic() < ends:
                self._take_chunk(response, self._chunks)
            is_flushed = self._flush()
            if is_flushed and self._chunks is not None and response.response_length is None:
                # The client has read everything that was sent so far, so its time begins again
                self._answered, self._sent = time.monotonic(), 0
            self.until = self._answered + self._server.client_timeout + self._sent / MIN_RATE
            if not is_flushed:
                break
            if self._chunks is None:
                return self._end(response)
        return WRITE

    def _take_chunk(self, response: Answer, chunks: Iterator[bytes]) -> None:
        begun = time.monotonic()
        try:
            chunk = next(chunks, None)
            # The client isn't charged for the time that the application needs
            self._answered += time.monotonic() - begun
            if chunk is not None:
                response.write(chunk)
                return
            response.close()
        except OSError:
            raise
        except BaseException as error:
            self._server.log.exception("a response could not be sent completely")
            # A reset also reaches a client for which the end of the connection is the end of the response
            self._drop()
            raise ConnectionAbortedError from error
        self._chunks = None

    def sendall(self, content: bytes) -> None:
        """Queue bytes for the client, without a copy: many clients may read the same ones slowly."""
        if content:
            self._unsent.append(memoryview(content))
            self.queued += len(content)

    def _flush(self) -> bool:
        """Send what is queued; return whether the system has accepted all of it."""
        unsent = self._unsent
        while unsent:
            try:
                # The system takes 1,024 parts at most
                sent = self.sock.sendmsg(unsent[:64])
            except (BlockingIOError, InterruptedError):
                return False
            self.queued -= sent
            self._sent += sent
            while unsent and sent >= len(unsent[0]):
                sent -= len(unsent.pop(0))
            if sent:
                unsent[0] = unsent[0][sent:]
        return True

    def _drop(self) -> None:
        """Drop what the client has not read, so that closing the connection resets it."""
        self._unsent.clear()
        with suppress(OSError):
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _end(self, response: Answer) -> str:
        """Finish a response that the system has accepted."""
        took = timedelta(seconds=time.monotonic() - self._began)
        self._server.log.access(response, self.head, self.environ, took)
        # The client may not have read a large one yet
        left = self._sent > _PIECE_BYTES and any(ioctl(self.sock, TIOCOUTQ, bytes(4)))
        ends, is_unread = self.until if left else 0.0, self._is_unread
        self._forget_request()
        # A client would wait for the rest of a response that announced more
        is_short = (response.response_length or 0) > response.sent and not response._omits_body
        if response.should_close() or is_short:
            return self._linger(ends) if left or is_unread else GONE
        self._has_next = bool(self._received)
        self.until = max(time.monotonic() + KEEP_ALIVE_SECONDS, ends)
        return AGAIN if self._has_next else READ

    def _linger(self, ends: float = 0.0) -> str:
        """End the connection so that the client reads the response: closing a socket with unread bytes resets it."""
        with suppress(OSError):
            self._flush()
            self.sock.shutdown(socket.SHUT_WR)
        self.until = max(time.monotonic() + LINGER_SECONDS, ends)
        self._lingers = True
        self._received.clear()
        self._forget_request()
        return READ

    def _forget_request(self) -> None:
        close, self._close_chunks = self._close_chunks, None
        self._response = self.head = self._chunks = self._body = self._limit = None
        self._is_unread = False
        stream = self.environ.get("wsgi.input")
        if stream is not None:
            # The application may keep `environ` in a cycle of references, which would keep the body
            stream.close()
        self.environ = {}
        if self.held:
            self._hold(0)
        if close is not None:
            close()

    @property
    def is_idle(self) -> bool:
        """True if nothing of a request has arrived, so that the connection may be closed at any time."""
        return self.head is None and not self._received

    def is_late(self, now: float) -> bool:
        """Return whether its time is over. A request that has arrived, but waits for a busy worker, is not late."""
        if self.until >= now:
            return False
        if self._lingers or not self.is_idle:
            return True
        with suppress(OSError):
            return not self.sock.recv(1, socket.MSG_PEEK)
        return True

    def expire(self, status: int, message: str) -> None:
        """Close it because its time is over; a request that has begun gets a response."""
        if self._response is None and not self._lingers and not self.is_idle:
            self._server.reject(self, status, message)
        elif self._sent > _PIECE_BYTES:
            self._drop()
        self.close()

    def close(self) -> None:
        """Close it, with anything that wasn't sent."""
        with suppress(OSError):
            self._flush()
        # A file of the response may be broken
        with suppress(Exception):
            self._forget_request()
        self.sock.close()

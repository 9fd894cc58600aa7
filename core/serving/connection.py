"""One client's connection: what it has sent so far, the request made of it, and what it has yet to take.

No thread ever waits for a client. A head is parsed once it is all there; the application is called at once, and when it
asks for a body that has not come yet (after it has checked the key), it is left and called anew once the body is there.
Parsing and the framing of answers are gunicorn's.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any, NoReturn, Protocol

from gunicorn.http.errors import LimitRequestHeaders, ParseException  # type: ignore[import-untyped]

from ..common.settings import settings
from ..web.request_states import ALLOWANCE, BODY_LIMIT, STATE
from .exchange import Answer, Configuration, Head, environ_of
from .incoming import ChunkedBody, NotYet, Received, end_of_head
from .outgoing import Outgoing
from .refusals import Refusal, Stuck, TooLong, TooMuch, TooSlow

#: bytes for which a client has a second besides `COMPTOIR_CLIENT_TIMEOUT`, in either direction
RATE = 32 * 1024
#: seconds an idle connection is kept open for the client's next request
KEEP_ALIVE = 5.0
#: seconds for which what a client still sends is thrown away, so that it reads the answer that ends its connection
LINGER = 2.0

#: seconds for which a thread goes on with one answer that is made piece by piece
TURN = 0.25

#: bytes of a head at the most
LONGEST_HEAD = 128 * 1024
#: bytes taken at once, and of an answer put together before they are sent
_PIECE = 65536
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

#: what a connection waits for; AGAIN: nothing, the next request has been received already
READ, WRITE, AGAIN, GONE = "read", "write", "again", "gone"


class _Refused(Exception):
    """The client has been told; nothing more is expected of it."""


class Room(Protocol):
    """What bodies that are waited for may take of the memory."""

    def keep(self, connection: Connection, size: int) -> bool:
        """Keep room for what has come of a body; answers whether there is any."""

    def free(self, connection: Connection) -> None:
        """Give that room free."""


class Owner(Protocol):
    """The worker, as a connection sees it."""

    settings: Configuration
    log: Any
    alive: bool
    #: seconds in which a client must have sent a head, a body, or taken an answer
    patience: float
    #: for bodies that are waited for
    room: Room
    wsgi: Callable[..., Any]

    def handle_error(self, request: Any, connection: Any, address: Any, error: Exception) -> None:
        """Answer what is no proper HTTP, or failed beneath the application."""


class Connection:
    """A connection, used by one thread at a time."""

    def __init__(self, owner: Owner, sock: socket.socket, client: Any, server: Any) -> None:
        self.owner = owner
        self.sock = sock
        self.client = client
        self.server = server
        #: whether a thread is at work with it, or about to be
        self.busy = False
        #: when it ends if nothing becomes of what it waits for (`time.monotonic`)
        self.until = time.monotonic() + owner.patience
        #: bytes of a body that memory is kept for
        self.reserved = 0
        self.request: Any = None
        self.out = Outgoing(sock)
        self._received = bytearray()
        self._unreader = Received()
        #: how much of it has been looked through for an end
        self._searched = 0
        self._number = 0
        self._trusted: Any = None
        #: length of a body that is waited for; -1: it is chunked; None: none is
        self._missing: int | None = None
        self._chunked = ChunkedBody()
        self._continue = False
        #: when the request in hand began to be answered, and when the answer was there
        self._began = self._answered = 0.0
        self._response: Any = None
        self._environ: dict[str, Any] = {}
        self._chunks: Iterator[bytes] | None = None
        self._close_chunks: Callable[[], object] | None = None
        #: the application left something of the body unread that has not come yet
        self._unfinished = False
        #: what the client still sends is thrown away
        self._lingers = False

    # Going on ---------------------------------------------------------------------------------------------------------

    def proceed(self) -> str:
        """Go on as far as what was received and taken allows; answers what to wait for."""
        try:
            if self._response is not None:
                return self._send()
            waits = not self._received or self._missing is not None or self._searched
            if waits and not self._receive():
                return GONE
            if self._lingers:
                return READ
            if self.request is None and not self._parse():
                return READ
            if self._missing is not None and not self._has_body():
                return READ
            return self._answer()
        except _Refused:
            return self._linger()
        except OSError:
            return GONE

    def _receive(self) -> bool:
        """Take what the client has sent; answers whether it may send more."""
        try:
            content = self.sock.recv(_PIECE)
        except (BlockingIOError, InterruptedError):
            return True
        if not self._lingers:
            if not self._received and self.request is None:
                self.until = time.monotonic() + self.owner.patience
            self._received += content
        return bool(content)

    def _parse(self) -> bool:
        """Make a request of the head, if all of it is there."""
        received = self._received
        size = len(received)
        searched, self._searched = self._searched, size
        end = end_of_head(received, searched)
        if (end or size) > LONGEST_HEAD:
            self._refuse(LimitRequestHeaders(f"expected a request line and headers of at most {LONGEST_HEAD} bytes"))
        if not end:
            return False
        self._unreader.hold(received)
        try:
            head = Head(self.owner.settings, self._unreader, self.client, self._number + 1, self._trusted)
        except NotYet:
            return False
        except (ParseException, Refusal) as error:
            self._refuse(error)
        self._number += 1
        self._searched = 0
        self._trusted = head.trusted
        self.request = head
        self._received = bytearray(self._unreader.take_buffered())
        # Said when the body is read, which is when the key has been checked
        self._continue = head._expected_100_continue
        return True

    def _refuse(self, error: Exception) -> NoReturn:
        self.owner.handle_error(self.request, self, self.client, error)
        raise _Refused from error

    # The body ---------------------------------------------------------------------------------------------------------

    def _await_body(self) -> str:
        """The application has asked for a body that is not there yet."""
        length = next((int(value) for name, value in self.request.headers if name == "CONTENT-LENGTH"), -1)
        if self._missing is None:
            self._missing, self._chunked = length, ChunkedBody()
            self.until = time.monotonic() + self.owner.patience + max(length, 0) / RATE
            # What has come may be too much already
            self._has_body()
            if self._continue:
                self._continue = False
                self.out.sendall(_CONTINUE)
                self.out.flush()
        return READ

    def _has_body(self) -> bool:
        """Whether the body is there, as far as can be told without reading it."""
        if not self.owner.room.keep(self, len(self._received)):
            self._refuse(TooMuch())
        if self._missing is not None and self._missing >= 0:
            return len(self._received) >= self._missing
        if self._chunked.has_ended(self._received):
            return True
        most = self._environ.get(BODY_LIMIT) or settings().max_body
        # What chunks are wrapped in takes room, too
        if self._chunked.length > most or len(self._received) > 2 * most + _PIECE:
            self._refuse(TooLong(f"expected a body of at most {most} bytes"))
        return False

    def _finish_body(self) -> bool:
        """Pass over what the application has not read of a body; answers whether that could be done."""
        try:
            while self.request.body.read(_PIECE):
                pass
        except NotYet:
            return False
        except Exception:  # noqa: BLE001 - where the next request begins is unknown, whatever the reason
            return False
        return not self.request.body.failed

    # The answer -------------------------------------------------------------------------------------------------------

    def _answer(self) -> str:
        """Call the application."""
        request = self.request
        self._unreader.hold(self._received)
        if self._missing is not None:
            # The first reader may have stopped in the middle
            request.set_body_reader()
        self._began = time.monotonic()
        try:
            response = Answer(request, self.out, request.cfg)
            counted = self._environ.get(ALLOWANCE)
            self._environ = environ = environ_of(request, self.client, self.server)
            if counted is not None:
                # The application was left to wait for the body
                environ[ALLOWANCE] = counted
            if not self.owner.alive:
                response.force_close()
            chunks = self.owner.wsgi(environ, response.start_response)
        except NotYet:
            return self._await_body()
        except Exception as error:  # noqa: BLE001 - whatever lies beneath the application's own handler
            self._refuse(error)
        self._unfinished = not self._finish_body()
        if self._unfinished:
            response.force_close()
        self._response, self._answered = response, time.monotonic()
        self._close_chunks = getattr(chunks, "close", None)
        self._chunks = iter(chunks)
        self.out.taken = 0
        return self._send()

    def _send(self) -> str:
        """Send as much of the answer as the client takes."""
        begun = time.monotonic()
        while True:
            while self._chunks is not None and self.out.queued < _PIECE:
                self._take_chunk()
                if time.monotonic() - begun > TURN:
                    break
            if not self.out.flush():
                self.until = self._must_be_taken()
                return WRITE
            if self._chunks is None:
                return self._end()
            if self._response.response_length is None:
                # Of what has no end yet the client has taken all there is: its time begins anew
                self._answered, self.out.taken = time.monotonic(), 0
            if time.monotonic() - begun > TURN:
                # Others have their turn; and what moves is not taken for what stands still
                self.until = self._must_be_taken()
                return WRITE

    def _take_chunk(self) -> None:
        assert self._chunks is not None
        begun = time.monotonic()
        try:
            chunk = next(self._chunks, None)
            # What making it takes is not the client's
            self._answered += time.monotonic() - begun
            if chunk is not None:
                self._response.write(chunk)
                return
            self._response.close()
        except OSError:
            raise
        except Exception as error:  # a file that cannot be read to its end, say
            self.owner.log.exception("a response could not be sent completely")
            # Also a client that takes the end of the connection for that of the answer sees that it is broken
            self.out.give_up()
            raise ConnectionAbortedError from error
        self._chunks = None

    def _end(self) -> str:
        """The answer has been sent."""
        response, request = self._response, self.request
        self.owner.log.access(response, request, self._environ, timedelta(seconds=time.monotonic() - self._began))
        # The system has taken it over, which does not say that the client has
        left = self.out.taken > _PIECE and self.out.is_on_its_way()
        ends = self._must_be_taken() if left else 0.0
        self._leave_answer()
        if response.should_close() or _is_short(response):
            return self._linger(ends) if left or self._unfinished else GONE
        self._received = bytearray(self._unreader.take_buffered())
        self._searched = 0
        self.until = max(time.monotonic() + KEEP_ALIVE, ends)
        return AGAIN if self._received else READ

    def _must_be_taken(self) -> float:
        """Until when the client must have taken the answer."""
        return self._answered + self.owner.patience + self.out.taken / RATE

    def _linger(self, ends: float = 0.0) -> str:
        """End the connection so that the client still reads the answer.

        A socket that is closed with bytes unread takes along what was sent.
        """
        self.out.flush()
        self.sock.shutdown(socket.SHUT_WR)
        self.until = max(time.monotonic() + LINGER, ends)
        self._lingers = True
        self._received.clear()
        self.owner.room.free(self)
        return READ

    def _leave_answer(self) -> None:
        close, self._close_chunks = self._close_chunks, None
        self._response = self.request = self._chunks = self._missing = None
        self.owner.room.free(self)
        self._environ = {}
        if close is not None:
            close()

    # The end ----------------------------------------------------------------------------------------------------------

    @property
    def waits_for_request(self) -> bool:
        """Whether nothing has come of a next request, so that it may be closed at any time."""
        return self.request is None and not self._received

    def is_late(self, now: float) -> bool:
        """Whether its time is over. A request that has come in time, and waits for a busy worker, is still answered."""
        if self.until >= now:
            return False
        return self._lingers or not self.waits_for_request or not self._has_more()

    def _has_more(self) -> bool:
        """Whether the client has sent something that nobody has taken yet."""
        with suppress(OSError):
            return bool(self.sock.recv(1, socket.MSG_PEEK))
        return False

    def names(self) -> tuple[str, str, str]:
        """Verb, operation and id of the request in hand, for the log: its path holds values."""
        state = self._environ.get(STATE)
        verb = self.request.method if self.request is not None else "a request"
        return verb, (state.operation if state else "") or "(no operation)", state.request_id if state else ""

    def expire(self) -> None:
        """Its time is over: say so, where a request was being sent."""
        if self._response is None and not self._lingers and not self.waits_for_request:
            self.owner.handle_error(self.request, self, self.client, TooSlow())
        elif self.out.taken > _PIECE:
            self.out.give_up()

    def give_up(self) -> None:
        """The thread that is at work with it will not come to an end."""
        if self._response is None:
            self.owner.handle_error(self.request, self, self.client, Stuck())
        self.close()

    def close(self) -> None:
        """Close it, with whatever has not been sent."""
        # The client is gone, or a file cannot be closed
        with suppress(Exception):
            self.out.flush()
            self._leave_answer()
        self.sock.close()


def _is_short(response: Any) -> bool:
    """Whether a client would wait for the rest of an answer that said it is longer."""
    return (response.response_length or 0) > response.sent and not response._omits_body

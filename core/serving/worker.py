"""A worker: several threads, of which one leads. It takes what clients send and answers them, one after another.

Threads that take turns at every statement, since the driver lets go of the interpreter each time, answer three to four
times less than one that goes on alone. So nobody takes turns: only when the leader has been held up for some
milliseconds, by the database, the disk or a long computation, another thread takes the lead, and the first goes on
beside it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections import deque
from typing import Any

from gunicorn.http.errors import ParseException  # type: ignore[import-untyped]
from gunicorn.workers.base import Worker as BaseWorker  # type: ignore[import-untyped]

from ..common.errors import STANDARD_TEXTS
from ..common.runtime import active
from ..common.settings import settings
from .clients import BodyRoom, Clients
from .connection import GONE, Connection
from .exchange import Configuration
from .refusals import Refusal, answer_improper_request

#: seconds for which the leader may be held up by one request: seen at one look, and still there at the next
TICK = 0.002
#: looks without a request after which the worker looks once a second only
QUIET = 25
#: seconds for which a thread may keep the interpreter when others wait for it (Python's is 5 ms)
SWITCH = 0.0002
#: seconds after its end has been asked for in which a kept connection may still send the request it is about to send
FAREWELL = 2.0


class _Thread:
    """A thread of the worker, as the others see it."""

    def __init__(self) -> None:
        self._called = threading.Semaphore(0)
        #: the connection it is at work with, and since when
        self.connection: Connection | None = None
        self.since = 0.0

    def call(self) -> None:
        """It is to lead."""
        self._called.release()

    def wait(self) -> None:
        """Wait to be called."""
        self._called.acquire()


class Worker(BaseWorker):  # type: ignore[misc]
    """gunicorn's worker with a leading thread and others that follow."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.settings = Configuration(self.cfg)
        self.patience = float(settings().client_timeout)
        self.room = BodyRoom()
        self._clients: Any = None
        self._ready: deque[Connection] = deque()
        self._turn = threading.Lock()
        self._leader: _Thread | None = None
        self._spare: list[_Thread] = []
        self._threads: list[_Thread] = []
        #: the number of the leader's piece of work; 0: it waits for clients
        self._work = self._works = 0
        #: the piece of work that was seen at the last look
        self._seen = 0
        #: nobody looks whether the leader is held up, because nobody calls
        self._parked = False

    # The main thread: looks after the others --------------------------------------------------------------------------

    def init_signals(self) -> None:
        """Listen to signals, to those that have come since the fork, too."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self.SIGNALS)

    def run(self) -> None:
        """Serve until the worker is told to end."""
        sys.setswitchinterval(SWITCH)
        board = self.app.board
        self._clients = Clients(self, self.sockets, board, self.age % len(board))
        for _ in range(self.cfg.threads):
            thread = _Thread()
            self._threads.append(thread)
            threading.Thread(target=self._serve, args=(thread,), name="comptoir-serve", daemon=True).start()
        self._look_after()
        self.alive = False
        now = time.monotonic()
        self._clients.take_leave(now + FAREWELL)
        while self._clients and time.monotonic() < now + self.cfg.graceful_timeout:
            self.notify()
            self._look_at_leader()
            time.sleep(10 * TICK)

    def _look_after(self) -> None:
        """Beat for the master; give the lead to another thread where the leader is held up."""
        quiet, beaten = 0, 0.0
        poll = select.poll()
        poll.register(self.PIPE[0], select.POLLIN)
        while self.alive:
            now = time.monotonic()
            if now - beaten >= 1.0:
                beaten = now
                if self.ppid != os.getppid():
                    self.log.info("the parent process changed; shutting down: %s", self)
                    return
                self.notify()
                active.runtime.metrics.set_busy_threads(sum(each.connection is not None for each in self._threads))
                self._end_if_stuck(now)
            quiet = 0 if self._look_at_leader() else quiet + 1
            self._parked = quiet > QUIET
            if poll.poll(1000 if self._parked and not self._work else TICK * 1000):
                os.read(self.PIPE[0], 4096)
                quiet = 0

    def _look_at_leader(self) -> bool:
        """Give the lead to another thread where the leader is held up; answers whether it is at work."""
        work = self._work
        if work and work == self._seen:
            self._hand_over(work)
        self._seen = work
        return work != 0

    def _hand_over(self, work: int) -> None:
        with self._turn:
            if self._work != work or not self._spare:
                return
            self._work = 0
            self._call_one()

    def _call_one(self) -> None:
        self._leader = self._spare.pop()
        self._leader.call()

    def _end_if_stuck(self, now: float) -> None:
        """End the worker if a request exceeds the timeout: its thread can't be ended in another way."""
        for thread in self._threads:
            connection = thread.connection
            if connection is None or now - thread.since < self.cfg.timeout:
                continue
            verb, operation, request_id = connection.names()
            self.log.error(
                "%s %s took more than %d s; the worker is replaced",
                *(verb, operation, self.cfg.timeout),
                extra={"facts": {"request_id": request_id}},
            )
            self._clients.give_up(connection)
            self.alive = False

    # The threads that serve -------------------------------------------------------------------------------------------

    def _serve(self, me: _Thread) -> None:
        while True:
            with self._turn:
                self._spare.append(me)
                if self._leader is None:
                    # At the start, and after a failure: a worker without a leader answers nobody
                    self._call_one()
            me.wait()
            try:
                self._lead(me)
            except Exception:
                self.log.exception("the worker hit an unexpected error; it continues serving")
                # What fails again at once does not fill the log
                time.sleep(0.1)
                with self._turn:
                    if self._leader is me:
                        self._leader, self._work = None, 0

    def _lead(self, me: _Thread) -> None:
        """Go on with one connection after another until another thread leads."""
        ready = self._ready
        while True:
            self._clients.gather(ready, 0 if ready else 1.0)
            while ready:
                # Taken before anybody can see the work: from then on another thread may lead
                connection = ready.popleft()
                me.since = time.monotonic()
                me.connection = connection
                self._works = work = self._works + 1
                self._work = work
                if self._parked:
                    self._parked = False
                    os.write(self.PIPE[1], b".")
                try:
                    self._go_on(connection)
                finally:
                    me.connection = None
                with self._turn:
                    if self._leader is not me:
                        return
                    self._work = 0

    def _go_on(self, connection: Connection) -> None:
        try:
            wants = connection.proceed()
        except BaseException:
            self.log.exception("a connection failed")
            wants = GONE
        if wants == GONE:
            self._clients.close(connection)
        else:
            self._clients.wait_for(connection, wants)

    # What a connection asks of its worker -----------------------------------------------------------------------------

    def handle_error(self, request: Any, connection: Connection, address: Any, error: Exception) -> None:
        """Answer what is no proper HTTP, does not come to its end, or failed beneath the application."""
        if isinstance(error, ParseException):
            super().handle_error(request, connection.out, address or ("", -1), error)
            return
        if not isinstance(error, Refusal):
            self.log.error("%s %s failed before it reached the application", *connection.names()[:2], exc_info=error)
            error = Refusal()
        answer_improper_request(connection.out, error.status, STANDARD_TEXTS[error.status], error.message)

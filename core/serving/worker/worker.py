"""A worker process with several threads, of which one leads: it serves one request after the other.

Another thread takes the lead only if the leading one has been held up for a few milliseconds, by the database, the disk
or a long computation. The first one then finishes its request beside it.
"""

from __future__ import annotations

import mmap
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from gunicorn.workers.base import Worker as BaseWorker  # type: ignore[import-untyped]

from .connection import GONE, READ, Connection
from .request import Configuration

#: seconds between two looks at the leading thread; a request that is there at both holds it up
TICK_SECONDS = 0.002
#: looks without a request after which the worker looks once a second only
QUIET_LOOKS = 25
#: seconds for which a thread may keep the interpreter while others wait for it (Python's default is 5 ms)
SWITCH_SECONDS = 0.0002
#: seconds for which a worker that ends still waits for the next request of an idle connection
FAREWELL_SECONDS = 2.0
#: a worker with fewer connections than this, but more than another worker, waits this many seconds before it accepts
#: the next, so that the other can. A worker with more connections accepts up to this number at once
FEW, COURTESY_SECONDS = 16, 0.0003
#: files that a worker needs apart from its connections
_OTHER_FILES = 200

_READ = select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLONESHOT
_WRITE = select.EPOLLOUT | select.EPOLLONESHOT


class _Thread(threading.Thread):
    """A thread of the worker, as the others see it."""

    def __init__(self, serve: Callable[[_Thread], None]) -> None:
        super().__init__(target=serve, args=(self,), name="worker", daemon=True)
        self.called = threading.Semaphore(0)
        #: the connection it works with, and since when
        self.connection: Connection | None = None
        self.since = 0.0


class Worker(BaseWorker):  # type: ignore[misc]
    """gunicorn's worker with a leading thread and others that follow.

    The application has a method `admit(environ)`, which returns how many bytes the body of a request may have. None:
    its response doesn't depend on the body.
    """

    #: seconds in which a client must send a head, or begin to send a body or to read a response
    client_timeout = 20.0
    #: how many connections each worker has, plus one; 0: no such worker. The processes that are forked share it
    board = memoryview(mmap.mmap(-1, 512)).cast("H")

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.settings = Configuration(self.cfg)
        self._place = self.age % len(self.board)
        #: network → bytes of its incomplete bodies; the empty network has those of all
        self.uploads: Counter[bytes] = Counter()
        self._poll: Any = None
        #: file number → the listening socket, and its address
        self._listeners: dict[int, tuple[socket.socket, Any]] = {}
        self._connections: dict[int, Connection] = {}
        self._max_connections = 0
        self._swept = 0.0
        self._ready: deque[Connection] = deque()
        #: held to give the lead or a connection to a thread
        self._lock = threading.Lock()
        self._leader: _Thread | None = None
        self._spare: list[_Thread] = []
        self._threads: list[_Thread] = []
        #: the number of the leader's piece of work, 0 while it waits for clients; the highest; that at the last look
        self._work = self._works = self._seen = 0
        #: the leader isn't looked at, because there are no requests
        self._parked = False

    # For subclasses

    def reject(self, connection: Connection, status: int, message: str) -> None:
        """Respond to a request that doesn't reach the application."""
        head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nConnection: close\r\nContent-Type: text/plain\r\n"
        connection.sendall(f"{head}Content-Length: {len(message)}\r\n\r\n{message}".encode("latin-1", "replace"))

    def report_stuck(self, environ: dict[str, Any]) -> str:
        """Log a request that exceeds the timeout, and return the message for its client."""
        self.log.error("a request took more than %d s; the worker is replaced", self.cfg.timeout)
        return "the response took longer than the timeout; read the record before you repeat a change"

    def report_ended_thread(self) -> None:
        """Log a thread that has ended."""
        self.log.error("a thread has ended unexpectedly; another one replaces it")

    # The main thread

    def init_signals(self) -> None:
        """Listen to signals, including those that have arrived since the fork."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self.SIGNALS)

    def run(self) -> None:
        """Serve until the worker has to end."""
        sys.setswitchinterval(SWITCH_SECONDS)
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        most = 65536 if hard == resource.RLIM_INFINITY else min(hard, 65536)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        self._max_connections = max(most - _OTHER_FILES, 100)
        self._poll = select.epoll()
        for listener in self.sockets:
            listener.setblocking(False)
            self._listeners[listener.fileno()] = listener.sock, listener.sock.getsockname()
            self._poll.register(listener.fileno(), select.EPOLLIN)
        self._count()
        self._start_thread()
        self._supervise()
        self.alive = False
        now = time.monotonic()
        for number, (listener, _) in self._listeners.items():
            self._poll.unregister(number)
            listener.close()
        for connection in list(self._connections.values()):
            if not connection.busy and connection.is_idle:
                connection.until = min(connection.until, now + FAREWELL_SECONDS)
        while self._connections and time.monotonic() < now + self.cfg.graceful_timeout:
            self.notify()
            self._look_at_leader()
            time.sleep(10 * TICK_SECONDS)

    def _start_thread(self) -> None:
        self._threads.append(_Thread(self._serve))
        self._threads[-1].start()

    def _supervise(self) -> None:
        """Notify the master, and give the lead to another thread when the leading one is held up."""
        quiet, notified = 0, 0.0
        poll = select.poll()
        poll.register(self.PIPE[0], select.POLLIN)
        while self.alive:
            now = time.monotonic()
            if now - notified >= 1.0:
                notified = now
                if self.ppid != os.getppid():
                    self.log.info("the parent process changed; shutting down: %s", self)
                    return
                self.notify()
                self._end_if_stuck(now)
                self._replace_ended_threads()
            quiet = 0 if self._look_at_leader() else quiet + 1
            self._parked = quiet > QUIET_LOOKS
            if poll.poll(1000 if self._parked and not self._work else TICK_SECONDS * 1000):
                os.read(self.PIPE[0], 4096)
                quiet = 0

    def _look_at_leader(self) -> bool:
        """Give the lead to another thread if the leader is held up; return whether the leader works.

        If all threads are at work, another one is started, up to the configured number.
        """
        work = self._work
        if work and work == self._seen:
            with self._lock:
                if self._work == work and self._spare:
                    self._work = 0
                    self._call_one()
                elif self._work == work and len(self._threads) < self.cfg.threads:
                    self._start_thread()
        self._seen = work
        return work != 0

    def _call_one(self) -> None:
        self._leader = self._spare.pop()
        self._leader.called.release()

    def _end_if_stuck(self, now: float) -> None:
        """End the worker if a request exceeds the timeout: Python can't end its thread in another way."""
        for thread in self._threads:
            connection = thread.connection
            if connection is not None and now - thread.since >= self.cfg.timeout:
                message = self.report_stuck(connection.environ)
                with self._lock:
                    self._remove(connection)
                    connection.expire(503, message)
                self.alive = False

    def _replace_ended_threads(self) -> None:
        """Start a thread for each that has ended, which only an exception from another thread can do."""
        for ended in [each for each in self._threads if not each.is_alive()]:
            self._threads.remove(ended)
            self._step_back(ended)
            self._start_thread()
            self.report_ended_thread()

    def _step_back(self, thread: _Thread) -> None:
        """Let another thread lead."""
        with self._lock:
            if self._leader is thread:
                self._leader, self._work = None, 0
            if thread in self._spare:
                self._spare.remove(thread)

    # The threads that serve

    def _serve(self, me: _Thread) -> None:
        while True:
            with self._lock:
                self._spare.append(me)
                if self._leader is None:
                    # At the start, and after an error: without a leader, the worker serves no one
                    self._call_one()
            me.called.acquire()
            try:
                self._lead(me)
            except BaseException:
                self.log.exception("the worker hit an unexpected error; it continues serving")
                # An error that repeats doesn't fill the log
                time.sleep(0.1)
                self._step_back(me)

    def _lead(self, me: _Thread) -> None:
        """Work with one connection after the other until another thread leads."""
        ready = self._ready
        while True:
            self._gather(0 if ready else 1.0)
            while ready:
                # Removed before the work is visible: from then on another thread may lead
                connection = ready.popleft()
                me.since = time.monotonic()
                me.connection = connection
                self._works = work = self._works + 1
                self._work = work
                if self._parked:
                    self._parked = False
                    os.write(self.PIPE[1], b".")
                try:
                    self._proceed(connection)
                finally:
                    me.connection = None
                with self._lock:
                    if self._leader is not me:
                        return
                    self._work = 0

    def _gather(self, seconds: float) -> None:
        """Wait for clients: accept the new ones, close the late ones, and queue those that have sent or read something.

        :param seconds: how long to wait at most
        """
        # First, because a connection that is ready isn't closed: a client that sends once a second might never be
        now = time.monotonic()
        if now - self._swept > 1.0:
            late = [each for each in list(self._connections.values()) if each.is_late(now)]
            if len(late) <= FEW:
                self._swept = now
            else:
                # The rest after the requests that have arrived
                seconds = 0
            for connection in late[:FEW]:
                if self._take(connection):
                    with self._lock:
                        self._remove(connection)
                    connection.expire(408, "the request didn't arrive in time; send it again")
        for number, _ in self._poll.poll(seconds, 64):
            known = self._connections.get(number)
            if known is None:
                self._accept(number)
            elif not known.busy:
                known.busy = True
                self._ready.append(known)

    def _accept(self, number: int) -> None:
        if number not in self._listeners:
            return
        listener, address = self._listeners[number]
        few = len(self._connections) < FEW
        if few and self.board[self._place] > min(each for each in self.board if each):
            time.sleep(COURTESY_SECONDS)
        for _ in range(1 if few else FEW):
            try:
                sock, client = listener.accept()
            except OSError:
                return
            sock.setblocking(False)
            self._connections[sock.fileno()] = Connection(self, sock, client, address)
            self._poll.register(sock.fileno(), _READ)
            self._count()
            if len(self._connections) > self._max_connections:
                idle = [each for each in list(self._connections.values()) if not each.busy and each.head is None]
                if idle and self._take(longest := min(idle, key=lambda each: each.until)):
                    self._close(longest)

    def _take(self, connection: Connection) -> bool:
        """Work with a connection; return False if another thread does."""
        with self._lock:
            free = not connection.busy
            connection.busy = True
            return free

    def _proceed(self, connection: Connection) -> None:
        try:
            wants = connection.proceed()
        except BaseException:
            self.log.exception("a connection failed")
            wants = GONE
        if wants == GONE:
            self._close(connection)
            return
        with self._lock:
            if connection.sock.fileno() >= 0:
                connection.busy = False
                # Also for AGAIN: a socket that can be written to joins the end of the queue at once
                self._poll.modify(connection.sock, _READ if wants == READ else _WRITE)

    def _close(self, connection: Connection) -> None:
        """Close a connection that this thread works with."""
        with self._lock:
            self._remove(connection)
        connection.close()

    def _remove(self, connection: Connection) -> None:
        number = connection.sock.fileno()
        if self._connections.get(number) is connection:
            del self._connections[number]
            self._count()

    def _count(self) -> None:
        self.board[self._place] = len(self._connections) + 1

    def leave_board(self) -> None:
        """Remove a worker that has ended from the board; called in the master."""
        self.board[self._place] = 0

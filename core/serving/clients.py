"""The clients of a worker: who is let in, who must leave, and what their bodies may take of the memory."""

from __future__ import annotations

import resource
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Iterable
from typing import Any

from .connection import READ, Connection, Owner

#: bytes that may have come of bodies that are waited for
ROOM = 256 * 1024 * 1024
#: connections up to which workers share them evenly: one that has more than another waits for so many seconds, in
#: which the other takes the next. Beyond, chance does, and as many are taken at once
FEW, COURTESY = 16, 0.0003
#: files that a worker may have open besides its connections
_RESERVE = 200
#: events taken at once
_AT_ONCE = 64

_READ = select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLONESHOT
_WRITE = select.EPOLLOUT | select.EPOLLONESHOT


class BodyRoom:
    """What bodies that are waited for may take of the memory.

    :param size: bytes for all of them
    """

    def __init__(self, size: int = ROOM) -> None:
        self.size = size
        self.kept = 0
        self._turn = threading.Lock()

    def keep(self, connection: Connection, size: int) -> bool:
        """Keep room for what has come of a body, whatever it claims; answers whether there is any."""
        with self._turn:
            kept = self.kept + size - connection.reserved
            if kept > self.size:
                return False
            connection.reserved, self.kept = size, kept
        return True

    def free(self, connection: Connection) -> None:
        """Give that room free."""
        if connection.reserved:
            with self._turn:
                self.kept -= connection.reserved
                connection.reserved = 0


class Clients:
    """The connections of a worker. Its leading thread lets them in and ends them; any thread may be at work with one.

    :param board: how many connections each worker has, and one; 0: there is no such worker
    :param place: the worker's own place there
    """

    def __init__(self, owner: Owner, listeners: Iterable[Any], board: memoryview, place: int) -> None:
        self._owner = owner
        self._board = board
        self._place = place
        self._poll = select.epoll()
        #: number of a file → the socket that listens, and its address
        self._listeners: dict[int, tuple[socket.socket, Any]] = {}
        self._connections: dict[int, Connection] = {}
        #: a connection is closed, or waited for again, by one thread
        self._turn = threading.Lock()
        self._swept = 0.0
        self._most = _most_files() - _RESERVE
        self._tell()
        for listener in listeners:
            listener.setblocking(False)
            self._listeners[listener.fileno()] = listener.sock, listener.sock.getsockname()
            self._poll.register(listener.fileno(), select.EPOLLIN)

    def __len__(self) -> int:
        return len(self._connections)

    def _tell(self) -> None:
        """Tell the other workers how many connections this one has."""
        self._board[self._place] = len(self._connections) + 1

    # What the leading thread does -------------------------------------------------------------------------------------

    def gather(self, ready: deque[Connection], seconds: float) -> None:
        """Wait for clients: who comes anew is let in, who has sent or taken something is ready, who is late must leave.

        :param seconds: how long to wait at the most
        """
        # First, since who is ready is spared: a client that sends once a second, in step with this, would never end
        now = time.monotonic()
        if now - self._swept > 1.0:
            self._swept = now
            self._sweep(now)
        for number, _ in self._poll.poll(seconds, _AT_ONCE):
            connection = self._connections.get(number)
            if connection is None:
                self._let_in(number)
            elif not connection.busy:
                connection.busy = True
                ready.append(connection)

    def _let_in(self, number: int) -> None:
        if number not in self._listeners:
            return
        listener, address = self._listeners[number]
        few = len(self._connections) < FEW
        if few and self._board[self._place] > min((each for each in self._board if each), default=1):
            # One who has less to do is on the way
            time.sleep(COURTESY)
        for _ in range(1 if few else FEW):
            try:
                sock, client = listener.accept()
            except OSError:
                return
            sock.setblocking(False)
            self._connections[sock.fileno()] = Connection(self._owner, sock, client, address)
            self._poll.register(sock.fileno(), _READ)
            self._tell()
            if len(self._connections) > self._most:
                self._make_room()

    def _make_room(self) -> None:
        """Close whoever has waited longest without a request in hand."""
        idle = [each for each in list(self._connections.values()) if not each.busy and each.request is None]
        if idle and self._hold(longest := min(idle, key=lambda each: each.until)):
            self.close(longest)

    def _sweep(self, now: float) -> None:
        """End the connections whose time is over."""
        for connection in list(self._connections.values()):
            if connection.is_late(now) and self._hold(connection):
                try:
                    connection.expire()
                finally:
                    self.close(connection)

    def _hold(self, connection: Connection) -> bool:
        """Be at work with a connection; answers False where another thread is."""
        with self._turn:
            free = not connection.busy
            connection.busy = True
            return free

    # What any thread does ---------------------------------------------------------------------------------------------

    def wait_for(self, connection: Connection, wants: str) -> None:
        """Wait for a client again, which a thread has been at work with."""
        with self._turn:
            if connection.sock.fileno() >= 0:
                connection.busy = False
                # AGAIN, too: a socket that can be written to is at the end of the queue at once
                self._poll.modify(connection.sock, _READ if wants == READ else _WRITE)

    def close(self, connection: Connection) -> None:
        """Close a connection that this thread is at work with."""
        with self._turn:
            self._remove(connection)
        connection.close()

    def give_up(self, connection: Connection) -> None:
        """Close a connection that another thread is at work with, without an end."""
        with self._turn:
            self._remove(connection)
            connection.give_up()

    def _remove(self, connection: Connection) -> None:
        number = connection.sock.fileno()
        if self._connections.get(number) is connection:
            del self._connections[number]
            self._tell()

    def take_leave(self, until: float) -> None:
        """Let nobody in any more, and wait no longer than until then for requests that have not begun."""
        for number, (listener, _) in self._listeners.items():
            self._poll.unregister(number)
            listener.close()
        for connection in list(self._connections.values()):
            if not connection.busy and connection.waits_for_request:
                connection.until = min(connection.until, until)


def _most_files() -> int:
    """How many files this process may have open, which are as many as it can get."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    return max(300, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 65536))

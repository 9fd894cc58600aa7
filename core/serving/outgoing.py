"""What a client has yet to take: it is sent as far as the client takes it, and nobody waits."""

from __future__ import annotations

import socket
import struct
from fcntl import ioctl
from termios import TIOCOUTQ


class Outgoing:
    """The bytes for one client; to gunicorn, which writes to it, a socket that never waits."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._unsent: list[memoryview] = []
        #: bytes that the system has not taken over yet, and those of the answer in hand that it has
        self.queued = self.taken = 0

    def sendall(self, content: bytes) -> None:
        """Send, as soon as the client takes it."""
        if content:
            self._unsent.append(memoryview(content))
            self.queued += len(content)

    def gettimeout(self) -> float:
        """It never waits."""
        return 0.0

    def flush(self) -> bool:
        """Send what is queued; answers whether the system has taken all of it over.

        :raises OSError: the client is gone
        """
        unsent = self._unsent
        while unsent:
            try:
                sent = self._sock.sendmsg(unsent) if len(unsent) > 1 else self._sock.send(unsent[0])
            except (BlockingIOError, InterruptedError):
                return False
            self.queued -= sent
            self.taken += sent
            while sent and sent >= len(unsent[0]):
                sent -= len(unsent.pop(0))
            if sent:
                unsent[0] = unsent[0][sent:]
        return True

    def is_on_its_way(self) -> bool:
        """Whether the system still keeps some of it, which the client has not acknowledged."""
        return bool(struct.unpack("i", ioctl(self._sock, TIOCOUTQ, bytes(4)))[0])

    def give_up(self) -> None:
        """Throw away what the client has not taken, by the system too, once the connection is closed."""
        self._unsent.clear()
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

"""A way to a database that takes as long as one wants, and counts how often it is gone there and back."""

from __future__ import annotations

import select
import socket
import threading
import time
from contextlib import suppress


class Proxy:
    """Forwards connections to a database, and holds up what it answers.

    A round trip is an answer behind a question: several statements in one message are one.

    :param target: host and port of the database
    """

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        #: seconds that a round trip takes besides
        self.delay = 0.0
        self.trips = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._forward, args=(client,), daemon=True).start()

    def _forward(self, client: socket.socket) -> None:
        """Forward what both ends send until one of them ends."""
        with suppress(OSError), client, socket.create_connection(self.target) as server:
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            asked = False
            while True:
                ready, _, _ = select.select([client, server], [], [])
                for source in ready:
                    data = source.recv(262_144)
                    if not data:
                        return
                    if source is server and asked:
                        self.trips += 1
                        if self.delay:
                            _wait(self.delay)
                    asked = source is client
                    (server if source is client else client).sendall(data)

    def close(self) -> None:
        """Take no further connection."""
        with suppress(OSError):
            # Whoever waits for one is woken
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


def _wait(seconds: float) -> None:
    """To sleep so short a time takes a tenth of a millisecond more; the rest is waited for."""
    end = time.perf_counter() + seconds
    time.sleep(max(0.0, seconds - 0.0003))
    while time.perf_counter() < end:
        time.sleep(0)

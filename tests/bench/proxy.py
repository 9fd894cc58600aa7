"""A way to a database that takes as long as one wants, and counts how often it is gone there and back."""

from __future__ import annotations

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
                server = socket.create_connection(self.target)
                for end in (client, server):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                asked = threading.Event()
                threading.Thread(target=self._forward, args=(client, server, asked, True), daemon=True).start()
                threading.Thread(target=self._forward, args=(server, client, asked, False), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket, asked: threading.Event, questions: bool) -> None:
        with suppress(OSError):
            while data := source.recv(262_144):
                if questions:
                    asked.set()
                elif asked.is_set():
                    asked.clear()
                    self.trips += 1
                    if self.delay:
                        _wait(self.delay)
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no further connection."""
        self._listening.close()


def _wait(seconds: float) -> None:
    """To sleep so short a time takes a tenth of a millisecond more; the rest is waited for."""
    end = time.perf_counter() + seconds
    time.sleep(max(0.0, seconds - 0.0003))
    while time.perf_counter() < end:
        time.sleep(0)

"""Clients that send or read a byte a second, many at once."""

import contextlib
import selectors
import socket
import threading
import time

_BODY = b"POST /loyaltycards HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: %s\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
_READ = b"GET /explorer/openapi.json HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: %s\r\n\r\n"

#: the state of a connection, as the system tells it
_ESTABLISHED = 1


def has_ended(client):
    """Whether a connection has been ended, however much of what came before is left to read."""
    return client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != _ESTABLISHED


class SlowClients:
    """Connections of three kinds, used by a thread of its own: slow heads, slow bodies, slow readers.

    :param how_many: connections of each kind, in this order
    """

    def __init__(self, port, key, how_many):
        heads, bodies, readers = how_many
        self._selector = selectors.DefaultSelector()
        #: connection → seconds it lasted, once the server has ended it
        self.lasted = {}
        #: what each has been answered
        self.answers = {}
        self._begun = {}
        self._readers = set()
        begins = [b"G"] * heads + [_BODY % key.encode()] * bodies + [_READ % key.encode()] * readers
        for number, begin in enumerate(begins):
            client = socket.socket()
            reads = number >= heads + bodies
            if reads:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
                self._readers.add(client)
            client.connect(("127.0.0.1", port))
            client.sendall(begin)
            client.setblocking(False)
            self._begun[client] = time.monotonic()
            if not reads:
                self._selector.register(client, selectors.EVENT_READ)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        for client in self._begun:
            client.close()
        self._selector.close()

    @property
    def left(self):
        """Connections that the server has not ended yet."""
        return len(self._begun) - len(self.lasted)

    def _run(self):
        while not self._over.is_set():
            round_ends = time.monotonic() + 1
            for client in self._begun:
                if client in self.lasted:
                    continue
                try:
                    if client in self._readers:
                        content = client.recv(1)
                        # What lies in the client's own buffer outlives the connection
                        self._took(client, b"" if has_ended(client) else content)
                    else:
                        client.send(b"a")
                except BlockingIOError:
                    pass
                except OSError:
                    self._took(client, b"")
            while (left := round_ends - time.monotonic()) > 0 and not self._over.is_set():
                for key, _ in self._selector.select(min(left, 0.1)):
                    client = key.fileobj
                    assert isinstance(client, socket.socket)
                    try:
                        self._took(client, client.recv(65536))
                    except OSError:
                        self._took(client, b"")

    def _took(self, client, content):
        if content:
            self.answers[client] = self.answers.get(client, b"") + content
            return
        self.lasted.setdefault(client, time.monotonic() - self._begun[client])
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(client)

"""A connection without a server: what a client sends in pieces, and what it is answered."""

import io
import logging
import socket
from collections import Counter
from functools import cache

from gunicorn.config import Config

from core.common.settings import Settings
from core.serving.gunicorn import options
from core.serving.server_worker import ServerWorker
from core.serving.worker.connection import GONE, READ, WRITE, Connection
from core.serving.worker.request import Configuration


@cache
def configuration():
    """gunicorn's settings as the server has them."""
    config = Config()
    for name, value in options(Settings()).items():
        config.set(name, value)
    return Configuration(config)


class Log:
    """Keeps the lines of requests."""

    def __init__(self):
        self.lines = []

    def access(self, response, request, environ, took):
        self.lines.append(f"{request.method} {request.path} {response.status}")

    def exception(self, text, *parts):
        logging.getLogger("test").exception(text, *parts)

    debug = warning = error = lambda self, *parts, **more: None


class Conversation(ServerWorker):
    """A client and a connection that answers it with an application.

    :param app: a WSGI application
    :param small: the client's and the server's buffers are as small as they can be
    """

    alive = True

    def __init__(self, app, *, small=False, client="127.0.0.1"):
        self.wsgi = app
        self.log = Log()
        self.settings = self.cfg = configuration()
        self.client_timeout = 20.0
        self.uploads = Counter()
        self.client, server = socket.socketpair()
        if small:
            for each, which in ((self.client, socket.SO_RCVBUF), (server, socket.SO_SNDBUF)):
                each.setsockopt(socket.SOL_SOCKET, which, 1)
        server.setblocking(False)
        self.client.setblocking(False)
        self.connection = Connection(self, server, (client, 40000), ("127.0.0.1", 8000))
        self.waits = READ

    def send(self, content):
        """The client sends something, and the connection goes on as far as it can."""
        self.client.send(content)
        self.go_on()

    def go_on(self):
        """Go on until it waits for the client."""
        self.waits = self.connection.proceed()
        while self.waits == "again":
            self.waits = self.connection.proceed()
        if self.waits == GONE:
            self.connection.close()

    def read(self):
        """What the client has been sent, read to its end as far as the server goes."""
        content = b""
        while True:
            try:
                part = self.client.recv(65536)
            except BlockingIOError:
                if self.waits != WRITE:
                    return content
                self.go_on()
                continue
            if not part:
                return content
            content += part

    def exchange(self, pieces):
        """Send one piece after another; answers everything that comes back."""
        content = b""
        for piece in pieces:
            self.send(piece)
            content += self.read()
        return content

    def close(self):
        self.client.close()
        self.connection.close()


class Echo:
    """An application that answers what it got; keeps the variables of its requests.

    :param limit: bytes of a body that has not come with its head; None: it is answered without
    """

    def __init__(self, *, limit=10**6):
        self.limit = limit
        self.asked = []
        self.calls = []
        self.bodies = []

    def admit(self, environ):
        self.asked.append(environ)
        return self.limit

    def __call__(self, environ, start_response):
        self.calls.append(environ)
        body = environ["wsgi.input"].read()
        self.bodies.append(body)
        text = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']} {len(body)}".encode()
        start_response("200 OK", [("Content-Length", str(len(text))), ("Content-Type", "text/plain")])
        return [text]


def answers(content):
    """Status and body of each answer in a stream; the header Content-Length says where one ends."""
    stream, found = io.BytesIO(content), []
    while first := stream.readline():
        status, length = int(first.split()[1]), 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        found.append((status, stream.read(length)))
    return found

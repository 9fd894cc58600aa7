"""A server in the profile `dolibarr16` that programs reach over a socket, as they reach the reference."""

import socket
import threading
from contextlib import contextmanager
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from core.testing import Served, make_settings


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


class Local(WSGIServer):
    address_family = socket.AF_INET

    def server_bind(self):
        """Bind without asking for the host's name."""
        socket.socket.setsockopt(self.socket, socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]
        self.setup_environ()


@contextmanager
def local_server(folder):
    """The address of such a server."""
    served = Served(make_settings(folder, profile_name="dolibarr16"))
    server = make_server("127.0.0.1", 0, served.app, Local, Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api/index.php"
    finally:
        server.shutdown()
        server.server_close()
        served.close()

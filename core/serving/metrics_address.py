"""The separate address of the metrics, where they need no key."""

from __future__ import annotations

import logging
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from ..web.builtin_services import CONTENT_TYPE, metrics_text
from .listening import bound_socket

#: seconds that a client may be silent
PATIENCE = 5

_log = logging.getLogger("comptoir.metrics")


def listen_for_metrics(address: str) -> socket.socket:
    """Listen on the address of the metrics; the workers inherit the socket.

    :raises CannotListen: the address is invalid or in use
    """
    listener = bound_socket(address)
    listener.listen(16)
    return listener


def serve_metrics(listener: socket.socket) -> None:
    """Serve the metrics in a thread, until the process ends."""
    # In each worker, because the master forks and so must not have threads
    server = _Server(listener.getsockname()[:2], _Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    # The interval is how often the thread wakes up to see whether it must end
    threading.Thread(target=server.serve_forever, args=(86400,), name="comptoir-metrics", daemon=True).start()


class _Server(HTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        _log.debug("the metrics can't be read", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    timeout = PATIENCE

    def do_GET(self) -> None:
        if self.path.partition("?")[0] != "/metrics":
            self.send_error(404)
            return
        content = metrics_text()
        self.send_response(200)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        return "comptoir"

    def log_message(self, format: str, *args: object) -> None:
        _log.debug(format, *args)

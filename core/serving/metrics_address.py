"""A second address for `/metrics`, without a key: a thread of each worker responds there."""

from __future__ import annotations

import logging
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from ..web.metrics import CONTENT_TYPE, metrics_text
from .listening import bound_socket

#: seconds that who asks may be silent
PATIENCE = 5

_log = logging.getLogger("comptoir.serve")


def listen_for_metrics(address: str) -> socket.socket | None:
    """Listen, before there are workers: they inherit it.

    :param address: address and port; empty: nobody listens
    :raises CannotListen: it cannot be listened on
    """
    if not address:
        return None
    listener = bound_socket(address)
    listener.listen(16)
    return listener


def serve_metrics(listener: socket.socket) -> None:
    """Answer in a thread of this process as long as that lives."""
    # A thread of each worker, not of the master, which forks and so must not have threads
    threading.Thread(target=_answer, args=(listener,), name="comptoir-metrics", daemon=True).start()


def _answer(listener: socket.socket) -> None:
    server = _Server(listener)
    while True:
        try:
            server.handle_request()
        except Exception:  # noqa: BLE001 - one who asks must not end it for all
            _log.exception("the metrics can't be read")


class _Server(HTTPServer):
    def __init__(self, listener: socket.socket) -> None:
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener

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

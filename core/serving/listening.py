"""The addresses on which a server listens: checking them first, and the separate one of its metrics."""

from __future__ import annotations

import logging
import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]

from ..web.builtin_services import CONTENT_TYPE, metrics_text

#: environment variable of a process that a master has started to take over its sockets
_TAKES_OVER = "GUNICORN_PID"
#: seconds that a client of the metrics may be silent
PATIENCE = 5

_log = logging.getLogger("comptoir.metrics")


class CannotListen(Exception):
    """The server can't listen on an address."""


def ensure_can_listen(bind: str) -> None:
    """Check that the server can listen on addresses.

    :param bind: addresses separated by commas; Unix sockets aren't checked
    :raises CannotListen: it can't listen on one
    """
    if _TAKES_OVER in os.environ:
        return
    for each in bind.split(","):
        if not each.strip().startswith("unix:"):
            bound_socket(each.strip(), "COMPTOIR_BIND").close()


def bound_socket(address: str, setting: str) -> socket.socket:
    """Return a socket that is bound to an address and a port. A new version can bind to it beside the old one.

    :param setting: the setting with the address
    :raises CannotListen: the address is invalid or in use
    """
    try:
        parsed = util.parse_address(address)
        family = socket.AF_INET6 if util.is_ipv6(parsed[0]) else socket.AF_INET
        bound = socket.socket(family, socket.SOCK_STREAM)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if _TAKES_OVER in os.environ:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            bound.bind(parsed)
        except BaseException:
            bound.close()
            raise
    except (OSError, RuntimeError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        advice = f"set another address in {setting}, such as 127.0.0.1:8001"
        raise CannotListen(f"can't listen on {address}: {reason}; {advice}") from error
    # The next version can bind to the address as well
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return bound


# The metrics, which need no key at their address ---------------------------------------------------------------------


def listen_for_metrics(address: str) -> socket.socket:
    """Listen on the address of the metrics; the workers inherit the socket.

    :raises CannotListen: the address is invalid or in use
    """
    listener = bound_socket(address, "COMPTOIR_METRICS")
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

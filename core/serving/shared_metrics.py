"""The metrics of all processes of a server: their folder in memory, and their separate address."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from ..common.metrics import FOLDER, Metrics, allocate_files
from ..common.runtime import active
from ..web.builtin_services import CONTENT_TYPE, metrics_text
from .listening import bound_socket

_MEMORY = Path("/dev/shm")
_PREFIX = f"comptoir-{os.getuid()}-"
_LOCK = "lock"

_log = logging.getLogger("comptoir.metrics")


class SharedMetrics:
    """The metrics of one main process and those that it forks; created before prometheus-client is imported.

    :param listener: socket of the address where `/metrics` needs no key
    """

    def __init__(self, listener: socket.socket | None) -> None:
        self._listener = listener
        self._folder: RunFolder | None = None
        # After an upgrade, the variable has the folder of the former main process
        os.environ.pop(FOLDER, None)
        try:
            self._folder = RunFolder()
            allocate_files(self._folder.path)
            os.environ[FOLDER] = str(self._folder.path)
        except OSError as error:
            self.remove()
            _log.warning(
                "can't write to %s: %s; /metrics shows the counters of the responding worker only",
                _MEMORY,
                error.strerror,
            )
        # In the main process, so that its children share them
        active.runtime.metrics = Metrics()

    def start_worker(self, threads: int) -> None:
        """Begin to count in this worker, which was just forked."""
        active.runtime.metrics.start_process()
        active.runtime.metrics.count_worker(threads)
        if self._listener is not None:
            serve_metrics(self._listener)

    def leave(self) -> None:
        """Close the address in a process that doesn't respond there."""
        if self._listener is not None:
            self._listener.close()

    def remove(self) -> None:
        """Remove the folder at the end of the main process."""
        if self._folder is not None:
            self._folder.remove()


class RunFolder:
    """A folder in memory for this process and its children.

    :raises OSError: the folder can't be created
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        remove_abandoned_folders(_MEMORY)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_MEMORY))
        # Each of these processes holds the lock until it ends, even if it is killed
        self._lock = (self.path / _LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder, if this process has created it."""
        if os.getpid() == self._owner:
            shutil.rmtree(self.path, ignore_errors=True)


def remove_abandoned_folders(place: Path) -> None:
    """Remove the folders of servers that were killed."""
    for folder in place.glob(f"{_PREFIX}*"):
        # A folder in use, or one that is being created, stays
        with suppress(OSError):
            if folder.is_symlink() or folder.lstat().st_uid != os.getuid():
                continue
            with (folder / _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


#: seconds that a client may be silent
PATIENCE = 5


def listen_for_metrics(address: str) -> socket.socket | None:
    """Listen on the address of the metrics; the workers inherit the socket.

    :param address: address and port; empty: no listener
    :raises CannotListen: the address is invalid or in use
    """
    if not address:
        return None
    listener = bound_socket(address, "COMPTOIR_METRICS")
    listener.listen(16)
    return listener


def serve_metrics(listener: socket.socket) -> None:
    """Serve the metrics in a thread, until the process ends."""
    # In each worker, because the master forks and so must not have threads
    threading.Thread(target=_serve, args=(listener,), name="comptoir-metrics", daemon=True).start()


def _serve(listener: socket.socket) -> None:
    server = _Server(listener)
    while True:
        try:
            server.handle_request()
        except Exception:  # noqa: BLE001 - a client must not end it for all others
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

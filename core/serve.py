"""Serving with gunicorn: one master that loads every module, workers that are forked from it and follow the disk.

Tried on gunicorn 27.0.1. The control socket is off: whoever reaches it stops the server (security-tests S85).
"""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from .answers import JSON, dump
from .database import close
from .folders import look
from .journal import Journal
from .loader import Loader
from .settings import Settings
from .wsgi import Server, journal_folder


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's worker with threads, which may be told to end at once in whatever it is doing."""

    def handle_quit(self, sig: int, frame: Any) -> None:
        """End without closing the pool here: the signal may have come while this thread holds the pool's lock.

        gunicorn 27.0.1 closes it, and in about one of ten ends waits for itself until the master kills it. The pool is
        closed at the end of `Application.run`.
        """
        super(ThreadWorker, self).handle_quit(sig, frame)


#: how requests are shared out inside a worker; to be chosen by measurement (README, "Speed")
WORKER_CLASS = Worker

#: seconds an idle connection is kept open for the client's next request
KEEP_ALIVE = 5

_log = logging.getLogger("comptoir.serve")


def options(configuration: Settings) -> dict[str, Any]:
    """The configuration of gunicorn."""
    return {
        "bind": configuration.bind.split(","),
        "workers": configuration.workers,
        "worker_class": WORKER_CLASS,
        "threads": configuration.threads,
        "timeout": configuration.timeout,
        "graceful_timeout": configuration.timeout,
        "keepalive": KEEP_ALIVE,
        "preload_app": True,
        "control_socket_disable": True,
        "forwarded_allow_ips": configuration.proxies,
        # No header of a proxy changes the path
        "forwarder_headers": "",
        # Filters of lists travel in the line; 8190 is the most that gunicorn takes
        "limit_request_line": 8190,
        "limit_request_fields": 100,
        "limit_request_field_size": 8190,
        # A heartbeat that touches no disk
        "worker_tmp_dir": "/dev/shm" if os.access("/dev/shm", os.W_OK) else None,
        "logger_class": Log,
        "loglevel": "debug" if configuration.log == "debug" else "warning",
        "accesslog": "-" if configuration.access_log else None,
    }


class Application(BaseApplication):  # type: ignore[misc]
    """gunicorn with our settings, over an application that is loaded already.

    :param ready: called once the server listens, with the addresses
    """

    def __init__(self, server: Server, configuration: Settings, ready: Callable[[list[str]], None]) -> None:
        self._server = server
        self._configuration = configuration
        self._ready = ready
        self._worker: Any = None
        super().__init__()

    def load_config(self) -> None:
        """Hand our settings to gunicorn."""
        hooks = {
            "when_ready": self._when_ready,
            "pre_fork": self._pre_fork,
            "post_fork": self._post_fork,
            "worker_exit": self._worker_exit,
        }
        for name, value in (options(self._configuration) | hooks).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """The WSGI application."""
        return self._server.app

    def run(self) -> None:
        """Serve until the process is told to stop."""
        util.write_error = _write_error
        try:
            Arbiter(self).run()
        except SystemExit as end:
            # Master and workers come by here. Requests are finished, but a thread that a module has started may never
            # end, and the interpreter would wait for it.
            pool = getattr(self._worker, "tpool", None)
            if pool is not None and not self._watchdog.barked:
                pool.shutdown(wait=True)
            logging.shutdown()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else 0)

    # In the master

    def _when_ready(self, arbiter: Any) -> None:
        self._ready([str(listener) for listener in arbiter.LISTENERS])
        # What is there now is never looked at by the collector again: the workers' pages stay shared
        gc.collect()
        gc.freeze()

    def _pre_fork(self, arbiter: Any, worker: Any) -> None:
        # A connection must not be shared with a child
        close()

    # In each worker

    def _post_fork(self, arbiter: Any, worker: Any) -> None:
        self._worker = worker
        self._watchdog = Watchdog(journal_folder(self._configuration), self._configuration.timeout)
        try:
            # The master's catalogue is the one of the start
            self._server.reloader.check()
        except Exception:  # noqa: BLE001 - a worker that cannot boot ends the whole server
            _log.exception("reloading failed, the modules stay as they are")
        self._server.reloader.start()
        self._watchdog.start()

    def _worker_exit(self, arbiter: Any, worker: Any) -> None:
        if not self._watchdog.barked:
            self._server.reloader.stop()
        close()


class Watchdog(threading.Thread):
    """Ends this worker when the import of a module file does not end; the worker behind it passes that file over.

    gunicorn's own time limit does not see it: the import hangs in the thread that follows the disk.

    :param folder: where the journal keeps its notes
    :param seconds: how long an import may take
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        super().__init__(name="comptoir-watchdog", daemon=True)
        self._note = folder / f"{os.getpid()}.importing"
        self._seconds = seconds
        self._born = time.time()
        #: whether it has ended the worker
        self.barked = False

    def run(self) -> None:
        """Look once a second."""
        while not self.barked:
            time.sleep(1)
            since = _modified(self._note)
            if since is not None and since >= self._born and time.time() - since > self._seconds:
                self.barked = True
                _log.error(
                    "%s has been imported for %d s without an end: this worker is replaced by one that passes it over",
                    _noted_file(self._note),
                    self._seconds,
                )
                os.kill(os.getpid(), signal.SIGTERM)


def _modified(note: Path) -> float | None:
    try:
        return note.stat().st_mtime
    except OSError:
        return None


def _noted_file(note: Path) -> str:
    try:
        return note.read_text().partition("\n")[0]
    except OSError:
        return ""


# Before the start ----------------------------------------------------------------------------------------------------


class CannotListen(Exception):
    """The address cannot be listened on; says why."""


def insist_on_address(bind: str) -> None:
    """Find out before anything else is done whether the address can be listened on.

    :raises CannotListen: it cannot
    """
    for each in bind.split(","):
        try:
            address = util.parse_address(each.strip())
            if not isinstance(address, tuple):
                continue
            family = socket.AF_INET6 if util.is_ipv6(address[0]) else socket.AF_INET
            with socket.socket(family, socket.SOCK_STREAM) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind(address)
        except (OSError, RuntimeError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise CannotListen(f"cannot listen on {each}: {reason}") from error


def try_modules(configuration: Settings, report: Callable[[str], None]) -> None:
    """Load every module in a process of its own first, so that a file that hangs or kills it does not do so here.

    The process leaves a note of what it was importing, and the loader passes that file over. When nothing has changed
    since the last time, nothing is tried.

    :param report: told of each file that ended the process
    """
    folder = journal_folder(configuration)
    prints = [sorted(module.prints.items()) for module in look(configuration.module_folders)[0]]
    tried = folder / "tried"
    now = hashlib.sha256(repr(prints).encode()).hexdigest()
    if _read(tried) == now:
        return
    while file := _try_once(configuration, folder):
        report(f"{file} ended or held up the process that imported it; it is passed over until it changes")
    tried.write_text(now)


def _try_once(configuration: Settings, folder: Path) -> str:
    """Answers the file at which the process ended; empty when it came to the end of all."""
    process = os.fork()
    if not process:
        _load_quietly(configuration, folder)
    note = folder / f"{process}.importing"
    try:
        while True:
            if os.waitpid(process, os.WNOHANG)[0]:
                return _noted_file(note)
            since = _modified(note)
            if since is not None and time.time() - since > configuration.timeout:
                os.kill(process, signal.SIGKILL)
            time.sleep(0.01)
    except BaseException:
        os.kill(process, signal.SIGKILL)
        raise


def _load_quietly(configuration: Settings, folder: Path) -> NoReturn:
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        logging.disable()
        Loader(configuration.module_folders, Journal(folder), tables=False).load()
    finally:
        os._exit(0)


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


# What gunicorn writes ------------------------------------------------------------------------------------------------

_KEYS = re.compile(r"(?i)((?:DOLAPIKEY|api_key|password)(?:=|:\s*))[^&\s'\"]+")


class _Mask(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        masked = _KEYS.sub(r"\1…", text)
        if masked != text:
            record.msg, record.args = masked, ()
        return True


class Log(Logger):  # type: ignore[misc]
    """One line a request, with neither query string nor header: keys and filters travel there."""

    error_fmt = "%(asctime)s %(levelname)s %(message)s"
    access_fmt = "%(asctime)s %(message)s"
    datefmt = None

    def setup(self, cfg: Any) -> None:
        """Set the loggers up."""
        super().setup(cfg)
        if not any(isinstance(each, _Mask) for each in self.error_log.filters):
            self.error_log.addFilter(_Mask())

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """Write the line of one request."""
        if self.access_log_enabled:
            self.access_log.info(
                "%s %s %s %s %s %.1f ms",
                environ.get("REMOTE_ADDR") or "-",
                environ.get("REQUEST_METHOD"),
                (environ.get("RAW_URI") or environ.get("PATH_INFO") or "").partition("?")[0],
                str(resp.status).partition(" ")[0],
                resp.sent,
                request_time / timedelta(milliseconds=1),
            )


def _write_error(connection: socket.socket, status: int, reason: str, message: str) -> None:
    """Answer a request that is no proper HTTP as every other failure is answered."""
    body = dump({"error": {"code": status, "message": f"{reason}: {message}" if message else reason}})
    head = [
        f"HTTP/1.1 {status} {reason}",
        "Connection: close",
        f"Content-Type: {JSON}",
        f"Content-Length: {len(body)}",
    ]
    util.write_nonblock(connection, "\r\n".join([*head, "", ""]).encode("latin-1") + body)


__all__ = ["Application", "CannotListen", "insist_on_address", "options", "try_modules"]

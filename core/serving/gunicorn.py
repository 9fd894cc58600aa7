"""Serving with gunicorn: one master that loads every module, workers that are forked from it and follow the disk.

Tried on gunicorn 27.0.1. The control socket is off: whoever reaches it stops the server.
"""

from __future__ import annotations

import gc
import logging
import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from ..common.settings import Settings
from ..loading.import_guard import Watchdog
from ..storage.database import close
from ..wsgi import Server, journal_folder
from .improper_requests import answer_improper_request
from .logs import Log


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker, which may be told to end at once, whatever it is doing."""

    def handle_quit(self, sig: int, frame: Any) -> None:
        """End without closing the pool here: the signal may have come while this thread holds the pool's lock.

        gunicorn 27.0.1 closes it, and in about one of ten ends waits for itself until the master kills it. The pool is
        closed at the end of `Application.run`.
        """
        super(ThreadWorker, self).handle_quit(sig, frame)


#: how requests are shared out inside a worker; chosen by measurement (`core/README.md`, "Decisions")
WORKER_CLASS = Worker

#: seconds for which a thread may keep the interpreter. With Python's 5 ms the thread that accepts and the one that
#: answers fall into step in one of four runs, and a worker then answers half as much (core/README.md, "Decisions")
SWITCH = 0.0002

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
        """The WSGI application; what the explorer says is made here, once for all workers."""
        self._server.describe()
        close()
        return self._server.app

    def run(self) -> None:
        """Serve until the process is told to stop."""
        util.write_error = answer_improper_request
        try:
            Arbiter(self).run()
        except SystemExit as end:
            # The master and each worker end here. Requests are finished, but a thread that a module has started may
            # never end, and the interpreter would wait for it.
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
        # The collector never looks at what exists by now again: the workers' pages stay shared
        gc.collect()
        gc.freeze()

    def _pre_fork(self, arbiter: Any, worker: Any) -> None:
        # A connection must not be shared with a child
        close()

    # In each worker

    def _post_fork(self, arbiter: Any, worker: Any) -> None:
        sys.setswitchinterval(SWITCH)
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

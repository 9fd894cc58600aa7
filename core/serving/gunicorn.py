"""Serving with gunicorn: a master that loads every module, and workers, forked from it, that reload changed files.

Tested with gunicorn 27.0.1. The control socket is disabled, because any process that reaches it can stop the server.
"""

from __future__ import annotations

import gc
import logging
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from setproctitle import setproctitle

from ..common.client_addresses import proxies_of
from ..common.metrics import metrics
from ..common.process_state import running
from ..common.settings import Settings
from ..storage.database import close
from ..wsgi import Server
from .job_process import JobProcess
from .listening import serve_metrics
from .logs import Log
from .master import Master
from .server_worker import ServerWorker

if TYPE_CHECKING:
    from .shared_metrics import SharedMetrics

#: maximum size in bytes of a request's first line, which has the filters of lists; gunicorn accepts no more
LONGEST_LINE = 8190
#: maximum number of headers of a request, and maximum size of a header with its name
MOST_HEADERS, LONGEST_HEADER = 100, 8190

_log = logging.getLogger("comptoir.serve")


def options(configuration: Settings) -> dict[str, Any]:
    """Return the configuration of gunicorn."""
    return {
        "bind": configuration.bind.split(","),
        "workers": configuration.workers,
        "worker_class": ServerWorker,
        "threads": configuration.threads,
        "timeout": configuration.timeout,
        "graceful_timeout": configuration.timeout,
        # The parser in C is a tenth faster, but (0.6.9) it accepts a bare LF as the end of a line, and folded headers
        "http_parser": "python",
        "preload_app": True,
        "control_socket_disable": True,
        # Only these proxies report the scheme of a request, in this header
        "forwarded_allow_ips": proxies_of(configuration.proxies).spelled,
        "secure_scheme_headers": {"X-FORWARDED-PROTO": "https"},
        # Headers of proxies don't change the path
        "forwarder_headers": "",
        "limit_request_line": LONGEST_LINE,
        "limit_request_fields": MOST_HEADERS,
        "limit_request_field_size": LONGEST_HEADER,
        # The heartbeat doesn't write to a disk
        "worker_tmp_dir": "/dev/shm" if os.access("/dev/shm", os.W_OK) else None,
        "logger_class": Log,
        "loglevel": "debug" if configuration.log == "debug" else "warning",
        "accesslog": "-" if configuration.access_log else None,
    }


class Application(BaseApplication):  # type: ignore[misc]
    """gunicorn with our settings, over an application that is loaded already.

    :param metrics: made before that application
    :param listener: the socket for metrics without a key; None: they are served only with one
    :param ready: called once the server listens, with the addresses
    """

    def __init__(
        self,
        server: Server,
        configuration: Settings,
        metrics: SharedMetrics,
        listener: socket.socket | None,
        ready: Callable[[list[str]], None],
    ) -> None:
        self._server = server
        self._metrics = metrics
        self._listener = listener
        self._configuration = configuration
        self._ready = ready
        super().__init__()

    def load_config(self) -> None:
        """Pass our settings to gunicorn."""
        hooks = {
            "when_ready": self._when_ready,
            "pre_fork": self._pre_fork,
            "post_fork": self._post_fork,
            "post_worker_init": self._post_worker_init,
            "worker_exit": self._worker_exit,
            "child_exit": self._child_exit,
        }
        for name, value in (options(self._configuration) | hooks).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Return the WSGI application."""
        close()
        return self._server.app

    def run(self) -> None:
        """Serve until the process is told to stop."""
        # The title that gunicorn sets is `master` or `worker`, and the name of an application
        util._setproctitle = lambda title: setproctitle(f"comptoir: {title.partition(' ')[0]}")
        try:
            jobs = JobProcess(self._server.reloader, self._configuration.jobs, self._configuration.timeout)
            self._master = Master(self, jobs)
            self._master.run()
        except SystemExit as end:
            # The master and each worker end here. All requests are finished, but the interpreter would wait for a
            # thread that a module has started, which may never end.
            self._metrics.remove()
            logging.shutdown()
            for stream in (sys.stdout, sys.stderr):
                # The disk may be full
                with suppress(OSError):
                    stream.flush()
            os._exit(end.code if isinstance(end.code, int) else 0)

    def leave(self) -> None:
        """Close what only the workers use, in the process that runs jobs."""
        if self._listener is not None:
            self._listener.close()
        self._metrics.start_process("jobs")

    # In the master

    def _when_ready(self, arbiter: Any) -> None:
        self._ready([str(listener) for listener in arbiter.LISTENERS])
        # The collector ignores what exists now, so its memory pages stay shared with the workers
        gc.collect()
        gc.freeze()

    def _pre_fork(self, arbiter: Any, worker: Any) -> None:
        # A connection must not be shared with a child
        close()
        taken = {each.number for each in arbiter.WORKERS.values()}
        worker.number = next(number for number in count() if number not in taken)

    def _child_exit(self, arbiter: Any, worker: Any) -> None:
        worker.leave_board()
        self._metrics.end_process(str(worker.number))

    # In each worker

    def _post_fork(self, arbiter: Any, worker: Any) -> None:
        self._metrics.start_process(str(worker.number))
        metrics().workers.set(1)
        metrics().threads.set(self._configuration.threads)
        if self._listener is not None:
            serve_metrics(self._listener)
        self._server.reloader.begin()

    def _post_worker_init(self, worker: Any) -> None:
        # After gunicorn has set the handlers of signals
        running.start()
        self._master.worker_serves()

    def _worker_exit(self, arbiter: Any, worker: Any) -> None:
        self._server.reloader.stop()
        close()

"""The master process: modules can't end it, and a new version of the core takes over without dropping a request.

It also keeps the process that runs jobs. Tested with gunicorn 27.0.1.

On SIGUSR2, gunicorn starts the program again with the same listening sockets. Once all workers of the new master serve,
it ends the old master, whose workers finish their requests. A new master that can't start ends, and the old one
continues.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
from typing import Any

from gunicorn import systemd  # type: ignore[import-untyped]
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]

from ..version import VERSION
from .job_process import AFTER_WORD, HURRY, JobProcess
from .worker import Worker

_log = logging.getLogger("comptoir.serve")

#: variable in which a master passes its version to the one that it starts
_PREVIOUS_VERSION = "_COMPTOIR_PREVIOUS_VERSION"
#: a worker that ended within this many seconds is replaced only after as many more
YOUNG = 1.0


class Master(Arbiter):  # type: ignore[misc]
    """gunicorn's master, which also keeps the process that runs jobs, and ends its predecessor.

    :param jobs: the process that runs jobs
    """

    # No exit code is above 255: gunicorn ends the whole server when a worker ends with 3 or 4, and a file may call
    # `os._exit(3)`
    WORKER_BOOT_ERROR = 256 + 3
    APP_LOAD_ERROR = 256 + 4

    def __init__(self, app: Any, jobs: JobProcess) -> None:
        self._jobs = jobs
        #: worker → time of its start
        self._born: dict[int, float] = {}
        super().__init__(app)
        command = started_by(sys.orig_argv, sys.argv)
        self.START_CTX |= {0: command[0], "args": command}
        # Each worker that serves writes one byte
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._serving = 0
        self._relieved = False

    def manage_workers(self) -> None:
        """Keep the configured number of workers, and the process that runs jobs."""
        super().manage_workers()
        if self.LISTENERS:
            self._jobs.keep(self._leave)

    def stop(self, graceful: bool = True) -> None:
        """End the workers and, at the same time, the process that runs jobs."""
        until = time.monotonic() + float(self.cfg.graceful_timeout)
        self._jobs.end(signal.SIGTERM if graceful else signal.SIGQUIT)
        super().stop(graceful)
        self._jobs.ensure_end(until - time.monotonic() + AFTER_WORD if graceful else HURRY + AFTER_WORD)

    def spawn_worker(self) -> int:
        """Fork a worker."""
        # A signal that reaches a worker before its handlers are set would be lost; the worker unblocks them
        before = signal.pthread_sigmask(signal.SIG_BLOCK, Worker.SIGNALS)
        try:
            process: int = super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._born[process] = time.monotonic()
        return process

    def reap_workers(self) -> None:
        """Replace workers that have ended; after a pause, if one has ended right after its start."""
        super().reap_workers()
        for process in [process for process in self._born if process not in self.WORKERS]:
            # A master without listeners is ending its workers
            if time.monotonic() - self._born.pop(process) < YOUNG and self.LISTENERS:
                time.sleep(YOUNG)

    def _leave(self) -> None:
        for listener in self.LISTENERS:
            listener.close()
        self.app.leave()

    # Taking over

    def worker_serves(self) -> None:
        """Tell the master that a worker serves; called in the worker."""
        if self.master_pid:
            os.write(self._write_end, b".")

    def handle_usr2(self) -> None:
        """Start a new version, unless one is starting."""
        # The old master may have ended since the last check
        self.maybe_promote_master()
        super().handle_usr2()

    def reexec(self) -> None:
        """Start the new version; if that fails, log the reason and continue."""
        process = os.getpid()
        self.cfg.env_orig[_PREVIOUS_VERSION] = VERSION
        try:
            super().reexec()
        except Exception as error:  # noqa: BLE001 - the forked process must end whatever the error is
            _log.error("can't start the new version: %s; version %s continues", error, VERSION)
            if os.getpid() != process:
                # gunicorn would let this copy of the master stop the workers of the original
                os._exit(1)

    def maybe_promote_master(self) -> None:
        """Once a second: end the old master if all workers serve, and take its place when it has ended."""
        if self.master_pid and not self._relieved and self._all_serve():
            self._relieved = True
            self._relieve()
        super().maybe_promote_master()

    def _all_serve(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            self._serving += len(os.read(self._read_end, 4096))
        return self._serving >= int(self.num_workers)

    def _relieve(self) -> None:
        # systemd must know its new main process before the old one ends
        systemd.sd_notify(f"MAINPID={os.getpid()}", self.log)
        # Another process may have its number by now
        if os.getppid() == self.master_pid:
            _log.warning(
                "version %s (process %d) takes over from version %s (process %d), which finishes its requests",
                VERSION,
                os.getpid(),
                os.environ.get(_PREVIOUS_VERSION, "unknown"),
                self.master_pid,
            )
            os.kill(self.master_pid, signal.SIGTERM)


def started_by(original: list[str], arguments: list[str]) -> list[str]:
    """Return the command that starts the installed version of this program.

    A script is started itself, because the script of another version may have another interpreter.

    :param original: the interpreter's own command line (`sys.orig_argv`)
    :param arguments: the program's (`sys.argv`)
    """
    if original[1:2] == arguments[:1] and os.access(arguments[0], os.X_OK):
        return list(arguments)
    return [sys.executable, *original[1:]]

"""The master process: no file of a module ends it, and a new core takes over from it without a dropped request.

It also keeps the process that runs jobs. Tried on gunicorn 27.0.1.

SIGUSR2 makes gunicorn start the program anew, beside this one and over the same listening sockets. Once all workers of
the new one serve, it ends the old one, whose workers finish their requests. A new one that cannot start ends by itself,
and the old one goes on.
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
#: a worker that lived for fewer seconds is replaced only after as many more
YOUNG = 1.0


class Master(Arbiter):  # type: ignore[misc]
    """gunicorn's master: keeps the process that runs jobs, and ends its predecessor.

    :param jobs: the process that runs jobs
    """

    # No exit code is above 255: gunicorn ends the whole server when a worker ends with 3 or 4, and a file may call
    # `os._exit(3)`
    WORKER_BOOT_ERROR = 256 + 3
    APP_LOAD_ERROR = 256 + 4

    def __init__(self, app: Any, jobs: JobProcess) -> None:
        self._jobs = jobs
        #: worker → when it was born
        self._born: dict[int, float] = {}
        super().__init__(app)
        command = started_by(sys.orig_argv, sys.argv)
        self.START_CTX |= {0: command[0], "args": command}
        # One byte of each worker that serves
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._serving = 0
        self._relieved = False

    def manage_workers(self) -> None:
        """Keep as many workers as there should be, and the process that runs jobs."""
        super().manage_workers()
        if self.LISTENERS:
            self._jobs.keep(self._leave)

    def stop(self, graceful: bool = True) -> None:
        """End the workers, and beside them the process that runs jobs, which has as long as they have."""
        until = time.monotonic() + float(self.cfg.graceful_timeout)
        self._jobs.end(signal.SIGTERM if graceful else signal.SIGQUIT)
        super().stop(graceful)
        self._jobs.ensure_end(until - time.monotonic() + AFTER_WORD if graceful else HURRY + AFTER_WORD)

    def spawn_worker(self) -> int:
        """Fork a worker."""
        # A worker that is told to end before it listens to signals would never hear of it; it lets them in by then
        before = signal.pthread_sigmask(signal.SIG_BLOCK, Worker.SIGNALS)
        try:
            process: int = super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._born[process] = time.monotonic()
        return process

    def reap_workers(self) -> None:
        """Take notice of workers that have ended; replace one that has just begun after a pause."""
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
        """Say so to the master; called in the worker."""
        if self.master_pid:
            os.write(self._write_end, b".")

    def handle_usr2(self) -> None:
        """Start a new core, unless one is already on its way."""
        # The old master may have ended since the last look
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
        """Once a second: end the old master when that can be done, and be the only one when it has ended."""
        if self.master_pid and not self._relieved and self._all_serve():
            self._relieved = True
            self._relieve()
        super().maybe_promote_master()

    def _all_serve(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            self._serving += len(os.read(self._read_end, 4096))
        return self._serving >= int(self.num_workers)

    def _relieve(self) -> None:
        # systemd must know whom it watches before the one it knows ends
        systemd.sd_notify(f"MAINPID={os.getpid()}", self.log)
        # No other process may have got its number meanwhile
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
    """The command that starts this program anew, as it lies on the disk by then.

    A script is started itself rather than its interpreter, since the script of another version names another one.

    :param original: the interpreter's own command line (`sys.orig_argv`)
    :param arguments: the program's (`sys.argv`)
    """
    if original[1:2] == arguments[:1] and os.access(arguments[0], os.X_OK):
        return list(arguments)
    return [sys.executable, *original[1:]]

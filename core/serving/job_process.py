"""The process that runs jobs. The master starts it and replaces it when it ends; it reloads changed modules."""

from __future__ import annotations

import logging
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from setproctitle import setproctitle

from ..common.process_state import running
from ..common.wakeup import WakeupEvent, wakeup
from ..jobs.claiming import new_process_name
from ..jobs.runner import Runner
from ..loading.reload import Reloader
from ..storage.database import close

#: the title of this process, as in `ps`
TITLE = "comptoir: jobs"
#: seconds that jobs have to end if the server must end at once
HURRY = 1.0
#: seconds that the process has after that, to release unfinished jobs and finish a reload
AFTER_WORD = 3.0
#: minimum seconds between two starts
YOUNG = 1.0
#: signals that end it, and those that only the master handles
_SIGNALS = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)
_IGNORED = (
    signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGTTIN, signal.SIGTTOU,
)  # fmt: skip

_log = logging.getLogger("comptoir.jobs")


class JobProcess:
    """The process that runs jobs, forked from the master and ended with it, and the event with which workers wake it.

    If a job ends the process, each job that it was running has used up an attempt; the next process runs them again.

    :param threads: number of jobs that run at the same time
    :param patience: seconds that jobs have to end when the server ends
    :param options: further ones of `Runner`
    """

    def __init__(self, reloader: Reloader, threads: int, patience: float, **options: Any) -> None:
        self._reloader = reloader
        self._threads = threads
        self._patience = patience
        self._options = options
        self._wakeup = wakeup.value = WakeupEvent()
        #: the name of the current process, and of the previous one
        self._name = self._former = ""
        self._process = 0
        #: a pipe that the system closes when the process ends; -1: no process was started
        self._sign_of_life = -1
        self._started = 0.0

    # In the master

    def keep(self, leave: Callable[[], None]) -> None:
        """Start the process, unless it runs, was started a moment ago, or this server runs no jobs.

        :param leave: called in the process; closes what only the master uses
        """
        if not self._threads or self.lives or (self._process and time.monotonic() - self._started < YOUNG):
            return
        if self._sign_of_life >= 0:
            os.close(self._sign_of_life)
        self._started = time.monotonic()
        self._former, self._name = self._name, new_process_name()
        # A connection must not be shared with a child
        close()
        master = os.getpid()
        # A signal that arrives before the process handles it would be lost
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        self._sign_of_life, end = os.pipe()
        self._process = os.fork()
        if not self._process:
            os.close(self._sign_of_life)
            leave()
            self._run(master)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(end)

    @property
    def lives(self) -> bool:
        """True if the process runs."""
        return self._sign_of_life >= 0 and not self.has_ended(0)

    def has_ended(self, seconds: float) -> bool:
        """Wait until the process has ended; return whether it has.

        :param seconds: maximum time to wait
        """
        return self._sign_of_life < 0 or bool(select.select([self._sign_of_life], [], [], max(0.0, seconds))[0])

    def end(self, number: int = signal.SIGTERM) -> None:
        """Tell the process to end: SIGTERM after its jobs, SIGQUIT at once."""
        if self.lives:
            with suppress(ProcessLookupError):
                os.kill(self._process, number)

    def ensure_end(self, seconds: float) -> None:
        """Wait until the process ends; kill it after that time."""
        if self._process and not self.has_ended(seconds):
            self.end(signal.SIGKILL)

    # In the process itself

    def _run(self, master: int) -> NoReturn:
        try:
            setproctitle(TITLE)
            runner = Runner(self._threads, wakeup=self._wakeup, process=self._name, ended=self._former, **self._options)
            _listen(runner, self._patience)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            running.start()
            self._reloader.begin()
            runner.run(lambda: os.getppid() == master)
            # A reload must not be left half done, such as a change of a table
            self._reloader.stop()
            close()
        except Exception:  # noqa: BLE001 - the master starts another one
            _log.exception("the job process hit an unexpected error; a new process replaces it")
        finally:
            # A job that did not end in time is released, but its thread would continue
            logging.shutdown()
            os._exit(0)


def _listen(runner: Runner, patience: float) -> None:
    """Handle the signals of the master. Ctrl-C, which reaches all processes, is handled by the master only."""
    limits = {signal.SIGTERM: patience, signal.SIGQUIT: HURRY}

    def stop(number: int, frame: Any) -> None:
        runner.stop(limits[signal.Signals(number)])

    signal.set_wakeup_fd(-1)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for each in limits:
        signal.signal(each, stop)

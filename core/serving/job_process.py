"""The process beside the workers that runs jobs: kept by the master, follows the disk, ends with its jobs."""

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

from ..common.runtime import active
from ..jobs.claiming import name_process
from ..jobs.runner import POLL, Runner
from ..jobs.wake import WakeupEvent
from ..loading.reload import Reloader
from ..storage.database import close

#: what the system shows of this process
TITLE = "comptoir: jobs"
#: seconds that jobs have to end where the server is to end at once
HURRY = 1.0
#: seconds that it has behind that, to hand back what did not end in time, and to let go of the disk
AFTER_WORD = 3.0
#: seconds between two starts at least
YOUNG = 1.0
#: signals that end it
_SIGNALS = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)

_log = logging.getLogger("comptoir.jobs")


class JobProcess:
    """The process that runs jobs, forked from the master and ended with it, and the event by which workers wake it.

    A job that ends it costs an attempt of those that it was running; the next one takes them over.

    :param threads: how many jobs are run at once
    :param patience: seconds that jobs have to end when the server does
    :param report: told one line of each job
    :param poll: seconds after which the queue is queried in any case
    """

    def __init__(
        self,
        reloader: Reloader,
        threads: int,
        patience: float,
        report: Callable[[str], object] = lambda line: None,
        poll: int = POLL,
    ) -> None:
        self._reloader = reloader
        self._threads = threads
        self._patience = patience
        self._report = report
        self._poll = poll
        self._wakeup = active.runtime.wakeup = WakeupEvent()
        #: the name of the present process, and of the one before it
        self._name = self._former = ""
        self._process = 0
        #: a pipe that the system closes when the process ends; -1: it was never started
        self._sign_of_life = -1
        self._started = 0.0

    # In the master

    def keep(self, leave: Callable[[], None]) -> None:
        """Start the process, unless it runs, has just begun, or there is nothing for it to do.

        :param leave: called in the process; closes what only the master uses
        """
        if not self._threads or self.lives or (self._process and time.monotonic() - self._started < YOUNG):
            return
        if self._sign_of_life >= 0:
            os.close(self._sign_of_life)
        self._started = time.monotonic()
        self._former, self._name = self._name, name_process()
        active.runtime.metrics.remove_ended_processes()
        # A connection must not be shared with a child
        close()
        self._sign_of_life, end = os.pipe()
        master = os.getpid()
        # A signal that came before the process listens to it would be lost
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        self._process = os.fork()
        if not self._process:
            os.close(self._sign_of_life)
            leave()
            self._run(master)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(end)

    @property
    def lives(self) -> bool:
        """Whether it runs."""
        return self._sign_of_life >= 0 and not self.has_ended(0)

    def has_ended(self, seconds: float) -> bool:
        """Wait until it has ended; return whether it has.

        :param seconds: how long to wait at most
        """
        return self._sign_of_life < 0 or bool(select.select([self._sign_of_life], [], [], max(0.0, seconds))[0])

    def end(self, number: int = signal.SIGTERM) -> None:
        """Tell it to end: SIGTERM when its jobs have, SIGQUIT at once."""
        if self.lives:
            with suppress(ProcessLookupError):
                os.kill(self._process, number)

    def ensure_end(self, seconds: float) -> None:
        """Wait until the process ends, and kill it after that time."""
        if self._process and not self.has_ended(seconds):
            self.end(signal.SIGKILL)

    # In the process itself

    def _run(self, master: int) -> NoReturn:
        try:
            setproctitle(TITLE)
            active.runtime.metrics.start_process()
            runner = Runner(
                self._threads,
                wakeup=self._wakeup,
                process=self._name,
                dead=[self._former] if self._former else [],
                report=self._report,
                poll=self._poll,
            )
            _listen(runner, self._patience)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            self._reloader.start()
            runner.run(lambda: os.getppid() == master)
            # What a reload holds must not be left half done: a table, say
            self._reloader.stop()
            close()
        except Exception:  # noqa: BLE001 - the master starts another one
            _log.exception("the job process hit an unexpected error; a new process replaces it")
        finally:
            # A job that did not end in time is handed back, and its thread would go on
            logging.shutdown()
            os._exit(0)


def _listen(runner: Runner, patience: float) -> None:
    """The master's signals end this process in order; Ctrl-C, which all processes get, is for the master."""
    limits = {signal.SIGTERM: patience, signal.SIGQUIT: HURRY}

    def stop(number: int, frame: Any) -> None:
        runner.stop(limits[signal.Signals(number)])

    signal.set_wakeup_fd(-1)
    for number in (
        signal.SIGINT,
        signal.SIGHUP,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGWINCH,
        signal.SIGTTIN,
        signal.SIGTTOU,
    ):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for each in limits:
        signal.signal(each, stop)

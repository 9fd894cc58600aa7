"""The process beside the workers that runs jobs: kept by the master, follows the disk, ends with its jobs."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from setproctitle import setproctitle

from ..common.runtime import active
from ..jobs.claiming import name_process
from ..jobs.runner import POLL, Runner
from ..jobs.wake import WakeupEvent
from ..loading.journal import Note
from ..loading.kept_process import KeptProcess
from ..loading.reload import Reloader
from ..storage.database import close

#: what the system shows of this process
TITLE = "comptoir: jobs"
#: seconds that jobs have to end where the server is to end at once
HURRY = 1.0
#: seconds that it has behind that, to hand back what did not end in time, and to let go of the disk
AFTER_WORD = 3.0

_log = logging.getLogger("comptoir.jobs")


class JobProcess(KeptProcess):
    """The process that runs jobs, and the event by which workers wake it.

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
        super().__init__()
        self._reloader = reloader
        self._threads = threads
        self._patience = patience
        self._report = report
        self._poll = poll
        self._wakeup = active.runtime.wakeup = WakeupEvent()
        #: the name of the present process, and of the one before it
        self._name = self._former = ""

    # In the master

    def keep(self, leave: Callable[[], None]) -> None:
        """Start the process, unless it runs, or there is nothing for it to do."""
        if self._threads and not self.lives:
            super().keep(leave)

    def _about_to_start(self) -> None:
        self._former, self._name = self._name, name_process()
        active.runtime.metrics.fold_dead_processes()

    def end(self, number: int = signal.SIGTERM) -> None:
        """Tell it to end: SIGTERM when its jobs have, SIGQUIT at once."""
        if self.lives:
            with suppress(ProcessLookupError):
                os.kill(self.process, number)

    def ensure_end(self, seconds: float) -> None:
        """Wait until the process ends, and kill it after that time."""
        if self.process and not self.has_ended(seconds):
            self.end(signal.SIGKILL)

    # In the process itself

    def _stand(self, master: int, end: int) -> NoReturn:
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
            self._let_signals_in()
            # The master's is another process's by now
            self._reloader.loader.journal.open_note = Note()
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

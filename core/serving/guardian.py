"""A master that no file of a module ends: it sees why workers end, and keeps the processes beside them.

Tried on gunicorn 27.0.1.
"""

from __future__ import annotations

import signal
import time
from typing import Any

from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]

from ..loading.journal import Journal, Note, Noted
from ..loading.outpost import Outpost
from .job_process import AFTER_WORD, HURRY, JobProcess
from .worker import Worker

#: a worker that lived for fewer seconds is replaced only after as many more
YOUNG = 1.0


class Guardian(Arbiter):  # type: ignore[misc]
    """gunicorn's master.

    :param journal: what the workers note in, which are forked from here
    :param jobs: the process that runs jobs
    """

    # No exit code is above 255: gunicorn ends the whole server when a worker ends with 3 or 4, and a file may call
    # `os._exit(3)`
    WORKER_BOOT_ERROR = 256 + 3
    APP_LOAD_ERROR = 256 + 4

    def __init__(self, app: Any, journal: Journal, outpost: Outpost, jobs: JobProcess) -> None:
        self._journal = journal
        self._outpost = outpost
        self._jobs = jobs
        #: worker → its note, and when it was born
        self._born: dict[int, tuple[Note, float]] = {}
        self._suspect: Noted | None = None
        super().__init__(app)

    def manage_workers(self) -> None:
        """Keep as many workers as there should be, the outpost, and the process that runs jobs."""
        if self.LISTENERS:
            self._outpost.keep(self._leave)
        super().manage_workers()
        if self.LISTENERS:
            self._jobs.keep(self._leave)

    def stop(self, graceful: bool = True) -> None:
        """End the workers, and beside them the process that runs jobs, which has as long as they have."""
        until = time.monotonic() + float(self.cfg.graceful_timeout)
        self._jobs.end(signal.SIGTERM if graceful else signal.SIGQUIT)
        super().stop(graceful)
        self._jobs.insist_on_end(until - time.monotonic() + AFTER_WORD if graceful else HURRY + AFTER_WORD)

    def spawn_worker(self) -> int:
        """Fork a worker, which shares its note with the master."""
        self._journal.open_note = note = Note()
        # A worker that is told to end before it listens to signals would never hear of it; it lets them in by then
        before = signal.pthread_sigmask(signal.SIG_BLOCK, Worker.SIGNALS)
        try:
            process: int = super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._born[process] = note, time.monotonic()
        return process

    def reap_workers(self) -> None:
        """Take notice of workers that have ended, and of what they were importing then."""
        super().reap_workers()
        for process in [process for process in self._born if process not in self.WORKERS]:
            note, born = self._born.pop(process)
            # A master that ends has told them to
            if not self.LISTENERS:
                continue
            self._judge(note)
            if time.monotonic() - born < YOUNG:
                time.sleep(YOUNG)

    def _judge(self, note: Note) -> None:
        """Blame the file that two workers in a row were importing when they ended; the scout came through it."""
        noted = note.read()
        if noted is not None and noted == self._suspect:
            self._journal.blame(noted, "importing the file stopped or blocked two workers")
        self._suspect = noted or self._suspect

    def _leave(self) -> None:
        for listener in self.LISTENERS:
            listener.close()
        self.app.leave()

"""A worker in which the import of a changed file does not end, though the scout came through: it is replaced."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time

from .journal import Journal

_log = logging.getLogger("comptoir.serve")


class Watchdog(threading.Thread):
    """Ends this worker when the import of a module file does not end; its master sees which file that was.

    gunicorn's own time limit does not see it: the import hangs in the thread that follows the disk.

    :param seconds: how long an import may take
    """

    def __init__(self, journal: Journal, seconds: float) -> None:
        super().__init__(name="comptoir-watchdog", daemon=True)
        self._journal = journal
        self._seconds = seconds
        #: whether it has ended the worker
        self.barked = False

    def run(self) -> None:
        """Look once a second."""
        while not self.barked:
            time.sleep(1)
            noted = self._journal.open_note.read()
            if noted is not None and self._journal.open_note.seconds > self._seconds:
                self.barked = True
                _log.error("importing %s took more than %d s; this worker is replaced", noted.file, self._seconds)
                os.kill(os.getpid(), signal.SIGTERM)

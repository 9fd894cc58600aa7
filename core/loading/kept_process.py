"""A process of its own beside the workers, which the master starts again whenever it has ended."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from typing import NoReturn

from ..storage.database import close

#: seconds between two starts at the least
YOUNG = 1.0
#: what such a process may be told
_SIGNALS = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)


class KeptProcess:
    """A process that is forked from the master, and ends with it."""

    def __init__(self) -> None:
        #: its number; 0: it was never started
        self.process = 0
        #: closed by the system when the process ends
        self._sign_of_life = -1
        self._started = 0.0

    # In the master

    def keep(self, leave: Callable[[], None]) -> None:
        """Start the process, unless it runs.

        :param leave: lets go, in that process, of what belongs to the master
        """
        if self.lives or (self.process and time.monotonic() - self._started < YOUNG):
            return
        if self._sign_of_life >= 0:
            os.close(self._sign_of_life)
        self._started = time.monotonic()
        # A connection must not be shared with a child
        close()
        self._about_to_start()
        self._sign_of_life, end = os.pipe()
        master = os.getpid()
        # What it is told before it listens to signals would be heard by nobody: it lets them in by then
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        child = -1
        try:
            child = os.fork()
        finally:
            if child:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.process = child
        if child:
            os.close(end)
            return
        os.close(self._sign_of_life)
        leave()
        self._stand(master, end)

    def _about_to_start(self) -> None:
        """In the master, before each start."""

    @property
    def lives(self) -> bool:
        """Whether it runs."""
        return self._sign_of_life >= 0 and not self.has_ended(0)

    def has_ended(self, seconds: float) -> bool:
        """Wait until it has ended; answers whether it has.

        :param seconds: how long at the most
        """
        return self._sign_of_life < 0 or bool(select.select([self._sign_of_life], [], [], max(0.0, seconds))[0])

    # In the process itself

    def _let_signals_in(self) -> None:
        """Hear what it has been told meanwhile, and whatever comes; called once it listens."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def _stand(self, master: int, end: int) -> NoReturn:
        """Do its work, and end.

        :param master: the number of the process that it ends with
        :param end: says by being open that it lives; processes of its own must let go of it
        """
        raise NotImplementedError

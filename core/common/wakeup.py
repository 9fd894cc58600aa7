"""The event that wakes the process of this host that runs jobs."""

from __future__ import annotations

import os
import select

from .process import ProcessValue


class WakeupEvent:
    """An event that wakes the process of this host that runs jobs, so that it needn't query the queue all the time.

    Any process that inherits it can set it; one process waits for it.
    """

    def __init__(self) -> None:
        self._file = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def set(self) -> None:
        """End the present or next `wait`."""
        os.eventfd_write(self._file, 1)

    def wait(self, seconds: float) -> bool:
        """Wait until the event is set, and reset it; return whether it was set."""
        if not select.select([self._file], [], [], seconds)[0]:
            return False
        os.eventfd_read(self._file)
        return True


#: wakes the process that runs jobs; None: that process only polls
wakeup: ProcessValue[WakeupEvent | None] = ProcessValue(None)


def wake() -> None:
    """Let the process that runs jobs look for work now."""
    if wakeup.value is not None:
        wakeup.value.set()

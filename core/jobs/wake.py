"""The event that wakes the process of this host that runs jobs, so it needn't query the table all the time."""

from __future__ import annotations

import os
import select
from contextlib import suppress

from ..common.runtime import active


class WakeupEvent:
    """An event that any process which inherits it can set, and for which one process waits."""

    def __init__(self) -> None:
        self._file = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def set(self) -> None:
        """End the present or next `wait`."""
        # The counter overflows if no process waits for a very long time
        with suppress(OSError):
            os.eventfd_write(self._file, 1)

    def wait(self, seconds: float) -> bool:
        """Wait until the event is set, and reset it; return whether it was set."""
        if not select.select([self._file], [], [], max(0.0, seconds))[0]:
            return False
        with suppress(OSError):
            os.eventfd_read(self._file)
        return True


def wake_runner() -> None:
    """Wake the process that runs jobs, because there is a job."""
    wakeup = active.runtime.wakeup
    if wakeup is not None:
        wakeup.set()

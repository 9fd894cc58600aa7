"""Telling the process of this host that runs jobs that there is one, so that it need not ask all the time."""

from __future__ import annotations

import os
import select
from contextlib import suppress

from ..common.runtime import active


class Bell:
    """Rung by any process that has inherited it, heard by one."""

    def __init__(self) -> None:
        self._file = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def ring(self) -> None:
        """Wake whoever waits, or is about to."""
        # It is full when nobody has listened for ages
        with suppress(OSError):
            os.eventfd_write(self._file, 1)

    def wait(self, seconds: float) -> bool:
        """Wait until it is rung; answers whether it was."""
        if not select.select([self._file], [], [], max(0.0, seconds))[0]:
            return False
        with suppress(OSError):
            os.eventfd_read(self._file)
        return True


def ring() -> None:
    """Say that there is a job."""
    bell = active.runtime.bell
    if bell is not None:
        bell.ring()

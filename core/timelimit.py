"""A limit for code that may never come back: an import that loops.

First an exception is raised inside the thread, which ends a loop of Python. A thread that does not wake up even then
(it waits in the operating system) ends the process: the journal has noted the file, so the next process passes over it.
"""

from __future__ import annotations

import ctypes
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_log = logging.getLogger("comptoir.loader")

#: seconds between the exception and the end of the process
GRACE = 10.0
#: exit status of a process that ended because a file hung at import
HUNG = 70


class TookTooLong(Exception):
    """Importing a file took longer than the limit."""


@contextmanager
def time_limit(seconds: float, what: str) -> Iterator[None]:
    """Raise `TookTooLong` in this thread when what is inside takes longer.

    :param seconds: 0: no limit
    :param what: what to name in the log
    """
    if not seconds:
        yield
        return
    done = threading.Event()
    thread = threading.get_ident()

    def watch() -> None:
        if done.wait(seconds):
            return
        _log.error("%s: importing takes more than %g seconds", what, seconds)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TookTooLong))
        if not done.wait(GRACE):
            _log.critical("%s hangs at import, the process ends; the next one passes over it", what)
            os._exit(HUNG)

    threading.Thread(target=watch, name="comptoir-limit", daemon=True).start()
    try:
        yield
    except TookTooLong:
        raise TookTooLong(f"importing took longer than {seconds:g} seconds") from None
    finally:
        done.set()

"""The state that all threads of a process share and any method can change: its values at the start are put back.

A thread of the process calls `compare` twice a second. A change is put back while no method runs. If methods overlap
for `LATEST_SECONDS`, new ones wait until the others have ended, and at most as long again.
"""

from __future__ import annotations

import locale
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .repeated_failures import is_news
from .request_state import current_state

#: seconds for which a change may last while methods run
LATEST_SECONDS = 5.0
#: how many methods a message lists
_MAX_LISTED = 5

#: set when this process ends
ending = threading.Event()

_log = logging.getLogger("comptoir")


def pause(seconds: float) -> bool:
    """Wait in a method that waits for something; return whether this process ends, so that the method has to return.

    The log doesn't list a request as slow because of it.
    """
    state = current_state()
    if state is not None:
        state.waited += seconds
    return ending.wait(seconds)


def _folder() -> tuple[int, int]:
    status = os.stat(".")
    return status.st_dev, status.st_ino


def _set_handlers(handlers: dict[int, Any]) -> None:
    # Python lets only the main thread do it, which runs no method: what changes them isn't Python
    for number, handler in handlers.items():
        if signal.getsignal(number) != handler:
            signal.signal(number, handler)


def _handlers() -> dict[int, Any]:
    found = {number: signal.getsignal(number) for number in signal.valid_signals()}
    # None: a handler that Python has not set
    return {number: handler for number, handler in found.items() if handler is not None}


class ProcessState:
    """The methods that the threads of this process run, and what they must not change."""

    def __init__(self) -> None:
        #: thread → what it runs
        self._running: dict[int, str] = {}
        #: what has run since the last comparison
        self._ran: set[str] = set()
        #: what new methods wait for; None: they don't
        self._gate: threading.Event | None = None
        #: name → its value at the start, how to read it, and how to put it back
        self._parts: dict[str, tuple[Any, Callable[[], Any], Callable[[Any], object]]] = {}
        #: when the present change was first seen (0: nothing is changed), and what ran at that time
        self._since, self._suspects = 0.0, set[str]()

    # In the threads that run methods

    def begin(self, method: str) -> None:
        """Note that this thread runs a method; wait while the process is put back.

        :param method: what the log calls it
        """
        thread = threading.get_ident()
        self._running[thread] = method
        # Noted before: either this thread sees the gate, or the one that has closed it sees this thread
        if (gate := self._gate) is not None:
            self._running.pop(thread, None)
            gate.wait(2 * LATEST_SECONDS)
            self._running[thread] = method

    def end(self) -> None:
        """Note that the method of this thread has ended."""
        if method := self._running.pop(threading.get_ident(), ""):
            self._ran.add(method)

    # In the thread that compares

    def start(self) -> None:
        """Take the present values as those of the start; call it before the first method."""
        # A file number, because the folder may be renamed
        folder = os.open(".", os.O_PATH)
        readers: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
            "the working folder": (_folder, lambda value: os.fchdir(folder)),
            "the locale": (
                lambda: locale.setlocale(locale.LC_ALL),
                lambda value: locale.setlocale(locale.LC_ALL, value),
            ),
            "logging.disable": (lambda: logging.root.manager.disable, logging.disable),
            "the recursion limit": (sys.getrecursionlimit, sys.setrecursionlimit),
            "the default timeout of sockets": (socket.getdefaulttimeout, socket.setdefaulttimeout),
            "signal handlers": (_handlers, _set_handlers),
        }
        self._parts = {name: (read(), read, put) for name, (read, put) in readers.items()}

    def compare(self) -> None:
        """Put back what differs from the start; while methods run, it may differ for `LATEST_SECONDS`."""
        ran, self._ran = self._ran, set()
        changed = [name for name, (value, read, _) in self._parts.items() if read() != value]
        if not changed:
            self._since = 0.0
            self._open()
            return
        now = time.monotonic()
        if not self._since:
            self._since, self._suspects = now, ran.union(self._running.copy().values())
        self._gate = self._gate or threading.Event()
        if not self._running or now - self._since >= 2 * LATEST_SECONDS:
            self._put_back(changed, sorted(self._suspects))
            self._since = 0.0
            self._open()
        elif now - self._since < LATEST_SECONDS:
            self._open()

    def _open(self) -> None:
        """Let the methods that wait begin."""
        gate, self._gate = self._gate, None
        if gate is not None:
            gate.set()

    def _put_back(self, changed: list[str], methods: list[str]) -> None:
        outcome = "put back"
        for name in changed:
            value, read, put = self._parts[name]
            with suppress(Exception):
                put(value)
            if read() != value:
                outcome = "it can't be put back; restart the server"
                self._parts[name] = read(), read, put
        listed = ", ".join(methods[:_MAX_LISTED]) + (" …" if len(methods) > _MAX_LISTED else "") or "unknown"
        message = f"a method has changed {', '.join(changed)}, which the whole process shares; {outcome}"
        if is_news(f"{message} {listed}"):
            _log.error("%s. It ran in: %s", message, listed)


#: that of this process
running = ProcessState()

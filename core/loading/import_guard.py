"""Module files whose import never ends, or ends the process: found before they do harm.

`Scout` imports everything in a process of its own, a step ahead of the server's; `Watchdog` replaces a worker whose
import of a changed file does not end. Both leave the journal's note, and the loader passes over the file that is noted.
"""

from __future__ import annotations

import hashlib
import logging
import mmap
import os
import signal
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from ..common.settings import Settings
from .folders import look
from .journal import Journal
from .loader import Loader

_log = logging.getLogger("comptoir.serve")

Progress = Callable[[int, int], None]


class Scout:
    """A process that loads every module ahead of this one; where that one ends or hangs, this one does not follow.

    When the files are the ones it came through the last time, none is sent.

    :param folder: where the journal keeps its notes
    :param report: told of each file that ended or held up the process
    """

    def __init__(self, configuration: Settings, folder: Path, report: Callable[[str], None]) -> None:
        self._configuration = configuration
        self._folder = folder
        self._report = report
        self._journal = Journal(folder)
        self._counter = mmap.mmap(-1, 8)
        prints = [sorted(module.prints.items()) for module in look(configuration.module_folders)[0]]
        self._prints = hashlib.sha256(repr(prints).encode()).hexdigest()
        self._process = 0 if _read(folder / "tried") == self._prints else self._send()

    @property
    def journal(self) -> Journal:
        """The journal of the process that follows."""
        return self._journal

    def before(self, progress: Progress) -> Progress:
        """A loader's progress that also waits until the scout is past the module that comes next."""

        def follow(done: int, total: int) -> None:
            progress(done, total)
            while done < total and self._process and self._passed() <= done:
                if self._has_ended():
                    self._lost()
                time.sleep(0.002)
            if done == total:
                self._come_home()

        return follow

    def _send(self) -> int:
        process = os.fork()
        if not process:
            self._scout()
        return process

    def _scout(self) -> NoReturn:
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            logging.disable()

            def mark(done: int, total: int) -> None:
                self._counter[:8] = struct.pack("q", done)

            Loader(self._configuration.module_folders, Journal(self._folder), tables=False, progress=mark).load()
        finally:
            os._exit(0)

    def _passed(self) -> int:
        passed: int = struct.unpack("q", self._counter[:8])[0]
        return passed

    def _has_ended(self) -> bool:
        """Whether the scout is gone; one that hangs is ended here."""
        if os.waitpid(self._process, os.WNOHANG)[0]:
            return True
        since = modified(self._note())
        if since is not None and time.time() - since > self._configuration.timeout:
            os.kill(self._process, signal.SIGKILL)
        return False

    def _lost(self) -> None:
        """Start one after another until one gets through; each skips what ended those before it."""
        while file := noted_file(self._note()):
            self._report(f"{file} ended or held up the process that imported it; it is passed over until it changes")
            self._process = self._send()
            while not self._has_ended():
                time.sleep(0.01)
        self._process = 0
        self._journal.begin()

    def _come_home(self) -> None:
        if self._process:
            os.waitpid(self._process, 0)
            self._process = 0
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "tried").write_text(self._prints)

    def _note(self) -> Path:
        return self._folder / f"{self._process}.importing"


class Watchdog(threading.Thread):
    """Ends this worker when the import of a module file does not end; the worker behind it passes that file over.

    gunicorn's own time limit does not see it: the import hangs in the thread that follows the disk.

    :param folder: where the journal keeps its notes
    :param seconds: how long an import may take
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        super().__init__(name="comptoir-watchdog", daemon=True)
        self._note = folder / f"{os.getpid()}.importing"
        self._seconds = seconds
        self._born = time.time()
        #: whether it has ended the worker
        self.barked = False

    def run(self) -> None:
        """Look once a second."""
        while not self.barked:
            time.sleep(1)
            since = modified(self._note)
            if since is not None and since >= self._born and time.time() - since > self._seconds:
                self.barked = True
                _log.error(
                    "%s has been imported for %d s without an end: this worker is replaced by one that passes it over",
                    noted_file(self._note),
                    self._seconds,
                )
                os.kill(os.getpid(), signal.SIGTERM)


def modified(note: Path) -> float | None:
    """When a note was written; None when there is none."""
    try:
        return note.stat().st_mtime
    except OSError:
        return None


def noted_file(note: Path) -> str:
    """The file that a note names; empty when there is none."""
    try:
        return note.read_text().partition("\n")[0]
    except OSError:
        return ""


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""

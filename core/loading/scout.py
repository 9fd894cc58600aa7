"""A process that goes ahead: it imports the modules before a process that serves does, and comes to what harm there is.

A file is blamed when two scouts in a row ended, or were held up, while they imported it. Their parent sees that, and
nobody else can: a scout that is ended together with its parent blames nobody.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from .folders import digest_of_prints, look
from .journal import Journal, Note, Noted, machine, replace_text
from .loader import Loader, show_nothing

#: seconds that the import of a file may take
LIMIT = 5.0
#: scouts that are lost without a file to blame, until none is sent any more
LOST = 5

#: seconds between two looks at it
PAUSE = 0.002
#: what the system shows of these processes
_NAME = "comptoir-scout"
_ALARMS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


class Scout:
    """Sends one process after another to load what this one is about to load, until one comes through.

    This process must have one thread, and no connection to the database.

    :param loader: what a scout loads with; it stays as it is in this process
    :param report: told of each file that is blamed
    :param seconds: how long the import of a file may take
    :param leave: lets go, in the scout, of what belongs to this process
    """

    def __init__(
        self,
        loader: Loader,
        report: Callable[[str], None],
        *,
        seconds: float = LIMIT,
        leave: Callable[[], None] = lambda: None,
    ) -> None:
        self._loader = loader
        self._report = report
        self._seconds = seconds
        self._leave = leave
        self._process = 0
        self._suspect: Noted | None = None

    def try_out(self) -> None:
        """Wait until a scout has come through what lies in the folders now."""
        self._suspect, self._lost = None, 0
        self._send()
        while self._is_away():
            time.sleep(PAUSE)

    def _is_away(self) -> bool:
        """Whether a scout is on its way; one that was lost is followed by another."""
        if not self._process:
            return False
        ended, status = os.waitpid(self._process, os.WNOHANG)
        if ended:
            self._end(status)
        elif self._note.seconds > self._seconds:
            self._note.write(self._note.read() or Noted("", ""), f"took more than {self._seconds:g} seconds")
            kill_group(self._process)
        return self._process != 0

    def _send(self) -> None:
        self._note = Note()
        parent = os.getpid()
        self._process = os.fork()
        if not self._process:
            self._leave()
            _go(self._loader, self._note, parent, self._seconds)

    def _end(self, status: int) -> None:
        """One is back, or lost."""
        kill_group(self._process)
        self._process = 0
        noted = self._note.read()
        if self._note.is_through:
            return
        if noted is not None and noted == self._suspect:
            reason = f"importing the file {self._note.wrong or ending_of(status)}"
            self._loader.journal.blame(noted, reason)
            self._report(f"{noted.file}: {reason}; the file is not loaded until a file of its module changes")
            self._lost = 0
            noted = None
        self._suspect = noted
        self._lost += 1
        if self._lost <= LOST:
            self._send()
        else:
            self._report("the process that tests module imports crashes repeatedly")


def kill_group(process: int) -> None:
    """End a process and what it has started."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(process, signal.SIGKILL)


def ending_of(status: int) -> str:
    """Return what importing a file has done to a process, by its exit status."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"ended the process (os._exit({code}) or similar)"
    return f"crashed the process ({signal.Signals(-code).name})"


# In the scout --------------------------------------------------------------------------------------------------------


def call_this_process(name: str) -> None:
    """Let the system's lists of processes show what this one is, where they can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(name)


def listen_to_signals() -> None:
    """Signals end this process again, though they are something else to the one it comes from."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def _go(loader: Loader, note: Note, parent: int, seconds: float) -> NoReturn:
    try:
        # Signals to the group of the server are not for it, nor what a module sends to its own group for the server
        os.setpgid(0, 0)
        call_this_process(_NAME)
        listen_to_signals()
        logging.disable()
        loader.journal = _Strict(loader.journal.folder, note, parent, seconds)
        loader.tables = False
        loader.progress = show_nothing
        loader.load()
        note.is_through = True
    finally:
        os._exit(0)


class _Strict(Journal):
    """Finds out what a file has done to the process, and ends it if that is more than a file may do."""

    def __init__(self, folder: Path | None, note: Note, parent: int, seconds: float) -> None:
        super().__init__(folder)
        self.open_note = note
        self._parent = parent
        self._seconds = seconds
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        self._open = (0, 1, 2, nothing, os.dup(nothing))
        self._nothing = os.fstat(nothing)
        self._home = os.stat(".")

    def note(self, file: Path, state: Callable[[], str]) -> None:
        """Say which file is about to be imported."""
        self.end()
        # Should nobody be there any more who would end it
        faulthandler.dump_traceback_later(3 * self._seconds, exit=True, file=self._open[2])
        if os.getppid() != self._parent:
            os._exit(0)
        super().note(file, state)

    def end(self) -> None:
        """Say that importing is over."""
        noted = self.open_note.read()
        wrong = self._find_harm() if noted is not None else ""
        if noted is not None and wrong:
            self.open_note.write(noted, wrong)
            os._exit(1)
        super().end()

    def _find_harm(self) -> str:
        streams = (sys.stdin, sys.stdout, sys.stderr)
        if not all(self._is_open(number) for number in self._open) or any(each and each.closed for each in streams):
            return "closes files that it didn't open"
        if any(signal.getitimer(alarm)[0] for alarm in _ALARMS):
            return "sets an alarm that would end the process"
        if not os.path.samestat(os.stat("."), self._home):
            return "changes the working directory"
        return ""

    def _is_open(self, number: int) -> bool:
        try:
            return os.path.samestat(os.fstat(number), self._nothing)
        except OSError:
            return False


@contextlib.contextmanager
def scouts_ahead(
    folders: Iterable[Path], journal: Journal, report: Callable[[str], None], seconds: float
) -> Iterator[None]:
    """Send scouts before a start, unless this machine has come through with these very files the last time.

    :param report: told of each file that is blamed
    :param seconds: how long the import of a file may take
    """
    loader = Loader(folders, journal, tables=False)
    tried = journal.folder / "tried" if journal.folder else None
    known, wanted = "", f"{machine()} {digest_of_prints(look(loader.folders)[0])}"
    if tried is not None:
        with contextlib.suppress(OSError, ValueError):
            known = tried.read_text()
            # Whatever ends this start, the next one sends scouts
            tried.unlink()
    if known != wanted:
        Scout(loader, report, seconds=seconds).try_out()
    yield
    if tried is not None:
        replace_text(tried, wanted)

"""The scout of a start, which runs one module ahead of what loads them in earnest."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from .folders import digest_of_prints, look
from .journal import Journal, machine, replace_text
from .loader import Loader
from .scout import PAUSE, Scout

Progress = Callable[[int, int], None]


class Vanguard:
    """The scout of a start: this process follows it, a module behind.

    When the files are the ones this machine came through the last time, none is sent.

    :param seconds: how long the import of a file may take
    :param report: told of each file that is blamed
    """

    def __init__(
        self, folders: Iterable[Path], journal: Journal, report: Callable[[str], None], seconds: float
    ) -> None:
        loader = Loader(folders, Journal(journal.folder), tables=False)
        self._journal = journal
        self._scout = Scout(loader, report, seconds=seconds)
        self._tried = journal.folder / "tried" if journal.folder else None
        self._wanted = f"{machine()} {digest_of_prints(look(loader.folders)[0])}"
        known = self._tried is not None and _read(self._tried) == self._wanted
        # Whatever ends this start, the next one sends a scout
        if self._tried is not None:
            with contextlib.suppress(OSError):
                self._tried.unlink()
        if not known:
            self._scout.send()

    def before(self, progress: Progress) -> Progress:
        """A loader's progress that also waits until the scout is past the module that comes next."""

        def follow(done: int, total: int) -> None:
            progress(done, total)
            while self._scout.is_away and (done == total or self._scout.passed <= done):
                time.sleep(PAUSE)
            if done < total:
                self._journal.begin()
            elif self._tried is not None:
                replace_text(self._tried, self._wanted)

        return follow


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, ValueError):
        return ""

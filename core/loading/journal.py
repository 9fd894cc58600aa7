"""A note of what is being imported, so that a file that kills the process is not imported again until it changes.

A file may call `os._exit` or crash the interpreter while it is imported; nothing inside the process can survive that.
gunicorn starts another worker, which would do the same again and again. The note breaks the circle.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path


class KilledProcess(Exception):
    """Importing this file ended the process the last time; it is passed over until it changes."""


class Journal:
    """One note for each process, in a folder that all share.

    :param folder: where the notes are; None: none are kept
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._killers: dict[str, int] = {}
        #: the process that opened the note, and its file
        self._open: tuple[int, int] | None = None

    def begin(self) -> None:
        """Read the notes that dead processes left."""
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        for note in self._folder.glob("*.importing"):
            if _is_alive(int(note.stem)):
                continue
            with contextlib.suppress(OSError):
                # Renamed, not removed, because every later process must know
                note.rename(self._folder / f"{hashlib.sha256(note.read_bytes()).hexdigest()[:16]}.killer")
        for note in self._folder.glob("*.killer"):
            with contextlib.suppress(OSError, ValueError):
                path, _, modified = note.read_text().partition("\n")
                if os.stat(path).st_mtime_ns == int(modified):
                    self._killers[path] = int(modified)
                else:
                    note.unlink()

    def note(self, file: Path) -> None:
        """Say which file is about to be imported.

        :raises KilledProcess: this very file ended a process before
        """
        if self._folder is None:
            return
        modified = file.stat().st_mtime_ns
        if self._killers.get(str(file)) == modified:
            raise KilledProcess(
                "importing it ended the process or never came to an end (os._exit, a crash, an endless loop); "
                "change the file to try again"
            )
        # One open file, written anew: a thousand modules are a thousand notes
        if self._open is None or self._open[0] != os.getpid():
            self._open = os.getpid(), os.open(self._note(), os.O_WRONLY | os.O_CREAT, 0o644)
        text = f"{file}\n{modified}".encode()
        os.ftruncate(self._open[1], os.pwrite(self._open[1], text, 0))

    def end(self) -> None:
        """Say that importing is over."""
        if self._folder is None:
            return
        if self._open is not None:
            if self._open[0] == os.getpid():
                os.close(self._open[1])
            self._open = None
        self._note().unlink(missing_ok=True)

    def _note(self) -> Path:
        assert self._folder is not None
        return self._folder / f"{os.getpid()}.importing"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

"""Which file is being imported, told to the process that watches; and the files that ended processes, kept on the disk.

A file may call `os._exit`, crash the interpreter or never come to an end while it is imported; nothing inside the
process can survive that. The process that started it sees it: it reads the note, and blames the file. A process that
is ended together with its watcher (Ctrl-C, a power cut, a lack of memory) blames nobody, for nobody is left to do so.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import platform
import struct
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from .importing import LoadError


@dataclass(frozen=True)
class Noted:
    """A file in the state in which it is imported.

    :param state: a digest of all files that may have a part in what its import does
    """

    file: str
    state: str


class Note:
    """What a process imports, in memory that it shares with its parent. No file: nothing of it outlives the two."""

    _HEAD = struct.Struct("qd?")
    _SIZE = 16384

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, self._SIZE)

    def write(self, noted: Noted, wrong: str = "") -> None:
        """Say what is imported from now on.

        :param wrong: what it has been found to do
        """
        text = f"{noted.state}\n{wrong}\n{noted.file}".encode(errors="surrogateescape")
        self._memory[self._HEAD.size : self._HEAD.size + len(text)] = text
        # The length comes last: without it there is no note
        self._put(len(text))

    def clear(self) -> None:
        """Say that nothing is imported."""
        self._put(0)

    @property
    def is_through(self) -> bool:
        """Whether the process has come through all of it."""
        return self._head()[2]

    @is_through.setter
    def is_through(self, value: bool) -> None:
        length, since, _ = self._head()
        self._memory[: self._HEAD.size] = self._HEAD.pack(length, since, value)

    @property
    def seconds(self) -> float:
        """For how long the file has been imported; 0: there is none."""
        length, since, _ = self._head()
        return time.monotonic() - since if length else 0.0

    def read(self) -> Noted | None:
        """What is imported."""
        state, _, file = self._lines()
        return Noted(file, state) if file else None

    @property
    def wrong(self) -> str:
        """What the file has been found to do."""
        return self._lines()[1]

    def _lines(self) -> tuple[str, str, str]:
        length, _, _ = self._head()
        text = self._memory[self._HEAD.size : self._HEAD.size + length].decode(errors="surrogateescape")
        state, _, rest = text.partition("\n")
        wrong, _, file = rest.partition("\n")
        return state, wrong, file

    def _put(self, length: int) -> None:
        self._memory[: self._HEAD.size] = self._HEAD.pack(length, time.monotonic(), self.is_through)

    def _head(self) -> tuple[int, float, bool]:
        length, since, is_through = self._HEAD.unpack(self._memory[: self._HEAD.size])
        return length, since, is_through


class Journal:
    """What is being imported now, and what must not be.

    :param folder: where files that ended a process are kept, for other processes and later starts; None: nowhere
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._killers: dict[Noted, str] = {}
        #: read by the process that watches this one
        self.open_note = Note()

    def begin(self) -> None:
        """Read which files have ended a process."""
        if self.folder is None:
            return
        for kept in self.folder.glob("*.killer"):
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
                killer = json.loads(kept.read_text())
                # A crash may be one of that machine, or cured by its restart
                if killer["machine"] == machine():
                    self._killers[Noted(killer["file"], killer["state"])] = str(killer["reason"])

    def note(self, file: Path, state: Callable[[], str]) -> None:
        """Say which file is about to be imported.

        :raises LoadError: in this very state it ended processes before
        """
        noted = Noted(str(file), state())
        if reason := self._killers.get(noted):
            raise LoadError(f"{reason}; the file is not loaded again until a file of its module changes")
        self.open_note.write(noted)

    def end(self) -> None:
        """Say that importing is over."""
        self.open_note.clear()

    def blame(self, noted: Noted, reason: str) -> None:
        """Have a file passed over from now on, by every process of this machine, until its state changes."""
        self._killers[noted] = reason
        if self.folder is None:
            return
        name = hashlib.sha256(f"{noted.file}\n{machine()}".encode(errors="surrogateescape")).hexdigest()[:16]
        text = json.dumps({**asdict(noted), "machine": machine(), "reason": reason})
        replace_text(self.folder / f"{name}.killer", text)


@cache
def machine() -> str:
    """This machine, or container, since it was started."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = ""
    return f"{platform.node()} {boot}"


def replace_text(file: Path, text: str) -> None:
    """Write a file at once or not at all; where that cannot be, the server does without it."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f"{file.name}.{os.getpid()}")
        part.write_text(text)
        part.replace(file)

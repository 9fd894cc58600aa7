"""Waiting for changes in folders, which Linux reports (inotify), so that a process that is idle doesn't wake up."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

#: seconds without a further change after which a change is reported, and after which it is in any case
QUIET_SECONDS, MAX_SECONDS = 0.05, 0.25

#: modify, attributes, close after writing, moved from, moved to, create, delete; the folder itself deleted, moved
_MASK = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
_HEADER = struct.Struct("iIII")
#: folders that no module is loaded from
_IGNORED = ("__pycache__", "node_modules")
#: errors of a folder that has just been removed, or that can't be read
_PASSING = (errno.ENOENT, errno.ENOTDIR, errno.EACCES)

_libc = ctypes.CDLL(None, use_errno=True)


class FolderWatch:
    """Reports changes in folders as they are now; a new folder in them needs a new watch.

    :param endings: how the names of files end that matter
    :raises OSError: the system has no more watches (`fs.inotify.max_user_watches`)
    """

    def __init__(self, folders: Iterable[Path], endings: tuple[str, ...]) -> None:
        self._endings = endings
        self._wakeup = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._events = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _check(self._events)
            for folder in _folders_in(folders):
                _check(_libc.inotify_add_watch(self._events, os.fsencode(folder), _MASK), _PASSING)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Stop watching."""
        for file in (self._wakeup, self._events):
            if file >= 0:
                os.close(file)
        self._wakeup = self._events = -1

    def wake(self) -> None:
        """End the present or next `wait`; called by another thread."""
        with suppress(OSError):
            os.eventfd_write(self._wakeup, 1)

    def wait(self, seconds: float) -> bool:
        """Wait for a change, and then until there is no further one for a moment; return whether there was one."""
        if not self._has_changed(seconds):
            return False
        end = time.monotonic() + MAX_SECONDS
        while time.monotonic() < end and self._has_changed(QUIET_SECONDS):
            pass
        return True

    def _has_changed(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._events, select.POLLIN)
        poll.register(self._wakeup, select.POLLIN)
        end, changed = time.monotonic() + seconds, False
        while not changed and self._events in dict(poll.poll(max(0.0, end - time.monotonic()) * 1000)):
            changed = any(map(self._matters, _names(os.read(self._events, 65536))))
        return changed

    def _matters(self, name: str) -> bool:
        # A name without a dot may be that of a folder; without a name, the event is about a watched folder itself
        return "." not in name or name.endswith(self._endings)


def _check(result: int, passing: tuple[int, ...] = ()) -> None:
    code = ctypes.get_errno()
    if result < 0 and code not in passing:
        raise OSError(code, os.strerror(code))


def _names(events: bytes) -> Iterator[str]:
    """Yield the name in each event; empty: it has none."""
    place = 0
    while place < len(events):
        *_, length = _HEADER.unpack_from(events, place)
        place += _HEADER.size + length
        yield os.fsdecode(events[place - length : place].rstrip(b"\0"))


def _folders_in(folders: Iterable[Path]) -> Iterator[str]:
    """Yield folders and all folders below them, once each even if a link leads back to one."""
    seen: set[str] = set()
    for top in folders:
        for folder, below, _ in os.walk(top, followlinks=True):
            real = os.path.realpath(folder)
            below[:] = [] if real in seen else [name for name in below if name[0] != "." and name not in _IGNORED]
            seen.add(real)
            yield folder

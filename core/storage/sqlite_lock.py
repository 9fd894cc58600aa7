"""The order in which writers get SQLite's lock.

SQLite lets one connection write and has no queue: the others try again and again, and a late one may be first. So the
threads of a process queue at a lock, and the one in front waits for a `flock`, which the kernel gives to processes in
the order of arrival. SQLite still decides who writes: a program that doesn't queue only changes the order.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from pathlib import Path
from weakref import WeakSet

from .error_kinds import LockTimeout

#: why a writer gives up
TOO_LATE = "other transactions have written for too long"


class WriterQueue:
    """The queue of the writers of one database.

    :param database: its file; None: it is in memory
    """

    def __init__(self, database: Path | None) -> None:
        self._database = database
        self.reset()
        _queues.add(self)

    def reset(self) -> None:
        """Begin without the lock that a forked process inherits: it would outlive the process that has taken it."""
        self._threads = threading.Lock()
        #: the lock file; None: it isn't open
        self._file: LockFile | None = None

    def take(self, seconds: float) -> None:
        """Wait for the turn.

        :raises LockTimeout: it hasn't come in time
        """
        until = time.monotonic() + seconds
        if not self._threads.acquire(timeout=seconds):
            raise LockTimeout(TOO_LATE)
        try:
            if self._database is not None:
                self._lock(self._database, until)
        except (OSError, RuntimeError):
            # There is no such file in a folder that can't be written, no such lock on some file systems, and there may
            # be no further thread
            self._file = None
        except BaseException:
            self._threads.release()
            raise

    def leave(self) -> None:
        """Let the next writer begin."""
        if self._file is not None:
            flock(self._file, LOCK_UN)
        self._threads.release()

    def _lock(self, database: Path, until: float) -> None:
        if self._file is None:
            self._file = LockFile(database)
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            # `flock` has no time limit. If the thread is too late, it holds the last reference: the file is closed,
            # and the lock released, as soon as it has got it
            waiting = threading.Thread(target=_wait, args=(self._file,), daemon=True)
            waiting.start()
            waiting.join(max(0.0, until - time.monotonic()))
            if waiting.is_alive():
                self._file = None
                raise LockTimeout(TOO_LATE) from None


def _wait(file: LockFile) -> None:
    with suppress(OSError):
        flock(file, LOCK_EX)


def lock_file_of(database: Path) -> Path:
    """Return the path of the lock file of a database."""
    return database.with_name(f"{database.name}-lock")


class LockFile:
    """The lock file beside a database; its owner and mode are the database's, so the same programs can open it."""

    def __init__(self, database: Path) -> None:
        self._descriptor = os.open(lock_file_of(database), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        model, own = database.stat(), os.fstat(self._descriptor)
        with suppress(OSError):
            if (own.st_uid, own.st_gid) != (model.st_uid, model.st_gid):
                os.fchown(self._descriptor, model.st_uid, model.st_gid)
            if own.st_mode != model.st_mode:
                os.fchmod(self._descriptor, model.st_mode & 0o777)

    def fileno(self) -> int:
        """Return the descriptor, for `flock`."""
        return self._descriptor

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if hasattr(self, "_descriptor"):
            close(self._descriptor)


#: those of this process
_queues: WeakSet[WriterQueue] = WeakSet()


def _reset_inherited() -> None:
    for each in list(_queues):
        each.reset()


os.register_at_fork(after_in_child=_reset_inherited)

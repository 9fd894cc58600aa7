"""The order in which writers get SQLite's lock, and how a COMMIT waits for the disk.

SQLite lets one connection write and has no queue: the others try again and again, and a late one may be first. So
writers first wait for a `flock` on the write-ahead log, which the kernel gives in the order of arrival. SQLite still
decides who writes: a program that doesn't take the `flock`, or a file system without it, only changes the order.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from typing import Any
from weakref import WeakSet

#: levels of `PRAGMA synchronous`: a COMMIT of the first doesn't wait for the disk
_NORMAL, _FULL = 1, 2


class WriteTurn:
    """The turn of a connection to write.

    A transaction of its turn is committed without the disk (`_NORMAL`). The next writer can begin, and then `sync`
    waits for the disk: what a client is told survives a power cut.

    :param connection: one that was just opened; None: none is open
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        #: the path of the database; empty: it has no write-ahead log
        self._file = ""
        #: `PRAGMA synchronous`; None: it stays as it is
        self._synchronous: int | None = None
        self._log: WriteAheadLog | None = None
        self._has_come = False
        if connection is not None and self._pragma("journal_mode")[0] == "wal":
            self._file = self._pragma("database_list")[2]
            level = self._pragma("synchronous")[0]
            self._synchronous = level if level == _FULL else None

    def _pragma(self, name: str) -> Any:
        return self._connection.execute(f"PRAGMA {name}").fetchone()

    def take(self, seconds: float, before_wait: Callable[[], None] = lambda: None) -> None:
        """Wait for the turn, no longer than that.

        :param before_wait: called if the turn isn't free
        """
        if not self._file or self._has_come:
            return
        log, self._log = self._log, None
        try:
            log = log or WriteAheadLog(self._file)
            self._has_come = log.lock(seconds, before_wait)
            self._log = log if self._has_come else WriteAheadLog(self._file)
        except (OSError, RuntimeError):
            # There may be no log yet, no such lock on a network's file system, or no further thread
            return

    def end(self) -> None:
        """Let the next writer begin."""
        if self._log is not None and self._has_come:
            self._has_come = False
            self._log.unlock()

    def set_synchronous(self, waits: bool, *, late: bool) -> None:
        """Choose whether SQLite waits for the disk when it commits.

        :param waits: whether anything does
        :param late: `sync` can do it
        """
        level = _NORMAL if not waits or (late and self._log is not None) else _FULL
        if self._synchronous not in (None, level) and not self._connection.in_transaction:
            self._connection.execute(f"PRAGMA synchronous = {level}")
            self._synchronous = level

    def sync(self) -> None:
        """Wait until the disk has what was committed, if SQLite hasn't waited.

        :raises OSError: it can't be written
        """
        if self._synchronous == _NORMAL:
            (self._log or WriteAheadLog(self._file)).sync()


NO_TURN = WriteTurn(None)


class WriteAheadLog:
    """The write-ahead log of a database, opened by a connection; SQLite deletes it after the last one is closed.

    SQLite itself doesn't lock this file. If it did, closing it here would release SQLite's locks.

    :param database: the path of the database
    :raises OSError: there is no log
    """

    def __init__(self, database: str) -> None:
        self._descriptor = os.open(f"{database}-wal", os.O_RDONLY | os.O_CLOEXEC)
        _opened.add(self)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which releases the lock."""
        descriptor, self._descriptor = getattr(self, "_descriptor", -1), -1
        if descriptor >= 0:
            os.close(descriptor)

    def lock(self, seconds: float, before_wait: Callable[[], None]) -> bool:
        """Wait for the lock; return whether this object has it. If not, drop it: it may still get the lock.

        :raises OSError: the file system has no such lock
        """
        try:
            flock(self._descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            before_wait()
            # `flock` has no time limit. Once the thread ends, nothing refers to an object that was dropped, and its
            # file is closed
            waiting = threading.Thread(target=self._wait, daemon=True)
            waiting.start()
            waiting.join(seconds)
            return not waiting.is_alive()
        return True

    def _wait(self) -> None:
        with suppress(OSError):
            flock(self._descriptor, LOCK_EX)

    def unlock(self) -> None:
        """Let the next writer begin."""
        flock(self._descriptor, LOCK_UN)

    def sync(self) -> None:
        """Wait until the disk has what was committed.

        :raises OSError: it can't be written
        """
        os.fdatasync(self._descriptor)


#: those of this process
_opened: WeakSet[WriteAheadLog] = WeakSet()


def _close_inherited() -> None:
    # A lock that a forked process inherits would outlive the process that has taken it
    for each in list(_opened):
        each.close()


os.register_at_fork(after_in_child=_close_inherited)

"""The metrics of all processes of a server: their folder in memory, and their own address."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

from ..common.metrics import FOLDER, allocate_files, metrics
from .metrics_address import serve_metrics

_MEMORY = Path("/dev/shm")
_PREFIX = f"comptoir-{os.getuid()}-"
_LOCK = "lock"

_log = logging.getLogger("comptoir.metrics")


class SharedMetrics:
    """The metrics of one main process and those that it forks; made before prometheus-client is imported.

    :param listener: of the address where `/metrics` needs no key
    """

    def __init__(self, listener: socket.socket | None) -> None:
        self._listener = listener
        self._folder: RunFolder | None = None
        # After an upgrade, the variable has the folder of the former main process
        os.environ.pop(FOLDER, None)
        try:
            self._folder = RunFolder()
            allocate_files(self._folder.path)
            os.environ[FOLDER] = str(self._folder.path)
        except OSError as error:
            self.remove()
            _log.warning(
                "can't write to %s: %s; /metrics shows the counters of the responding worker only",
                _MEMORY,
                error.strerror,
            )
        # In the main process, so that those that it forks share them
        metrics()

    def start_worker(self, threads: int) -> None:
        """Count in this worker, which was just forked."""
        metrics().start_process()
        metrics().count_worker(threads)
        if self._listener is not None:
            serve_metrics(self._listener)

    def worker_ended(self) -> None:
        """Keep what a worker has counted, in fewer files."""
        metrics().fold_dead_processes()

    def leave(self) -> None:
        """Close the address in a process that doesn't respond there."""
        if self._listener is not None:
            self._listener.close()

    def remove(self) -> None:
        """Remove the folder at the end of the main process."""
        if self._folder is not None:
            self._folder.remove()


class RunFolder:
    """A folder in memory for this process and those that it forks.

    :raises OSError: the folder can't be made
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        remove_abandoned_folders(_MEMORY)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_MEMORY))
        # Each of the processes holds the lock until it ends, however it ends
        self._lock = (self.path / _LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder, if this process has made it."""
        if os.getpid() == self._owner:
            shutil.rmtree(self.path, ignore_errors=True)


def remove_abandoned_folders(place: Path) -> None:
    """Remove the folders of servers that were killed."""
    for folder in place.glob(f"{_PREFIX}*"):
        # A folder that is in use or is being made stays
        with suppress(OSError):
            if folder.is_symlink() or folder.lstat().st_uid != os.getuid():
                continue
            with (folder / _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)

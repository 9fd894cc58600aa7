"""The metrics of all processes of a server, in prometheus-client's multiprocess mode.

Each process counts in memory-mapped files of its own, one of each type of metric, in a folder of `/dev/shm` that one
main process and its children share. A worker that replaces another one continues to count in the files of that one.

prometheus-client doesn't allocate the bytes of its files. On a full disk, the first access to such bytes would end the
process with SIGBUS, so they are allocated here.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
import tempfile
from contextlib import suppress
from functools import partial
from operator import getitem
from pathlib import Path
from typing import IO, NamedTuple

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import mark_process_dead

from ..common.metrics import Metrics, use_metrics

#: environment variable in which prometheus-client expects the folder
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_MEMORY = Path("/dev/shm")
_PREFIX = f"comptoir-{os.getuid()}-"
_LOCK = "lock"
#: types of metrics, as prometheus-client names their files
_TYPES = ("counter", "histogram", "gauge_livesum")
#: size of a file at first
_FILE_BYTES = 1 << 16
#: maximum bytes of a value in a file, without the text of its key
_VALUE_BYTES = 32

_log = logging.getLogger("comptoir.metrics")


class AllocatedFile(MmapedDict):
    """A file of values that allocates bytes before it maps them."""

    #: why the file no longer grows: values at its end would be overwritten
    _full: OSError | None = None

    def _init_value(self, key: str) -> None:
        """Add a value; if it has no room, log it and keep it at the end of the file, which no process reads."""
        end = self._capacity - _VALUE_BYTES
        if self._used + len(key.encode()) + _VALUE_BYTES > end:
            try:
                if self._full:
                    raise self._full
                # Twice the size is prometheus-client's next step, which then finds the bytes allocated
                os.posix_fallocate(self._f.fileno(), 0, 2 * self._capacity)
            except OSError as error:
                self._full = error
                self._positions[key] = end
                _, name, labels, _ = json.loads(key)
                if "le" not in labels:
                    _log.error("/metrics lacks %s %s: %s", name, labels, error.strerror)
                return
        super()._init_value(key)  # type: ignore[no-untyped-call]


class SharedMetrics:
    """The metrics of one main process and those that it forks. They replace those of `metrics()`."""

    def __init__(self) -> None:
        self._main = os.getpid()
        #: part of the names of this process's files
        self._name = ["main"]
        self._folder: Path | None = None
        try:
            self._folder, self._lock = create_folder()
            _allocate(self._folder, "main")
        except OSError as error:
            self.remove()
            self._folder = None
            self._count_separately()
            _log.warning(
                "can't write to %s: %s; /metrics shows the counters of the responding worker only",
                _MEMORY,
                error.strerror,
            )
        else:
            os.environ[FOLDER] = str(self._folder)
            # prometheus-client has no public way to replace its files
            values.MmapedDict = AllocatedFile  # type: ignore[attr-defined]
            identify = partial(getitem, self._name, 0)
            values.ValueClass = values.MultiProcessValue(identify)  # type: ignore[no-untyped-call]
            use_metrics(Metrics(self._folder))

    def start_process(self, name: str) -> None:
        """Begin to count in this process, which was just forked.

        :param name: one that no other process has; if one that has ended had it, its counters continue
        """
        if self._folder is not None:
            try:
                _allocate(self._folder, name)
                self._name[0] = name
            except OSError as error:
                self._count_separately()
                _log.error("/metrics doesn't include process %d: %s", os.getpid(), error.strerror)

    def _count_separately(self) -> None:
        """Count in the memory of this process."""
        values.ValueClass = values.MutexValue
        use_metrics(Metrics(self._folder, self._main))

    def end_process(self, name: str) -> None:
        """Remove the gauges of a process that has ended; its counters stay."""
        if self._folder is not None:
            mark_process_dead(name, str(self._folder))  # type: ignore[no-untyped-call]

    def remove(self) -> None:
        """Remove the folder at the end of the main process."""
        if self._folder is not None and os.getpid() == self._main:
            shutil.rmtree(self._folder, ignore_errors=True)


class _Folder(NamedTuple):
    path: Path
    lock: IO[str]


def create_folder() -> _Folder:
    """Create a folder in memory, and remove those of servers that were killed.

    :raises OSError: it can't be created
    """
    for folder in _MEMORY.glob(f"{_PREFIX}*"):
        # A folder in use, one that is being created, or that of another user stays
        with suppress(OSError), (folder / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if folder.lstat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)
    path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_MEMORY))
    try:
        # This process and its children hold the lock until the last one ends, even if they are killed
        lock = (path / _LOCK).open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:
        shutil.rmtree(path, ignore_errors=True)
        raise
    return _Folder(path, lock)


def _allocate(folder: Path, name: str) -> None:
    """Create the files of a process.

    :raises OSError: they have no room
    """
    for file in [folder / f"{kind}_{name}.db" for kind in _TYPES]:
        if not file.exists():
            # Readers of the folder must not find an empty file
            part = file.with_suffix(".part")
            with part.open("wb") as opened:
                os.posix_fallocate(opened.fileno(), 0, _FILE_BYTES)
            part.rename(file)

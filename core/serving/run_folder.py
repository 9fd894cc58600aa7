"""A folder for one run of the server, which its processes share: in memory where that can be, gone with the run."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = f"comptoir-{os.getuid()}-"
_MEMORY = "/dev/shm"
_LOCK = "lock"


class RunFolder:
    """A folder of this process and those that it forks."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        place = _MEMORY if os.access(_MEMORY, os.W_OK) else tempfile.gettempdir()
        sweep(Path(place))
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        # Held by each of the processes until the last has ended, however it ends
        self._lock = (self.path / _LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove it; only the process that made it does."""
        if os.getpid() == self._owner:
            shutil.rmtree(self.path, ignore_errors=True)


def sweep(place: Path) -> None:
    """Remove the folders of runs that were ended without a word."""
    for folder in place.glob(f"{_PREFIX}*"):
        try:
            if folder.is_symlink() or folder.lstat().st_uid != os.getuid():
                continue
            with (folder / _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            # It is in use, or is being made
            continue

"""A store that is a folder on this machine. Nothing follows a link out of it."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from core import NotFound, Refused

from .store import Store, failures_named


class LocalFolder(Store):
    """A folder on this machine."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _full_path(self, path: str) -> Path:
        """Where a file lies; its folder is no link, nor is any above it in the store."""
        full = self._root / path
        parent = str(full.parent)
        if os.path.realpath(parent) != parent or not full.is_relative_to(self._root):
            raise Refused("no link in the store is followed")
        return full

    def open(self, path: str) -> IO[bytes]:
        """An open file."""
        with failures_named(may_be_missing=True):
            try:
                return open(self._full_path(path), "rb", opener=_open_no_link)
            except (IsADirectoryError, NotADirectoryError, Refused) as error:
                raise NotFound("File not found") from error
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise NotFound("File not found") from error
                raise

    def write(self, path: str, content: bytes) -> None:
        """Write a file anew; it is on the disk when this returns."""
        with failures_named():
            target = self._full_path(path)
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o750)
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())

    def move(self, path: str, to: str, *, durable: bool = True) -> None:
        """Move a file at once: readers see the old one or the new one."""
        with failures_named(may_be_missing=True):
            target = self._full_path(to)
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o750)
            os.replace(self._full_path(path), target)
            if not durable:
                return
            handle = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""
        with failures_named(), suppress(FileNotFoundError, Refused):
            self._full_path(path).unlink()

    def remove_if_empty(self, folder: str) -> None:
        """Remove a folder, if nothing is left in it."""
        with failures_named(), suppress(OSError, Refused):
            self._full_path(f"{folder}/x").parent.rmdir()


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))

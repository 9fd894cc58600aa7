"""A store in a local folder. It never follows symbolic links."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from core import ApiError, NotFound, Refused

from .store import Lying, Store, failures_named


class LocalFolder(Store):
    """A store in a local folder."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)

    def _full_path(self, path: str) -> tuple[str, str]:
        """Return the full paths of a file's folder and of the file; refuse a path through a symbolic link."""
        folder, _, name = f"{self._root}/{path}".rpartition("/")
        if os.path.realpath(folder) != folder or not f"{folder}/".startswith(f"{self._root}/"):
            raise Refused(f"the path {path} contains a symbolic link, which is not allowed", reason="not_configured")
        return folder, f"{folder}/{name}"

    def check(self) -> None:
        """Raise 503 unless the folder exists and is writable."""
        if not os.access(self._root, os.W_OK | os.X_OK):
            raise ApiError("the documents folder does not exist or is not writable", status=503)

    def _require_root(self) -> None:
        """Raise an error if the store's folder has disappeared, as after an unmount, because it must not be created."""
        if not os.path.isdir(self._root):
            raise OSError(errno.ENODEV, "the documents folder has disappeared")

    def _make_folder(self, folder: str) -> None:
        if not os.path.isdir(folder):
            self._require_root()
            Path(folder).mkdir(parents=True, exist_ok=True, mode=0o750)

    def open(self, path: str) -> IO[bytes]:
        """Return an open file."""
        with failures_named(may_be_missing=True):
            try:
                return open(self._full_path(path)[1], "rb", opener=_open_no_link)
            except FileNotFoundError:
                self._require_root()
                raise
            except (IsADirectoryError, NotADirectoryError, Refused) as error:
                raise NotFound("File not found") from error
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise NotFound("File not found") from error
                raise

    def write(self, path: str, content: bytes) -> None:
        """Write a new file, and flush it to the disk before returning."""
        with failures_named():
            folder, target = self._full_path(path)
            self._make_folder(folder)
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())

    def _move(self, path: str, to: str, *, durable: bool) -> None:
        """Move a file atomically: readers see either the old one or the new one."""
        with failures_named(may_be_missing=True):
            folder, target = self._full_path(to)
            self._make_folder(folder)
            os.replace(self._full_path(path)[1], target)
            if not durable:
                return
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""
        with failures_named(), suppress(FileNotFoundError, Refused):
            os.unlink(self._full_path(path)[1])

    def remove_if_empty(self, folder: str) -> None:
        """Remove a folder if it is empty."""
        with failures_named(), suppress(OSError, Refused):
            os.rmdir(self._full_path(f"{folder}/x")[0])

    def files(self, folder: str = "") -> dict[str, Lying]:
        """Return every file under a folder, by its path; links are left out."""
        found: dict[str, Lying] = {}
        with failures_named():
            self._require_root()
            pending = [f"{self._root}/{folder}" if folder else self._root]
            while pending:
                try:
                    entries = list(os.scandir(pending.pop()))
                except FileNotFoundError:
                    continue
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        status = entry.stat(follow_symlinks=False)
                        found[entry.path[len(self._root) + 1 :]] = Lying(status.st_size, status.st_mtime)
        return found


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))

"""A store on a file system of fsspec: S3, WebDAV, SFTP …"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from .store import Lying, Store, failures_named


class RemoteFolder(Store):
    """A store on a file system of fsspec.

    :param files: the fsspec file system
    :param root: root path of the store
    """

    def __init__(self, files: Any, root: str) -> None:
        self._files = files
        self._root = root.rstrip("/")

    def _full_path(self, path: str) -> str:
        return f"{self._root}/{path}"

    def check(self) -> None:
        """Raise 503 unless the file system responds. The root may be missing: some have no folders."""
        with failures_named(), suppress(FileNotFoundError):
            self._files.info(self._root)

    def open(self, path: str) -> bytes:
        """Return the bytes of a file."""
        with failures_named(may_be_missing=True):
            content: bytes = self._files.cat_file(self._full_path(path))
        return content

    def write(self, path: str, content: bytes) -> None:
        """Write a new file."""
        with failures_named():
            self._files.makedirs(self._full_path(path).rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(self._full_path(path), content)

    def _move(self, path: str, to: str, *, durable: bool) -> None:
        """Move a file; an existing target is replaced."""
        with failures_named(may_be_missing=True):
            self._files.makedirs(self._full_path(to).rpartition("/")[0], exist_ok=True)
            self._files.mv(self._full_path(path), self._full_path(to))

    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""
        with failures_named(), suppress(FileNotFoundError):
            self._files.rm_file(self._full_path(path))

    def remove_if_empty(self, folder: str) -> None:
        """Remove a folder if it is empty; do nothing on file systems without folders."""
        with suppress(Exception):
            self._files.rmdir(self._full_path(folder))

    def files(self, folder: str = "") -> dict[str, Lying]:
        """Return every file under a folder, by its path."""
        with failures_named():
            try:
                self._files.invalidate_cache()
                found = self._files.find(self._full_path(folder).rstrip("/"), detail=True)
            except FileNotFoundError:
                return {}
        start = len(self._root) + 1
        return {path[start:]: Lying(int(each.get("size") or 0), _changed(each)) for path, each in found.items()}


def _changed(found: dict[str, Any]) -> float:
    """Return the time of a file's last change in Unix seconds; 0 if the file system doesn't report it."""
    for name in ("mtime", "LastModified", "last_modified", "modified", "created"):
        value = found.get(name)
        if isinstance(value, datetime):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, (int, float)):
            return float(value)
    return 0.0

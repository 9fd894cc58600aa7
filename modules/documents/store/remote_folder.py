"""A store that fsspec opens: S3, WebDAV, SFTP …"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from .store import Store, failures_named


class RemoteFolder(Store):
    """A place that fsspec opens.

    :param files: the fsspec file system
    :param root: the path below which everything lies
    """

    def __init__(self, files: Any, root: str) -> None:
        self._files = files
        self._root = root.rstrip("/")

    def _full_path(self, path: str) -> str:
        return f"{self._root}/{path}"

    def open(self, path: str) -> bytes:
        """The bytes of a file."""
        with failures_named(may_be_missing=True):
            content: bytes = self._files.cat_file(self._full_path(path))
        return content

    def write(self, path: str, content: bytes) -> None:
        """Write a file anew."""
        with failures_named():
            self._files.makedirs(self._full_path(path).rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(self._full_path(path), content)

    def move(self, path: str, to: str, *, durable: bool = True) -> None:
        """Move a file, replacing the one that may be there."""
        with failures_named(may_be_missing=True):
            self._files.makedirs(self._full_path(to).rpartition("/")[0], exist_ok=True)
            self._files.mv(self._full_path(path), self._full_path(to))

    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""
        with failures_named(), suppress(FileNotFoundError):
            self._files.rm_file(self._full_path(path))

    def remove_if_empty(self, folder: str) -> None:
        """Remove a folder, if nothing is left in it; a place without folders has none."""
        with suppress(Exception):
            self._files.rmdir(self._full_path(folder))

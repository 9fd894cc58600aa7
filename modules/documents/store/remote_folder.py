"""A store that fsspec opens: S3, WebDAV, SFTP …"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from .store import Lying, Store, failures_named


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

    def check(self) -> None:
        """Go on only if the place answers; where there are no folders, that there is none is an answer."""
        with failures_named(), suppress(FileNotFoundError):
            self._files.info(self._root)

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

    def _move(self, path: str, to: str, *, durable: bool) -> None:
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

    def files(self, folder: str = "") -> dict[str, Lying]:
        """Every file below a folder, by its path."""
        with failures_named():
            try:
                self._files.invalidate_cache()
                found = self._files.find(self._full_path(folder).rstrip("/"), detail=True)
            except FileNotFoundError:
                return {}
        start = len(self._root) + 1
        return {path[start:]: Lying(int(each.get("size") or 0), _changed(each)) for path, each in found.items()}


def _changed(found: dict[str, Any]) -> float:
    """When a file was changed, in Unix seconds; each kind of place says it in its own way, or not at all."""
    for name in ("mtime", "LastModified", "last_modified", "modified", "created"):
        value = found.get(name)
        if isinstance(value, datetime):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, (int, float)):
            return float(value)
    return 0.0

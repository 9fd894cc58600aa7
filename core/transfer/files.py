"""The files of COMPTOIR_DOCUMENTS, or of a backup: a folder, or a URL that fsspec can open."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from .endpoint import TransferError

#: folder of unfinished files: a store writes a file there and moves it when it is complete
UNFINISHED = ".parts/"
#: suffix of a file that is being copied
PART = ".part"

_PIECE = 1 << 20


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Withhold permissions from the files and folders that this process creates meanwhile."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


class FileStamp(NamedTuple):
    """The size of a file, and a text that changes with its content: modification time, ETag."""

    size: int
    state: str


class FileTree:
    """All files under one location.

    :param location: a folder, or a URL that fsspec can open
    """

    def __init__(self, location: str) -> None:
        import fsspec.core

        with _failures_named():
            self._files, root = fsspec.core.url_to_fs(location, expand=True)
        self._root = str(root).rstrip("/")

    def scan(self) -> dict[str, FileStamp]:
        """Return every file by its path relative to the root; links and unfinished files are left out."""
        with _failures_named():
            try:
                # fsspec may have cached an earlier listing
                self._files.invalidate_cache()
                found = self._files.find(self._root, detail=True)
            except FileNotFoundError:
                return {}
        start = len(self._root) + 1
        return {
            name[start:]: FileStamp(int(each.get("size") or 0), _state(each))
            for name, each in sorted(found.items())
            if not each.get("islink") and len(name) > start and not name[start:].startswith(UNFINISHED)
        }

    def take(self, path: str, origin: FileTree, report: Callable[[int], None] = lambda size: None) -> tuple[int, str]:
        """Copy a file from another file tree; return its bytes and their SHA-256.

        :param report: called with the size of each piece
        :raises FileNotFoundError: the file no longer exists
        """
        target, part = f"{self._root}/{path}", f"{self._root}/{path}{PART}"
        size, digest = 0, hashlib.sha256()
        with _failures_named(), origin._files.open(f"{origin._root}/{path}", "rb") as source:
            self._files.makedirs(target.rpartition("/")[0], exist_ok=True)
            with self._files.open(part, "wb") as copy:
                while piece := source.read(_PIECE):
                    copy.write(piece)
                    digest.update(piece)
                    size += len(piece)
                    report(len(piece))
            self._files.mv(part, target)
        return size, digest.hexdigest()

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file."""
        with _failures_named(), self._files.open(f"{self._root}/{path}", "rb") as source:
            return hashlib.file_digest(source, "sha256").hexdigest()

    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""
        with _failures_named(), suppress(FileNotFoundError):
            self._files.rm_file(f"{self._root}/{path}")


def _state(found: dict[str, Any]) -> str:
    return " ".join(
        str(found.get(name)) for name in ("mtime", "ino", "ETag", "LastModified", "created") if name in found
    )


@contextmanager
def _failures_named() -> Iterator[None]:
    """Turn the errors of a file store's library into `TransferError`."""
    try:
        yield
    except (TransferError, FileNotFoundError):
        raise
    except Exception as error:
        raise TransferError(f"the file store failed: {type(error).__name__}: {error}") from error

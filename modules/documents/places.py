"""Places for files: a folder, or whatever fsspec opens.

A file is written aside and then moved, so that nobody ever reads half of one. Nothing follows a link out of a place.
"""

from __future__ import annotations

import errno
import logging
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from core import ApiError, NotFound, Refused, Unavailable

_log = logging.getLogger("comptoir.documents")


class Store(ABC):
    """A place for files. Every method raises `Unavailable` when the place does not answer."""

    @abstractmethod
    def open(self, path: str) -> IO[bytes] | bytes:
        """A file to read, or its bytes.

        :raises NotFound: there is none
        """

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        :raises NotFound: there is none
        """
        content = self.open(path)
        if isinstance(content, bytes):
            return content
        with content:
            return content.read()

    @contextmanager
    def aside(self, content: bytes, *, lasting: bool = True) -> Iterator[Callable[[str], None]]:
        """Write bytes aside; what is yielded moves them to their path. Without that nothing is left of them.

        :param lasting: a power cut must not undo the move; what can be made again need not wait for that
        """
        part = f".parts/{secrets.token_hex(16)}"
        self.write(part, content)
        moved = False

        def settle(path: str) -> None:
            nonlocal moved
            self.move(part, path, lasting=lasting)
            moved = True

        try:
            yield settle
        finally:
            if not moved:
                self.remove(part)

    @abstractmethod
    def write(self, path: str, content: bytes) -> None:
        """Write a file anew."""

    @abstractmethod
    def move(self, path: str, to: str, *, lasting: bool = True) -> None:
        """Move a file, over one that may be there.

        :param lasting: a power cut must not undo it
        """

    @abstractmethod
    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""

    @abstractmethod
    def sweep(self, folder: str) -> None:
        """Remove a folder, if nothing is left in it."""


@contextmanager
def answering(*, asked: bool = False) -> Iterator[None]:
    """Name the failures of a place; what it says of itself goes to the log alone.

    :param asked: a file is asked for that may not be there
    """
    try:
        yield
    except ApiError:
        raise
    except Exception as error:
        if asked and isinstance(error, FileNotFoundError):
            raise NotFound("File not found") from None
        _log.exception("the store of documents failed")
        raise Unavailable("the store of documents did not answer, try again") from error


class Folder(Store):
    """A folder on this machine."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _place(self, path: str) -> Path:
        """Where a file lies; its folder is no link, nor is any above it in the store."""
        place = self._root / path
        parent = str(place.parent)
        if os.path.realpath(parent) != parent or not place.is_relative_to(self._root):
            raise Refused("no link in the store is followed")
        return place

    def open(self, path: str) -> IO[bytes]:
        """An open file."""
        with answering(asked=True):
            try:
                return open(self._place(path), "rb", opener=_open_no_link)
            except (IsADirectoryError, NotADirectoryError, Refused) as error:
                raise NotFound("File not found") from error
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise NotFound("File not found") from error
                raise

    def write(self, path: str, content: bytes) -> None:
        """Write a file anew; it is on the disk when this returns."""
        with answering():
            place = self._place(path)
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o750)
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())

    def move(self, path: str, to: str, *, lasting: bool = True) -> None:
        """Move a file at once: readers see the old one or the new one."""
        with answering(asked=True):
            target = self._place(to)
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o750)
            os.replace(self._place(path), target)
            if not lasting:
                return
            handle = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""
        with answering(), suppress(FileNotFoundError, Refused):
            self._place(path).unlink()

    def sweep(self, folder: str) -> None:
        """Remove a folder, if nothing is left in it."""
        with answering(), suppress(OSError, Refused):
            self._place(f"{folder}/x").parent.rmdir()


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


class Remote(Store):
    """A place that fsspec opens.

    :param files: the fsspec file system
    :param root: the path below which everything lies
    """

    def __init__(self, files: Any, root: str) -> None:
        self._files = files
        self._root = root.rstrip("/")

    def _place(self, path: str) -> str:
        return f"{self._root}/{path}"

    def open(self, path: str) -> bytes:
        """The bytes of a file."""
        with answering(asked=True):
            content: bytes = self._files.cat_file(self._place(path))
        return content

    def write(self, path: str, content: bytes) -> None:
        """Write a file anew."""
        with answering():
            self._files.makedirs(self._place(path).rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(self._place(path), content)

    def move(self, path: str, to: str, *, lasting: bool = True) -> None:
        """Move a file, over one that may be there."""
        with answering(asked=True):
            self._files.makedirs(self._place(to).rpartition("/")[0], exist_ok=True)
            self._files.mv(self._place(path), self._place(to))

    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""
        with answering(), suppress(FileNotFoundError):
            self._files.rm_file(self._place(path))

    def sweep(self, folder: str) -> None:
        """Remove a folder, if nothing is left in it; a place without folders has none."""
        with suppress(Exception):
            self._files.rmdir(self._place(folder))

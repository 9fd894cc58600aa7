"""What a store is: a place for files, wherever it lies.

A file is written under another name and then moved, so that nobody ever reads half of one.
"""

from __future__ import annotations

import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from core import ApiError, NotFound, Unavailable

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
    def staged(self, content: bytes, *, durable: bool = True) -> Iterator[Callable[[str], None]]:
        """Write bytes where nobody reads them; what is yielded moves them to their path. Without that nothing is left.

        :param durable: a power cut must not undo the move; what can be made again need not wait for that
        """
        part = f".parts/{secrets.token_hex(16)}"
        self.write(part, content)
        moved = False

        def move_to(path: str) -> None:
            nonlocal moved
            self.move(part, path, durable=durable)
            moved = True

        try:
            yield move_to
        finally:
            if not moved:
                self.remove(part)

    @abstractmethod
    def write(self, path: str, content: bytes) -> None:
        """Write a file anew."""

    @abstractmethod
    def move(self, path: str, to: str, *, durable: bool = True) -> None:
        """Move a file, replacing the one that may be there.

        :param durable: a power cut must not undo it
        """

    @abstractmethod
    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""

    @abstractmethod
    def remove_if_empty(self, folder: str) -> None:
        """Remove a folder, if nothing is left in it."""


@contextmanager
def failures_named(*, may_be_missing: bool = False) -> Iterator[None]:
    """Turn the failures of a store into errors of the interface; what the store says itself goes to the log alone.

    :param may_be_missing: a file is asked for that may not be there
    """
    try:
        yield
    except ApiError:
        raise
    except Exception as error:
        if may_be_missing and isinstance(error, FileNotFoundError):
            raise NotFound("File not found") from None
        _log.exception("the store of files failed")
        raise Unavailable("the store of documents did not answer, try again") from error

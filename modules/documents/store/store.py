"""The interface of a file store.

A file is written under a temporary name and then moved, because a reader must never see a partial file.
"""

from __future__ import annotations

import errno
import logging
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from core import ApiError, NotFound
from core.for_natives import is_news, prevent_retry

_log = logging.getLogger("comptoir.documents")

#: folder of incomplete files
PARTS = ".parts"
#: seconds after which an incomplete file is abandoned
ABANDONED = 3600


@dataclass(frozen=True)
class Lying:
    """Size and time of change of a file in the store.

    :param size: in bytes
    :param changed: in Unix seconds; 0: unknown
    """

    size: int
    changed: float


class Store(ABC):
    """A file store. Every method raises an `ApiError` if the store doesn't respond."""

    @abstractmethod
    def check(self) -> None:
        """Raise an error unless the store can save files, without writing one."""

    @abstractmethod
    def open(self, path: str) -> IO[bytes] | bytes:
        """Return an open file, or its bytes.

        :raises NotFound: there is no such file
        """

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        :raises NotFound: there is no such file
        """
        content = self.open(path)
        if isinstance(content, bytes):
            return content
        with content:
            return content.read()

    @contextmanager
    def staged(self, content: bytes, *, durable: bool = True) -> Iterator[Callable[[str], None]]:
        """Write a temporary file, and yield a function that moves it to its path; delete it if that isn't called.

        :param durable: whether the move must survive a power cut; slower, and unnecessary for generated files
        """
        part = f"{PARTS}/{secrets.token_hex(16)}"
        moved = False

        def move_to(path: str) -> None:
            nonlocal moved
            self.move(part, path, durable=durable)
            moved = True

        try:
            self.write(part, content)
            yield move_to
        finally:
            if not moved:
                # Also a partial file, if the store was full
                with suppress(ApiError):
                    self.remove(part)

    def sweep(self) -> int:
        """Remove the files that interrupted uploads left, and return their number."""
        before = time.time() - ABANDONED
        # Files of unknown age may be in use
        left = [path for path, lying in self.files(PARTS).items() if 0 < lying.changed < before]
        for path in left:
            self.remove(path)
        return len(left)

    @abstractmethod
    def files(self, folder: str = "") -> dict[str, Lying]:
        """Return every file under a folder, or under the root, by its path; links are left out."""

    @abstractmethod
    def write(self, path: str, content: bytes) -> None:
        """Write a new file."""

    def move(self, path: str, to: str, *, durable: bool = True) -> None:
        """Move a file; an existing target is replaced. The request isn't retried after that.

        :param durable: whether the move must survive a power cut
        """
        prevent_retry()
        self._move(path, to, durable=durable)

    @abstractmethod
    def _move(self, path: str, to: str, *, durable: bool) -> None: ...

    @abstractmethod
    def remove(self, path: str) -> None:
        """Remove a file, if there is one."""

    @abstractmethod
    def remove_if_empty(self, folder: str) -> None:
        """Remove a folder if it is empty."""


@contextmanager
def failures_named(*, may_be_missing: bool = False) -> Iterator[None]:
    """Convert exceptions of a store to API errors; the original message is only logged.

    :param may_be_missing: convert `FileNotFoundError` to `NotFound`
    """
    try:
        yield
    except ApiError:
        raise
    except Exception as error:
        if may_be_missing and isinstance(error, FileNotFoundError):
            raise NotFound("File not found") from None
        named = named_failure(error)
        # Every request fails like this while the store is unavailable or read-only: log it at most once a minute
        if is_news(named.message):
            _log.error("%s: %r", named.message, error)
        _log.debug("document store failed", exc_info=True)
        raise named from error


# Failures -------------------------------------------------------------------------------------------------------------

_FULL = 507, "the document store is full"
_READ_ONLY = 503, "the document store is not writable"
_GONE = 503, "the document store does not exist or is not mounted"

#: error number of the operating system → status and message for the caller
_FAILURES: dict[int, tuple[int, str]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    # The maximum file size of the process or the file system
    errno.EFBIG: _FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.ENOENT: _GONE,
    errno.ENOTDIR: _GONE,
    errno.ENODEV: _GONE,
    errno.ESTALE: _GONE,
    errno.ENOTCONN: _GONE,
    errno.EIO: (503, "the document store has an input or output error"),
}

#: every other failure, such as a network timeout or too many open files
_OTHER = 503, "the document store did not respond; try again"


def named_failure(error: BaseException) -> ApiError:
    """Return the API error for an exception of a store.

    A remote store may wrap the system's error: the first known error number in the chain of causes determines it.
    """
    each: BaseException | None = error
    seen: set[int] = set()
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        if isinstance(each, OSError) and each.errno in _FAILURES:
            status, text = _FAILURES[each.errno]
            return ApiError(text, status=status)
        each = each.__cause__ or each.__context__
    status, text = _OTHER
    return ApiError(text, headers={"Retry-After": "1"}, status=status)

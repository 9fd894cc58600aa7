"""What a store is: a place for files, wherever it lies.

A file is written under another name and then moved, so that nobody ever reads half of one.
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

from core import ApiError, InsufficientStorage, NotFound, Unavailable, is_news, prevent_retry

_log = logging.getLogger("comptoir.documents")

#: where files lie that are not whole yet
PARTS = ".parts"
#: seconds after which nobody works on such a file any more
ABANDONED = 3600


@dataclass(frozen=True)
class Lying:
    """A file as it lies in the store.

    :param changed: when, in Unix seconds; 0: the place does not tell
    """

    size: int
    changed: float


class Store(ABC):
    """A place for files. Every method raises `Unavailable` when the place does not answer."""

    @abstractmethod
    def check(self) -> None:
        """Go on only if files can be kept, found out without writing one."""

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
                # Also what was written of it before the place was full
                with suppress(ApiError):
                    self.remove(part)

    def sweep(self) -> int:
        """Remove what interrupted uploads have left behind; answers how many files."""
        before = time.time() - ABANDONED
        # Where nobody knows how old they are, they may be in use
        left = [path for path, lying in self.files(PARTS).items() if 0 < lying.changed < before]
        for path in left:
            self.remove(path)
        return len(left)

    @abstractmethod
    def files(self, folder: str = "") -> dict[str, Lying]:
        """Every file below a folder, or below the root, by its path; links are left out."""

    @abstractmethod
    def write(self, path: str, content: bytes) -> None:
        """Write a file anew."""

    def move(self, path: str, to: str, *, durable: bool = True) -> None:
        """Move a file, replacing the one that may be there. The request isn't retried after that.

        :param durable: a power cut must not undo it
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
        named = named_failure(error)
        # Every request meets it, as long as the store is away or read-only
        if is_news(named.message):
            _log.error("%s: %r", named.message, error)
        _log.debug("document store failed", exc_info=True)
        raise named from error


# Failures -------------------------------------------------------------------------------------------------------------

_FULL = InsufficientStorage, "the document store is full"
_READ_ONLY = Unavailable, "the document store is not writable"
_GONE = Unavailable, "the document store does not exist or is not mounted"

#: what the operating system says → what the caller is told
_FAILURES: dict[int, tuple[type[ApiError], str]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    # The limit of a process for the size of its files, or that of a file system
    errno.EFBIG: _FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.ENOENT: _GONE,
    errno.ENOTDIR: _GONE,
    errno.ENODEV: _GONE,
    errno.ESTALE: _GONE,
    errno.ENOTCONN: _GONE,
    errno.EIO: (Unavailable, "the document store has an input or output error"),
}

#: everything else: a place on the network that does not answer, a limit of open files
_OTHER = Unavailable, "the document store did not respond; try again"


def named_failure(error: BaseException) -> ApiError:
    """The error of the interface for a failure of a store.

    A remote store may wrap what the system said: the first cause that has a number decides.
    """
    each: BaseException | None = error
    seen: set[int] = set()
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        if isinstance(each, OSError) and each.errno in _FAILURES:
            made, text = _FAILURES[each.errno]
            return made(text)
        each = each.__cause__ or each.__context__
    made, text = _OTHER
    return made(text, headers={"Retry-After": "1"})

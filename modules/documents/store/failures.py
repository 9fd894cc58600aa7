"""What is wrong with a store, in words: one table of what an operating system says, and of what stands for the rest."""

from __future__ import annotations

import errno

from core import ApiError, InsufficientStorage, Unavailable

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

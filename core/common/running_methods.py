"""The methods that a process is running, in memory that another process can read when this one has died."""

from __future__ import annotations

import itertools
import mmap
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from threading import get_ident

SLOT_BYTES = 512


class RunningMethods:
    """The request that each thread is running a method for; made before the process is forked.

    :param threads: the number of threads that run methods
    """

    def __init__(self, threads: int = 1) -> None:
        self._memory = mmap.mmap(-1, threads * SLOT_BYTES)
        self._slots = range(0, threads * SLOT_BYTES, SLOT_BYTES)
        #: thread → where its slot starts
        self._starts: defaultdict[int, int] = defaultdict(partial(next, itertools.cycle(self._slots)))

    def begin(self, request: str) -> None:
        """Note the request whose method this thread begins."""
        start, content = self._starts[get_ident()], request.encode()[: SLOT_BYTES - 1] + b"\0"
        self._memory[start : start + len(content)] = content

    def end(self) -> None:
        """Note that the method of this thread has ended."""
        self._memory[self._starts[get_ident()]] = 0

    def __iter__(self) -> Iterator[str]:
        for start in self._slots:
            if content := self._memory[start : start + SLOT_BYTES].partition(b"\0")[0]:
                yield content.decode(errors="replace")

"""Whether the database is away, told once, however many requests find out."""

from __future__ import annotations

import logging
import threading
import time

from .troubles import UNREACHABLE, Unreachable, reason_of

#: seconds within which the loss of further connections is not told again
QUIET = 10.0

_log = logging.getLogger("comptoir.database")


class Outage:
    """Whether the database is away; says so once, however many requests find out."""

    #: seconds for which nobody tries after a failure: each try may take as long as a connection is waited for
    PAUSE = 0.25

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._since = self._tried = self._told = 0.0
        self._reason = ""

    def insist(self) -> None:
        """Go on only if it makes sense to try.

        :raises Unreachable: somebody has just tried
        """
        if self._since and time.monotonic() - self._tried < self.PAUSE:
            raise Unreachable(self._reason)

    def began(self, error: BaseException) -> None:
        """A connection could not be made."""
        with self._turn:
            self._tried = time.monotonic()
            self._reason = reason_of(error)
            if not self._since:
                self._since = self._tried
                _log.error(
                    "can't reach the database: %s; requests fail with 503 until it responds: %s",
                    self._reason, UNREACHABLE.advice,
                )  # fmt: skip

    def ended(self) -> None:
        """A connection was made."""
        if self._since:
            with self._turn:
                if self._since:
                    _log.warning("the database responds again, after %.1f s", time.monotonic() - self._since)
                self._since = 0.0

    def lost(self, error: BaseException) -> None:
        """A connection was lost; a restart costs all of them, and is told once."""
        with self._turn:
            now = time.monotonic()
            if not self._since and now - self._told > QUIET:
                self._told = now
                _log.warning("a connection to the database was lost: %s; reconnecting", reason_of(error))

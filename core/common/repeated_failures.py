"""Failures that each request meets again, such as a file store that is read-only: one line of the log a minute."""

from __future__ import annotations

import threading
import time

#: seconds within which the same failure is not logged again
QUIET_SECONDS = 60.0
#: failures that are remembered; further ones forget them
_MAX_FAILURES = 100

_lock = threading.Lock()
_logged: dict[str, float] = {}


def is_news(failure: str) -> bool:
    """Return whether a failure is to be logged: it was not within the last minute, by this process."""
    now = time.monotonic()
    with _lock:
        if now - _logged.get(failure, float("-inf")) < QUIET_SECONDS:
            return False
        if len(_logged) >= _MAX_FAILURES:
            _logged.clear()
        _logged[failure] = now
    return True


def forget_failures() -> None:
    """Log every failure once more."""
    with _lock:
        _logged.clear()

"""Failures that every request repeats, such as a read-only file store: logged once a minute."""

from __future__ import annotations

import threading
import time

#: seconds within which the same failure is not logged again
QUIET_SECONDS = 60.0
#: remembered failures; one more clears them all
_MAX_FAILURES = 100

_lock = threading.Lock()
_logged: dict[str, float] = {}


def is_news(failure: str) -> bool:
    """Return whether to log a failure: this process hasn't logged it within the last minute."""
    now = time.monotonic()
    with _lock:
        if now - _logged.get(failure, float("-inf")) < QUIET_SECONDS:
            return False
        if len(_logged) >= _MAX_FAILURES:
            _logged.clear()
        _logged[failure] = now
    return True

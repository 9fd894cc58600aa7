"""The running background job: there is no request and so no caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Background:
    """A running job.

    :param name: the module and the function, such as `reminders.send_reminder`
    :param user: the user whose request enqueued it; None for a schedule or a command
    :param login: that user's login
    """

    id: int
    name: str
    user: int | None = None
    login: str = ""


_current: ContextVar[Background | None] = ContextVar("comptoir_background", default=None)


def current_background() -> Background | None:
    """Return the job that this thread runs, or None."""
    return _current.get()


@contextmanager
def in_background(background: Background) -> Iterator[None]:
    """Mark the job as running in this context."""
    token = _current.set(background)
    try:
        yield
    finally:
        _current.reset(token)

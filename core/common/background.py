"""The job that is being run, where work is done in the background: no request, so there is no caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Background:
    """A job that is being run.

    :param name: the module and the function, such as `reminders.send_reminder`
    :param user: who caused it; None: a schedule, or a command
    :param login: that user's
    """

    id: int
    name: str
    user: int | None = None
    login: str = ""


_current: ContextVar[Background | None] = ContextVar("comptoir_background", default=None)


def current_background() -> Background | None:
    """The job that this thread runs; None: it runs none."""
    return _current.get()


@contextmanager
def in_background(background: Background) -> Iterator[None]:
    """Run a job meanwhile."""
    token = _current.set(background)
    try:
        yield
    finally:
        _current.reset(token)

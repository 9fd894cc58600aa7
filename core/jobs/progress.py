"""The progress of running jobs."""

from __future__ import annotations

import threading
from typing import NamedTuple

from ..common.request_state import current_background
from .table import LONGEST_TEXT
from .wake import wake_runner

#: the largest number that a column holds
MAX_STEPS = 2**63 - 1


class Progress(NamedTuple):
    """The progress of a job."""

    done: int | None
    total: int | None
    text: str


_turn = threading.Lock()
#: job → progress that isn't written yet
_told: dict[int, Progress] = {}
#: job → its last progress
_last: dict[int, Progress] = {}


def progress(done: int, total: int, text: str = "") -> None:
    """Set the progress of the running job, which `GET /jobs/{id}` and the explorer show.

    You can call it for each row: another thread writes the last values within half a second, on its own connection.
    They are visible before the job's transaction ends, except on SQLite. Outside of a job, the call does nothing.

    :param done: completed steps; a number beyond 64 bits becomes the nearest one
    :param total: number of steps
    :param text: the current step, at most 255 characters
    """
    background = current_background()
    if background is None:
        return
    done, total = (max(-MAX_STEPS, min(int(each), MAX_STEPS)) for each in (done, total))
    told = Progress(done, total, str(text)[:LONGEST_TEXT])
    with _turn:
        first = background.id not in _last
        _told[background.id] = _last[background.id] = told
    if first:
        wake_runner()


def take_told() -> dict[int, Progress]:
    """Return the progress since the last call, by job ID."""
    with _turn:
        taken = dict(_told)
        _told.clear()
        return taken


def told_last(identifier: int) -> Progress | None:
    """Return the last progress of a job, and forget it."""
    with _turn:
        _told.pop(identifier, None)
        return _last.pop(identifier, None)

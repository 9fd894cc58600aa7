"""How far a job is, told by itself while it runs."""

from __future__ import annotations

import threading
from typing import NamedTuple

from ..common.request_state import current_background
from .table import LONGEST_TEXT
from .wake import wake_runner


class Progress(NamedTuple):
    """How far a job is."""

    done: int | None
    total: int | None
    text: str


_turn = threading.Lock()
#: job → how far it is, and has not been written
_told: dict[int, Progress] = {}
#: job → what has been told last
_last: dict[int, Progress] = {}


def progress(done: int, total: int, text: str = "") -> None:
    """Note how far the job is that is being run; whoever asks for it, or looks at it in the explorer, sees it.

    It costs next to nothing and may be called for each row: another thread writes what was told last, on a connection
    of its own, within half a second. So it is seen while the job's own transaction is open, too; on SQLite, where
    nobody else writes meanwhile, when that has ended. Outside of a job nothing happens.

    :param done: how much is done
    :param total: of how much
    :param text: what is being done, 255 letters at the most
    """
    background = current_background()
    if background is None:
        return
    told = Progress(int(done), int(total), str(text)[:LONGEST_TEXT])
    with _turn:
        first = background.id not in _last
        _told[background.id] = _last[background.id] = told
    if first:
        wake_runner()


def take_told() -> dict[int, Progress]:
    """What has been told since the last time, by the job's identifier."""
    with _turn:
        taken = dict(_told)
        _told.clear()
        return taken


def told_last(identifier: int) -> Progress | None:
    """What a job has told last; it is forgotten."""
    with _turn:
        _told.pop(identifier, None)
        return _last.pop(identifier, None)

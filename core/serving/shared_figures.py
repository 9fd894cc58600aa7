"""The figures of requests, which all workers share: their folder, their places, their own address."""

from __future__ import annotations

import socket
from itertools import count
from typing import Any

from ..web.figures import Figures, use_figures
from .metrics_address import answer_with_figures
from .run_folder import RunFolder


class SharedFigures:
    """The figures of one run of the server; made by the master before the application.

    :param listener: where they are told without a key
    :raises OSError: there is no place for them
    """

    def __init__(self, listener: socket.socket | None) -> None:
        self._listener = listener
        self._folder = RunFolder()
        self._figures = Figures(self._folder.path)
        use_figures(self._figures)

    def before_fork(self, arbiter: Any, worker: Any) -> None:
        """In the master: find a place for a worker that none of the others has."""
        taken = {getattr(each, "figures_place", 0) for each in arbiter.WORKERS.values()}
        worker.figures_place = next(each for each in count(1) if each not in taken)

    def after_fork(self, arbiter: Any, worker: Any) -> None:
        """In the worker: count from now on."""
        self._figures.take_place(worker.figures_place)
        if self._listener is not None:
            answer_with_figures(self._listener)

    def worker_ended(self, arbiter: Any, worker: Any) -> None:
        """In the master: what the worker was doing is no longer being done; what it counted stays."""
        self._figures.leave_place(worker.figures_place)

    def leave(self) -> None:
        """In a process that answers nobody: who calls must not be kept waiting by a socket that it has inherited."""
        if self._listener is not None:
            self._listener.close()

    def remove(self) -> None:
        """In the master: the run is over."""
        self._folder.remove()

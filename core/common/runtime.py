"""The runtime: what the packages of one process share. The steps in `core/wsgi.py` make its parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .metrics import Metrics
from .process_state import ProcessState

if TYPE_CHECKING:
    # Only names of types: this package imports none of those above it
    from ..access.limits import Limiter
    from ..contract.catalogue import Catalogue
    from ..jobs.queue import WakeupEvent
    from ..storage.backend import Backend
    from ..web.builtin_services import Readiness
    from .settings import Settings


class Runtime:
    """Settings, database, catalogue, and everything else that one process serves with.

    A part is read by one attribute access and replaced by one assignment, so a reader gets the complete old or the
    complete new object while another thread replaces it.

    :param settings: None: they are read from the environment when they are first needed
    """

    #: counts the requests of each key
    limiter: Limiter
    #: all that modules define: services, event handlers, row rules, jobs, points of the profile. A reload replaces it
    #: as a whole; a request that is running finishes with the operation of the old one
    catalogue: Catalogue
    #: whether each part of the server can work
    readiness: Readiness

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings
        #: the database that models are bound to; None: none is open
        self.database: Backend | None = None
        #: returns Unix seconds; tests replace it
        self.clock: Callable[[], float] = time.time
        #: wakes the process that runs jobs; None: that process only polls
        self.wakeup: WakeupEvent | None = None
        #: called with the message about a result of the wrong type, so that a test fails; None: it is logged
        self.report_unfit: Callable[[str], None] | None = None
        #: whether drafts of modules are loaded, as when their author tests one
        self.loads_drafts = False
        #: the generation of the tables that the models were loaded at; -1: it isn't compared
        self.generation = -1
        #: the methods that the threads of this process run, and what they must not change
        self.running = ProcessState()
        #: how often this process has raised the generation
        self.raised = 0
        #: called with a migration file before its code runs, and with None before the database does its work: the
        #: trial of modules limits the time of the code, a server refuses what has ended the trial
        self.limit_migration: Callable[[Path | None], object] = lambda file: None
        #: the migrations that this process has run
        self.migrated: list[str] = []
        #: loads newer models in the background
        self.catch_up: Callable[[], object] = lambda: None

    @cached_property
    def metrics(self) -> Metrics:
        """The counters of this process."""
        return Metrics()


class _Active:
    """The runtime that this process serves with."""

    __slots__ = ("runtime",)

    def __init__(self) -> None:
        self.runtime = Runtime()


active = _Active()

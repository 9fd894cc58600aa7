"""The runner: threads that run jobs, and a main thread that manages them.

The main thread fires schedules, extends leases and writes progress. It asks for due jobs when it is woken, when the
next known job is due, and every `POLL` seconds, because another host may have enqueued one. It calls one thread; a
thread that finds a job calls the next. Threads start when they are needed, so an idle runner has none.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import localcontext
from functools import partial
from typing import Any

import peewee

from ..access.accounts import Account
from ..common.authors_code import DEFAULT_CONTEXT, as_exception
from ..common.clock import now
from ..common.errors import ApiError
from ..common.masks import masked
from ..common.readers import readable
from ..common.request_state import Background, in_background
from ..common.runtime import active
from ..storage.cache_version import tables_changed
from ..storage.database import (
    classify_error,
    close,
    end_of_request,
    ensure_connected,
    is_temporary,
    lock_timeout,
    retry_undone,
)
from ..storage.error_kinds import OutcomeUnknown, TablesChanged
from . import claiming
from .claiming import Claimed
from .functions import JobFunction, active_jobs
from .progress import Progress, take_told, told_last
from .queue import as_json, forget_old_jobs
from .schedules import Schedules
from .wake import WakeupEvent

#: seconds after which the queue is queried again, if nothing has woken the runner and no known job is due earlier
POLL = 10
#: seconds between two rounds of the main thread, which mostly need no statement; and while jobs run
TICK, TELLING = 1.0, 0.5
#: seconds between two searches for jobs whose process has ended, and between two removals of old ones
LOST, TIDYING = 30.0, 600.0
#: the same for jobs that wait for a missing function, such as a renamed one
STRAY = 300.0
#: seconds for which the runner retries to store an outcome while the database is unreachable
PATIENCE = 60.0

_log = logging.getLogger("comptoir.jobs")


@dataclass
class _Running:
    claimed: Claimed
    function: JobFunction[Any, Any]
    #: `time.monotonic` at which its lease is extended
    prolong: float


class Runner:
    """Runs due jobs in threads of this process.

    :param threads: maximum number of jobs at once
    :param wakeup: set when a job is enqueued; None: there is no such event
    :param process: a unique name for this process
    :param dead: names of processes that have ended; their jobs are taken over at once
    :param report: called with one line for each job
    :param poll: maximum seconds between two queries of the queue
    """

    def __init__(
        self,
        threads: int,
        *,
        wakeup: WakeupEvent | None = None,
        process: str = "",
        dead: Sequence[str] = (),
        report: Callable[[str], object] = lambda line: None,
        poll: int = POLL,
    ) -> None:
        self._threads = threads
        self._wakeup = wakeup or WakeupEvent()
        self._process = process or claiming.name_process()
        self._dead = tuple(dead)
        self._report = report
        self._poll = poll
        self._schedules = Schedules()
        self._turn = threading.Condition()
        self._called = False
        #: the started threads, and the number of those that wait
        self._workers, self._idle = list[threading.Thread](), 0
        self._running: dict[int, _Running] = {}
        self._limit: float | None = None
        #: the functions that the queue was last searched for, and the Unix second before which it is not searched again
        self._names, self._next_query = list[tuple[str, str]](), 0
        #: times of the last search for lost jobs, the last removal of old ones, and the last written progress
        self._lost, self._tidied, self._told = -LOST, time.monotonic(), 0.0
        #: time of the last search for jobs without a loaded function, and the functions already logged
        self._strayed, self._strays = -STRAY, set[str]()

    # Called by the owner of the runner

    def stop(self, limit: float) -> None:
        """Start no further job, and wait for the running ones. Signal handlers may call it.

        :param limit: seconds after which running jobs are put back, to run again
        """
        until = time.monotonic() + limit
        self._limit = until if self._limit is None else min(self._limit, until)
        self._wakeup.set()

    def run(self, alive: Callable[[], bool] = lambda: True) -> None:
        """Run jobs until `stop` is called, or `alive` returns False.

        Job threads that exceed the limit keep running: end the process afterwards.
        """
        while self._limit is None and alive():
            self._safely(self._look)
            if self._wakeup.wait(TELLING if self._running else TICK):
                self._next_query = 0
        self._end()

    def _end(self) -> None:
        if self._limit is None:
            self.stop(0)
        with self._turn:
            self._turn.notify_all()
        while self._running and time.monotonic() < (self._limit or 0):
            self._safely(self._tend)
            time.sleep(0.05)
        for each in list(self._running.values()):
            with suppress(peewee.PeeweeException):
                claiming.hand_back(each.claimed)
                self._report(
                    f"{each.claimed.called} {each.claimed.id}: stopped before it ended; another process runs it again"
                )
        close()

    # The main thread

    def _safely(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - looking must never end
            close()
            # An unreachable database is logged once, where it is detected
            if not _passes(error):
                _log.exception("can't look for due jobs; trying again")
                time.sleep(0.5)

    def _look(self) -> None:
        self._tend()
        for ended in [each for each in self._workers if not each.is_alive()]:
            # Only an exception from another thread ends one
            self._workers.remove(ended)
            self._next_query = 0
            active.runtime.metrics.count_ended_thread()
            _log.error("a job thread has ended unexpectedly; another one replaces it")
        jobs = active_jobs()
        names, moment = _names(jobs), time.monotonic()
        if moment - self._lost >= LOST:
            if claiming.take_over({name: each.attempts for name, each in jobs.items()}, self._dead):
                self._next_query = 0
            self._dead, self._lost = (), moment
        if self._schedules.fire(jobs):
            self._next_query = 0
        if len(self._running) < self._threads and self._is_due(names):
            self._call()
        if moment - self._tidied >= TIDYING:
            self._tidied = moment
            forget_old_jobs()
        if moment - self._strayed >= STRAY:
            self._strayed = moment
            self._tell_strays(names)

    def _is_due(self, names: list[tuple[str, str]]) -> bool:
        """Return whether a job is due; query the queue only if that may have changed."""
        moment = now()
        # The clock may have been set back
        if names == self._names and 0 < self._next_query - moment <= self._poll:
            return False
        # First: a thread that ends a job meanwhile sets it to 0
        self._names, self._next_query = names, moment + self._poll
        due = claiming.next_due(names)
        if due is not None:
            self._next_query = min(self._next_query, due)
        return due is not None and due <= moment

    def _tell_strays(self, names: list[tuple[str, str]]) -> None:
        """Log once for each missing function that jobs wait for it."""
        strays = claiming.count_strays(names)
        for name in sorted(set(strays) - self._strays):
            _log.warning(
                "jobs waiting for %s: %d; the function isn't loaded, run `comptoir jobs --list` for the reason",
                name,
                strays[name],
            )
        self._strays = set(strays)

    def _tend(self) -> None:
        """Extend the leases of running jobs, and write their progress."""
        now = time.monotonic()
        for each in list(self._running.values()):
            if now >= each.prolong:
                claiming.prolong(each.claimed, each.function.lease)
                each.prolong = now + each.function.lease / 4
        if now - self._told < TELLING / 2:
            return
        self._told = now
        for identifier, told in take_told().items():
            running = self._running.get(identifier)
            if running is not None:
                # On SQLite the job's own transaction may hold the lock; the next progress is written then
                with suppress(peewee.OperationalError), lock_timeout(0.1):
                    claiming.note_progress(running.claimed, told)

    def _call(self) -> None:
        with self._turn:
            if not self._idle and len(self._workers) < self._threads:
                name = f"comptoir-job-{len(self._workers)}"
                self._workers.append(threading.Thread(target=self._work, name=name, daemon=True))
                self._workers[-1].start()
            self._called = True
            self._turn.notify()

    # The threads that run jobs

    def _work(self) -> None:
        while self._limit is None:
            with self._turn:
                self._idle += 1
                try:
                    while not self._called and self._limit is None:
                        self._turn.wait()
                finally:
                    self._idle -= 1
                self._called = False
            try:
                while self._limit is None and self._run_one():
                    pass
            except BaseException as error:  # noqa: BLE001 - a thread must not end
                if not _passes(error):
                    _log.exception("a job thread hit an unexpected error; it continues with the next job")
            finally:
                # A failed job may be due before the next query
                self._next_query = 0
                close()

    def _run_one(self) -> bool:
        generation, jobs = active.runtime.generation, active_jobs()
        names = _names(jobs)
        if not claiming.is_due(names):
            return False
        leases = {name: each.lease for name, each in jobs.items()}
        claimed = claiming.claim(names, leases, self._process)
        if claimed is None:
            return False
        self._call()
        function = jobs[claimed.called]
        began = time.monotonic()
        self._running[claimed.id] = _Running(claimed, function, began + function.lease / 4)
        try:
            active.runtime.running.begin(claimed.called)
            outcome = call(claimed, function, generation)
            active.runtime.metrics.count_job_run(claimed.module, claimed.name, "failed" if outcome.error else "done")
            said = self._settle(claimed, function, outcome)
        finally:
            active.runtime.running.end()
            self._running.pop(claimed.id, None)
        self._report(f"{claimed.called} {claimed.id}: {said} ({time.monotonic() - began:.1f} s)")
        return True

    def _settle(self, claimed: Claimed, function: JobFunction[Any, Any], outcome: Outcome) -> str:
        """Store the outcome of a job, and retry while the database is unreachable; return the outcome in words."""
        until, told = time.monotonic() + PATIENCE, told_last(claimed.id)
        while True:
            try:
                return settle(claimed, function, outcome, told)
            except peewee.PeeweeException as error:
                if classify_error(error) is None or time.monotonic() > until:
                    raise
                close()
                time.sleep(0.25)


def settle(claimed: Claimed, function: JobFunction[Any, Any], outcome: Outcome, told: Progress | None) -> str:
    """Store the outcome of a job, without its report if that can't be stored; return it in words."""
    try:
        return _store(claimed, function, outcome, told)
    except Exception as error:
        if classify_error(error) is not None:
            raise
        # Otherwise the job would run again, with all of its effects
        reason = f"the report of the job can't be stored: {type(error).__name__}"
        _log.exception("job %d, %s: %s", claimed.id, claimed.called, reason)
        bare = Outcome(remark=reason) if outcome.error is None else Outcome(error=WrongReport(reason))
        return _store(claimed, function, bare, None)


def _store(claimed: Claimed, function: JobFunction[Any, Any], outcome: Outcome, told: Progress | None) -> str:
    if outcome.error is None:
        if outcome.remark:
            _log.warning("job %d, %s: %s", claimed.id, claimed.called, outcome.remark)
        kept = claiming.finish(claimed, outcome.result, told, outcome.remark)
        return "done" if kept else "done, but another process is running it as well"
    if isinstance(outcome.error, TablesChanged):
        # The loaded functions don't fit the new tables; the new functions are being loaded
        claiming.hand_back(claimed, pause=1)
        return "waiting to run again, because tables have just changed"
    words = words_of(outcome.error)
    pause = claiming.fail(claimed, function.attempts, words, told)
    then = f"next attempt in {pause} s" if pause is not None else "given up"
    _log.error(
        "job %d, %s, attempt %d of %d failed, %s: %s",
        *(claimed.id, claimed.called, claimed.attempt, function.attempts, then, words),
        exc_info=outcome.error,
    )
    return f"failed ({words}), {then}"


def run_due() -> list[Outcome]:
    """Run the due jobs and those that they enqueue in this thread, one after the other; return the outcomes."""
    generation, jobs = active.runtime.generation, active_jobs()
    leases = {name: each.lease for name, each in jobs.items()}
    process, outcomes = claiming.name_process(), []
    Schedules().fire(jobs)
    while claimed := claiming.claim(_names(jobs), leases, process):
        outcomes.append(call(claimed, jobs[claimed.called], generation))
        settle(claimed, jobs[claimed.called], outcomes[-1], told_last(claimed.id))
    return outcomes


def _passes(error: BaseException) -> bool:
    """Return whether an error is temporary: the database is unreachable, or another process was faster.

    The lease of a claim with an unknown outcome ends by time.
    """
    return is_temporary(error) or isinstance(error, OutcomeUnknown)


def _names(jobs: Any) -> list[tuple[str, str]]:
    return [(each.module, each.name) for each in jobs.values()]


# One job --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call.

    :param result: as JSON; None: the job has no result, or it can't be stored
    :param error: the exception that it raised
    :param remark: the problem with the result
    """

    result: str | None = None
    error: BaseException | None = None
    remark: str | None = None


class WrongReport(ValueError):
    """The report of a job can't be stored."""


class WrongArguments(TypeError):
    """The stored arguments of a job don't fit its function."""


def call(claimed: Claimed, function: JobFunction[Any, Any], generation: int) -> Outcome:
    """Call the function of a job, outside of any request; retry if the database rolled everything back.

    :param generation: the generation of the tables, read before the function was looked up
    """
    try:
        answer = retry_undone(partial(_call, claimed, function), f"job {claimed.id}, {claimed.called},")
    except BaseException as error:  # noqa: BLE001 - a job function may raise anything
        as_exception(error)
        return Outcome(error=tables_changed(error, generation) or error)
    try:
        return Outcome(None if answer is None else as_json(answer, "the result"))
    except (TypeError, ValueError) as error:
        # The job is done: another run would have the same result
        return Outcome(remark=f"the job is done, but its result can't be stored: {error}")


def _call(claimed: Claimed, function: JobFunction[Any, Any]) -> Any:
    """Call the function of a job; an open transaction is rolled back."""
    try:
        ensure_connected()
        background = Background(claimed.id, claimed.called, claimed.user, _login(claimed.user))
        with in_background(background), localcontext(DEFAULT_CONTEXT):
            return function.function(**_arguments(claimed, function))
    finally:
        end_of_request()


def _login(user: int | None) -> str:
    if user is None:
        return ""
    account = Account.get_or_none(Account.id == user)
    return str(account.login) if account is not None else ""


def _arguments(claimed: Claimed, function: JobFunction[Any, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = json.loads(claimed.arguments)
    try:
        function.signature.bind(**arguments)
    except TypeError as error:
        names = ", ".join(arguments) or "none"
        raise WrongArguments(
            f"expected the arguments of {function.name}{function.signature}, got {names}: {error}"
        ) from None
    return arguments


def words_of(error: BaseException) -> str:
    """Return why a job has failed, in one line, without a traceback and database texts."""
    if isinstance(error, ApiError):
        text = error.message
    elif isinstance(error, (WrongArguments, WrongReport)):
        text = str(error)
    elif isinstance(error, peewee.PeeweeException):
        kind = classify_error(error)
        known = kind.message if kind is not None else ""
        text = known or f"the database rejected a statement: {type(error).__name__}"
    else:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
    return readable(masked(" ".join(text.split())))

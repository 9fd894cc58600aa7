"""The runner: threads that run jobs, and a main thread that manages them.

The main thread fires schedules, extends leases and writes progress. It asks for due jobs when it is woken, when the
next known job is due, and every `POLL` seconds, because another host may have enqueued one. It starts one thread; a
thread that finds a job starts the next, and ends when no further job is due. An idle runner has no threads.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import localcontext
from functools import partial
from typing import Any

import peewee

from ..access.accounts import Account
from ..common.authors_code import DEFAULT_CONTEXT, as_exception
from ..common.clock import unix_now
from ..common.errors import ApiError
from ..common.masks import masked
from ..common.metrics import metrics
from ..common.process_state import running
from ..common.readers import readable
from ..common.repeated_failures import is_news
from ..common.request_state import Background, in_background
from ..common.wakeup import WakeupEvent
from ..storage.cache_version import loaded_generation, tables_changed
from ..storage.database import classify_error, close, end_of_request, ensure_connected, is_temporary, retry_undone
from ..storage.error_kinds import OutcomeUnknown, TablesChanged
from .claiming import Claimed, Functions, claim, new_process_name, next_due, take_over
from .functions import JobFunction, active_jobs
from .queue import as_json, forget_old_jobs
from .schedules import Schedule, Schedules

#: seconds after which the queue is queried again, if nothing has woken the runner and no known job is due earlier
POLL = 10
#: seconds between two rounds of the main thread, which mostly need no statement
TICK = 0.5
#: seconds between two rounds at least, however often something wakes the main thread
REST = 0.2
#: seconds between two searches for jobs whose process has ended, and for old jobs
CARE = 30.0
#: seconds for which the runner retries to store an outcome while the database is unreachable
PATIENCE = 60.0

_log = logging.getLogger("comptoir.jobs")


class Runner:
    """Runs due jobs in threads of this process.

    :param threads: maximum number of jobs at once
    :param wakeup: set when a job is enqueued; None: there is no such event
    :param process: a unique name for this process
    :param ended: name of a process that has ended; its jobs are taken over at once
    :param report: called with one line for each job
    :param poll: maximum seconds between two queries of the queue
    """

    def __init__(
        self,
        threads: int,
        *,
        wakeup: WakeupEvent | None = None,
        process: str = "",
        ended: str = "",
        report: Callable[[str], object] = lambda line: None,
        poll: int = POLL,
    ) -> None:
        self._threads = threads
        self._wakeup = wakeup or WakeupEvent()
        self._process = process or new_process_name()
        self._ended = ended
        self._report = report
        self._poll = poll
        self._schedules = Schedules()
        #: one for each thread that may still start, and the jobs that run
        self._free, self._running = threading.Semaphore(threads), dict[int, Claimed]()
        #: `time.monotonic` at which the runner ends; None: nothing has stopped it
        self._limit: float | None = None
        #: the functions that the queue was last searched for, and `time.monotonic` of the next searches
        self._functions: Functions | None = None
        self._next_query = self._next_care = 0.0
        #: functions with `@repeat`: `time.monotonic` of the next call of each, and those that run now
        self._next_calls, self._repeated = dict[str, float](), set[str]()

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
            began = time.monotonic()
            self._safely(self._look)
            if self._wakeup.wait(TICK):
                self._next_query = 0
                self._next_calls.clear()
                time.sleep(max(0, began + REST - time.monotonic()))
        while (self._running or self._repeated) and time.monotonic() < (self._limit or 0):
            self._safely(self._tend)
            time.sleep(0.05)
        self.stop(0)
        for each in list(self._running.values()):
            with suppress(peewee.PeeweeException):
                each.hand_back()
                self._report(
                    f"{each.function.called} {each.id}: stopped before it ended; another process runs it again"
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
        functions, moment = active_jobs(), time.monotonic()
        if moment >= self._next_care:
            self._next_care = moment + CARE
            if take_over(functions, self._ended):
                self._next_query = 0
            self._ended = ""
            forget_old_jobs()
        if self._schedules.fire(_schedules_of(functions)) or functions is not self._functions:
            self._next_query = 0
        for each in functions.values():
            if each.seconds and moment >= self._next_calls.get(each.called, 0) and each.called not in self._repeated:
                self._next_calls[each.called] = moment + each.seconds
                self._repeated.add(each.called)
                threading.Thread(target=self._repeat, args=(each,), name="comptoir-repeat", daemon=True).start()
        if moment >= self._next_query:
            # First: a thread that ends a job meanwhile sets it to 0
            self._functions, self._next_query = functions, moment + self._poll
            due = next_due(self._with_room(functions))
            if due is not None and due <= unix_now():
                self._start()
            elif due is not None:
                self._next_query = min(self._next_query, moment + due - unix_now())

    def _tend(self) -> None:
        """Extend the leases of running jobs, and write their progress."""
        for each in list(self._running.values()):
            if time.monotonic() >= each.extended + each.function.lease / 4:
                each.extend()
            each.write_progress()

    def _start(self) -> None:
        if len(self._running) < self._threads:
            threading.Thread(target=self._work, name="comptoir-job", daemon=True).start()

    def _with_room(self, functions: Functions) -> Functions:
        """Return the functions of which this process may run another job at the same time."""
        running = Counter(each.function.called for each in self._running.values())
        full = {name for name, number in running.items() if number >= self._most(functions.get(name))}
        return {name: each for name, each in functions.items() if name not in full} if full else functions

    def _most(self, function: JobFunction[Any, Any] | None) -> int:
        return max(1, int(self._threads * function.share)) if function is not None else self._threads

    # The threads that run jobs

    def _repeat(self, function: JobFunction[Any, Any]) -> None:
        """Call a function with `@repeat`."""
        try:
            repeat_once(function)
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            as_exception(error)
            if not _passes(error) and is_news(f"{function.called}: {error}"):
                _log.exception("%s failed; it is called again in %d s", function.called, function.seconds)
        finally:
            close()
            self._repeated.discard(function.called)

    def _work(self) -> None:
        if not self._free.acquire(blocking=False):
            return
        try:
            while self._limit is None and self._run_one():
                pass
        except BaseException as error:  # noqa: BLE001 - the process must not end
            if not _passes(error):
                metrics().ended_threads.inc()
                _log.exception("a job thread has ended unexpectedly; another one replaces it")
        finally:
            close()
            self._free.release()
            # A failed job may be due before the next query
            self._next_query = 0

    def _run_one(self) -> bool:
        generation, functions = loaded_generation.value, active_jobs()
        claimed = claim(self._with_room(functions), self._process)
        if claimed is None:
            return False
        function, began = claimed.function, time.monotonic()
        self._running[claimed.id] = claimed
        if sum(each.function.called == function.called for each in [*self._running.values()]) > self._most(function):
            # Another thread has claimed the last one that has room
            self._running.pop(claimed.id)
            claimed.hand_back(pause=1)
            return True
        try:
            self._start()
            running.begin(function.called)
            outcome = call(claimed, generation)
            metrics().count_job_run(function.module, function.name, "failed" if outcome.error else "done")
            text = settle(claimed, outcome)
        finally:
            running.end()
            self._running.pop(claimed.id, None)
        self._report(f"{function.called} {claimed.id}: {text} ({time.monotonic() - began:.1f} s)")
        return True


def run_due() -> list[Outcome]:
    """Run the due jobs and those that they enqueue in this thread, one after the other; return the outcomes."""
    generation, functions = loaded_generation.value, active_jobs()
    process, outcomes = new_process_name(), []
    for each in functions.values():
        try:
            if each.seconds:
                repeat_once(each)
        except Exception as error:  # noqa: BLE001 - an author's code may raise anything
            outcomes.append(Outcome(error=error))
    Schedules().fire(_schedules_of(functions))
    while claimed := claim(functions, process):
        outcomes.append(call(claimed, generation))
        settle(claimed, outcomes[-1])
    return outcomes


def _schedules_of(functions: Functions) -> list[Schedule]:
    return [Schedule(each.module, each.name, each.cron) for each in functions.values() if each.cron]


def _passes(error: BaseException) -> bool:
    """Return whether an error is temporary: the database is unreachable, or another process was faster.

    The lease of a claim with an unknown outcome ends by time.
    """
    return is_temporary(error) or isinstance(error, OutcomeUnknown)


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


class JobError(Exception):
    """The stored arguments of a job don't fit its function."""


def call(claimed: Claimed, generation: int) -> Outcome:
    """Call the function of a job, outside of any request; retry if the database rolled everything back.

    :param generation: the generation of the tables, read before the function was looked up
    """
    try:
        answer = retry_undone(partial(_call, claimed), f"job {claimed.id}, {claimed.function.called},")
    except BaseException as error:  # noqa: BLE001 - a job function may raise anything
        as_exception(error)
        return Outcome(error=tables_changed(error, generation) or error)
    try:
        return Outcome(None if answer is None else as_json(answer, "the result"))
    except (TypeError, ValueError) as error:
        # The job is done: another run would have the same result
        return Outcome(remark=f"the job is done, but its result can't be stored: {error}")


def _call(claimed: Claimed) -> Any:
    """Call the function of a job; an open transaction is rolled back."""
    function = claimed.function
    try:
        ensure_connected()
        arguments: dict[str, Any] = json.loads(claimed.arguments)
        try:
            function.signature.bind(**arguments)
        except TypeError as error:
            names = ", ".join(arguments) or "none"
            expected = f"expected the arguments of {function.name}{function.signature}"
            raise JobError(f"{expected}, got {names}: {error}") from None
        account = Account.get_or_none(Account.id == claimed.user) if claimed.user is not None else None
        login = "" if account is None else str(account.login)
        background = Background(claimed.id, function.called, claimed.user, login)
        with in_background(background), localcontext(DEFAULT_CONTEXT):
            return function.function(**arguments)
    finally:
        end_of_request()


def repeat_once(function: JobFunction[Any, Any]) -> None:
    """Call a function with `@repeat`, outside of any request."""
    try:
        ensure_connected()
        with in_background(Background(0, function.called)), localcontext(DEFAULT_CONTEXT):
            function.function()
    finally:
        end_of_request()


def settle(claimed: Claimed, outcome: Outcome) -> str:
    """Store the outcome of a job; return it in words. While the database is unreachable, storing is retried."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return _store(claimed, outcome)
        except Exception as error:
            if classify_error(error) is None or time.monotonic() > until:
                raise
        close()
        time.sleep(0.25)


def _store(claimed: Claimed, outcome: Outcome) -> str:
    name = f"job {claimed.id}, {claimed.function.called}"
    if outcome.error is None:
        if outcome.remark:
            _log.warning("%s: %s", name, outcome.remark)
        kept = claimed.finish(outcome.result, outcome.remark)
        return "done" if kept else "done, but another process is running it as well"
    if isinstance(outcome.error, TablesChanged):
        # The loaded functions don't fit the new tables; the new functions are being loaded
        claimed.hand_back(pause=1)
        return "waiting to run again, because tables have just changed"
    words = words_of(outcome.error)
    pause = claimed.fail(words)
    then = f"next attempt in {pause} s" if pause is not None else "given up"
    _log.error(
        "%s, attempt %d of %d failed, %s: %s",
        *(name, claimed.attempt, claimed.function.attempts, then, words),
        exc_info=outcome.error,
    )
    return f"failed ({words}), {then}"


def words_of(error: BaseException) -> str:
    """Return why a job has failed, in one line, without a traceback and database texts."""
    if isinstance(error, ApiError):
        text = error.message
    elif isinstance(error, JobError):
        text = str(error)
    elif isinstance(error, peewee.PeeweeException):
        kind = classify_error(error)
        known = kind.message if kind is not None else ""
        text = known or f"the database rejected a statement: {type(error).__name__}"
    else:
        text = type(error).__name__
        # An exception of a module may have no text
        with suppress(Exception):
            text = f"{text}: {error}".removesuffix(": ")
    return readable(masked(" ".join(text.split())))

"""The job functions of modules, and those of the active catalogue."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import update_wrapper
from types import ModuleType
from typing import Any, Generic, ParamSpec, TypeVar, overload

from ..common.clock import unix_now
from ..common.plain_functions import why_not_plain
from ..common.settings import settings
from ..contract.catalogue import current_catalogue
from .queue import due_of, enqueue
from .schedules import check_cron, next_moment

P = ParamSpec("P")
T = TypeVar("T")

#: number of attempts before a job is given up, and seconds after which another process may take it over
ATTEMPTS, LEASE = 8, 60

_PLACE = re.compile(r"modules\.(\w+)\.jobs")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class JobFunction(Generic[P, T]):
    """A function of a module that can run in the background; a direct call runs it at once.

    :ivar module: the folder of its module
    :ivar name: its name
    :ivar attempts: number of attempts before it is given up
    :ivar lease: seconds without a report of its process after which another process may take it over
    :ivar cron: its schedule; empty: it has none
    :ivar share: the part of the threads that may run it at once, of which it gets at least one
    :ivar seconds: the pause between two calls by the server itself; 0: it makes none
    """

    def __init__(
        self,
        function: Callable[P, T],
        attempts: int = ATTEMPTS,
        lease: int = LEASE,
        cron: str = "",
        *,
        share: float = 1,
        seconds: int = 0,
    ) -> None:
        named: Any = function
        if isinstance(function, JobFunction):
            raise TypeError(f"{named.name}: expected one of @job, @schedule and @repeat; each makes a job")
        place = _PLACE.fullmatch(function.__module__)
        if place is None:
            raise TypeError(
                f"{function.__name__}: expected the job to be defined in a module's jobs.py, got {function.__module__}"
            )
        self.module = place[1]
        self.name = function.__name__
        self.attempts = _between("attempts", attempts, 1, 100)
        self.lease = _between("lease", lease, 10, 86_400)
        self.cron = cron
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share <= 1:
            raise ValueError(f"share: expected a number above 0, at most 1, got {share!r}")
        self.share = share
        self.seconds = seconds
        self.function = function
        update_wrapper(self, function)
        self.signature = inspect.signature(function)
        _check_function(self)

    @property
    def called(self) -> str:
        """The module and the function, such as `reminders.send_reminder`."""
        return f"{self.module}.{self.name}"

    @property
    def next_moment(self) -> int | None:
        """Return the next time of its schedule, in Unix seconds; None: never."""
        return next_moment(self.cron, unix_now(), settings().zone) if self.cron else None

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> T:
        """Run the function in this process now."""
        return self.function(*arguments, **named)

    def later(self, *arguments: Any, at: datetime | date | float | None = None, **named: Any) -> int:
        """Enqueue a job that runs the function; return the job's ID.

        The job is part of the current transaction: it starts after the commit, and a rollback removes it.

        :param arguments: the function's arguments, positional or by keyword: None, bool, int, float, str, and lists
            and dicts of them, at most 16,000 characters of JSON
        :param at: the earliest time: an instant (without a zone: in UTC), a day (its beginning in the company's time
            zone), Unix seconds, or None for as soon as possible
        :raises TypeError: the function takes other arguments, or one isn't plain data
        :raises ValueError: the arguments are too long, or JSON can't represent a number
        """
        try:
            bound = self.signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{self.name}.later(): {error}; expected {self.signature}") from None
        return enqueue(self.module, self.name, dict(bound.arguments), due_of(at))


@overload
def job(function: Callable[P, T], /) -> JobFunction[P, T]: ...
@overload
def job(
    *, attempts: int = ATTEMPTS, lease: int = LEASE, share: float = 1
) -> Callable[[Callable[P, T]], JobFunction[P, T]]: ...
def job(
    function: Any = None, /, *, attempts: int = ATTEMPTS, lease: int = LEASE, share: float = 1, **unknown: Any
) -> Any:
    """Make a function in a module's `jobs.py` a job, which `later` enqueues.

    A job runs at least once: after a crash, another process runs it again. After an exception it runs again after 15 s,
    30 s, 1 min and so on, up to 6 hours. The return value, plain data, is stored as its result.

    :param attempts: the number of attempts before the job has failed
    :param lease: seconds without a report of its process after which another process takes over the job; processes
        report as long as they live, however long the job takes
    :param share: the part of a server's job threads that may run the function at the same time, at least one, such as
        0.5: slow jobs leave threads for others
    """
    if unknown:
        raise TypeError(f"@job: expected the options attempts, lease and share, got {', '.join(unknown)}")
    if function is None:
        return lambda each: JobFunction(each, attempts, lease, share=share)
    return JobFunction(function, attempts, lease, share=share)


def repeat(*, seconds: int) -> Callable[[Callable[[], T]], JobFunction[[], T]]:
    """Make a function in a module's `jobs.py` one that each server calls all the time.

    It is called every `seconds`, and right after something on the same server has enqueued a job or sent an event to a
    handler with ``when="commit"``. It costs no row in the queue of jobs. Several servers may call it at once, so lock a
    row before you change something. A call is never repeated: the next one does what this one has left.

    :param seconds: the pause between two calls, from 1 to 3600
    """
    return lambda function: JobFunction(function, seconds=_between("seconds", seconds, 1, 3600))


def schedule(
    cron: str, /, *, attempts: int = ATTEMPTS, lease: int = LEASE
) -> Callable[[Callable[[], T]], JobFunction[[], T]]:
    """Make a function in a module's `jobs.py` a job that runs at fixed times.

    Each moment runs once, on one of all processes and hosts. If several were missed, only the last one runs. `later`
    also enqueues the job.

    :param cron: five fields: minute, hour, day of month, month, day of week, in the company's time zone
        (`COMPTOIR_TIMEZONE`), such as `*/5 * * * *`
    :param attempts: as for `job`
    :param lease: as for `job`
    """

    if callable(cron):
        raise ValueError(
            f"{getattr(cron, '__name__', '')}: expected five cron fields in parentheses, "
            'such as @schedule("*/5 * * * *")'
        )

    def mark(function: Callable[[], T]) -> JobFunction[[], T]:
        try:
            text = check_cron(cron)
        except ValueError as error:
            raise ValueError(f"{function.__name__}: {error}") from None
        return JobFunction(function, attempts, lease, text)

    return mark


def read_jobs(module: ModuleType) -> dict[str, JobFunction[Any, Any]]:
    """The jobs of an imported `jobs.py`, by names such as `reminders.send_reminder`.

    :raises ValueError: a function has two names in it
    """
    found: dict[str, JobFunction[Any, Any]] = {}
    for name, value in vars(module).items():
        if isinstance(value, JobFunction) and value.__module__ == module.__name__:
            if name != value.name:
                raise ValueError(
                    f"{name}: a job must keep the name of its function, {value.name}; remove this second name"
                )
            found[value.called] = value
    return found


def _between(name: str, value: int, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name}: expected a whole number from {least} to {most}, got {value!r}")
    return value


def _check_function(made: JobFunction[Any, Any]) -> None:
    if wrong := why_not_plain(made.function):
        raise TypeError(f"{made.name} {wrong}")
    if not inspect.isfunction(made.function):
        raise TypeError(f"{made.name}: expected a plain function")
    for name, parameter in made.signature.parameters.items():
        if parameter.kind not in _NAMED:
            raise TypeError(f"{made.name}: expected parameters with names; a job can't take *, ** or /")
        if (made.cron or made.seconds) and parameter.default is parameter.empty:
            raise TypeError(f"{made.name}: a schedule passes no arguments; give {name} a default")
        if name == "at":
            raise TypeError(f"{made.name}: `at` is reserved for the time of a job; rename the parameter")


def active_jobs() -> Mapping[str, JobFunction[Any, Any]]:
    """The jobs of the active catalogue, by names such as `reminders.send_reminder`."""
    return current_catalogue.value.jobs

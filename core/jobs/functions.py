"""Functions of modules that are run in the background, and those of the active catalogue."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import update_wrapper
from types import ModuleType
from typing import Any, Generic, ParamSpec, TypeVar, overload

from ..common.clock import now
from ..common.plain_functions import why_not_plain
from ..common.runtime import active
from ..common.settings import settings
from .cron import check_cron, next_moment
from .queue import due_of, enqueue

P = ParamSpec("P")
T = TypeVar("T")

#: how often a job is begun before it is given up, and the seconds after which another process may take it over
ATTEMPTS, LEASE = 8, 60

_PLACE = re.compile(r"modules\.(\w+)\.jobs")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class JobFunction(Generic[P, T]):
    """A function of a module that can be run in the background; called, it just runs.

    :ivar module: the folder of its module
    :ivar name: its own
    :ivar attempts: how often it is begun before it is given up
    :ivar lease: seconds after which another process may take it over, if the one that runs it has not been heard of
    :ivar cron: when it is run by itself; empty: it is not
    """

    def __init__(self, function: Callable[P, T], attempts: int, lease: int, cron: str = "") -> None:
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
        """When it is run by itself the next time, in Unix seconds; None: never."""
        return next_moment(self.cron, now(), settings().zone) if self.cron else None

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> T:
        """Run it now, here."""
        return self.function(*arguments, **named)

    def later(self, *arguments: Any, at: datetime | date | float | None = None, **named: Any) -> int:
        """Have it run in the background; answers the job's identifier.

        It is noted in the transaction around this call: what is undone leaves no job, and nothing runs before the
        commit.

        :param arguments: what the function takes, by place or name: None, bool, int, float, str, and lists and dicts
            of them, 16,000 letters of JSON at the most
        :param at: when: an instant (without a zone: in UTC), a day (its beginning in the company's time zone), Unix
            seconds, or None: as soon as may be
        :raises TypeError: the function takes other arguments, or one is no plain data
        :raises ValueError: an argument is too long, or a number that JSON does not carry
        """
        try:
            bound = self.signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{self.name}.later(): {error}; expected {self.signature}") from None
        return enqueue(self.module, self.name, dict(bound.arguments), due_of(at))


@overload
def job(function: Callable[P, T], /) -> JobFunction[P, T]: ...
@overload
def job(*, attempts: int = ATTEMPTS, lease: int = LEASE) -> Callable[[Callable[P, T]], JobFunction[P, T]]: ...
def job(function: Any = None, /, *, attempts: int = ATTEMPTS, lease: int = LEASE) -> Any:
    """Mark a function of a module's `jobs.py` as one that is run in the background by `later`.

    It is run at least once: a process that ends in the midst of it leaves it to the next, so what it does must bear to
    be done again. What it raises is a failure: it is tried again after 15 s, 30 s, 1 min and so on, 6 hours at the
    most. What it answers, plain data, is kept as its result.

    :param attempts: how often it is begun before it is given up, and shown to an administrator
    :param lease: seconds after which another process may take it over, if the one that runs it is not heard of any
        more (which says so as long as it lives, however long the job takes)
    """
    if function is None:
        return lambda each: JobFunction(each, attempts, lease)
    return JobFunction(function, attempts, lease)


def schedule(
    cron: str, /, *, attempts: int = ATTEMPTS, lease: int = LEASE
) -> Callable[[Callable[[], T]], JobFunction[[], T]]:
    """Mark a function of a module's `jobs.py` as one that is run by itself, once for each moment.

    However many workers, processes and hosts there are, each moment is run once. Of those that were missed while
    nothing ran, the last is made up for. It can be run by `later`, too.

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
        made = JobFunction(function, attempts, lease, text)
        for name, parameter in made.signature.parameters.items():
            if parameter.default is parameter.empty:
                raise TypeError(f"{made.name}: a schedule passes no arguments; give {name} a default")
        return made

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
        if name == "at":
            raise TypeError(f"{made.name}: `at` is reserved for the time of a job; rename the parameter")


def active_jobs() -> Mapping[str, JobFunction[Any, Any]]:
    """The jobs of the active catalogue, by names such as `reminders.send_reminder`."""
    return active.runtime.catalogue.jobs

"""Events: how modules meet without importing each other.

A module's ``events.py`` holds functions that are declared with `on`, or named after their event:
``before_<service>_<event>(record)``, ``after_<service>_<event>(record)``. For an event of every service, the service is
``any``, and they receive its name first. The loader hands them over with each catalogue; there is nothing to register.
"""

from __future__ import annotations

import ast
import inspect
import logging
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import localcontext
from difflib import get_close_matches
from functools import partial, update_wrapper
from time import perf_counter
from types import ModuleType
from typing import Any, Literal, TypeVar

from ..common.authors_code import DEFAULT_CONTEXT, as_exception
from ..common.errors import ApiError, Refused, meant
from ..common.plain_functions import line_in, why_not_plain
from ..common.repeated_failures import is_news
from ..common.request_state import NotifiedRecord, current_state, warn
from ..contract.catalogue import current_catalogue
from ..storage.database import after_commit

Handler = Callable[..., object]
H = TypeVar("H", bound=Handler)

TIMES = ("checking", "before", "after")
#: every service, in a handler's name
ANY = "any"
NAME = re.compile(r"(checking|before|after)_([a-z0-9]+)_([a-z0-9_]+)")
#: in the text of a file: a handler that may refuse, by its name or by its declaration
MAY_REFUSE = re.compile(r"""\bbefore_(\w+)|\bon\(\s*["'](\w+)\.(\w+)["'](?!\s*,\s*when\s*=\s*["']after)""")
#: seconds that a handler may take inside a transaction without a line in the log
LONG_SECONDS = 1.0
#: the events that `Records` emits
SENT_BY_RECORDS = ("created", "changed", "deleted")

_log = logging.getLogger("comptoir.events")


def on(event: str, *, when: Literal["checking", "before", "after"]) -> Callable[[H], H]:
    """Declare a function of `events.py` as the handler of an event; a function may have several.

    - ``checking(record, values)`` runs once for each event, before the transaction; inside one that is open already,
      before the write. It may take seconds, such as to ask another server, and refuses by raising an error.
    - ``before(record)`` runs inside the transaction, with the stored record and its ID. It refuses by raising an error.
    - ``after(record)`` runs once the transaction is committed.

    :param event: service and event, such as ``"orders.validated"``; with the service ``any``, the handler takes the
        name of the service as its first argument
    :param when: for ``checking``, `record` is the record as it is, None for a new one, and `values` are those to come,
        by their names in the API and in Python's types
    """

    name = f"{when}_{event.replace('.', '_', 1)}"
    if not NAME.fullmatch(name) or "." not in event:
        raise ValueError(
            f'on({event!r}, when={when!r}): expected on("<service>.<event>", when="checking", "before" or "after")'
        )

    def declare(handler: H) -> H:
        handler.__dict__.setdefault(_DECLARED, []).append(name)
        return handler

    return declare


#: attribute of a function: the names of the events for which it is declared
_DECLARED = "_events"


def read_handlers(module: ModuleType) -> dict[str, list[Handler]]:
    """Return the handlers of an imported `events.py`, by their names.

    :raises ValueError: a function of a handler's name would not run, with the line as second argument where known
    """
    found: dict[str, list[Handler]] = defaultdict(list)
    for name, value in vars(module).items():
        named = [name] if name.startswith(("before_", "after_")) and callable(value) else []
        for event in getattr(value, "__dict__", {}).get(_DECLARED, named):
            if wrong := _wrong_handler(event, value, module.__name__):
                raise ValueError(f"{name} {wrong}", line_in(value, module.__file__))
            if NAME.fullmatch(event) and value not in found[event]:
                found[event].append(value)
    return dict(found)


def unheard(module: ModuleType, text: bytes, handlers: Mapping[str, Sequence[Handler]]) -> Iterator[str]:
    """Yield a note for each public function of an imported `events.py` that neither an event nor a function calls."""
    own = [each for each in vars(module).values() if inspect.isfunction(each) and each.__module__ == module.__name__]
    called = {each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)}
    for each in own:
        name, (time, *_) = each.__name__, each.__name__.split("_")
        if not name.startswith("_") and name not in called and not any(each in found for found in handlers.values()):
            near = "".join(name.replace(time, meant, 1) for meant in get_close_matches(time, TIMES, 1))
            hint = f"; did you mean {near}?" if near else "; declare it with @on, or begin its name with _"
            yield f"{module.__file__}:{each.__code__.co_firstlineno}: {name} handles no event{hint}"


def _wrong_handler(name: str, value: Any, module: str) -> str:
    """Return why a function can't be the handler of its event; empty if it can."""
    match = NAME.fullmatch(name)
    is_own = inspect.isfunction(value) and value.__module__ == module
    if match is None:
        # `from core import after_commit` isn't a handler
        return "isn't an event's name; expected before_<service>_<event> or after_<service>_<event>" if is_own else ""
    if not is_own:
        return "isn't defined here; expected a plain function (def) in this file"
    if wrong := why_not_plain(value):
        return wrong
    expected = (*(("service",) if match[2] == ANY else ()), "record", *(("values",) if match[1] == "checking" else ()))
    signature = inspect.signature(value)
    try:
        signature.bind(*expected)
    except TypeError:
        return f"takes {signature}; expected ({', '.join(expected)})"
    return ""


def stand_ins(names: Iterable[str], file: str) -> dict[str, list[Handler]]:
    """Return handlers that reject every event of a file that can't be loaded.

    :param names: the names of its handlers; those that run after the commit reject nothing
    """

    def refuse(*record: object) -> None:
        raise Refused(
            f"{file} must approve this change but can't be loaded; an operator can run `comptoir check`",
            reason="not_loadable",
        )

    return {name: [refuse] for name in names if not name.startswith("after_")}


def awaited(service: str, event: str, *times: str) -> bool:
    """Return whether any module has a handler for an event, at any of these times; by default at any."""
    handlers = current_catalogue.value.handlers
    return any(f"{time}_{name}_{event}" in handlers for time in times or TIMES for name in (service, ANY))


def check_event(service: str, event: str, record: Mapping[str, Any] | None, values: Mapping[str, Any]) -> None:
    """Call the handlers that check an event before it is written; one may refuse it by raising.

    Call it before the transaction that writes and emits the event, so that no writer waits for a handler that asks
    another server; then `emit` with ``checked=True``.

    :param record: the record as it is; None: a new one
    :param values: those to come
    """
    for handler in _waiting("checking", service, event):
        try:
            with _in_authors_code():
                handler(None if record is None else dict(record), dict(values))
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            raise as_exception(error)  # noqa: B904 - it has its cause


def event_names(declared: str | Collection[str]) -> tuple[str, ...]:
    """Return declared events.

    :raises ValueError: they aren't a list of names
    """
    if isinstance(declared, str) or not all(isinstance(each, str) for each in declared):
        raise ValueError(f'`events`: expected names such as ("spent",), got {declared!r}')
    return tuple(declared)


def undeclared(event: str, declared: Iterable[str], place: str) -> str:
    """Return the message about an event that isn't declared.

    :param place: where to declare it
    """
    return f"the event {event} isn't declared{meant(event, sorted(declared)) or f'; declare it in {place}'}"


def emit(service: str, event: str, record: dict[str, Any], *, checked: bool = False) -> None:
    """Call the handlers of an event that a service declares; `Records.notify` sends those of a stored record.

    Call it inside the transaction. An error of a ``before_`` handler rejects the operation; an error of an ``after_``
    handler is logged and added to the ``Warning`` header.

    :param checked: `check_event` was called before; otherwise it is called now
    :raises ValueError: neither the records nor the API file of the service declares the event
    """
    declared = current_catalogue.value.events.get(service, ())
    if event not in declared:
        raise ValueError(undeclared(event, declared, f"`events` in the API file of {service}"))
    send(service, event, record, checked=checked)


def send(service: str, event: str, record: dict[str, Any], *, checked: bool = False) -> None:
    """Call the handlers of a declared event, as `emit` does.

    A handler that changes the record in the database may return it; otherwise it is read again for the response.
    """
    if not checked:
        check_event(service, event, record, {})
    state = current_state()
    notified = state.notified if state is not None else None
    if notified is not None and notified.record is not record:
        notified = None
    for handler in _waiting("before", service, event):
        began = perf_counter()
        try:
            _hear(handler, record, notified)
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            raise as_exception(error)  # noqa: B904 - it has its cause
        if (seconds := perf_counter() - began) > LONG_SECONDS:
            _log.warning(
                "%s.%s took %.1f s inside the transaction, so others waited; ask other servers in a handler with "
                'when="checking"', handler.__module__, handler.__name__, seconds,
            )  # fmt: skip
    late = _waiting("after", service, event)
    if late:
        after_commit(lambda: _run_late(late, record, notified))


@contextmanager
def _in_authors_code() -> Iterator[None]:
    """Run a handler in its own decimal context, and without `If-Match`, which is meant for the request's record."""
    state = current_state()
    meant = state.if_match if state is not None else None
    try:
        if state is not None:
            state.if_match = None
        with localcontext(DEFAULT_CONTEXT):
            yield
    finally:
        if state is not None:
            state.if_match = meant


def _hear(handler: Handler, record: dict[str, Any], notified: NotifiedRecord | None) -> None:
    """Call a handler with a copy of the record; if it returns a record, that is the record's present state.

    :param notified: the record of the response, if it is this record
    """
    state = current_state()
    if state is None or notified is not state.notified or notified is None or notified.writes != state.writes:
        notified = None
    with _in_authors_code():
        heard = handler(dict(notified.record if notified is not None else record))
    if state is not None and notified is not None and isinstance(heard, dict):
        notified.record, notified.writes = heard, state.writes


def _waiting(time: str, service: str, event: str) -> list[Handler]:
    handlers = current_catalogue.value.handlers
    of_any = handlers.get(f"{time}_{ANY}_{event}", ())
    bound = (update_wrapper(partial(handler, service), handler) for handler in of_any)
    return [*handlers.get(f"{time}_{service}_{event}", ()), *bound]


def _run_late(handlers: Sequence[Handler], record: dict[str, Any], notified: NotifiedRecord | None) -> None:
    for handler in handlers:
        try:
            _hear(handler, record, notified)
        except ApiError as error:
            # The handler may have logged it already
            if is_news(error.message):
                _log.error("%s.%s failed: %s", handler.__module__, handler.__name__, error.message)
            warn(f"{handler.__name__} failed: {error.message}")
        except BaseException as error:  # noqa: BLE001 - the data is committed: the caller must not see a failure
            _log.exception("%s.%s failed", handler.__module__, handler.__name__)
            warn(f"{handler.__name__} failed: {type(error).__name__}")

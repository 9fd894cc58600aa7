"""Events: how modules meet without importing each other.

A module's ``events.py`` holds functions named after their event: ``before_<service>_<event>(record)`` runs
inside the transaction and may refuse by raising, ``after_<service>_<event>(record)`` runs once it has been committed.
``before_any_<event>(service, record)`` and ``after_any_<event>(service, record)`` wait for an event of every service.
The loader hands them over with each catalogue; there is nothing to register.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import localcontext
from functools import wraps
from types import ModuleType
from typing import Any

from ..common.authors_code import DEFAULT_CONTEXT, as_exception
from ..common.errors import ApiError, Refused
from ..common.plain_functions import line_in, why_not_plain
from ..common.repeated_failures import is_news
from ..common.request_state import NotifiedRecord, current_state, warn
from ..common.runtime import active
from ..storage.database import after_commit

Handler = Callable[..., object]

#: every service, in a handler's name
ANY = "any"
NAME = re.compile(r"(before|after)_([a-z0-9]+)_([a-z0-9_]+)")
#: the events that `Records` emits
SENT_BY_RECORDS = ("created", "changed", "deleted")

_log = logging.getLogger("comptoir.events")


def read_handlers(module: ModuleType) -> dict[str, list[Handler]]:
    """Return the handlers of an imported `events.py`, by their names.

    :raises ValueError: a function of a handler's name would not run, with the line as second argument where known
    """
    found: dict[str, list[Handler]] = {}
    for name, value in vars(module).items():
        if name.startswith(("before_", "after_")) and callable(value):
            line = line_in(value, module.__file__)
            if wrong := _wrong_handler(name, value, module.__name__):
                raise ValueError(f"{name} {wrong}", line)
            if NAME.fullmatch(name):
                found[name] = [value]
    return found


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
    expected = ("service", "record") if match[2] == ANY else ("record",)
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

    return {name: [refuse] for name in names if name.startswith("before_")}


def awaited(service: str, event: str) -> bool:
    """Return whether any module has a handler for an event."""
    handlers = active.runtime.catalogue.handlers
    return any(f"{time}_{name}_{event}" in handlers for time in ("before", "after") for name in (service, ANY))


def emit(service: str, event: str, record: dict[str, Any]) -> None:
    """Call the handlers of an event of a record.

    Call it inside the transaction. An error of a ``before_`` handler rejects the operation; an error of an ``after_``
    handler is logged and added to the ``Warning`` header. A handler that changes the record in the database may return
    it; otherwise it is read again for the response.
    """
    state = current_state()
    notified = state.notified if state is not None else None
    if notified is not None and notified.record is not record:
        notified = None
    for handler in _waiting("before", service, event):
        try:
            _hear(handler, record, notified)
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            raise as_exception(error)  # noqa: B904 - it has its cause
    late = _waiting("after", service, event)
    if late:
        after_commit(lambda: _run_late(late, record, notified))


def _hear(handler: Handler, record: dict[str, Any], notified: NotifiedRecord | None) -> None:
    """Call a handler with a copy of the record; if it returns a record, that is the record's present state.

    :param notified: the record of the response, if it is this record
    """
    state = current_state()
    if state is None:
        with localcontext(DEFAULT_CONTEXT):
            handler(dict(record))
        return
    current = notified is not None and state.notified is notified and notified.writes == state.writes
    # `If-Match` applies to the record of the request, and not to those that a handler changes
    meant, state.if_match = state.if_match, None
    try:
        with localcontext(DEFAULT_CONTEXT):
            heard = handler(dict(notified.record if notified is not None and current else record))
    finally:
        state.if_match = meant
    if notified is not None and current and isinstance(heard, dict):
        notified.record, notified.writes = heard, state.writes


def _waiting(time: str, service: str, event: str) -> list[Handler]:
    handlers = active.runtime.catalogue.handlers
    of_any = handlers.get(f"{time}_{ANY}_{event}", ())
    return [*handlers.get(f"{time}_{service}_{event}", ()), *(_of_any(handler, service) for handler in of_any)]


def _of_any(handler: Handler, service: str) -> Handler:
    @wraps(handler)
    def handle(record: dict[str, Any]) -> object:
        return handler(service, record)

    return handle


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

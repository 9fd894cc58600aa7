"""Events: how modules meet without importing each other.

A module's ``events.py`` holds functions that are declared with `on`, or by their names: ``before_<service>_<event>``,
``after_<service>_<event>``. The loader hands them over with each catalogue. ``Catalogue.events`` is the table of all
events; `tests/docs` makes a page of it.
"""

from __future__ import annotations

import ast
import inspect
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from decimal import localcontext
from difflib import get_close_matches
from functools import partial, update_wrapper
from time import perf_counter
from types import ModuleType
from typing import Any, Literal, TypeVar

from ..audit.recorder import changed_values
from ..common.authors_code import DEFAULT_CONTEXT, as_exception
from ..common.errors import ApiError, Refused, meant
from ..common.plain_functions import line_in, why_not_plain
from ..common.repeated_failures import is_news
from ..common.request_state import NotifiedRecord, current_state, warn
from ..common.unset import UNSET
from ..common.wakeup import wake
from ..contract.catalogue import current_catalogue
from ..storage.database import after_commit, backend, before_commit

Handler = Callable[..., object]
H = TypeVar("H", bound=Handler)
Moment = Literal["checking", "before", "after", "commit"]

#: the values of `when` of a handler of one event
MOMENTS: tuple[Moment, ...] = ("checking", "before", "after")
#: that of a handler of all events of a transaction
COMMIT: Moment = "commit"
#: every service, or every event, in a handler's declaration
ANY = "any"
#: in the text of a file: a handler that may refuse, by its name or by its declaration
MAY_REFUSE = re.compile(
    r"""\bbefore_([a-z0-9]+)_(\w+)|\bon\(\s*(?:event\s*=\s*)?["'](\w+)\.(\w+)["'](?!\s*,\s*when\s*=\s*["']after)"""
)
#: seconds that a handler may take inside a transaction without a line in the log
LONG_SECONDS = 1.0

_NAMED = re.compile(r"(before|after)_([a-z0-9]+)_([a-z0-9_]+)")
_EVENT = re.compile(r"([a-z0-9]+)\.([a-z0-9_]+)")
_log = logging.getLogger("comptoir.events")


@dataclass(frozen=True)
class Event:
    """An event that a service sends, in the value of `events`.

    :param record: what the `record` of its handlers holds
    :param moments: the values of `when` that its handlers may have
    :param sets: whether a handler with ``when="checking"`` may set what a body may set
    :param secret: keys of `record` that the handlers with ``when="commit"`` don't get, because these may store it
    """

    record: str = "the record"
    moments: Collection[str] = MOMENTS
    sets: bool = False
    secret: Collection[str] = ()

    def __post_init__(self) -> None:
        is_list = isinstance(self.moments, (tuple, list, set, frozenset)) and self.moments
        if not (is_list and all(each in MOMENTS for each in self.moments)):
            raise ValueError(f"Event(moments={self.moments!r}): expected some of {MOMENTS}")


#: the events that all `Records` send
SENT_BY_RECORDS = {"created": Event(sets=True), "changed": Event(sets=True), "deleted": Event()}


@dataclass(frozen=True, slots=True)
class SentEvent:
    """An event of a transaction, for the handlers with ``when="commit"``.

    :param id: the ID of the record; None: the event has no record
    :param record: what the handlers of an event get that isn't sent by stored records; None: it is
    :param before: the old values of the record that the transaction has changed, by their names in the API. Those of
        its parts, such as lines, aren't among them, and a new or deleted record has none
    :param after: the new ones
    """

    service: str
    event: str
    id: int | None
    record: Mapping[str, Any] | None = None
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EventHandler:
    """A function of an `events.py` with an event that it handles.

    :param services: returns whether it handles the event of a service; None: it does
    :param name: the name of the function in its file
    :param line: the line of the function, from 1; None: unknown
    :param is_named: it is declared by its name, not with `on`
    """

    when: str
    service: str
    event: str
    function: Handler
    services: Callable[[str], bool] | None = None
    name: str = field(default="", compare=False)
    file: str = ""
    line: int | None = None
    is_named: bool = False

    def handles(self, when: str, service: str, event: str) -> bool:
        """Return whether it handles an event at a moment."""
        return (
            self.when == when
            and self.event in (event, ANY)
            and self.service in (service, ANY)
            and (self.services is None or self._serves(self.services, service))
        )

    def _serves(self, services: Callable[[str], bool], service: str) -> bool:
        try:
            return bool(services(service))
        except Exception:  # noqa: BLE001 - an author's code may raise anything
            _log.exception(
                "%s.%s handles the events of %s, because its `services` failed", self.file, self.name, service
            )
            return True

    def bound(self, service: str) -> Handler:
        """Return the function, with its first argument if it handles the event of every service."""
        if self.service != ANY or self.when == COMMIT:
            return self.function
        return update_wrapper(partial(self.function, service), self.function)


def on(event: str, *, when: Moment, services: Callable[[str], bool] | None = None) -> Callable[[H], H]:
    """Declare a function of `events.py` as the handler of an event; a function may have several.

    - ``checking(record, values)`` runs once for each event, before the transaction; inside one that is open already,
      before the write. It may take seconds, such as to ask another server, and refuses by raising an error. When a
      record is created or changed, it may set in `values` what a body may set.
    - ``before(record)`` runs inside the transaction, with the stored record and its ID. It refuses by raising an error.
    - ``after(record)`` runs once the transaction is committed.
    - ``commit(events)`` runs once for each transaction, before its commit, with a list of its events. Each has
      `service`, `event`, `id`, `before` and `after`; no record is read for it. It may write rows; events that it sends
      aren't handed over. An error rejects the transaction.

    :param event: service and event, such as ``"orders.validated"``; with the service ``any``, the handler takes the
        name of the service as its first argument. With ``when="commit"``, the event may be ``any``: ``"any.any"``
    :param when: for ``checking``, `record` is the record as it is, None for a new one, and `values` are those to come,
        by their names in the API and in Python's types
    :param services: with the service ``any``, whether a service is handled; called once for each after a reload
    """
    match = _EVENT.fullmatch(event)
    if match is None or when not in (*MOMENTS, COMMIT):
        expected = 'on("<service>.<event>", when="checking", "before", "after" or "commit")'
        raise ValueError(f"on({event!r}, when={when!r}): expected {expected}")
    if match[2] == ANY and when != COMMIT:
        raise ValueError(f'on({event!r}, when={when!r}): expected when="commit" for every event')
    if services is not None and not (match[1] == ANY and callable(services)):
        raise ValueError(
            f'on({event!r}, services={services!r}): expected a function, and an event such as "any.created"'
        )
    declaration = partial(EventHandler, when, match[1], match[2], services=services)

    def declare(handler: H) -> H:
        handler.__dict__.setdefault(_DECLARED, []).append(declaration)
        return handler

    return declare


#: attribute of a function: makes its event_handlers
_DECLARED = "_events"


def read_handlers(module: ModuleType, *, declared_only: bool = False) -> list[EventHandler]:
    """Return the handlers of an imported `events.py`.

    :param declared_only: only functions with `@on`, none by its name
    :raises ValueError: a function that is declared as a handler would not run; with its line, if known
    """
    found: list[EventHandler] = []
    for name, value in vars(module).items():
        declared: Sequence[Callable[..., EventHandler]] = getattr(value, "__dict__", {}).get(_DECLARED, ())
        if declared_only and not _is_own(value, module):
            # Its own file declares it
            continue
        is_named = not (declared or declared_only) and callable(value) and name.startswith(("before_", "after_"))
        line = line_in(value, module.__file__)
        if is_named and (match := _NAMED.fullmatch(name)):
            declared = [partial(EventHandler, match[1], match[2], match[3], is_named=True)]
        elif is_named and _is_own(value, module):
            expected = "before_<service>_<event> or after_<service>_<event>"
            raise ValueError(f"{name} isn't an event's name; expected {expected}", line)
        for declaration in declared:
            handler = declaration(value, name=name, file=module.__file__, line=line)
            if wrong := _why_unfit(handler, module):
                raise ValueError(f"{name} {wrong}", line)
            if handler not in found:
                found.append(handler)
    return found


def unheard(module: ModuleType, text: bytes, event_handlers: Sequence[EventHandler]) -> Iterator[str]:
    """Yield a note for each public function of an imported `events.py` that neither an event nor a function calls."""
    called = {each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)}
    handling = {each.function for each in event_handlers}
    for each in vars(module).values():
        if not _is_own(each, module) or each in handling:
            continue
        name, (moment, *_) = each.__name__, each.__name__.split("_")
        if not name.startswith("_") and name not in called:
            near = "".join(name.replace(moment, meant, 1) for meant in get_close_matches(moment, MOMENTS, 1))
            hint = f"; did you mean {near}?" if near else "; declare it with @on, or begin its name with _"
            yield f"{module.__file__}:{each.__code__.co_firstlineno}: {name} handles no event{hint}"


def named_handlers(event_handlers: Iterable[EventHandler]) -> Iterator[str]:
    """Yield a note for each handler that is declared by its name, with the line that declares it."""
    for each in event_handlers:
        if each.is_named:
            declared = f'@on("{each.service}.{each.event}", when="{each.when}")'
            yield f"line {each.line}: {each.name} has no @on; add {declared} above it"


def _is_own(value: Any, module: ModuleType) -> bool:
    return inspect.isfunction(value) and value.__module__ == module.__name__


def _why_unfit(handler: EventHandler, module: ModuleType) -> str:
    """Return why a function can't be the handler of its event; empty if it can."""
    if not _is_own(handler.function, module):
        return "isn't defined here; expected a plain function (def) in this file"
    if wrong := why_not_plain(handler.function):
        return wrong
    of_any, checks = handler.service == ANY, handler.when == "checking"
    expected = [*(["service"] if of_any else []), "record", *(["values"] if checks else [])]
    expected = ["events"] if handler.when == COMMIT else expected
    signature = inspect.signature(handler.function)
    try:
        signature.bind(*expected)
    except TypeError:
        return f"takes {signature}; expected ({', '.join(expected)})"
    return ""


def stand_ins(events: Iterable[tuple[str, str]], file: str) -> list[EventHandler]:
    """Return handlers that reject every event of a file that can't be loaded.

    :param events: service and name of each
    """

    def refuse(*record: object) -> None:
        raise Refused(
            f"{file} must approve this change but can't be loaded; an operator can run `comptoir check`",
            reason="not_loadable",
        )

    # Every event means all that have happened, not such as `health.store`
    return [
        EventHandler(COMMIT if each[1] == ANY else "before", *each, refuse, name="before_{}_{}".format(*each))
        for each in sorted(set(events))
    ]


def awaited(service: str, event: str, *moments: str) -> bool:
    """Return whether any module has a handler for an event, at any of these moments; by default at any."""
    return any(_handlers_of(each, service, event) for each in moments or MOMENTS)


def changed_names(values: Mapping[str, Any], checked: Mapping[str, Any]) -> set[str]:
    """Return the names whose values handlers have set or removed.

    :param values: the values before the handlers
    :param checked: those after them
    """
    pairs = {name: (values.get(name, UNSET), checked.get(name, UNSET)) for name in values.keys() | checked.keys()}
    # An expression of peewee can't be compared
    return {name for name, (sent, left) in pairs.items() if sent is not left and sent != left}


def check_event(
    service: str,
    event: str,
    record: Mapping[str, Any] | None,
    values: Mapping[str, Any],
    settable: Collection[str] = (),
) -> dict[str, Any]:
    """Call the handlers that check an event before it is written; one may refuse it by raising.

    Call it before the transaction that writes and emits the event, so that no writer waits for a handler that asks
    another server; then `emit` with ``checked=True``.

    :param record: the record as it is; None: a new one
    :param values: those to come
    :param settable: the names of values that handlers may set
    :returns: the values after all handlers
    :raises ValueError: a handler has set another one
    """
    checked = {name: deepcopy(each) if isinstance(each, (dict, list)) else each for name, each in values.items()}
    for handler in _handlers_of("checking", service, event):
        try:
            with _in_authors_code():
                handler(None if record is None else dict(record), checked)
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            raise as_exception(error)  # noqa: B904 - it has its cause
        if closed := changed_names(values, checked) - {*settable}:
            names = ", ".join(sorted(closed))
            raise ValueError(f"{handler.__module__}.{handler.__name__} can't set {names} of {service}.{event}")
    return checked


def event_names(declared: str | Collection[str]) -> dict[str, Event]:
    """Return declared events by their names.

    :param declared: names, or a mapping of names and an `Event` each
    :raises ValueError: they aren't names
    """
    if isinstance(declared, str) or not all(isinstance(each, str) for each in declared):
        raise ValueError(f'`events`: expected names such as ("spent",), got {declared!r}')
    found: dict[str, Any] = dict(declared if isinstance(declared, Mapping) else dict.fromkeys(declared, Event()))
    for name, each in found.items():
        if not isinstance(each, Event):
            raise ValueError(f"`events`: expected an Event for {name}, got {each!r}")
    return found


def undeclared(event: str, declared: Iterable[str], place: str) -> str:
    """Return the message about an event that isn't declared.

    :param place: where to declare it
    """
    return f"the event {event} isn't declared{meant(event, sorted(declared)) or f'; declare it in {place}'}"


def emit(service: str, event: str, record: dict[str, Any], *, checked: bool = False) -> None:
    """Call the handlers of an event that a service declares; `Records.notify` sends those of a stored record.

    Call it inside the transaction. An error of a ``before`` handler rejects the operation; an error of an ``after``
    handler is logged and added to the ``Warning`` header.

    :param checked: `check_event` was called before; otherwise it is called now
    :raises ValueError: neither the records nor the API file of the service declares the event
    """
    declared: Mapping[str, Event] = current_catalogue.value.events.get(service, {})
    if event not in declared:
        raise ValueError(undeclared(event, declared, f"`events` in the API file of {service}"))
    if "after" in declared[event].moments:
        told = {name: each for name, each in record.items() if name not in declared[event].secret}
        note_sent(service, event, record.get("id"), told)
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
    for handler in _handlers_of("before", service, event):
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
    late = _handlers_of("after", service, event)
    if late:
        after_commit(lambda: _run_late(late, record, notified))


def note_sent(
    service: str, event: str, identifier: Any, record: Mapping[str, Any] | None = None, table: str = ""
) -> None:
    """Hand an event over to the handlers that get all events of the transaction.

    :param table: that of the stored record that sends it
    """
    if _handlers_of(COMMIT, service, event):
        before_commit(_hand_over, (SentEvent(service, event, identifier, record), table))


def _hand_over(noted: list[tuple[SentEvent, str]]) -> None:
    changed = changed_values(backend())
    sent: dict[Handler, list[SentEvent]] = {}
    for each, table in noted:
        before, after = changed.get((table, str(each.id)), ({}, {}))
        for handler in _handlers_of(COMMIT, each.service, each.event):
            sent.setdefault(handler, []).append(replace(each, before=before, after=after))
    for handler, events in sent.items():
        try:
            with _in_authors_code():
                handler(events)
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            raise as_exception(error)  # noqa: B904 - it has its cause
    # A function with `@repeat` may wait for the rows
    after_commit(wake)


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


def _handlers_of(moment: str, service: str, event: str) -> Sequence[Handler]:
    """Return the handlers of an event at a moment, in the order of their modules."""
    present, key = current_catalogue.value, (moment, service, event)
    if key not in present.handlers_by_event:
        present.handlers_by_event[key] = [each.bound(service) for each in present.event_handlers if each.handles(*key)]
    return present.handlers_by_event[key]


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

"""The catalogue: all services, and all files that could not be loaded.

It is frozen; a change on disk makes a new one. Routing, the 501 responses, OpenAPI and the explorer use the same
catalogue, so they always agree.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from pathlib import Path
from types import ModuleType
from typing import Any, TypedDict, TypeVar

from ..access.callers import COMMON_VERBS, Permission, current_caller
from ..common.process import ProcessValue
from ..common.profiles import Profile, profiles_with
from ..common.unset import UNSET
from ..storage.model import Model, meta_of
from .annotations import Annotation, ParameterNote
from .api import Accepted, RawBody, Redirect, Transition
from .converters import plain_type
from .relations import Shape
from .results import in_profile

T = TypeVar("T")

#: the verbs that change something
WRITING = ("POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Input:
    """A value that an operation takes from a request.

    :param name: its name in the request: the parameter's name; for `from_` without the underscore
    :param place: ``path``, ``query``, ``body`` (a key of it), ``whole`` (all of the body) or ``head`` (a header)
    :param type: the annotation of the method's signature, resolved
    :param default: the value if none is sent; `UNSET` if it is required
    :param group: the method's parameter that has this value as a field, such as a `ListQuery`; otherwise empty
    :param of_answer: the server uses it for the response and doesn't pass it to the method
    :param make: makes the default for each call, if a method could change it; `default` is then an example
    """

    name: str
    place: str
    type: Any
    default: Any
    note: ParameterNote
    group: str = ""
    of_answer: bool = False
    make: Callable[[], Any] | None = None

    @property
    def required(self) -> bool:
        """Return whether a request must send the value."""
        return self.default is UNSET

    @property
    def is_raw_body(self) -> bool:
        """Return whether the value is the body as it was sent."""
        return plain_type(self.type) is RawBody


@dataclass(frozen=True)
class Operation:
    """A verb on a path.

    :param template: the path from the root, such as ``/loyaltycards/{id}/spend``
    :param service: the service in whose path it is: the first part of the path
    :param origin: the service whose class has the method; its path may be under another one (`../orders/{id}/shipment`)
    :param base: the path of this class, such as ``invoices/templates``
    :param answers: the return annotation of the method, resolved
    :param access: ``public``, ``hybrid`` or ``protected``
    :param respond: the responder that falcon calls
    :param errors: the status and the text of every ``:raises:``
    :param entries: the operations of a batch's entries
    :param shape: the records that it returns; None: it doesn't return any
    :param id_depth: if it creates a record that another operation reads, so that the response has `Location`: the
        number of parts of the path that the ID follows; otherwise 0
    :param wrapped_by: the modules that wrap it
    :param is_silent: whether neither the method's docstring nor the class's has a permission or an access: if it
        writes, only administrators may call it
    """

    service: str
    name: str
    verb: str
    template: str
    annotation: Annotation
    inputs: tuple[Input, ...]
    answers: Any
    permission: Permission | None
    access: str
    respond: Callable[..., None]
    errors: tuple[tuple[int, str], ...] = ()
    origin: str = ""
    entries: tuple[Operation, ...] = ()
    shape: Shape | None = None
    is_silent: bool = False
    id_depth: int = 0
    wrapped_by: tuple[str, ...] = ()
    base: str = ""

    @property
    def is_mounted(self) -> bool:
        """Return whether its path is under another service."""
        return self.origin != self.service

    def takes_id(self, segment: str) -> bool:
        """Return whether a segment of its path, such as ``{id}``, is the ID of a record."""
        return any(f"{{{each.name}}}" == segment and each.place == "path" and each.type is int for each in self.inputs)

    @property
    def reads_record(self) -> bool:
        """Return whether it reads a record of its class by the ID."""
        return self.verb == "GET" and len(self.own_segments or ()) == 1 and self.takes_id(self.segments[-1])

    @property
    def result(self) -> Any:
        """Return the return annotation in the current profile."""
        return in_profile(self.answers)

    @property
    def segments(self) -> tuple[str, ...]:
        """The parts of the path after the service's name."""
        return tuple(self.template.split("/")[2:])

    @cached_property
    def own_segments(self) -> tuple[str, ...] | None:
        """The parts of the path after that of its class; None: the path is elsewhere."""
        base, parts = self.base.split("/"), self.template.split("/")[1:]
        return tuple(parts[len(base) :]) if parts[: len(base)] == base else None

    @property
    def status(self) -> int:
        """The status of success."""
        return self.annotation.status or (202 if self.result is Accepted else 303 if self.result is Redirect else 200)

    def returns(self, table: str) -> bool:
        """Return whether it returns the records of a table, or records that hold them."""
        shape = self.shape
        return shape is not None and any(
            meta_of(each).table_name == table for each in (shape.model, *shape.parts.values())
        )

    @property
    def takes_idempotency_key(self) -> bool:
        """Return whether the header `Idempotency-Key` is honoured: a caller with a key runs a POST only once."""
        return self.verb == "POST" and self.access != "public" and self.annotation.idempotency != "none"


@dataclass(frozen=True)
class Service:
    """An API class.

    :param module: the module folder's name
    :param file: the file of the class
    :param rights: verbs of permissions declared in addition to the common ones → what they permit, if that is known
    :param transitions: the transitions between the states of its records
    :param records: its `Records`; None: it has none, or the catalogue is read-only
    :param extrafields: the kind of the extra fields of its records; empty: they have none
    :param class_name: the name of the class, such as ``BankAccounts``
    :param group: the heading of the service in lists; empty: it has none
    :param unserved: public members of the class that aren't operations because of a decorator, each with its type
    :param events: the events that its file declares, in addition to those of its records, by name
    """

    name: str
    module: str
    file: Path
    annotation: Annotation
    operations: tuple[Operation, ...]
    rights: Mapping[str, str] = field(default_factory=dict)
    transitions: tuple[Transition, ...] = ()
    # `Any`, because this package doesn't import `Records`; the loader checks the type
    records: Any = None
    extrafields: str = ""
    class_name: str = ""
    group: str = ""
    unserved: tuple[tuple[str, str], ...] = ()
    events: Mapping[str, Any] = field(default_factory=dict)

    @property
    def right_names(self) -> tuple[str, ...]:
        """Return every permission of this service that may be granted."""
        return tuple(f"{self.name}.{verb}" for verb in self.verbs)

    @property
    def verbs(self) -> tuple[str, ...]:
        """Return the common verbs and its own, each once."""
        return tuple(dict.fromkeys((*COMMON_VERBS, *self.rights)))


@dataclass(frozen=True)
class FailedMethod:
    """A method of a file that could not be loaded, read from its text."""

    verb: str
    template: str
    summary: str


@dataclass(frozen=True)
class Failure:
    """A file that could not be loaded.

    :param reason: one line, shown to administrators in the explorer
    :param trace: the traceback, with the author's own lines
    :param methods: its operations according to the source
    :param shadowed: another file serves the name, so calls don't fail because of this one
    :param line: the line of the file with the error, from 1; None: unknown
    :param stays: what was loaded of the module before is still served
    :param path: the `path` of its class, according to the source; empty: none
    """

    name: str
    module: str
    file: Path
    reason: str
    trace: str = ""
    methods: tuple[FailedMethod, ...] = ()
    shadowed: bool = False
    line: int | None = None
    stays: bool = False
    path: str = ""


@dataclass(frozen=True)
class Template:
    """A template of a module: ``<module>/<folder>/<kind>_<name>.py``, such as ``doctemplates/pdf_azur.py``.

    :param content: the imported file; None in a read-only catalogue
    """

    folder: str
    kind: str
    name: str
    module: str
    file: Path
    content: ModuleType | None = None


@dataclass(frozen=True)
class Texts:
    """Translated texts of a module: ``<module>/texts/<language>.po``.

    :param messages: returns context (empty: none) and English text → translation; it parses the file if need be
    """

    language: str
    module: str
    file: Path
    messages: Callable[[], Mapping[tuple[str, str], str]]


@dataclass(frozen=True)
class Catalogue:
    """All services and failures of one moment."""

    number: int = 0
    services: Mapping[str, Service] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    #: files and folders that were passed over, and why
    skipped: tuple[tuple[Path, str], ...] = ()
    #: the event handlers of all modules, made by `records` from ``events.py``
    event_handlers: tuple[Any, ...] = ()
    models: tuple[type[Model], ...] = ()
    #: the templates of all modules, in the order of their files
    templates: tuple[Template, ...] = ()
    #: the row rules of all modules, made by `records` from ``rows.py``
    rules: tuple[Any, ...] = ()
    #: the translated texts of all modules, in the order of their files
    texts: tuple[Texts, ...] = ()
    #: service → the events that it sends, each with its description by `records`
    events: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: the points of the profile that modules have, by their names
    points: Mapping[str, Any] = field(default_factory=dict)
    #: the settings that modules declare, made by `records`, by names such as ``loyalty.points_per_euro``
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: the extra fields that modules declare: the kind of record and the name of each → its declaration by `records`
    extra_fields: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    #: module → its folder and its manifest, made by `loading`
    modules: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    #: module → the function that creates its first data
    first_data: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    #: profile → model → the additional keys of its records, made by `records` from ``<profile>/<model>.tsv``
    key_tables: Mapping[str, Mapping[type[Model], Any]] = field(default_factory=dict)
    #: the job functions, by names such as ``reminders.send_reminder``
    jobs: Mapping[str, Any] = field(default_factory=dict)
    #: the files that were loaded, each with its module
    files: Mapping[Path, str] = field(default_factory=dict)
    #: module → what its author may want to change
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: the state of the files when they were loaded, to detect changes
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    #: model → its row rules; `records` computes an entry from `rules` when it is first needed
    guards: dict[type[Model], Any] = field(default_factory=dict, init=False, compare=False)
    #: moment, service and event → its handlers; `records` computes an entry when it is first needed
    handlers_by_event: dict[tuple[str, str, str], Sequence[Callable[..., object]]] = field(
        default_factory=dict, init=False, compare=False
    )

    @cached_property
    def profiles(self) -> Mapping[str, Profile]:
        """Both profiles, by name, with the points of the modules."""
        return profiles_with(self.points, self.key_tables)

    @property
    def operations(self) -> list[Operation]:
        """Every operation, service by service."""
        return [operation for _, service in sorted(self.services.items()) for operation in service.operations]

    @cached_property
    def operations_by_origin(self) -> Mapping[str, list[Operation]]:
        """The operations of each class, by its service."""
        found: dict[str, list[Operation]] = defaultdict(list)
        for each in self.operations:
            found[each.origin].append(each)
        return found

    @property
    def rights(self) -> list[str]:
        """Every right that may be granted."""
        return sorted(right for service in self.services.values() for right in service.right_names)

    @property
    def used_rights(self) -> list[str]:
        """The rights that an operation needs, or that a service declares."""
        declared = {f"{service.name}.{verb}" for service in self.services.values() for verb in service.rights}
        needed = {right for each in self.operations if each.permission for right in each.permission.rights}
        return sorted({*self.rights} & (declared | needed))

    @property
    def thirdparties(self) -> type[Model] | None:
        """The model of third parties: the one whose rows belong to themselves."""
        return next((each for each in self.models if meta_of(each).thirdparty == meta_of(each).primary_key.name), None)

    def job_problem(self, module: str, name: str) -> str | None:
        """Why a job of this function cannot be run now, in words; None: it can."""
        if f"{module}.{name}" in self.jobs:
            return None
        broken = next((each for each in self.failures if each.name == f"{module}/jobs"), None)
        return f"jobs.py can't be loaded: {broken.reason}" if broken else "no loaded module has this job"

    def failed(self, name: str) -> Failure | None:
        """The failure that keeps a service from being served."""
        return next((failure for failure in self.failures if failure.name == name and not failure.shadowed), None)


#: replaced as a whole by a reload: a request that is running finishes with the operation of the old one
current_catalogue = ProcessValue(Catalogue())


def catalogue() -> Catalogue:
    """Return the active catalogue."""
    return current_catalogue.value


def cached_per_catalogue(work_out: Callable[[Catalogue], T]) -> Callable[[], T]:
    """Cache the result of a function of the catalogue, until another catalogue is active."""
    known: tuple[Catalogue, T] | None = None

    @wraps(work_out)
    def current() -> T:
        nonlocal known
        present = catalogue()
        # Read once and assigned once: another thread sees either the old pair or the new one
        pair = known
        if pair is None or pair[0] is not present:
            pair = known = (present, work_out(present))
        return pair[1]

    return current


class AllowedOperation(TypedDict):
    """An operation in ``error.allowed``."""

    operation: str
    method: str
    path: str


@cached_per_catalogue
def _operations_by_name(served: Catalogue) -> dict[str, Operation]:
    return {f"{each.verb} {each.template}": each for each in served.operations}


def allowed_operations(names: Iterable[str], *identifiers: Any) -> list[AllowedOperation]:
    """Return those of some operations that are served and that the caller may call.

    :param names: verb and path of each, such as ``POST /orders/{id}/close``
    :param identifiers: the ID of the record, for the first variable of the path; more of them for further variables
    """
    caller, served = current_caller(), _operations_by_name()

    def path(template: str) -> str:
        ids = iter(identifiers)
        return re.sub(r"\{\w+\}", lambda variable: str(next(ids, variable[0])), template)

    return [
        {"operation": name, "method": each.verb, "path": path(each.template)}
        for name in dict.fromkeys(names)
        if (each := served.get(name)) and (caller is None or each.permission is None or caller.may(each.permission))
    ]

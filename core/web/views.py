"""Views: what a request selects of a response (`expand`, `properties`), and dates as ISO 8601 (`dates=iso`).

``?expand=thirdparty,lines.product&properties=ref,thirdparty.name`` is parsed before the method is called, so that an
unknown name or a missing permission costs nothing. The view is then applied to what the method has returned, with one
statement for each relation.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from typing import Any, Literal, get_args

import peewee

from ..access.callers import ANONYMOUS, Caller, Permission, is_internal
from ..common.days import day_of
from ..common.errors import BadRequest, NotLoadable, Unauthorized, reason_of, unknown_fields
from ..common.readers import EPOCH, SECOND, one_of
from ..common.settings import is_native
from ..contract.annotations import ParameterNote
from ..contract.catalogue import Catalogue, Input, Operation, Service, cached_per_catalogue
from ..contract.relations import Shape, may_relate
from ..records.extra_fields import PREFIX, definitions
from ..records.lists import Page
from ..storage.fields import RecordField
from ..storage.model import meta_of, relations_of

#: names in a path of `expand` at most
DEEPEST = 3
#: IDs in one statement: SQLite binds 32,766 values, and an author's `complete` may bind them again
IDS_OF_A_STATEMENT = 5_000

# Relations -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """The records of a table, as a service returns them.

    :param service: its name; if it can't be loaded, the name of its module
    :param records: its `Records`; None: it can't be loaded
    :param shape: the shape of one record
    :param permissions: the permissions that listing the records and reading one of them require
    :param is_open: whether no key is required
    """

    service: str
    records: Any = None
    shape: Shape | None = None
    permissions: tuple[Permission, ...] = ()
    is_open: bool = False

    def ensure_readable(self, path: str, caller: Caller) -> None:
        """Check that a caller may read the records.

        :param path: the path in the request, for the message
        :raises NotLoadable: their service can't be loaded
        :raises Unauthorized: a permission is missing
        """
        if self.records is None:
            raise NotLoadable(f"expand={path}: a file of the module {self.service} can't be loaded")
        if caller is ANONYMOUS and not self.is_open:
            raise Unauthorized(f"expand={path}: an API key is required", reason="missing_key")
        for each in self.permissions:
            if not caller.may(each):
                raise Unauthorized(f"expand={path}: {each.missing}")

    def read(self, ids: list[int]) -> list[dict[str, Any]]:
        """Return the records with these IDs that the caller may see, as a list of the service has them."""
        key = meta_of(self.records.model).primary_key.name
        found: list[dict[str, Any]] = []
        for start in range(0, len(ids), IDS_OF_A_STATEMENT):
            found += self.records.every({key: ids[start : start + IDS_OF_A_STATEMENT]})
        return found


class Relations:
    """The relations of all records in one catalogue."""

    def __init__(self, served: Catalogue) -> None:
        #: table → its records
        self.targets = read_targets(served)
        #: table → model of its records
        self.shown = {table: each.shape.model for table, each in self.targets.items() if each.shape is not None}
        self._fields: dict[Any, Mapping[str, RecordField]] = {}

    def below(self, shape: Shape, holder: Any = None) -> dict[str, tuple[RecordField, Target]]:
        """Return the relations of records that can be expanded, by name.

        :param holder: the model of the record that they are parts of; a reference back to it isn't a relation
        """
        fields = self._fields.get(shape.model)
        if fields is None:
            fields = self._fields[shape.model] = relations_of(shape.model)
        found = {}
        for name, each in fields.items():
            table = meta_of(each.target()).table_name
            leads_back = holder is not None and table == meta_of(holder).table_name
            if table in self.targets and name not in shape.parts and not leads_back:
                found[name] = each, self.targets[table]
        return found

    def paths(self, shape: Shape, holder: Any = None, left: int = DEEPEST) -> Iterator[str]:
        """Yield every path that can be expanded: ``thirdparty``, ``lines.product``, ``order.thirdparty``."""
        if not left:
            return
        for name, (_, target) in self.below(shape, holder).items():
            if target.shape is not None:
                yield name
                yield from (f"{name}.{further}" for further in self.paths(target.shape, None, left - 1))
        for key, model in shape.parts.items():
            yield from (f"{key}.{further}" for further in self.paths(Shape(model), shape.model, left - 1))


relations = cached_per_catalogue(Relations)


def read_targets(served: Catalogue) -> dict[str, Target]:
    """Return the records of each table; native services come before dropped-in ones."""
    found: dict[str, Target] = {}
    services = served.services.values()
    for service in sorted(services, key=lambda each: (not is_native(each.file), each.name)):
        target = _target(service, served.operations_by_origin[service.name])
        if target is not None:
            found.setdefault(meta_of(target.records.model).table_name, target)
    # By module, because it isn't known which file would have served a table
    broken = {each.module for each in served.failures if "/" not in each.name and not each.shadowed}
    for model in served.models if broken else ():
        module = model.__module__.split(".")[1:2]
        if module and module[0] in broken:
            found.setdefault(meta_of(model).table_name, Target(module[0]))
    return found


def _target(service: Service, operations: Iterable[Operation]) -> Target | None:
    """Return the records of a service; None if it doesn't state who may read them."""
    records = service.records
    if records is None or not records.expandable:
        return None
    table = meta_of(records.model).table_name
    reading = [(operation, shape) for operation in operations if (shape := _read_by(operation, table))]
    # A check inside a method isn't known here, so records without a stated permission aren't expanded
    permissions = {each.permission.text: each.permission for each, _ in reading if each.permission is not None}
    is_open = not permissions and all(each.access != "protected" for each, _ in reading)
    if not reading or not (permissions or is_open):
        return None
    shape = next((each for _, each in reading if each.parts), reading[0][1])
    return Target(service.name, records, shape, tuple(permissions.values()), is_open)


def _read_by(operation: Operation, table: str) -> Shape | None:
    """Return the shape of an operation that lists a service's records or reads one by its ID; None: it does neither."""
    shape, segments = operation.shape, operation.own_segments
    if operation.verb != "GET" or segments is None or len(segments) > 1:
        return None
    if shape is None or meta_of(shape.model).table_name != table or shape.is_list == bool(segments):
        return None
    return shape if shape.is_list or operation.takes_id(segments[0]) else None


# Views ---------------------------------------------------------------------------------------------------------------

EXPAND, PROPERTIES, DATES = "expand", "properties", "dates"
#: names in `expand` or `properties`
MOST_NAMES = 1_000
#: further records in one response, those in others and their parts included; each counts as often as it occurs
MOST_EXPANDED = 20_000

Record = dict[str, Any]


def _input(name: str, kind: Any, default: str, text: str) -> Input:
    return Input(name, "query", kind, default, ParameterNote(name, text), of_answer=True)


_EXPAND = _input(EXPAND, list[str], "", "records to embed")
_PROPERTIES = _input(
    PROPERTIES, str, "", "comma-separated fields to return; all others are missing, even required ones"
)
_DATES_TEXT = (
    "iso: dates as ISO 8601, such as 2026-11-21 or 2026-11-21T10:00:00Z, instead of Unix seconds, "
    "which the schemas describe"
)
_DATES = _input(DATES, Literal["seconds", "iso"], "seconds", _DATES_TEXT)


def view_inputs(verb: str, inputs: Iterable[Input], shape: Shape | None) -> tuple[Input, ...]:
    """Return the parameters of an operation that select what it returns, unless it has parameters of these names.

    :param shape: the records that it returns
    """
    taken = {each.name for each in inputs}
    if verb != "GET" or shape is None or EXPAND in taken:
        return ()
    found = (*((_EXPAND,) if may_relate(shape) else ()), _PROPERTIES, _DATES)
    return tuple(each for each in found if each.name not in taken)


@cache
def date_kinds(model: Any) -> dict[str, str]:
    """Return the keys of a model's records that are dates: `date` for a calendar day, `datetime` for an instant."""
    meta = meta_of(model)
    fields = {**meta.fields, **{key: meta.fields[name] for key, name in meta.aliases.items() if name in meta.fields}}
    hints = typing.get_type_hints(meta.answers, include_extras=True) if meta.answers is not None else {}
    kinds: dict[str, str] = {}
    for kind, column in ((datetime, peewee.DateTimeField), (date, peewee.DateField)):
        kinds |= {key: kind.__name__ for key, each in fields.items() if isinstance(each, column)}
        kinds |= {key: kind.__name__ for key, hint in hints.items() if kind in get_args(hint)}
    return kinds


def _iso(value: Any, kind: str | None) -> Any:
    """Return a day or an instant, sent as Unix seconds, as ISO 8601; a value of another kind as it is."""
    if kind not in ("date", "datetime") or isinstance(value, bool) or not isinstance(value, (int, str)):
        return value
    if not str(value).lstrip("-").isdecimal():
        return value
    seconds = int(value)
    return day_of(seconds).isoformat() if kind == "date" else f"{(EPOCH + seconds * SECOND).isoformat()}Z"


@dataclass
class View:
    """The selected fields of records, and the views of the records in them.

    :param fields: the selected keys, in this order; all if empty
    :param below: the views of relations and parts, by key
    :param relation: the records of a relation; None: they are parts of a record, or those of the response
    :param id_field: the field that refers to the related record
    :param holder: the model of the record that they are parts of
    :param is_whole: all keys are returned, even if some are selected
    :param path: the names that lead here
    :param iso: dates are ISO 8601 instead of Unix seconds
    """

    shape: Shape
    fields: dict[str, None] = field(default_factory=dict)
    below: dict[str, View] = field(default_factory=dict)
    relation: Target | None = None
    id_field: str = ""
    holder: Any = None
    is_whole: bool = False
    path: str = ""
    iso: bool = False

    @property
    def is_limited(self) -> bool:
        """True if only some keys are returned."""
        return bool(self.fields) and not self.is_whole

    @property
    def needed(self) -> str:
        """The fields of the records themselves that the view needs, as in `properties`; empty: all."""
        if not self.is_limited:
            return ""
        columns = {name: view.id_field or name for name, view in self.below.items()}
        return ",".join(dict.fromkeys(columns.get(name, name) for name in self.fields))

    @property
    def names_columns(self) -> bool:
        """True if the fields of all related records are selected, so that the columns of a sheet are known."""
        views = self.below.values()
        return all(view.relation is None or (view.is_limited and view.names_columns) for view in views)

    # Parsing

    def expand(self, path: str, caller: Caller) -> None:
        """Include the records of a path of relations.

        :raises BadRequest: there is no such relation
        :raises NotLoadable: the service of these records can't be loaded
        :raises Unauthorized: the caller may not read them
        """
        view = self
        for name in path.split("."):
            inner = view._step(name, caller)
            if inner is None:
                raise self._unknown_relation(path)
            if view.is_limited:
                view.fields[name] = None
            view = inner
        if view.relation is None:
            raise self._unknown_relation(path)

    def select(self, path: str, caller: Caller) -> None:
        """Return the field of a path; if it is a relation or a list of parts, with all of its fields.

        The last name may be any key of a record; `apply` checks it.

        :raises BadRequest: there is no such relation or part
        """
        view, names = self, path.split(".")
        for depth, name in enumerate(names, 1):
            view.fields[name] = None
            inner = view._step(name, caller)
            if inner is None:
                if depth < len(names):
                    raise BadRequest(errors=[BadRequest.unknown(PROPERTIES, path)])
                return
            view = inner
        view.is_whole = True

    def _step(self, name: str, caller: Caller) -> View | None:
        """Return the view of a relation or part that the caller may read; None if the name is unknown."""
        view, path = self.below.get(name), f"{self.path}.{name}".removeprefix(".")
        if view is None and path.count(".") < DEEPEST:
            if name in self.shape.parts:
                view = View(Shape(self.shape.parts[name]), holder=self.shape.model, path=path)
            elif name in (known := relations().below(self.shape, self.holder)):
                leads, target = known[name]
                view = View(target.shape or Shape(leads.target()), relation=target, id_field=leads.name, path=path)
        if view is not None:
            if view.relation is not None:
                view.relation.ensure_readable(path, caller)
            self.below[name] = view
        return view

    def _unknown_relation(self, path: str) -> BadRequest:
        wrong = unknown_fields([path], list(relations().paths(self.shape)))
        return BadRequest(errors=[(EXPAND, reason) for _, reason in wrong])

    # Application

    def apply(self, result: Any) -> Any:
        """Return the result of a method as the request selects it. A record isn't changed in place.

        :raises BadRequest: the records don't have a field, or the response would have too many records
        """
        if isinstance(result, dict):
            return self._limited([result])[0]
        if not isinstance(result, list):
            return result
        # An author's list may also have other values, and may be cached
        records = iter(self._limited([each for each in result if isinstance(each, dict)]))
        made = [next(records) if isinstance(each, dict) else each for each in result]
        if isinstance(result, Page):
            result[:] = made
            return result
        return made

    def _limited(self, records: list[Record]) -> list[Record]:
        made, weights = self._applied(records)
        if sum(weights) > MOST_EXPANDED:
            reason = f"expected at most {MOST_EXPANDED} referenced records, got {sum(weights)}"
            raise BadRequest(errors=[(EXPAND, reason)])
        return [self._with_iso_dates(each) for each in made] if self.iso else made

    def _applied(self, records: list[Record]) -> tuple[list[Record], list[int]]:
        """Return the selection of records, and the number of further records in each of them."""
        made = [dict(record) for record in records]
        weights = [0] * len(made)
        for key, view in self.below.items():
            fill = view._fill_parts if view.relation is None else view._fill_relation
            fill(key, made, weights)
        if self.is_limited:
            self._ensure_known(made)
            made = [{name: record[name] for name in self.fields if name in record} for record in made]
        return made, weights

    def _with_iso_dates(self, record: Record) -> Record:
        """Return a record with ISO 8601 dates instead of Unix seconds; it isn't changed in place."""
        kinds = date_kinds(self.shape.model)
        made: Record = {}
        for key, value in record.items():
            part, view = self.shape.parts.get(key), self.below.get(key)
            if part is not None and isinstance(value, list):
                view = view or View(Shape(part))
                made[key] = [view._with_iso_dates(each) for each in value]
            elif view is not None and isinstance(value, dict):
                made[key] = view._with_iso_dates(value)
            elif key == "array_options" and isinstance(value, dict):
                extras = definitions(meta_of(self.shape.model).extrafields)
                types = {PREFIX + name: each.type for name, each in extras.items()}
                made[key] = {name: _iso(each, types.get(name)) for name, each in value.items()}
            else:
                made[key] = _iso(value, kinds.get(key))
        return made

    def _fill_parts(self, key: str, holders: list[Record], weights: list[int]) -> None:
        """Apply this view to the parts of records, all together."""
        lists = [record[key] if isinstance(record.get(key), list) else [] for record in holders]
        parts, inner = self._applied([part for each in lists for part in each])
        start = 0
        for place, each in enumerate(lists):
            end = start + len(each)
            if each:
                holders[place][key] = parts[start:end]
                weights[place] += sum(inner[start:end])
            start = end

    def _fill_relation(self, key: str, holders: list[Record], weights: list[int]) -> None:
        """Read the records of a relation, and add each to those that refer to it."""
        target: Any = self.relation
        ids = [id_in(record.get(self.id_field)) for record in holders]
        found = target.read(sorted({each for each in ids if each}))
        records, inner = self._applied(found)
        own = meta_of(target.records.model).primary_key.name
        known = {
            id_in(record.get(own)): (shown, 1 + more + sum(len(record.get(part) or ()) for part in self.shape.parts))
            for record, shown, more in zip(found, records, inner, strict=True)
        }
        for place, each in enumerate(ids):
            holders[place][key], weight = known.get(each, (None, 0))
            weights[place] += weight

    def _ensure_known(self, made: list[Record]) -> None:
        """Reject a selected field that no record has."""
        if not made:
            return
        meta = meta_of(self.shape.model)
        fields = {*meta.fields, *meta.aliases, "array_options"} - {*meta.secret}
        if not is_internal():
            fields -= {*meta.internal, *(alias for alias, name in meta.aliases.items() if name in meta.internal)}
        for name in self.fields:
            if name not in fields and not any(name in record for record in made):
                raise BadRequest(errors=[BadRequest.unknown(PROPERTIES, f"{self.path}.{name}".removeprefix("."))])

    def flat(self, records: list[Record]) -> list[Record]:
        """Return selected records as rows of a sheet, with columns such as ``thirdparty.name``."""
        return [dict(self._cells(record, "")) for record in records]

    def _cells(self, record: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
        for name, value in record.items():
            view = self.below.get(name)
            if view is None or view.relation is None:
                yield before + name, value
            elif value is not None:
                yield from view._cells(value, f"{before}{name}.")
            elif view.is_limited:
                yield from view._cells(dict.fromkeys(view.fields), f"{before}{name}.")


def id_in(value: Any) -> int:
    """Return the ID in a field, whatever its form in the profile; 0: it refers to no record."""
    try:
        return max(int(value), 0) if type(value) in (int, str) else 0
    except ValueError:
        return 0


class ViewReader:
    """Reads the views of requests to one operation.

    :param inputs: all parameters of the operation
    """

    def __init__(self, shape: Shape, inputs: Iterable[Input]) -> None:
        self._shape = shape
        taken = {each.name: each.of_answer for each in inputs if each.of_answer or each.group}
        self._expands = taken.get(EXPAND, False)
        self._selects = PROPERTIES in taken
        self._has_dates = taken.get(DATES, False)
        #: whether `properties` is a parameter of the method, which then reads only these fields
        self.passes_properties = self._selects and not taken[PROPERTIES]

    def read(self, query: Mapping[str, Any], caller: Caller) -> View | None:
        """Return the view of a request; None: all that the method returns.

        :raises BadRequest: there is no such relation or part
        :raises NotLoadable: the service of selected records can't be loaded
        :raises Unauthorized: the caller may not read selected records
        """
        iso = DATES in query and self._has_dates and self._asks_iso(query[DATES])
        if EXPAND not in query and PROPERTIES not in query and not iso:
            return None
        expand = _names_in(query, EXPAND) if self._expands else []
        properties = _names_in(query, PROPERTIES) if self._selects else []
        if not iso and not expand and (not properties or (self.passes_properties and not self._reaches(properties))):
            return None
        view = View(self._shape, iso=iso)
        for path in properties:
            view.select(path, caller)
        for path in expand:
            view.expand(path, caller)
        return view

    def _asks_iso(self, value: Any) -> bool:
        known = get_args(_DATES.type)
        if value and value not in known:
            raise BadRequest(errors=[(DATES, reason_of(ValueError(one_of(known)), value))])
        return bool(value == "iso")

    def _reaches(self, properties: list[str]) -> bool:
        """Return whether fields of related records or of parts are selected."""
        return any("." in name for name in properties) or bool({*relations().below(self._shape)} & {*properties})


def _names_in(query: Mapping[str, Any], parameter: str) -> list[str]:
    """Return the names in a parameter of the query, separated by commas; it may be sent several times.

    :raises BadRequest: there are too many
    """
    value = query.get(parameter, "")
    texts = value if isinstance(value, list) else [value]
    names = dict.fromkeys(name.strip() for text in texts for name in text.split(",") if name.strip())
    if len(names) > MOST_NAMES:
        raise BadRequest(errors=[(parameter, f"expected at most {MOST_NAMES} names, got {len(names)}")])
    return list(names)

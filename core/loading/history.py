"""The history of every record: a route beside the one that reads it, unless the author has written one."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from ..access.callers import Caller, Permission, current_caller, is_internal
from ..audit.forms import Form, form_of
from ..audit.history import HistoryEntry, exists, history, may_read_trail
from ..common.errors import NotFound
from ..contract.annotations import in_python
from ..contract.catalogue import Catalogue, Operation, Service, cached_per_catalogue
from ..records.extra_fields import PREFIX, definitions
from ..records.lists import ListQuery, Page, page_size
from ..records.records import Records
from ..schema.tables import CORE_TABLES
from ..storage.model import Model, meta_of

_DOC = """List the history of a record.

Returns the changes of the record and its parts, the newest first: which fields changed, when, by whom and by which
operation. If you may read the record, you may read its history, except for parts that you may not read. With the
permission `audit.read`, you also see logins, keys and addresses, and the history of deleted records. External users
get 404.

:url: GET {%(name)s}/history
:param %(name)s: the record, as when you read it
:param limit: changes per page; 0: the largest page {@min 0}
:param page: page number, from 0 {@min 0}
:raises NotFound: the record doesn't exist
%(access)s
"""


def history_class(api_class: type, operations: Iterable[Operation], records: Any) -> Any:
    """A class with the method `history`, beside the one that reads a record by its identifier; None: none is due.

    :param records: the `Records` that the class serves, if it says so
    """
    if not isinstance(records, Records) or not meta_of(records.model).audited:
        return None
    served = [each for each in operations if each.verb == "GET" and each.segments[:1] and _is_value(each.segments[0])]
    if any(len(each.segments) == 2 and each.segments[1].lower() == "history" for each in served):
        return None
    # Of a number and a word in one place the number is tried first, here as when reading
    reading = sorted((each for each in served if len(each.segments) == 1), key=_is_text)
    return _make(api_class, reading[0], records) if reading else None


def _is_value(segment: str) -> bool:
    return segment.startswith("{")


def _is_text(operation: Operation) -> bool:
    return next(each.type for each in operation.inputs if each.place == "path") not in (int, float)


def _make(api_class: type, reading: Operation, records: Records[Any]) -> type:
    (taken,) = [each for each in reading.inputs if each.place == "path"]
    name = in_python(taken.name)

    class History:
        """The history of the records of a service."""

        def history(self, **given: Any) -> Any:
            return _page(records, self._read, given[name], given["limit"], given["page"])

        def _read(self, identifier: Any) -> Any:
            """The record as its own operation answers it: with its checks, its rules and what it leaves out."""
            return getattr(api_class(), reading.name)(**{name: identifier})

    parameters = [
        Parameter("self", Parameter.POSITIONAL_OR_KEYWORD),
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=taken.type),
        Parameter("limit", Parameter.POSITIONAL_OR_KEYWORD, annotation=int, default=100),
        Parameter("page", Parameter.POSITIONAL_OR_KEYWORD, annotation=int, default=0),
    ]
    method: Any = History.history
    method.__signature__ = inspect.Signature(parameters, return_annotation=list[HistoryEntry])
    permission = f":permission: {reading.permission.text}" if reading.permission else ""
    access = permission or ("" if reading.is_silent else f":access: {reading.access}")
    method.__doc__ = _DOC % {"name": name, "access": access}
    return History


def _page(records: Records[Any], read: Any, identifier: Any, limit: int, page: int) -> Page:
    if not is_internal():
        raise NotFound(f"{records.noun} {identifier!s:.80} not found", dolibarr=f"{records.noun} not found")
    try:
        shown = read(identifier)
        shown = shown if isinstance(shown, dict) else {}
    except NotFound:
        if not may_read_trail() or exists(records.model, identifier):
            raise
        # What is gone was seen by whoever may read the trail
        shown = None
    size = page_size(limit)
    parts = {} if may_read_trail() else readable_parts(records.model)
    found = Page(history(records.model, identifier, shown, size, page, parts))
    if shown is None and not found:
        raise NotFound(f"{records.noun} {identifier!s:.80} not found", dolibarr=f"{records.noun} not found")
    found.query = ListQuery(limit=limit, page=page)
    if size is not None:
        del found[size:]
    return found


@dataclass(frozen=True)
class Part:
    """A table whose rows may be in the history of other records.

    :param fields: those that an operation returns
    :param permissions: a caller must have one of them; empty: `is_open` decides
    :param is_open: whether every caller who may read the record may read these rows
    """

    model: type[Model]
    fields: tuple[str, ...]
    permissions: tuple[Permission, ...]
    is_open: bool

    def is_readable(self, caller: Caller) -> bool:
        """Return whether a caller may read the rows."""
        return self.is_open or any(caller.may(each) for each in self.permissions)

    def as_record(self) -> dict[str, Any]:
        """Return the keys of such a record as an operation returns it."""
        kind = meta_of(self.model).extrafields
        extras = {f"{PREFIX}{name}": None for name in definitions(kind)} if kind else {}
        return {**dict.fromkeys(self.fields), "array_options": extras}


def readable_parts(model: type[Model]) -> dict[str, dict[str, Any]]:
    """Return the tables of the parts of a model's records that the caller may read, each with the keys of a record."""
    caller = current_caller()
    parts = _parts().of(model)
    return {table: each.as_record() for table, each in parts.items() if caller is None or each.is_readable(caller)}


class _Parts:
    """The parts of all records in one catalogue."""

    def __init__(self, served: Catalogue) -> None:
        self._served = served
        self._models = {meta_of(each).table_name: each for each in (*CORE_TABLES, *served.models)}
        self._known: dict[str, dict[str, Part]] = {}

    def of(self, model: type[Model]) -> dict[str, Part]:
        """Return the tables whose rows may be parts of a model's records."""
        table = meta_of(model).table_name
        if table not in self._known:
            self._known[table] = {
                name: self._part(each, _module_of(model))
                for name, each in self._models.items()
                if name != table and _may_be_part(name, table)
            }
        return self._known[table]

    def _part(self, model: type[Model], holder: str) -> Part:
        """Work out who may read the rows of a table.

        The operations that return them decide, with their permissions. If none does, such as for links, the reading
        operations of the table's module decide. If these state no permission either, the record's own decides, as it
        does within its module.

        :param holder: the module of the record
        """
        meta, module, services = meta_of(model), _module_of(model), self._served.services
        reading = [each for each in self._served.operations if each.verb == "GET"]
        returning = [each for each in reading if _returns(each, str(meta.table_name))]
        permissions = _stated(returning)
        if module == holder:
            is_open = not permissions
        elif returning:
            is_open = any(_is_open(services[each.origin], each) for each in returning)
        else:
            permissions = _stated(each for each in reading if services[each.origin].module == module)
            is_open = not permissions and not any(each.module == module for each in self._served.failures)
        fields = tuple(name for name in meta.fields if name not in meta.secret)
        return Part(model, fields, permissions, is_open)


_parts = cached_per_catalogue(_Parts)


def _module_of(model: type[Model]) -> str:
    """The folder of the module that defines a model; empty: it is the server's own."""
    package, _, rest = model.__module__.partition(".")
    return rest.partition(".")[0] if package == "modules" else ""


def _may_be_part(table: str, holder: str) -> bool:
    form = form_of(table)
    return isinstance(form, Form) and (form.belongs_to is not None or holder in {name for _, name in form.leads})


def _returns(operation: Operation, table: str) -> bool:
    """Return whether an operation returns the records of a table, or records that hold them."""
    shape = operation.shape
    return shape is not None and any(meta_of(each).table_name == table for each in (shape.model, *shape.parts.values()))


def _stated(operations: Iterable[Operation]) -> tuple[Permission, ...]:
    found = {each.permission.text: each.permission for each in operations if each.permission}
    return tuple(found.values())


def _is_open(service: Service, operation: Operation) -> bool:
    """Whether every key may call an operation: it states no permission, nor that its method decides."""
    said = operation.annotation.access or service.annotation.access
    return operation.permission is None and said != "protected"

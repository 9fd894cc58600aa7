"""The history of a record: its changes, and those of its parts that the caller may read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..access.callers import Caller, Permission, current_caller, is_internal
from ..audit.forms import Form, form_of
from ..audit.history import exists, history, may_read_trail
from ..common.errors import NotFound
from ..contract.catalogue import Catalogue, Operation, Service, cached_per_catalogue, catalogue
from ..records.extra_fields import PREFIX, definitions
from ..records.lists import ListQuery, Page, page_size
from ..records.records import Records
from ..schema.tables import CORE_TABLES
from ..storage.model import Model, meta_of


class History:
    """The history of the records of one service.

    :param api_class: the class whose method reads a record; a caller who may read it may read its history
    :param method: the name of this method
    :param parameter: its parameter
    """

    def __init__(self, records: Records[Any], api_class: type, method: str, parameter: str) -> None:
        self._records = records
        self._api_class = api_class
        self._method = method
        self._parameter = parameter

    def page(self, limit: int, page: int, **given: Any) -> Page:
        """Return a page of changes of a record, the newest first.

        :param given: the parameter that identifies the record
        """
        records, identifier = self._records, given[self._parameter]
        if not is_internal():
            raise self._missing(identifier)
        try:
            # With the checks of its own operation, its rules and what it leaves out
            shown = getattr(self._api_class(), self._method)(**given)
            shown = shown if isinstance(shown, dict) else {}
        except NotFound:
            if not may_read_trail() or exists(records.model, identifier):
                raise
            # A caller who may read the trail also sees deleted records
            shown = None
        size = page_size(limit)
        parts = {} if may_read_trail() else readable_parts(records.model)
        found = Page(history(records.model, identifier, shown, size, page, parts))
        if shown is None and not found:
            raise self._missing(identifier)
        found.query = ListQuery(limit=limit, page=page)
        if size is not None:
            del found[size:]
        return found

    def _missing(self, identifier: Any) -> NotFound:
        noun = self._records.noun
        return NotFound(f"{noun} {identifier!s:.80} not found", dolibarr=f"{noun} not found")


@dataclass(frozen=True)
class _Part:
    """A table whose rows may be in the history of other records.

    :param fields: those that an operation returns
    :param permissions: a caller must have one of them; empty: `is_open` decides
    :param is_open: whether every caller who may read the record may read these rows
    """

    model: type[Model]
    fields: tuple[str, ...]
    permissions: tuple[Permission, ...]
    is_open: bool

    def is_readable(self, caller: Caller | None) -> bool:
        """Return whether a caller may read the rows; None: it is a command."""
        return caller is None or self.is_open or any(caller.may(each) for each in self.permissions)

    def as_record(self) -> dict[str, Any]:
        """Return the keys of such a record as an operation returns it."""
        kind = meta_of(self.model).extrafields
        extras = {f"{PREFIX}{name}": None for name in definitions(kind)} if kind else {}
        return {**dict.fromkeys(self.fields), "array_options": extras}


def readable_parts(model: type[Model]) -> dict[str, dict[str, Any]]:
    """Return the tables of the parts of a model's records that the caller may read, each with the keys of a record."""
    caller, parts, own = current_caller(), _parts(), meta_of(model).table_name
    if own not in parts:
        parts[own] = _parts_of(model, catalogue())
    return {table: each.as_record() for table, each in parts[own].items() if each.is_readable(caller)}


@cached_per_catalogue
def _parts(served: Catalogue) -> dict[str, dict[str, _Part]]:
    """Return the parts of each table's records, which are added when they are needed."""
    return {}


def _parts_of(model: type[Model], served: Catalogue) -> dict[str, _Part]:
    """Return the tables whose rows may be parts of a model's records."""
    own = meta_of(model).table_name
    models = {meta_of(each).table_name: each for each in (*CORE_TABLES, *served.models)}
    return {
        table: _part(each, _module_of(model), served)
        for table, each in models.items()
        if table != own and _may_be_part(table, own)
    }


def _part(model: type[Model], holder: str, served: Catalogue) -> _Part:
    """Work out who may read the rows of a table.

    The operations that return them decide, with their permissions. If none does, such as for links, the reading
    operations of the table's module decide. If these state no permission either, the record's own decides, as it does
    within its module.

    :param holder: the module of the record
    """
    meta, module, services = meta_of(model), _module_of(model), served.services
    reading = [each for each in served.operations if each.verb == "GET"]
    returning = [each for each in reading if each.returns(str(meta.table_name))]
    permissions = _stated(returning)
    if module == holder:
        is_open = not permissions
    elif returning:
        is_open = any(_is_open(services[each.origin], each) for each in returning)
    else:
        permissions = _stated(each for each in reading if services[each.origin].module == module)
        is_open = not permissions and not any(each.module == module for each in served.failures)
    fields = tuple(name for name in meta.fields if name not in meta.secret)
    return _Part(model, fields, permissions, is_open)


def _module_of(model: type[Model]) -> str:
    """Return the folder of the module that defines a model; empty: it is one of the server's own."""
    package, _, rest = model.__module__.partition(".")
    return rest.partition(".")[0] if package == "modules" else ""


def _may_be_part(table: str, holder: str) -> bool:
    form = form_of(table)
    return isinstance(form, Form) and (form.belongs_to is not None or holder in {name for _, name in form.leads})


def _stated(operations: Iterable[Operation]) -> tuple[Permission, ...]:
    found = {each.permission.text: each.permission for each in operations if each.permission}
    return tuple(found.values())


def _is_open(service: Service, operation: Operation) -> bool:
    """Return whether every key may call an operation: it has no permission, and its method doesn't check one."""
    said = operation.annotation.access or service.annotation.access
    return operation.permission is None and said != "protected"

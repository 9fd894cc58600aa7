"""The operations that the server adds to services: `batch` for records, `sums` of a list, and the `history` of each.

If a class has an operation with the same path, nothing is added. `Crud.without` leaves one out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Required, TypedDict, get_args, get_origin, get_type_hints

from ..access.callers import ADMINISTRATORS, Caller, Permission, current_caller, is_internal
from ..audit.forms import Form, form_of
from ..audit.history import HistoryEntry, exists, history, may_read_trail
from ..common.errors import NotFound
from ..common.request_state import set_header
from ..common.unset import UNSET
from ..contract.annotations import Annotation, ParameterNote, python_name, read_annotation
from ..contract.api import File, Redirect
from ..contract.catalogue import Catalogue, Input, Operation, Service, cached_per_catalogue, catalogue
from ..contract.routes import Route, path_below
from ..crud import plural_of, with_article
from ..records.extra_fields import PREFIX, definitions
from ..records.lists import ListQuery, Page, page_size
from ..records.records import Records
from ..records.sums import COUNT, SumQuery, check_amounts, summable
from ..schema.tables import CORE_TABLES
from ..storage.fields import ExactField
from ..storage.model import Model, meta_of
from ..web.batch import READERS_WITH_CSV, Batch, BatchResult
from ..web.bodies import READERS
from ..web.endpoint import Endpoint

BATCH = "batch"
HISTORY = "history"
SUMS = "sums"
#: the operations that a class can leave out by name, in addition to its methods
ADDED = (BATCH, HISTORY, SUMS)

_BATCH = read_annotation("""Create, update and delete many records.

Each entry is one operation, with its body and permission. A malformed entry rejects the whole batch.

To create records, you can send a CSV file instead (`Content-Type: text/csv`): field names in the first line, then one
record a line; errors give the line.

:param entries: operations, in order
:param atomic: true: the first failure undoes all; false: failed entries are skipped; with CSV, in the query
:strict:
""")
_BATCH_INPUTS = (
    Input("entries", "body", list, UNSET, _BATCH.parameters["entries"]),
    Input("atomic", "body", bool, True, _BATCH.parameters["atomic"]),
)
_BATCH_ERRORS = (
    (400, "an entry is malformed, or there are too many; nothing was changed"),
    (503, "the time limit for a batch ran out; nothing was changed"),
)

_HISTORY = read_annotation("""Read a record's history.

Newest first. Logins, keys, addresses and deleted records need `audit.read`. External users get 404.

:param limit: page size; 0: maximum {@min 0}
:param page: from 0 {@min 0}
""")
_HISTORY_INPUTS = (
    Input("limit", "query", int, 100, _HISTORY.parameters["limit"]),
    Input("page", "query", int, 0, _HISTORY.parameters["page"]),
)
_SUMS = read_annotation("""Sum records.

Counts and sums all records that the list would return with the same filters. Sums are exact. If the list hides records,
the header `Visible-Records` has the reason.

:param fields: comma-separated fields to sum; empty: only the number
:param group: comma-separated fields; a row for each combination of their values {@max 1000}
""")
_SUMS_INPUTS = (
    Input("fields", "query", str, "", _SUMS.parameters["fields"]),
    Input("group", "query", str, "", _SUMS.parameters["group"]),
)
_SUMS_ERRORS = ((400, "a field can't be summed or doesn't exist, or there are more than 10,000 groups"),)
_HISTORY_ERRORS = ((404, "the record doesn't exist"),)


def standard_operations(
    api_class: type, of_class: Annotation, operations: list[Operation], records: Any
) -> list[Operation]:
    """Return the operations that the server adds to those of a class.

    :param of_class: the docstring of the class
    :param records: the records that the class serves; None: none
    """
    hidden = (name for name in ADDED if getattr(api_class, name, name) is None)
    without = (*getattr(api_class, "without", ()), *hidden)
    added = []
    reading = None if HISTORY in without else _reading(operations, records)
    if reading is not None:
        added.append(_history(api_class, of_class, reading, records))
    listing = None if SUMS in without else _listing(operations, records)
    if listing is not None:
        added.append(_sums(api_class, of_class, listing, records))
    entries = () if BATCH in without or any(map(_takes_its_place, operations)) else _entries(operations)
    if entries:
        added.append(_batch(api_class, of_class, entries, records))
    return added


def _titled(note: Annotation, api_class: type, records: Any) -> Annotation:
    """Return the docstring of an operation, with the noun of what the class serves in place of "record"."""
    noun = getattr(api_class, "noun", "") or (records.noun.lower() if isinstance(records, Records) else "")
    if not noun:
        return note
    plural = getattr(api_class, "nouns", plural_of(noun))
    return replace(note, summary=note.summary.replace("a record", with_article(noun)).replace("records", plural))


# History -------------------------------------------------------------------------------------------------------------


def _reading(operations: Iterable[Operation], records: Any) -> Operation | None:
    """Return the operation that reads a record by its identifier, if a history is to be added."""
    if not isinstance(records, Records) or not meta_of(records.model).audited:
        return None
    reading = [(own, each) for each in operations if each.verb == "GET" and (own := each.own_segments)]
    served = [(own, each) for own, each in reading if own[0][0] == "{"]
    if any(len(own) == 2 and own[1].lower() == HISTORY for own, _ in served):
        return None
    # A number is tried before a word in the same place, as when reading
    return min((each for own, each in served if len(own) == 1), key=_is_text, default=None)


def _is_text(operation: Operation) -> bool:
    return next(each.type for each in operation.inputs if each.place == "path") not in (int, float)


def _history(api_class: type, of_class: Annotation, reading: Operation, records: Records[Any]) -> Operation:
    """Return the operation that lists the history of a record, for callers who may read the record."""
    (taken,) = [each for each in reading.inputs if each.place == "path"]
    identifier = replace(taken, note=ParameterNote(taken.name, "record ID"))
    history = History(records, api_class, reading.name, python_name(taken.name))
    note = replace(_titled(_HISTORY, api_class, records), strict=of_class.strict, body=of_class.body)
    route = Route("GET", f"{{{taken.name}}}/{HISTORY}", (identifier, *_HISTORY_INPUTS))
    result, permission, access = list[HistoryEntry], reading.permission, reading.access
    endpoint = Endpoint(lambda: history, History.page, route, permission, access, note, {}, None, result)
    return Operation(
        reading.service, HISTORY, route.verb, path_below(reading.base, route.path), note, route.inputs, result,
        permission, access, endpoint, _HISTORY_ERRORS, reading.origin, is_silent=reading.is_silent, base=reading.base,
    )  # fmt: skip


# Sums ----------------------------------------------------------------------------------------------------------------


def _listing(operations: Iterable[Operation], records: Any) -> Operation | None:
    """Return the operation that lists records, if sums are to be added."""
    if not isinstance(records, Records):
        return None
    reading = [(own, each) for each in operations if each.verb == "GET" and (own := each.own_segments) is not None]
    # A record may have this word in place of a number
    texts = {f"{{{each.name}}}" for _, own in reading for each in own.inputs if each.type not in (int, float)}
    if any(own[0].lower() in (SUMS, "*") or own[0] in texts for own, _ in reading if len(own) == 1):
        return None
    # One dataclass, the `ListQuery`
    return next((each for own, each in reading if own == () and len(_groups(each)) == 1 and _filters(each)), None)


def _groups(operation: Operation) -> set[str]:
    return {each.group for each in operation.inputs if each.group}


def _filters(operation: Operation) -> list[Input]:
    """Return the inputs of a list that restrict which records it returns."""
    found = [each for each in operation.inputs if each.group and each.name in ("sqlfilters", "q")]
    return [*found, *(each for each in operation.inputs if not (each.group or each.of_answer))] if found else []


def _sums(api_class: type, of_class: Annotation, listing: Operation, records: Records[Any]) -> Operation:
    """Return the operation that sums the records of a list, for callers who may list them."""
    ((query,), filters) = _groups(listing), [replace(each, group="") for each in _filters(listing)]
    if not meta_of(records.model).searched:
        filters = [each for each in filters if each.name != "q"]
    check_amounts(records.model, records.amounts)
    operation = Sums(api_class, listing, query)
    note = replace(_titled(_SUMS, api_class, records), strict=of_class.strict, body=of_class.body)
    route = Route("GET", SUMS, (*_SUMS_INPUTS, *filters))
    result: Any = list[_sum_of(records)]  # type: ignore[misc]
    endpoint = Endpoint(lambda: operation, Sums.read, route, listing.permission, listing.access, note, {}, None, result)
    return Operation(
        listing.service, SUMS, route.verb, path_below(listing.base, SUMS), note, route.inputs, result,
        listing.permission, listing.access, endpoint, _SUMS_ERRORS, listing.origin, is_silent=listing.is_silent,
        base=listing.base,
    )  # fmt: skip


def _sum_of(records: Records[Any]) -> Any:
    """Return the type of a row: the number of records, and any of the fields and amounts."""
    meta = meta_of(records.model)
    hidden = {*meta.secret, *meta.internal}
    keys: dict[str, Any] = {name: Annotated[Any, field] for name, field in meta.fields.items() if name not in hidden}
    amount: Any = next((field for field in meta.fields.values() if isinstance(field, ExactField)), ExactField)
    told = get_type_hints(meta.answers, include_extras=True) if meta.answers else {}
    computed = [name for name in summable(records.model, records.amounts) if name not in keys]
    keys |= {name: _optional(told.get(name, Annotated[str, amount])) for name in computed}
    keys[COUNT] = Required[Annotated[int, "number of records"]]
    # A checker of types wants the keys to be written down
    make: Any = TypedDict
    return make(f"{records.model.__name__}Sum", keys, total=False)


def _optional(annotation: Any) -> Any:
    """Return the type of a key without `Required`."""
    return get_args(annotation)[0] if get_origin(annotation) is Required else annotation


class Sums:
    """The sums of the list of one service.

    :param api_class: the class whose method lists the records, with its filters
    :param listing: its operation
    :param query: its parameter with the `ListQuery`
    """

    def __init__(self, api_class: type, listing: Operation, query: str) -> None:
        self._api_class, self._query = api_class, query
        self._origin, self._path = listing.origin, listing.template

    def read(self, fields: str, group: str, sqlfilters: str = "", q: str = "", **given: Any) -> list[dict[str, Any]]:
        """Return the sums of a list.

        :param given: the other parameters of the list
        """
        query = SumQuery(sqlfilters=sqlfilters, q=q, fields=fields, group=group)
        # Modules may wrap the list
        every = catalogue().operations_by_origin[self._origin]
        listing: Any = next(each for each in every if each.verb == "GET" and each.template == self._path)
        page = listing.respond.method(self._api_class(), **{self._query: query}, **given)
        found = page.sums if isinstance(page, Page) else None
        if found is None:
            raise NotFound("this list has no sums, because its method doesn't return a page of its records as it is")
        if page.seen:
            set_header("Visible-Records", page.seen)
        return found


# Batch ---------------------------------------------------------------------------------------------------------------


def _batch(api_class: type, of_class: Annotation, entries: tuple[Operation, ...], records: Any) -> Operation:
    """Return the operation that runs several of the others at once."""
    batch, first = Batch(entries), entries[0]
    is_secret = any(each.annotation.idempotency == "secret" for each in entries)
    titled = _titled(_BATCH, api_class, records)
    note = replace(titled, body=of_class.body, idempotency="secret" if is_secret else None)
    text = _permission(entries)
    permission, access = Permission.parse(text, first.service) if text else None, "protected"
    route = Route("POST", BATCH, _BATCH_INPUTS)
    readers = READERS_WITH_CSV if any(each.verb == "POST" for each in entries) else READERS
    endpoint = Endpoint(lambda: batch, Batch.run, route, permission, access, note, {}, None, BatchResult, readers)
    return Operation(
        first.service, BATCH, route.verb, path_below(first.base, BATCH), note, route.inputs, BatchResult, permission,
        access, endpoint, _BATCH_ERRORS, first.origin, entries, base=first.base,
    )  # fmt: skip


def _takes_its_place(operation: Operation) -> bool:
    """Return whether an author's own operation serves ``POST /<service>/batch``."""
    own = operation.own_segments or ()
    if operation.verb != "POST" or len(own) != 1:
        return False
    (segment,) = own
    texts = {each.name for each in operation.inputs if each.type not in (int, float)}
    return segment.lower() == BATCH or segment == "*" or segment[1:-1] in texts


def _entries(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """Return the operations that create, change and delete one record, one for each verb."""
    found: dict[str, Operation] = {}
    for each in operations:
        own = each.own_segments
        is_of_record = own is not None and len(own) == 1 and own[0].startswith("{")
        is_of_one = is_of_record if each.verb in ("PUT", "PATCH", "DELETE") else each.verb == "POST" and own == ()
        if is_of_one and _fits(each):
            found.setdefault(each.verb, each)
    return tuple(found.values())


def _fits(operation: Operation) -> bool:
    """Return whether an entry can hold all that an operation takes, and be undone with the others."""
    return (
        operation.access == "protected"
        and operation.annotation.idempotency != "apart"
        and operation.result is not File
        and operation.result is not Redirect
        and not any(
            each.is_raw_body or (each.required and each.place in ("query", "head")) for each in operation.inputs
        )
    )


def _permission(entries: Iterable[Operation]) -> str:
    """Return the permission for a batch: that of any entry. Empty: some need none."""
    texts: dict[str, Permission] = {}
    for each in entries:
        if each.permission is None:
            return ""
        texts[each.permission.text] = each.permission
    # Administrators have every permission
    return " or ".join(text for text in texts if text != ADMINISTRATORS.text) or ADMINISTRATORS.text


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

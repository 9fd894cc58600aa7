"""Defining extra fields while the server runs: a definition and its column come, change and go together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import peewee

from ..common.clock import now
from ..common.errors import BadRequest, NotFound, Reason, Refused, known_names, reason_of, shown
from ..common.json_texts import check_texts
from ..common.readers import one_of, read_flag, read_integer, storable
from ..contract.catalogue import current_catalogue
from ..storage.backend import ColumnDefinition
from ..storage.cache_version import bump
from ..storage.database import backend, database, no_timeouts, transaction
from ..storage.values import LONGEST_TEXT
from .extra_fields import CHOICES, TYPES, Extra, ExtraField, definitions, element_models, make_field, values_table

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
#: columns that the table has already, and those that PostgreSQL and MariaDB keep for themselves
_TAKEN = (
    "rowid", "fk_object", "tms", "import_key", "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "db_row_id",
    "db_trx_id", "db_roll_ptr",
)  # fmt: skip

#: extra fields of one kind of record: as many texts as fit into a row of MariaDB
MOST_FIELDS = 60
#: options of a choice, and bytes of them all as JSON: as much as a text of MariaDB holds
MOST_OPTIONS, LONGEST_PARAM = 1000, 60_000
#: characters of a text, and digits and decimals of a number as Dolibarr writes them, which are ignored
_A_CHOICE = 'expected {"options": {"key": "label"}}'
_SIZE = re.compile("([0-9]{1,5})(,[0-9]{1,2})?")


def define(elementtype: str, name: str, body: Mapping[str, Any]) -> None:
    """Add an extra field: its definition and its column.

    :raises BadRequest: the definition is not complete, or the name is taken
    :raises NotFound: there is no such kind of record
    """
    model = element_models().get(elementtype)
    if model is None:
        raise NotFound(f"Kind of record {elementtype} not found. {known_names(elementtype, sorted(element_models()))}")
    if name in definitions(elementtype):
        raise BadRequest(f"Extra field {name} of {elementtype} already exists")
    row = read_definition(name, body)
    _add(elementtype, name, row)


def _add(elementtype: str, name: str, row: Mapping[str, Any]) -> None:
    """Add the definition and the column of an extra field.

    :raises BadRequest: it exists already, or the table has no room for it
    """
    _check_default(row, row["type"], make_field(row["type"], row.get("size")), ())
    if ExtraField.select().where(ExtraField.elementtype == elementtype).count() >= MOST_FIELDS:
        raise BadRequest(f"{elementtype} has {MOST_FIELDS} extra fields, which is the maximum")
    table, column = values_table(element_models()[elementtype]), _column(name, row)

    def add() -> None:
        # Another request may have added it since the definitions were read
        if ExtraField.get_or_none(elementtype=elementtype, name=name):
            raise BadRequest(f"Extra field {name} of {elementtype} already exists")
        if _has_column(table, name):
            # A process ended between the column and its definition
            backend().drop_column(table, name)
        backend().add_column(table, column)
        with _column_undone(table, name), transaction():
            ExtraField.insert(elementtype=elementtype, name=name, **row).execute()
            bump()

    try:
        _change_table(table, add)
    except peewee.DataError as error:
        raise BadRequest(f"the table of {elementtype} has no room for another extra field of this size") from error


def redefine(elementtype: str, name: str, body: Mapping[str, Any]) -> None:
    """Change the label, the options or the flags of an extra field; its type stays.

    :raises NotFound: there is no such extra field
    """
    old = _defined(elementtype, name)
    row = _accept_definition({key: value for key, value in body.items() if key != "size"}, {"type": old.type})
    if row.get("type", old.type) != old.type:
        reason = f"the type of extra field {name} can't be changed; expected {old.type}, got {row['type']}"
        raise BadRequest(errors=[("type", reason)])
    _check_default({"default": old.default} | row, old.type, old.field, old.options)
    with transaction():
        where = (ExtraField.elementtype == elementtype) & (ExtraField.name == name)
        ExtraField.update(**row, tms=now()).where(where).execute()
        bump()


def undefine(elementtype: str, name: str) -> None:
    """Remove an extra field with all its values.

    :raises NotFound: there is no such extra field
    """
    # A field of a module that is gone isn't among the definitions
    if not ExtraField.get_or_none(elementtype=elementtype, name=name) or elementtype not in element_models():
        raise NotFound(f"Extra field {name} of {elementtype} not found")
    _ensure_own(elementtype, name)
    table = values_table(element_models()[elementtype])

    def remove() -> None:
        with transaction():
            where = (ExtraField.elementtype == elementtype) & (ExtraField.name == name)
            ExtraField.delete().where(where).execute()
            bump()
        # Another request may have removed it since the definitions were read
        if _has_column(table, name):
            backend().drop_column(table, name)

    _change_table(table, remove)


def read_definition(name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of an extra field as it is stored.

    :raises BadRequest: the name is reserved, or the definition is not complete
    """
    if not _NAME.fullmatch(name) or name in _TAKEN:
        reason = f"expected a name of lower-case letters, digits and _ that isn't reserved; got {shown(name)}"
        raise BadRequest(errors=[("attrname", reason)])
    return _accept_definition(body, {"label": "", "type": ""})


@dataclass(frozen=True)
class DeclaredField:
    """An extra field that a module declares.

    :param module: the module
    :param service: the service whose records have it
    :param name: its name
    :param row: its definition as it is stored
    """

    module: str
    service: str
    name: str
    row: Mapping[str, Any]


def establish(elementtype: str, declared: DeclaredField) -> None:
    """Make the extra field that a module declares; its column stays, with all values.

    A field that somebody else has defined stays as it is, even if the module goes.

    :raises BadRequest: there is such a field with other values, its default doesn't fit, or the table has no room
    """
    name, row = declared.name, {"module": declared.module, **declared.row}
    stored = ExtraField.get_or_none(elementtype=elementtype, name=name)
    if stored is None:
        try:
            return _add(elementtype, name, row)
        except BadRequest:
            # Another process may have added it since
            stored = ExtraField.get_or_none(elementtype=elementtype, name=name)
            if stored is None:
                raise
    column = _column(name, row)
    if stored.type != row["type"] or _column(name, vars(stored)["__data__"]) != column:
        raise BadRequest(f"there is already an extra field {name} of {elementtype}, with another type or size")
    table = values_table(element_models()[elementtype])

    def add() -> None:
        if not _has_column(table, name):
            backend().add_column(table, column)

    if not _has_column(table, name):
        # The table was made again while the field was hidden
        _change_table(table, add)
    complete = {"size": None, "default": None, "unique": 0, "required": 0, "pos": 0, "param": None} | row
    if stored.module and any(getattr(stored, key) != value for key, value in complete.items()):
        _check_default(row, row["type"], make_field(row["type"], row.get("size")), ())
        with transaction():
            ExtraField.update(**complete, tms=now()).where(ExtraField.id == stored.id).execute()
            bump()
    return None


def _column(name: str, row: Mapping[str, Any]) -> ColumnDefinition:
    return ColumnDefinition(name, backend().type_of(make_field(row["type"], row.get("size"))))


def _has_column(table: str, name: str) -> bool:
    return name in {column.name for column in database.get_columns(table)}


@contextmanager
def _schema_change() -> Iterator[None]:
    """Let one request at a time change tables: in a transaction, unless a change would commit it."""
    opened = backend()
    with (
        transaction() if opened.transactional_ddl else nullcontext(),
        # A transaction of the only writer is such a lock
        nullcontext() if opened.one_writer else opened.schema_lock(),
    ):
        yield


def _change_table(table: str, change: Callable[[], None]) -> None:
    """Change a table; if its rows have no room, once more after freeing what dropped columns take."""
    try:
        with _schema_change():
            change()
    except peewee.DataError:
        with no_timeouts():
            if not backend().reclaim(table):
                raise
        with _schema_change():
            change()


@contextmanager
def _column_undone(table: str, name: str) -> Iterator[None]:
    """Drop a new column again if what follows fails, unless the database undoes it."""
    try:
        yield
    except BaseException:
        if not backend().transactional_ddl:
            backend().drop_column(table, name)
        raise


def _defined(elementtype: str, name: str) -> Extra:
    extra = definitions(elementtype).get(name)
    if extra is None or elementtype not in element_models():
        raise NotFound(f"Extra field {name} of {elementtype} not found")
    _ensure_own(elementtype, name)
    return extra


def _ensure_own(elementtype: str, name: str) -> None:
    """Check that no module that is loaded has made the extra field."""
    if (elementtype, name) in current_catalogue.value.extra_fields:
        module = ExtraField.get(elementtype=elementtype, name=name).module
        if module:
            raise Refused(f"the module {module} declares the extra field {name}; change its module.toml")


def _accept_definition(body: Mapping[str, Any], needed: Mapping[str, str]) -> dict[str, Any]:
    readers: dict[str, Callable[[Any], Any]] = {
        "label": lambda value: _accept_text(value)[:255],
        "type": str,
        "size": _accept_size,
        "default": lambda value: None if value is None else _accept_text(value)[:255],
        "unique": lambda value: int(read_flag(value)),
        "required": lambda value: int(read_flag(value)),
        "pos": lambda value: read_integer(value, 32),
        "param": _accept_param,
        "alwayseditable": lambda value: int(read_flag(value)),
    }
    row: dict[str, Any] = {}
    wrong = []
    for key, value in body.items():
        try:
            if key in readers:
                row[key] = readers[key](value)
        except ValueError as error:
            wrong.append((key, reason_of(error, value)))
    wrong += [
        (key, Reason(f"`{key}` is required", f"`{key}` is required.", "missing_field"))
        for key, value in needed.items()
        if not row.get(key, value)
    ]
    type_name = row.get("type") or needed.get("type")
    if type_name and type_name not in TYPES:
        wrong.append(("type", reason_of(ValueError(one_of(TYPES)), type_name)))
    named = "param" in row or "label" in needed
    if type_name in CHOICES and named and not json.loads(row.get("param") or "{}").get("options"):
        wrong.append(("param", reason_of(ValueError(_A_CHOICE), body.get("param"))))
    if wrong:
        raise BadRequest(errors=wrong)
    return row


def _check_default(row: Mapping[str, Any], type_name: str, field: peewee.Field, options: tuple[str, ...]) -> None:
    """Refuse a default that no record could take."""
    if "param" in row:
        options = tuple((json.loads(row["param"]) if row["param"] else {}).get("options") or ())
    try:
        Extra("", "", type_name, False, False, None, options, field).accept(row.get("default"))
    except ValueError as error:
        raise BadRequest(errors=[("default", reason_of(error, row.get("default")))]) from None


def _accept_text(value: Any) -> str:
    if isinstance(value, (dict, list)):
        raise ValueError("expected text")
    return storable(str(value))


def _accept_size(value: Any) -> str | None:
    if value in (None, ""):
        return None
    text = str(value).strip()
    size = _SIZE.fullmatch(text)
    if isinstance(value, (bool, dict, list)) or size is None or int(size[1]) > LONGEST_TEXT:
        raise ValueError(f"expected a number of characters from 1 to {LONGEST_TEXT}")
    return text


def _accept_param(value: Any) -> str | None:
    if value in (None, "", {}, []):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("options", {}), dict):
        raise ValueError(_A_CHOICE)
    check_texts(value)
    if (number := len(value.get("options", {}))) > MOST_OPTIONS:
        raise ValueError(f"expected at most {MOST_OPTIONS} options, got {number}")
    text = json.dumps(value, default=str, ensure_ascii=False)
    if (size := len(text.encode())) > LONGEST_PARAM:
        raise ValueError(f"expected at most {LONGEST_PARAM} bytes as JSON, got {size}")
    return text

"""Extra fields: user-defined fields of a record, each a real column of `<table>_extrafields`.

A definition may be added, changed or removed while the server runs; the cache version makes it known to every
worker at its next request.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import peewee

from ..common.clock import now
from ..common.errors import BadRequest, reason_of, shown
from ..common.readers import choice_of, one_of, read_flag
from ..common.request_state import warn
from ..contract.catalogue import current_catalogue
from ..storage.cache_version import cache_version, remember
from ..storage.database import backend, database, quote, rows_of
from ..storage.fields import ExactField
from ..storage.model import Model, all_models, meta_of
from ..storage.values import LONGEST_TEXT, Codec, codec

PREFIX = "options_"
#: characters of a text up to which it is a VARCHAR
LONGEST_VARCHAR = 255
TYPES = (
    "varchar", "text", "html", "int", "double", "price", "date", "datetime", "boolean", "select", "radio", "checkbox",
    "phone", "mail", "url", "link",
)  # fmt: skip
#: types whose values are keys of ``param["options"]``
CHOICES = ("select", "radio", "checkbox")


class ExtraField(Model):
    """The definition of one extra field."""

    id = peewee.AutoField(column_name="rowid")
    entity = peewee.IntegerField(default=1)
    name = peewee.CharField(max_length=64, help_text="the name of the field; options_<name> in records")
    elementtype = peewee.CharField(max_length=64, help_text="the kind of record, such as societe")
    label = peewee.CharField(max_length=255, help_text="the label that users see")
    type = peewee.CharField(max_length=8, help_text="the type of the field")
    size = peewee.CharField(max_length=8, null=True, help_text="maximum length of text, or digits,decimals")
    unique = peewee.SmallIntegerField(column_name="fieldunique", default=0, help_text="1: each value is unique")
    required = peewee.SmallIntegerField(column_name="fieldrequired", default=0, help_text="1: a new record needs it")
    default = peewee.CharField(
        column_name="fielddefault", max_length=255, null=True, help_text="the value if none is sent"
    )
    param = peewee.TextField(null=True, help_text="the options of a choice, as JSON")
    pos = peewee.IntegerField(default=0, help_text="the position in lists")
    alwayseditable = peewee.SmallIntegerField(default=1)
    perms = peewee.CharField(max_length=255, null=True)
    list = peewee.CharField(max_length=255, null=True, default="1")
    module = peewee.CharField(max_length=128, null=True, help_text="the module that declares the field; empty: none")
    tms = peewee.DateTimeField(default=now)

    class Meta:
        table_name = "llx_extrafields"
        indexes = ((("elementtype", "name"), True),)


@dataclass(frozen=True)
class Extra:
    """A defined extra field, ready for use."""

    name: str
    label: str
    type: str
    required: bool
    unique: bool
    default: str | None
    options: tuple[str, ...]
    field: peewee.Field
    module: str = ""

    def codec(self) -> Codec:
        """Return the codec of its values."""
        return codec(self.field)

    def bound(self, value: Any) -> Any:
        """Return a value as a parameter of a statement."""
        field: Any = self.field
        return field.db_value(value)

    def kept(self, value: Any) -> Any:
        """Return a value of the database in the same form on every database."""
        field: Any = self.field
        return field.python_value(value)

    def accept(self, value: Any) -> Any:
        """Return a value of a body as peewee stores it; raise ValueError with the expected form."""
        if value in (None, "", []):
            return None
        if self.type == "boolean":
            return int(read_flag(value))
        if self.type == "checkbox":
            return self.codec().accept(",".join(self._options_in(value)))
        accepted = self.codec().accept(value)
        if self.type in CHOICES and str(accepted) not in self.options:
            raise ValueError(one_of(self.options))
        return accepted

    def _options_in(self, value: Any) -> list[str]:
        keys = [str(each).strip() for each in (value if isinstance(value, list) else str(value).split(","))]
        if not set(keys) <= set(self.options):
            raise ValueError(f'expected options as a list, or as text such as "a,b": {choice_of(self.options)}')
        if len(set(keys)) < len(keys):
            warn(f"`array_options.{PREFIX}{self.name}`: an option that is sent twice is stored once")
        return [*dict.fromkeys(keys)]


def make_field(type_name: str, size: str | None) -> peewee.Field:
    """The column of an extra field of a type."""
    length = min(int(size), LONGEST_TEXT) if size and size.isascii() and size.isdigit() and int(size) else 255
    makers: dict[str, Any] = {
        "text": peewee.TextField,
        "html": peewee.TextField,
        "int": peewee.BigIntegerField,
        "link": peewee.IntegerField,
        "double": ExactField,
        "price": ExactField,
        "date": peewee.DateField,
        "datetime": peewee.DateTimeField,
        "boolean": peewee.SmallIntegerField,
    }
    if type_name in makers:
        return makers[type_name](null=True)  # type: ignore[no-any-return]
    if length <= LONGEST_VARCHAR:
        return peewee.CharField(max_length=length, null=True)
    # A row of MariaDB has no room for it
    text: Any = peewee.TextField(null=True)
    text.max_length = length
    return text  # type: ignore[no-any-return]


def read_definitions() -> dict[str, dict[str, Extra]]:
    """Return the extra fields of all kinds of record, those of modules that are switched off included."""
    found: dict[str, dict[str, Extra]] = {}
    for row in ExtraField.select().order_by(ExtraField.pos, ExtraField.id):
        field = make_field(row.type, row.size)
        field.name = field.column_name = row.name
        options = (json.loads(row.param) if row.param else {}).get("options") or {}
        found.setdefault(row.elementtype, {})[row.name] = Extra(
            row.name, row.label, row.type, bool(row.required), bool(row.unique), row.default, tuple(options), field,
            row.module or "",
        )  # fmt: skip
    return found


_definitions: dict[tuple[int, int, int], dict[str, dict[str, Extra]]] = {}


def _read_definitions_in_force() -> dict[str, dict[str, Extra]]:
    """Return the extra fields without those of modules that are switched off, which keep their values."""
    declared = current_catalogue.value.extra_fields
    return {
        kind: {name: each for name, each in extras.items() if not each.module or (kind, name) in declared}
        for kind, extras in read_definitions().items()
    }


def definitions_key() -> tuple[int, int, int]:
    """Return the key of what depends on the definitions: the database, its version, and the loaded modules."""
    return id(database.obj), cache_version(), current_catalogue.value.number


def definitions(elementtype: str) -> Mapping[str, Extra]:
    """The extra fields of a kind of record, by name, in their order."""
    if not elementtype:
        return {}
    return remember(_definitions, definitions_key(), _read_definitions_in_force).get(elementtype, {})


def values_table(model: Any) -> str:
    """The table that holds the values of a model's extra fields."""
    return f"{meta_of(model).table_name}_extrafields"


def values_model(model: Any) -> type[peewee.Model]:
    """That table as a model without any extra column, to create it with."""
    meta = type("Meta", (), {"database": database, "table_name": values_table(model), "legacy_table_names": False})
    columns = {
        "id": peewee.AutoField(column_name="rowid"),
        "fk_object": peewee.IntegerField(unique=True),
        "tms": peewee.DateTimeField(null=True, default=now),
        "import_key": peewee.CharField(max_length=14, null=True),
        "Meta": meta,
    }
    return type("ExtraValues", (peewee.Model,), columns)


# Values --------------------------------------------------------------------------------------------------------------


def accept_values(defined: Mapping[str, Extra], sent: Any) -> tuple[dict[str, Any], list[str], list[tuple[str, str]]]:
    """Read the ``array_options`` of a body: values to store, undefined names, and wrong fields with the reason.

    :param defined: the extra fields of the kind of record, as `definitions` returns them
    """
    if sent in (None, "", []):
        sent = {}
    if not isinstance(sent, dict):
        return {}, [], [("array_options", f"expected an object, got {shown(sent)}")]
    values: dict[str, Any] = {}
    unknown = []
    wrong = []
    for key, value in sent.items():
        extra = defined.get(str(key).removeprefix(PREFIX))
        if extra is None:
            unknown.append(f"array_options.{key}")
            continue
        try:
            values[extra.name] = extra.accept(value)
        except ValueError as error:
            wrong.append((f"array_options.{PREFIX}{extra.name}", reason_of(error, value)))
    return values, unknown, wrong


def complete_new(defined: Mapping[str, Extra], values: dict[str, Any]) -> list[tuple[str, str]]:
    """Add defaults to the values of a new record; return the missing required ones, with the reason."""
    missing = []
    for extra in defined.values():
        if extra.name not in values and extra.default not in (None, ""):
            values[extra.name] = extra.accept(extra.default)
        if extra.required and values.get(extra.name) is None:
            missing.append(BadRequest.missing(f"array_options.{PREFIX}{extra.name}"))
    return missing


def store_values(model: Any, record_id: int, values: Mapping[str, Any], *, merge: bool) -> bool:
    """Write the extra fields of a record; return whether one has changed.

    :param merge: keep the values that aren't given; otherwise they are cleared
    :raises BadRequest: another record has a unique value
    """
    chosen = [extra for extra in definitions(meta_of(model).extrafields).values() if not merge or extra.name in values]
    if not chosen:
        return False
    table, mark = quote(values_table(model)), backend().placeholder
    names = [quote(extra.name) for extra in chosen]
    rows = rows_of(f"SELECT {', '.join(names)} FROM {table} WHERE fk_object = {mark}", (record_id,))
    changed = [
        extra
        for extra, kept in zip(chosen, rows[0] if rows else [None] * len(chosen), strict=True)
        if extra.kept(extra.bound(values.get(extra.name))) != extra.kept(kept)
    ]
    if not changed:
        return False
    if used := used_extras(model, record_id, {each.name: values.get(each.name) for each in changed}):
        label = next(each.label for each in changed if used[0][0] == f"array_options.{PREFIX}{each.name}")
        raise BadRequest(f"{label}: another record already has this value", errors=used)
    names = [quote(extra.name) for extra in changed]
    bound = [extra.bound(values.get(extra.name)) for extra in changed]
    if rows:
        assignments = ", ".join(f"{name} = {mark}" for name in names)
        database.execute_sql(f"UPDATE {table} SET {assignments} WHERE fk_object = {mark}", (*bound, record_id))
    else:
        columns = ", ".join(["fk_object", *names])
        marks = ", ".join([mark] * (len(names) + 1))
        database.execute_sql(f"INSERT INTO {table} ({columns}) VALUES ({marks})", (record_id, *bound))
    return True


def emptied_extras(model: Any, record_id: int, values: Mapping[str, Any]) -> list[str]:
    """Return the names, as in a body, of required extra fields that have a value and would be cleared."""
    cleared = [name for name, value in values.items() if value is None]
    defined = definitions(meta_of(model).extrafields) if cleared else {}
    asked = [name for name in cleared if defined[name].required]
    if not asked:
        return []
    columns, mark = ", ".join(quote(name) for name in asked), backend().placeholder
    rows = rows_of(f"SELECT {columns} FROM {quote(values_table(model))} WHERE fk_object = {mark}", (record_id,))
    kept = rows[0] if rows else ()
    return [f"array_options.{PREFIX}{name}" for name, value in zip(asked, kept, strict=False) if value is not None]


def used_extras(model: Any, record_id: int | None, values: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Return the values of unique extra fields that another record has, with the reason.

    :param record_id: the record whose values they are; None: a new one
    """
    table, mark = quote(values_table(model)), backend().placeholder
    used = []
    for extra in definitions(meta_of(model).extrafields).values() if values else ():
        if extra.unique and (value := (values or {}).get(extra.name)) is not None:
            sql = f"SELECT 1 FROM {table} WHERE {quote(extra.name)} = {mark} AND fk_object <> {mark}"
            if rows_of(sql, (extra.bound(value), record_id or 0)):
                used.append((f"array_options.{PREFIX}{extra.name}", "already used"))
    return used


def delete_values_of(model: Any, identifiers: Collection[Any]) -> None:
    """Remove the extra fields of records that are deleted."""
    if meta_of(model).extrafields:
        marks = ", ".join([backend().placeholder] * len(identifiers))
        sql = f"DELETE FROM {quote(values_table(model))} WHERE fk_object IN ({marks})"
        database.execute_sql(sql, tuple(identifiers))


def delete_owned_values(model: Any, name: str, owners: Collection[Any]) -> None:
    """Remove the extra fields of the rows that go with records.

    :param name: the field of the rows that leads to the records
    """
    meta = meta_of(model)
    if meta.extrafields:
        key, column = quote(meta.primary_key.column_name), quote(meta.fields[name].column_name)
        marks = ", ".join([backend().placeholder] * len(owners))
        rows = f"SELECT {key} FROM {quote(meta.table_name)} WHERE {column} IN ({marks})"
        database.execute_sql(f"DELETE FROM {quote(values_table(model))} WHERE fk_object IN ({rows})", tuple(owners))


def element_models() -> dict[str, type[Model]]:
    """Every kind of record that can carry extra fields, and its model."""
    return {meta_of(model).extrafields: model for model in all_models(Model) if getattr(model._meta, "extrafields", "")}

"""The form in which the audit trail notes the rows of a table, computed once for each model."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Mapping
from copy import copy
from functools import lru_cache
from typing import Any

import peewee

from ..common.days import days_zone, midnight, read_day_in
from ..storage.column import Column
from ..storage.database import database
from ..storage.fields import field_of
from ..storage.model import Model, all_models, meta_of, models_state, widest
from ..storage.values import plain_codec

Convert = Callable[[Any], Any] | None

#: replaces the value of a secret
MASK = "***"
#: prefix of the names of extra fields
EXTRA = "array_options.options_"
_VALUES = "_extrafields"
#: columns of a table of extra fields that aren't extra fields
_OWN = ("rowid", "tms", "import_key", "fk_object")


class Form:
    """The noted form of the rows of one model's table."""

    def __init__(self, model: type[Model]) -> None:
        meta = meta_of(model)
        self.table: str = meta.table_name
        self.element: str = meta.extrafields
        single = meta.primary_key is not False and not meta.composite_key
        #: the column of the primary key; empty if it has several columns
        self.key: str = meta.primary_key.column_name if single else ""
        self.keys: tuple[str, ...] = tuple(each.column_name for each in meta.get_primary_keys())
        self.fields = {field.column_name: field.name for field in meta.fields.values()}
        self.columns: dict[str, tuple[str, Convert]] = {
            field.column_name: (field.name, plain_codec(field).answer) for field in meta.fields.values()
        }
        self.defaults = {
            field.column_name: field.db_value(field.default)
            for field in meta.fields.values()
            if field.default is not None and not callable(field.default)
        }
        #: a row with only defaults
        self.blank = {**dict.fromkeys(self.columns), **self.defaults}
        self._days = {field.name for field in meta.fields.values() if isinstance(field, peewee.DateField)}
        self.left_out = frozenset(meta.fields[name].column_name for name in meta.unaudited)
        #: the columns that a created or deleted row is noted with: name, converter, and the value that is left out
        self.noted = {
            column: (*shown, self.defaults.get(column))
            for column, shown in self.columns.items()
            if column not in self.left_out and column not in self.keys
        }
        self.secret = frozenset(meta.fields[name].column_name for name in meta.secret)
        self.belongs_to, self.reveals = meta.belongs_to, meta.reveals
        #: columns that reference the record whose history shows the rows, and its table
        self.leads = tuple(_leads(model))
        read_along = {meta.fields[name].column_name: None for name in meta.context}
        self.context = tuple(read_along | {column: None for column, _ in self.leads})
        #: the columns of a migrated table, and the form for them
        self._migrating: tuple[Mapping[str, Column], Form] | None = None

    def migrating(self, columns: Mapping[str, Column]) -> Form:
        """Return the form of the rows while a migration changes the table.

        The model may be newer than the table. Values of columns that it lacks are masked: they may have been secret.

        :param columns: those that the table has now
        """
        # A loop over all rows asks for the same form each time
        if self._migrating is None or self._migrating[0] is not columns:
            self._migrating = columns, self._made_for(columns)
        return self._migrating[1]

    def _made_for(self, columns: Mapping[str, Column]) -> Form:
        form, unknown = copy(self), columns.keys() - self.columns.keys()
        form.fields = self.fields | {column: column for column in unknown}
        form.columns = {
            column: (form.fields[column], plain_codec(field_of(each)).answer) for column, each in columns.items()
        }
        form.noted = {
            column: (*shown, self.defaults.get(column))
            for column, shown in form.columns.items()
            if column not in self.left_out and column not in self.keys
        }
        form.secret = self.secret | unknown
        return form

    def shown(self, column: str) -> tuple[str, Convert]:
        """Return the noted name of a column and the converter of its value."""
        if column.startswith(EXTRA):
            return column, _extras.convert(self.element, column.removeprefix(EXTRA))
        return self.columns.get(column) or (column, None)

    def is_day(self, name: str) -> bool:
        """Return whether the value noted under a name is a day."""
        if not name.startswith(EXTRA):
            return name in self._days
        extra = _extras.find(self.element).get(name.removeprefix(EXTRA))
        return extra is not None and isinstance(extra.field, peewee.DateField)

    def identify(self, row: Mapping[str, Any]) -> Any:
        """Return the ID of a row; the columns of a composite key are joined by commas."""
        if self.key:
            return row.get(self.key)
        return ",".join(str(row.get(column)) for column in self.keys)

    def subject(self, key: Any, row: Mapping[str, Any]) -> tuple[str, Any]:
        """Return table and ID of the record whose history shows a row.

        :param row: the context columns of the row
        """
        if self.belongs_to is not None:
            found = self.belongs_to({self.fields[column]: row.get(column) for column in self.context})
            table = _table_of(found[0]) if found is not None else ""
            if found is not None and table:
                return table, found[1]
        for column, table in self.leads:
            if row.get(column) is not None:
                return table, row[column]
        return self.table, key

    def hidden(self, row: Mapping[str, Any], changed: Mapping[str, Any]) -> Collection[str]:
        """Return the columns whose values are masked.

        :param row: the context columns of the row
        :param changed: the columns that a change has set; a value is masked if it is secret before or after
        """
        if not self.secret or self.reveals is None:
            return self.secret
        context = {self.fields[column]: row.get(column) for column in self.context}
        after = {self.fields[column]: changed[column] for column in self.context if column in changed}
        names = {*self.reveals(context)} & {*self.reveals(context | after)}
        return {column for column in self.secret if self.fields[column] not in names}


class ValuesForm:
    """The table of a model's extra fields; a change is noted as one of the record."""

    def __init__(self, owner: Form) -> None:
        self.owner = owner

    def named(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a row by their noted names."""
        return {EXTRA + column: value for column, value in row.items() if column not in _OWN}


class Unknown:
    """A table without a model: only the statement is noted."""

    def __init__(self, table: str) -> None:
        self.table = table


AnyForm = Form | ValuesForm | Unknown | None


class _Extras:
    """The lookup of extra fields, set by `core.records`, which this package doesn't import."""

    find: Callable[[str], Mapping[str, Any]] = staticmethod(lambda element: {})

    def convert(self, element: str, name: str) -> Convert:
        extra = self.find(element).get(name)
        return plain_codec(extra.field).answer if extra is not None else None


_extras = _Extras()


def use_extra_fields(find: Callable[[str], Mapping[str, Any]]) -> None:
    """Set the function that returns the extra fields of a kind of record, by name."""
    _extras.find = find


def part_of(model: type[Model], name: str, owner: type[Model]) -> None:
    """Declare that rows are part of a record of another model, without changing their `Meta`.

    :param name: the field that references the record
    """
    meta = meta_of(model)
    known = model.__dict__.get("_owners", {})
    model._owners = {**known, name: meta_of(owner).table_name}  # type: ignore[attr-defined]
    if name not in meta.fields:
        raise AttributeError(f"{model.__name__} has no field {name!r}")
    model._form = None, None  # type: ignore[attr-defined]


def _leads(model: type[Model]) -> list[tuple[str, str]]:
    meta = meta_of(model)
    if meta.part_of:
        fields = [meta.fields[name] for name in meta.part_of]
        return [(field.column_name, meta_of(field.target()).table_name) for field in fields]
    owners = model.__dict__.get("_owners", {})
    if owners:
        return [(meta.fields[name].column_name, table) for name, table in owners.items()]
    return [
        (field.column_name, meta_of(field.target()).table_name)
        for field in meta.fields.values()
        if getattr(field, "on_delete", "") == "cascade"
    ]


def _table_of(kind: type[Model] | str) -> str:
    """Return the table of a model, or of a kind of record such as ``propal``; empty if it is unknown."""
    if not isinstance(kind, str):
        return str(meta_of(kind).table_name)
    for table, model in _models(_state()).items() if kind else ():
        if meta_of(model).extrafields == kind:
            return table
    return ""


def model_of(table: str) -> type[Model] | None:
    """Return the model of a table; None if it has none."""
    return _models(_state()).get(table)


def _state() -> tuple[object, int]:
    return models_state(), id(database.obj)


@lru_cache(maxsize=1)
def _models(state: tuple[object, int]) -> Mapping[str, type[Model]]:
    """Return the model of each table, found again after a reload. The references are weak, so old models are freed."""
    # The newest of several with the same fields
    return weakref.WeakValueDictionary(widest(reversed(all_models(Model))))


def form_of(table: str) -> AnyForm:
    """Return the form of a table's rows; None if the trail doesn't note them."""
    state = _state()
    model = _models(state).get(table)
    if model is not None:
        if not meta_of(model).audited:
            return None
        # The model holds its form
        made: tuple[Any, Form] = model.__dict__.get("_form", (None, None))
        if made[0] != state:
            model._form = made = state, Form(model)  # type: ignore[attr-defined]
        return made[1]
    owner = form_of(table.removesuffix(_VALUES)) if table.endswith(_VALUES) else None
    return ValuesForm(owner) if isinstance(owner, Form) and owner.element else Unknown(table)


def as_answered(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the noted values of a row in the form of the current profile; days are noted in UTC."""
    zone, form = days_zone(), form_of(table)
    if zone is None or not isinstance(form, Form):
        return dict(values)
    return {
        name: midnight(read_day_in(value, None), zone) if isinstance(value, int) and form.is_day(name) else value
        for name, value in values.items()
    }

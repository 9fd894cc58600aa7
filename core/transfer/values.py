"""Columns that are copied, and how their values travel: as Python's own, which each database reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import peewee

from ..storage.backend import Backend
from ..storage.fields import ExactField

Convert = Callable[[Any], Any]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    :param kind: what it holds, a key of `_FIELDS`, or ``text``
    :param size: characters of a text at the most (0: any number), digits of a decimal
    :param scale: digits behind the point
    :param known: whether a model, or the definition of an extra field, says so; else the database's own word is taken
    """

    name: str
    kind: str
    size: int = 0
    scale: int = 0
    null: bool = True
    known: bool = True


#: a field's class → the kind of its column; the first that fits
_KINDS: tuple[tuple[type[peewee.Field], str], ...] = (
    (ExactField, "exact"),
    (peewee.DecimalField, "decimal"),
    (peewee.DateTimeField, "datetime"),
    (peewee.DateField, "date"),
    (peewee.TimeField, "time"),
    (peewee.BooleanField, "boolean"),
    (peewee.FloatField, "float"),
    (peewee.BlobField, "bytes"),
    (peewee.SmallIntegerField, "small"),
    (peewee.BigIntegerField, "big"),
    (peewee.BigAutoField, "big"),
    (peewee.IntegerField, "integer"),
)

#: how a database's own name of a type begins → the kind of the column
_TYPES = (
    ("smallint", "small"), ("tinyint", "small"), ("bigint", "big"), ("bigserial", "big"), ("int", "integer"),
    ("serial", "integer"), ("mediumint", "integer"), ("timestamp", "datetime"), ("datetime", "datetime"),
    ("date", "date"), ("time", "time"), ("bool", "boolean"), ("double", "float"), ("float", "float"), ("real", "float"),
    ("bytea", "bytes"), ("blob", "bytes"), ("tinyblob", "bytes"), ("mediumblob", "bytes"), ("longblob", "bytes"),
    ("binary", "bytes"), ("varbinary", "bytes"),
)  # fmt: skip

#: kind → the class of the field that makes such a column
_FIELDS: dict[str, Any] = {
    "exact": ExactField, "decimal": peewee.DecimalField, "datetime": peewee.DateTimeField, "date": peewee.DateField,
    "time": peewee.TimeField, "boolean": peewee.BooleanField, "float": peewee.DoubleField, "bytes": peewee.BlobField,
    "small": peewee.SmallIntegerField, "big": peewee.BigIntegerField, "integer": peewee.IntegerField,
}  # fmt: skip


def field_of(column: Column, *, null: bool) -> peewee.Field:
    """A field that makes such a column."""
    if column.kind in ("exact", "decimal"):
        made = _FIELDS[column.kind](column.size or 24, column.scale, null=null)
    elif column.kind == "text":
        text: Any = peewee.CharField if column.size else peewee.TextField
        made = text(column.size, null=null) if column.size else text(null=null)
    else:
        made = _FIELDS[column.kind](null=null)
    return made  # type: ignore[no-any-return]


#: kinds whose values are added up exactly
SUMMED = ("exact", "small", "integer", "big")


def column_of(field: peewee.Field, name: str) -> Column:
    """The column of a field."""
    kind = next((kind for made, kind in _KINDS if isinstance(field, made)), "text")
    if isinstance(field, ExactField):
        return Column(name, kind, field.digits, field.scale, field.null)
    if isinstance(field, peewee.DecimalField):
        return Column(name, kind, field.max_digits, field.decimal_places, field.null)
    return Column(name, kind, getattr(field, "max_length", 0) or 0, 0, field.null)


def kind_of_type(name: str) -> str:
    """The kind of a column that no model tells of, by what the database calls its type."""
    return next((kind for begins, kind in _TYPES if name.lower().startswith(begins)), "text")


def reader(database: Backend, column: Column) -> Convert | None:
    """Return what makes Python's values of those of a column; None: they are that already."""
    if column.kind == "text" and not column.known:
        # Whatever type of its own the database may have there
        return str
    return database.value_reader(column.kind, column.scale)


def converter(columns: Sequence[Column], source: Backend, target: Backend) -> Callable[[list[Any]], list[Any]]:
    """Return what turns rows as one database keeps them into those that another one takes; nulls stay."""
    steps: list[tuple[int, list[Convert]]] = []
    for place, column in enumerate(columns):
        pair = (reader(source, column), target.value_writer(column.kind, column.scale))
        if both := [each for each in pair if each is not None]:
            steps.append((place, both))

    def convert(rows: list[Any]) -> list[Any]:
        if not steps or not rows:
            return rows
        by_column: list[Any] = list(zip(*rows, strict=True))
        for place, both in steps:
            for each in both:
                by_column[place] = [None if value is None else each(value) for value in by_column[place]]
        return list(zip(*by_column, strict=True))

    return convert

"""How values travel between databases: what each keeps otherwise, and the one form in between.

In between a value is Python's own: int, Decimal, str, bytes, bool, float, datetime, date, time, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import peewee

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


def _as_read(read: Convert) -> Convert:
    """A conversion of SQLite's text; a value that is no text is as it should be already."""
    return lambda value: read(value) if isinstance(value, str) else value


def _clock(value: Any) -> Any:
    """MariaDB has a time of day as the time since midnight."""
    return (datetime.min + value).time() if isinstance(value, timedelta) else value


#: database → kind → from what it keeps to what travels; what is not here is kept as it travels
_READ: dict[str, dict[str, Convert]] = {
    "sqlite": {
        "decimal": lambda value: Decimal(str(value)),
        "datetime": _as_read(datetime.fromisoformat),
        "date": _as_read(lambda text: date.fromisoformat(text[:10])),
        "time": _as_read(time.fromisoformat),
        "boolean": bool,
    },
    "postgresql": {},
    "mysql": {"boolean": bool, "time": _clock},
}
#: the same for the way back
_WRITE: dict[str, dict[str, Convert]] = {
    "sqlite": {
        "decimal": str,
        "datetime": lambda value: value.isoformat(" "),
        "date": lambda value: value.isoformat(),
        "time": lambda value: value.isoformat(),
        "boolean": int,
    },
    "postgresql": {},
    "mysql": {"boolean": int},
}


def _reader(database: str, column: Column) -> Convert | None:
    if database == "sqlite" and column.kind == "exact":
        return lambda value: Decimal(value).scaleb(-column.scale)
    if column.kind == "text" and not column.known:
        # Whatever type of its own the database may have there
        return str
    return _READ[database].get(column.kind)


def _writer(database: str, column: Column) -> Convert | None:
    if database == "sqlite" and column.kind == "exact":
        # Exact, or not at all: what does not fit is an error, never rounded
        return lambda value: _whole(value.scaleb(column.scale))
    return _WRITE[database].get(column.kind)


def _whole(value: Decimal) -> int:
    if value != value.to_integral_value():
        raise ValueError(f"{value} has more digits than the column allows")
    return int(value)


def converter(columns: Sequence[Column], source: str, target: str) -> Callable[[list[Any]], list[Any]]:
    """What turns rows as one database keeps them into those that another one takes; nulls stay.

    :param source: ``sqlite``, ``postgresql`` or ``mysql``; so is `target`
    """
    steps: list[tuple[int, list[Convert]]] = []
    for place, column in enumerate(columns):
        both = [each for each in (_reader(source, column), _writer(target, column)) if each is not None]
        if both:
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

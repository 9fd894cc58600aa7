"""What a table is made from, as plain data: what its model says, kept beside it, compared when the model changes.

Alike on all databases. If one keeps decimals as whole numbers, their scale is only here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import peewee

from ..storage.fields import ExactField, RecordField
from ..storage.model import Model, meta_of


@dataclass(frozen=True)
class ColumnForm:
    """One column.

    :ivar kind: peewee's name of the type, such as ``VARCHAR``, ``INT`` or ``DECIMAL``
    :ivar length: letters of a short text
    :ivar digits: of an exact decimal, all of them
    :ivar scale: of an exact decimal, those behind the point
    :ivar default: what a row has that does not say; None: nothing that is known beforehand
    :ivar computed: a function of the model finds the default
    :ivar references: the table whose rows it names; empty: none
    :ivar left: no field has the column any more, and it stays
    :ivar guest: a field of another module's model of the same table
    """

    name: str
    kind: str
    length: int | None = None
    digits: int | None = None
    scale: int | None = None
    null: bool = False
    default: str | int | float | bool | None = None
    unique: bool = False
    index: bool = False
    references: str = ""
    computed: bool = False
    left: bool = False
    guest: bool = False

    @property
    def has_default(self) -> bool:
        """Whether a row that does not say has a value all the same."""
        return self.computed or self.default is not None

    def renamed(self, name: str) -> ColumnForm:
        """The same under another name."""
        return replace(self, name=name)


@dataclass(frozen=True)
class TableForm:
    """One table.

    :ivar columns: by name
    :ivar indexes: those over several columns: (names of columns, whether it is unique)
    :ivar extrafields: the kind of its extra fields; empty: it has none
    :ivar sorted: texts that have an index for sorted lists
    """

    name: str
    columns: dict[str, ColumnForm]
    indexes: tuple[tuple[tuple[str, ...], bool], ...] = ()
    extrafields: str = ""
    sorted: tuple[str, ...] = ()

    def as_text(self) -> str:
        """As JSON: the same text for the same form."""
        columns = {name: vars(column) for name, column in self.columns.items()}
        return json.dumps({**vars(self), "columns": columns}, sort_keys=True, ensure_ascii=False)

    @classmethod
    def of_text(cls, text: str) -> TableForm:
        """From JSON."""
        read = json.loads(text)
        columns = {name: ColumnForm(**column) for name, column in read["columns"].items()}
        indexes = tuple((tuple(names), unique) for names, unique in read["indexes"])
        return cls(read["name"], columns, indexes, read["extrafields"], tuple(read["sorted"]))


def form_of_field(field: Any, name: str = "") -> ColumnForm:
    """What a field says of its column.

    :param name: the column; empty: as the field says
    """
    # What a function finds may be another value each time
    default = None if callable(field.default) else field.default
    kept = None if default is None else field.db_value(default)
    exact = isinstance(field, ExactField)
    if exact and default is not None:
        # In its own units, as on the databases that have exact decimals
        kept = str(default)
    target: Any = field.target() if isinstance(field, RecordField) else getattr(field, "rel_model", None)
    return ColumnForm(
        name or field.column_name,
        field.field_type,
        length=getattr(field, "max_length", None),
        digits=field.digits if exact else getattr(field, "max_digits", None),
        scale=field.scale if exact else getattr(field, "decimal_places", None),
        null=bool(field.null),
        default=kept if isinstance(kept, (str, int, float, bool)) or kept is None else str(kept),
        unique=bool(field.unique),
        index=bool(field.index),
        references=str(meta_of(target).table_name) if target is not None else "",
        computed=callable(field.default),
    )


_FIELDS: dict[str, type[peewee.Field]] = {
    kind.field_type: kind
    for kind in (
        peewee.AutoField, peewee.BigAutoField, peewee.SmallIntegerField, peewee.IntegerField, peewee.BigIntegerField,
        peewee.BooleanField, peewee.FloatField, peewee.DoubleField, peewee.TextField, peewee.BlobField,
        peewee.DateField, peewee.TimeField, peewee.DateTimeField, peewee.UUIDField,
    )
}  # fmt: skip


def field_of(form: ColumnForm) -> peewee.Field:
    """A field that would make such a column, for those who have no model; without its reference."""
    default: Any = form.default
    options: dict[str, Any] = {"null": form.null, "unique": form.unique, "index": form.index}
    if form.kind == "DECIMAL":
        made: Any = ExactField(form.digits or 24, form.scale or 0, **options)
        default = None if default is None else Decimal(str(default))
    elif form.kind in ("VARCHAR", "CHAR"):
        text: type[Any] = peewee.CharField if form.kind == "VARCHAR" else peewee.FixedCharField
        made = text(max_length=form.length or 255, **options)
    else:
        made = _FIELDS.get(form.kind, peewee.TextField)(**options)
    made.default = default
    return made  # type: ignore[no-any-return]


def form_of(model: type[Model]) -> TableForm:
    """What a model says of its table."""
    meta = meta_of(model)
    columns = {field.column_name: form_of_field(field) for field in meta.sorted_fields}
    indexes = [
        (tuple(_column_of(meta, name) for name in names), bool(unique)) for names, unique in _plain_indexes(meta)
    ]
    return TableForm(str(meta.table_name), columns, tuple(indexes), str(meta.extrafields), _sorted(meta))


def _sorted(meta: Any) -> tuple[str, ...]:
    return tuple(_column_of(meta, name) for name in getattr(meta, "sorted", ()))


def _plain_indexes(meta: Any) -> list[Any]:
    return [index for index in meta.indexes if isinstance(index, (tuple, list))]


def _column_of(meta: Any, name: str) -> str:
    field: peewee.Field = meta.combined.get(name)
    return str(field.column_name) if field is not None else name

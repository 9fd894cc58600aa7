"""Field types beside peewee's: exact decimals, maps and references to records; fields and their columns."""

from __future__ import annotations

import json
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any

import peewee

from ..common.errors import BadRequest
from .column import SCALE, Column
from .database import backend, database

#: not the thread's context, which a module may have changed; a sum may have more than the usual 28 digits
EXACT = Context(200, ROUND_HALF_UP)


class ExactField(peewee.Field):
    """A decimal that every database keeps exactly: amounts (scale 8), rates (scale 4).

    Its column is ``NUMERIC(digits, scale)``. SQLite's decimals are floats (9999999999.12345678 reads back …3457), so
    there it is a whole number: the value times 10^8, whatever its scale.

    :param scale: decimal places, at most 8; more are rounded, half away from zero
    :param trimmed: without zeros at its end in the profile that returns columns as text, if Dolibarr has a float
        (``"3"``, not ``"3.00000000"``)
    :raises ValueError: another scale
    """

    field_type = "DECIMAL"

    def __init__(self, digits: int = 24, scale: int = 8, *, trimmed: bool = False, **options: Any) -> None:
        if not 0 <= scale <= SCALE:
            raise ValueError(f"scale: expected 0 to {SCALE} decimal places, got {scale}; write scale={SCALE}")
        self.digits = digits
        self.scale = scale
        self.trimmed = trimmed
        self.finest = EXACT.scaleb(1, -scale)
        self._limit = self.limit()
        super().__init__(**options)

    def ddl_datatype(self, ctx: Any) -> peewee.SQL:
        """Return the column's type in the current database."""
        return peewee.SQL("BIGINT" if self._scaled() else f"NUMERIC({self.digits}, {self.scale})")

    def db_value(self, value: Any) -> Any:
        """Return a decimal as the current database keeps it.

        :raises BadRequest: it is larger than the column can hold
        """
        return self.to_scaled(value) if self._scaled() else self.to_exact(value)

    def to_scaled(self, value: Any) -> int | None:
        """Return a decimal as a whole number."""
        if not value:
            # Most amounts of a row
            return None if value is None else 0
        exact = Decimal(value)
        if exact.copy_abs() > self._limit:
            raise self._too_large(exact)
        return int(EXACT.quantize(exact, self.finest).scaleb(SCALE, EXACT))

    def to_exact(self, value: Any) -> Decimal | None:
        """Return a decimal with all its places."""
        if value is None:
            return None
        exact = Decimal(value)
        if exact.copy_abs() > self._limit:
            raise self._too_large(exact)
        return EXACT.quantize(exact, self.finest)

    def _too_large(self, exact: Decimal) -> Exception:
        # A sum of accepted values, such as a document's total
        reason = f"expected a number from {self._limit.copy_negate():f} to {self._limit:f}, got {exact:f}"
        return BadRequest(errors=[(self.name, reason)])

    def python_value(self, value: Any) -> Decimal | None:
        """Return the decimal of a column's value."""
        return self.from_scaled(value) if self._scaled() else self.from_exact(value)

    def from_scaled(self, value: Any) -> Decimal | None:
        """Return the decimal of a whole number."""
        return None if value is None else EXACT.quantize(EXACT.scaleb(int(value), -SCALE), self.finest)

    def from_exact(self, value: Any) -> Decimal | None:
        """Return the decimal of a column that has decimals."""
        return None if value is None else EXACT.quantize(Decimal(value), self.finest)

    @staticmethod
    def sum_sql(sql: str) -> str:
        """Return the SQL of the sum of such a column; read it with `sum_value`.

        ``SUM`` fails on SQLite beyond 92 billion. Compare such sums only as equal or not equal.

        :param sql: the SQL of the column
        """
        return backend().exact_sum(sql)

    def sum_value(self, value: Any) -> Decimal:
        """Return the decimal of a sum that `sum_sql` has found; 0 if there was no value."""
        return self.python_value(backend().read_sum(value))  # type: ignore[return-value]

    def limit(self) -> Decimal:
        """Return the largest absolute value that fits on every database."""
        largest = EXACT.scaleb(2**63 - 1, -SCALE).quantize(self.finest, ROUND_DOWN, EXACT)
        return min(largest, EXACT.subtract(10 ** (self.digits - self.scale), self.finest))

    def _scaled(self) -> bool:
        return database.obj is not None and bool(database.obj.scaled_decimals)


class NumberField(peewee.SmallIntegerField):
    """A whole number that is a JSON number even in the profile that returns columns as text."""


class MapField(peewee.TextField):
    """A JSON object, kept as text."""

    def db_value(self, value: Any) -> str | None:
        """Return the map as text; an empty one as NULL, if the column may be NULL."""
        return json.dumps(value, ensure_ascii=False) if value or (value is not None and not self.null) else None

    def python_value(self, value: Any) -> dict[str, Any]:
        """Return the map of a text."""
        return json.loads(value) if value else {}


#: possible effects on a row when the record it refers to is deleted
ON_DELETE = ("refuse", "cascade", "clear")


class _Reference(peewee.SQL):
    """The constraint of a `RecordField`."""


class RecordField(peewee.IntegerField):
    """The ID of a record of another table, or of the same one (``"self"``).

    The ID of a record that doesn't exist, or that the caller may not see, fails with 404.

    `Records.delete` does what `on_delete` specifies, for the sake of the audit trail, extra fields and messages. The
    foreign key in the database has `NO ACTION`; it is for programs that write without the server.

    :param to: the model, or ``"self"``
    :param noun: the record's kind in messages, such as ``Third party``
    :param on_delete: what happens to the row when the record is deleted. ``"refuse"``: the record can't be deleted.
        ``"cascade"``: the row is deleted as well, as far as the rows that refer to it allow. ``"clear"``: the field
        becomes NULL, which needs ``null=True``
    :raises ValueError: another word, or ``"clear"`` without ``null=True``
    """

    def __init__(
        self,
        to: type[peewee.Model] | str,
        noun: str = "Record",
        *,
        on_delete: str = "refuse",
        **options: Any,
    ) -> None:
        self.to = to
        self.noun = noun
        self.on_delete = on_delete
        if self.on_delete not in ON_DELETE:
            raise ValueError(f"on_delete: expected one of {', '.join(ON_DELETE)}, got {on_delete!r}")
        if self.on_delete == "clear" and not options.get("null"):
            raise ValueError("on_delete='clear' needs null=True")
        options.setdefault("index", True)
        super().__init__(**options)

    def target(self) -> type[peewee.Model]:
        """Return the model of the records."""
        if isinstance(self.to, str):
            model: type[peewee.Model] = self.model
            return model
        return self.to

    def bind(self, model: type[peewee.Model], name: str, set_attribute: bool = True) -> None:
        """Become a field of a model, with a foreign key."""
        super().bind(model, name, set_attribute)
        meta: Any = self.target()._meta
        reference = _Reference(f"REFERENCES {meta.table_name} ({meta.primary_key.column_name})")
        # A model derived from a pattern inherits the pattern's constraint
        others = [each for each in self.constraints or [] if not isinstance(each, _Reference)]
        self.constraints = [*others, reference]


# Fields and columns --------------------------------------------------------------------------------------------------

#: kind of column → the class of a field that makes one
_CLASSES: dict[str, Any] = {
    "DECIMAL": ExactField, "NUMERIC": peewee.DecimalField,
    "VARCHAR": peewee.CharField, "CHAR": peewee.FixedCharField,
    **{
        kind.field_type: kind
        for kind in (
            peewee.AutoField, peewee.BigAutoField, peewee.SmallIntegerField, peewee.IntegerField,
            peewee.BigIntegerField, peewee.BooleanField, peewee.FloatField, peewee.DoubleField, peewee.TextField,
            peewee.BlobField, peewee.DateField, peewee.TimeField, peewee.DateTimeField, peewee.UUIDField,
        )
    },
}  # fmt: skip


def column_of(field: Any, name: str = "") -> Column:
    """Return the column of a field.

    :param name: its name; empty: the field's own
    """
    # A function may return another value each time
    default = None if callable(field.default) else field.default
    kept = None if default is None else field.db_value(default)
    is_exact = isinstance(field, ExactField)
    if is_exact and default is not None:
        # In the field's units, as on the databases that have exact decimals
        kept = str(default)
    target: Any = field.target() if isinstance(field, RecordField) else getattr(field, "rel_model", None)
    return Column(
        name or field.column_name,
        "NUMERIC" if isinstance(field, peewee.DecimalField) else field.field_type,
        length=getattr(field, "max_length", None),
        digits=field.digits if is_exact else getattr(field, "max_digits", None),
        scale=field.scale if is_exact else getattr(field, "decimal_places", None),
        null=bool(field.null),
        default=kept if isinstance(kept, (str, int, float, bool)) or kept is None else str(kept),
        unique=bool(field.unique),
        index=bool(field.index),
        references=str(target._meta.table_name) if target is not None else "",
        computed=callable(field.default),
    )


def field_of(column: Column) -> peewee.Field:
    """Return a field that makes such a column, without its reference; it belongs to no model."""
    # Another program's column may have more decimal places
    kind = "NUMERIC" if column.kind == "DECIMAL" and (column.scale or 0) > SCALE else column.kind
    made = _CLASSES.get(kind, peewee.TextField)
    default: Any = column.default
    options: dict[str, Any] = {"null": column.null, "unique": column.unique, "index": column.index}
    if kind in ("DECIMAL", "NUMERIC"):
        default = None if default is None else Decimal(str(default))
        return made(column.digits or 24, column.scale or 0, default=default, **options)  # type: ignore[no-any-return]
    if column.kind in ("VARCHAR", "CHAR"):
        options["max_length"] = column.length or 255
    return made(default=default, **options)  # type: ignore[no-any-return]


def bound_field(field: peewee.Field, table: str, name: str) -> Any:
    """Return a copy of a field as the column of a table: a field in a migration belongs to no model."""
    made: Any = field.clone()
    made.column_name = name
    options = type("Meta", (), {"database": database, "table_name": table})
    model: Any = type("Bound", (peewee.Model,), {"primary_key_": peewee.AutoField(), name: made, "Meta": options})
    return model._meta.fields[name]

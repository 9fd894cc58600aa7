"""Our field types, beside peewee's: exact decimals, maps and references to records."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import peewee

from ..common.errors import wrong_fields
from .database import database


class ExactField(peewee.Field):
    """A decimal that is kept exactly on every database: amounts (scale 8), rates (scale 4).

    ``NUMERIC(digits, scale)`` where the database has it. SQLite's decimals are floats (9999999999.12345678 reads
    back …3457), so there it is a whole number scaled by 10^scale: exact, and it sorts and sums as it should.

    :param trimmed: without zeros at its end in the profile that answers columns as text, where the reference has a
        floating number (``"3"``, not ``"3.00000000"``)
    """

    field_type = "DECIMAL"

    def __init__(self, digits: int = 24, scale: int = 8, *, trimmed: bool = False, **options: Any) -> None:
        self.digits = digits
        self.scale = scale
        self.trimmed = trimmed
        self._finest = Decimal(1).scaleb(-scale)
        self._limit = self.limit()
        super().__init__(**options)

    def ddl_datatype(self, ctx: Any) -> peewee.SQL:
        """The column's type in the current database."""
        return peewee.SQL("BIGINT" if self._scaled() else f"NUMERIC({self.digits}, {self.scale})")

    def db_value(self, value: Any) -> Any:
        """A decimal as the current database keeps it.

        :raises BadRequest: it is larger than a column can hold
        """
        if value is None:
            return None
        scaled = self._scaled()
        if scaled and not value:
            # Most amounts of a row
            return 0
        exact = Decimal(value)
        if abs(exact) > self._limit:
            # A sum of what was accepted, such as a document's total
            reason = f"expected a number from {-self._limit:f} to {self._limit:f}, got {exact:f}"
            raise wrong_fields([(self.name, reason)])
        exact = exact.quantize(self._finest, ROUND_HALF_UP)
        return int(exact.scaleb(self.scale)) if scaled else exact

    def python_value(self, value: Any) -> Decimal | None:
        """What the database keeps as a decimal."""
        if value is None:
            return None
        if self._scaled():
            return Decimal(int(value)).scaleb(-self.scale)
        return Decimal(value).quantize(self._finest)

    def limit(self) -> Decimal:
        """The largest absolute value that fits on every database."""
        return min(Decimal(2**63 - 1).scaleb(-self.scale), Decimal(10) ** (self.digits - self.scale) - self._finest)

    def _scaled(self) -> bool:
        return database.obj is not None and bool(database.obj.scaled_decimals)


class NumberField(peewee.SmallIntegerField):
    """A whole number that stays a JSON number also in the profile that answers columns as text."""


class MapField(peewee.TextField):
    """A JSON object, kept as text."""

    def db_value(self, value: Any) -> str | None:
        """The map as text; an empty one as NULL."""
        return json.dumps(value, ensure_ascii=False) if value else None

    def python_value(self, value: Any) -> dict[str, Any]:
        """The text as a map."""
        return json.loads(value) if value else {}


#: what may become of a row when the record that it names is deleted
ON_DELETE = ("refuse", "cascade", "clear")


class _Reference(peewee.SQL):
    """A constraint that a `RecordField` has made."""


class RecordField(peewee.IntegerField):
    """The identifier of a record of another table (or of the same one: ``"self"``).

    A value that names no record the caller may see is answered 404 naming it. Unlike peewee's foreign key it keeps no
    reference to the class it points at, so a reload leaves nothing behind.

    The constraint in the database says nothing of deletions (`NO ACTION`): what `on_delete` says is done by
    `Records.delete`, since the database would tell neither the audit trail nor the tables of extra fields, and could
    not say what keeps a record. It stands behind the server, for whatever writes without it.

    :param to: the model, or ``"self"``
    :param noun: what to call the record in an error, such as ``Third party``
    :param on_delete: what becomes of the row when the record is deleted: ``"refuse"``, it keeps the record from being
        deleted; ``"cascade"``, it goes with it, and so do or keep it those that name the row; ``"clear"``, it stays and
        names nothing, which needs ``null=True``
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
        """The model this field points at."""
        if isinstance(self.to, str):
            model: type[peewee.Model] = self.model
            return model
        return self.to

    def bind(self, model: type[peewee.Model], name: str, set_attribute: bool = True) -> None:
        """Take the place in a model, and the constraint with it."""
        super().bind(model, name, set_attribute)
        meta: Any = self.target()._meta
        reference = _Reference(f"REFERENCES {meta.table_name} ({meta.primary_key.column_name})")
        # A model derived from a pattern brings the pattern's constraint along
        others = [each for each in self.constraints or [] if not isinstance(each, _Reference)]
        self.constraints = [*others, reference]

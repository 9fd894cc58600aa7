"""A column: one description, made from a model's field or read from a database, compared, changed and copied.

`fields.py` makes a column from a field and a field from a column; `Backend.columns` reads those of a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of column.

    :ivar family: kinds of one family hold values that mean the same
    :ivar words: the kind in words for an author
    :ivar bits: of a whole number, without its sign
    """

    family: str
    words: str
    bits: int = 0


#: peewee's name of each type. DECIMAL is an `ExactField`; NUMERIC is peewee's own decimal, a float on SQLite
KINDS = {
    "AUTO": Kind("whole", "a whole number", 31),
    "BIGAUTO": Kind("whole", "a large whole number", 63),
    "SMALLINT": Kind("whole", "a small whole number", 15),
    "INT": Kind("whole", "a whole number", 31),
    "BIGINT": Kind("whole", "a large whole number", 63),
    "DECIMAL": Kind("exact", "an exact decimal"),
    "NUMERIC": Kind("decimal", "a decimal"),
    "FLOAT": Kind("float", "a float"),
    "DOUBLE": Kind("float", "a float"),
    "BOOL": Kind("boolean", "a boolean"),
    "CHAR": Kind("text", "text"),
    "VARCHAR": Kind("text", "text"),
    "TEXT": Kind("text", "long text"),
    "DATE": Kind("date", "a date"),
    "TIME": Kind("time", "a time of day"),
    "DATETIME": Kind("datetime", "a date and time"),
    "BLOB": Kind("bytes", "bytes"),
    "UUID": Kind("uuid", "a UUID"),
    "JSON": Kind("json", "JSON"),
}


#: decimal places of each `ExactField` in SQLite, which keeps whole numbers; no field has more on any database
SCALE = 8


@dataclass(frozen=True)
class Column:
    """A column of a table.

    :ivar kind: a key of `KINDS`, or the type's own name; empty: peewee has no name for it
    :ivar length: characters of a text with a limit
    :ivar digits: digits of a decimal
    :ivar scale: digits of a decimal after the point
    :ivar default: the constant that a row gets if the statement has no value; None: the column has no default
    :ivar references: the table whose rows it refers to; empty: none
    :ivar computed: a function of the model returns the default
    :ivar unused: the column remains, but no field has it
    :ivar added: a field of another module's model of the same table
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
    unused: bool = False
    added: bool = False

    @property
    def has_default(self) -> bool:
        """Return whether a row has a value even if none is given."""
        return self.computed or self.default is not None

    @property
    def family(self) -> str:
        """Return the family of the kind: kinds of a family have the same values."""
        return KINDS[self.kind].family if self.kind in KINDS else self.kind

    @property
    def bits(self) -> int:
        """Bits of a whole number, without its sign; 0 for other kinds."""
        return KINDS[self.kind].bits if self.kind in KINDS else 0

    @property
    def is_key(self) -> bool:
        """Return whether the database generates the values."""
        return self.kind in ("AUTO", "BIGAUTO")

    @property
    def words(self) -> str:
        """The kind in words for an author."""
        return KINDS[self.kind].words if self.kind in KINDS else self.kind

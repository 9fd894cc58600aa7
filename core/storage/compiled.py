"""The conversions of a model's fields in each direction, made once, so that a request doesn't look at the fields.

Most values already have the type of their field and are taken as they are; the others go through the field's own
conversion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import peewee

from ..common.readers import one_of, plain_word, word_of_flag
from ..common.settings import settings
from ..common.unset import UNSET
from .backend import Backend
from .fields import ExactField, MapField, RecordField
from .values import text_or_null

Convert = Callable[[Any], Any]

#: a field's conversion that changes no value of one type → that type
_UNCHANGED: Mapping[Any, type] = {
    peewee.IntegerField.adapt: int,
    peewee.CharField.adapt: str,
    peewee.FloatField.adapt: float,
    peewee.BooleanField.adapt: bool,
    peewee.DateTimeField.adapt: datetime,
    peewee.DateField.adapt: date,
}
#: values of a body that mean no record
_NO_RECORD = (0, "0", "", -1, "-1")


# Bodies to values ----------------------------------------------------------------------------------------------------


def body_value(field: Any, accept: Convert, clean: Convert | None = None) -> Convert:
    """Return the function that converts a value of a body to a field's; its ValueError contains what was expected.

    `UNSET` stands for null if the column has a default and isn't nullable.

    :param accept: the conversion of the field's codec
    :param clean: applied first to a text, or to a number as text
    """
    is_record, absent = isinstance(field, RecordField), None if field.null else UNSET
    choices = [choice for choice, _ in field.choices or ()]

    def read(value: Any) -> Any:
        if value is None or (is_record and value in _NO_RECORD):
            if is_record and absent is UNSET:
                raise ValueError("expected the ID of a record")
            return absent
        return accept(value)

    def read_chosen(value: Any) -> Any:
        accepted = read(value)
        if accepted is not None and accepted is not UNSET and accepted not in choices:
            raise ValueError(one_of(choices))
        return accepted

    words = {plain_word(word): choice for choice, word in field.choices or () if isinstance(choice, int)}
    flags = set(choices) == {0, 1}

    def read_word(value: Any) -> Any:
        try:
            return read_chosen(value)
        except ValueError:
            if not settings().profile.accepts_other_forms:
                raise
            if flags and (word := word_of_flag(value)) in ("yes", "no"):
                return int(word == "yes")
            known = words.get(plain_word(value)) if isinstance(value, str) else None
            if known is None:
                raise
            return known

    known = (read_word if words else read_chosen) if choices else read
    if clean is None:
        return known
    is_cleaned = (str, int, Decimal)
    return lambda value: known(
        clean(str(value)) if isinstance(value, is_cleaned) and not isinstance(value, bool) else value
    )


# Values to parameters, and rows to values ----------------------------------------------------------------------------

#: a field's name, the type whose values are taken as they are, None if NULL is also taken as it is, and the conversion
#: of all other values
Conversion = tuple[str, type | None, Any, Convert]


def to_parameters(fields: Iterable[Any], opened: Backend) -> list[Conversion]:
    """Return how the values of fields become the parameters of a statement."""
    return [_conversion(field, "db_value", opened) for field in fields]


def to_python(fields: Iterable[Any], opened: Backend) -> list[Conversion]:
    """Return how the columns of fields become values in Python's types."""
    return [_conversion(field, "python_value", opened) for field in fields]


def _conversion(field: Any, method: str, opened: Backend) -> Conversion:
    own = getattr(type(field), method)
    if own is getattr(peewee.Field, method):
        return field.name, _UNCHANGED.get(type(field).adapt), None, getattr(field, method)
    if own is ExactField.db_value:
        return field.name, None, None, field.to_scaled if opened.scaled_decimals else field.to_exact
    if own is ExactField.python_value:
        return field.name, None, None, field.from_scaled if opened.scaled_decimals else field.from_exact
    # An author's field may make something of NULL
    return field.name, None, None if own is MapField.db_value else UNSET, getattr(field, method)


def bind(values: Mapping[str, Any], made: Sequence[Conversion]) -> list[Any]:
    """Return the parameters of a statement.

    :param values: by field name, in Python's types; NULL for the others
    """
    get = values.get
    return [
        value if (value := get(name)).__class__ is unchanged or value is null else convert(value)
        for name, unchanged, null, convert in made
    ]


def read_columns(row: Sequence[Any], made: Sequence[Conversion]) -> dict[str, Any]:
    """Return the values of a row by field name, in Python's types."""
    return {
        name: value if value.__class__ is unchanged or value is null else convert(value)
        for value, (name, unchanged, null, convert) in zip(row, made, strict=True)
    }


# Rows to records -----------------------------------------------------------------------------------------------------


def to_record(names: Sequence[str], converts: Sequence[Convert | None]) -> Callable[[Sequence[Any]], dict[str, Any]]:
    """Return the function that makes a record of a row, which may have more columns.

    :param names: the keys of a record
    :param converts: the conversion of each column; None: as it is
    """
    blank = dict.fromkeys(names)
    made = [(at, name, convert) for at, (name, convert) in enumerate(zip(names, converts, strict=True)) if convert]
    #: numbers that become text, which are most columns of the profile `dolibarr16`, and the columns of other kinds
    texts = [(at, name) for at, name, convert in made if convert is text_or_null]
    others = [each for each in made if each[2] is not text_or_null]

    def record_of(row: Sequence[Any]) -> dict[str, Any]:
        # Faster than a dict that grows
        record: dict[str, Any] = blank.copy()
        record.update(zip(names, row, strict=False))
        for at, name in texts:
            if (value := row[at]) is not None:
                record[name] = str(value)
        for at, name, convert in others:
            record[name] = convert(row[at])
        return record

    return record_of

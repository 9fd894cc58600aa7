"""The conversions of a field's values: database → response, body → database, filter → database, and their schema.

`_KINDS` has them by field class. Those of a model are made once, so that a request doesn't look at its fields; a value
that needs no conversion costs no call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache, lru_cache, partial
from typing import Any
from zoneinfo import ZoneInfo

import peewee

from ..common.days import days_zone, midnight, read_day_in
from ..common.json_texts import check_texts, read_json
from ..common.readers import (
    EPOCH,
    SECOND,
    filter_text,
    one_of,
    plain_word,
    read_decimal,
    read_flag,
    read_float,
    read_instant,
    read_integer,
    storable,
    word_of_flag,
)
from ..common.request_state import warn
from ..common.settings import settings
from ..common.unset import UNSET
from .backend import Backend
from .column import SCALE
from .database import backend
from .fields import EXACT, ExactField, MapField, NumberField, RecordField

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
#: characters of a text whose field has no limit; on MariaDB its bytes
LONGEST_TEXT = 65535


@dataclass(frozen=True)
class Codec:
    """The conversions of one field."""

    #: database → response; None: as it is
    answer: Convert | None
    #: body → value that peewee stores; its ValueError contains what was expected
    accept: Convert
    #: text of a filter → value to bind; its ValueError contains what was expected
    compare: Convert
    #: JSON Schema of the response (without null)
    schema: dict[str, Any]
    #: whether the field holds text
    text: bool = False
    #: characters of the longest text it may hold
    longest: int = 0


def codec(field: peewee.Field) -> Codec:
    """Return the codec of a field with the active settings."""
    return _codec(field, settings().profile.text_values, backend(), days_zone())


def plain_codec(field: peewee.Field) -> Codec:
    """Return the codec of a field that is the same with all settings, for values that are stored as JSON."""
    return _codec(field, False, backend(), None)


def _codec(field: peewee.Field, text_values: bool, opened: Backend, zone: ZoneInfo | None) -> Codec:
    if isinstance(field, peewee.DateField):
        return _day(field, text_values, opened, zone)
    # A field of another class is secret, and only its module writes it
    make = next((_KINDS[base] for base in type(field).__mro__ if base in _KINDS), _text)
    return make(field, text_values, opened)


def as_column(field: ExactField, value: Decimal) -> str:
    """Return a computed amount or rate in the form of a column.

    :param field: any, such as ``ExactField(24, 8, trimmed=True)``
    """
    text = _fixed(value, field.finest)
    return text.rstrip("0").rstrip(".") if field.trimmed and "." in text and settings().profile.text_values else text


# Numbers -------------------------------------------------------------------------------------------------------------

_BITS: dict[type, int] = {peewee.SmallIntegerField: 16, peewee.BigIntegerField: 64, peewee.BigAutoField: 64}


def _integer(field: peewee.Field, text_values: bool, opened: Backend) -> Codec:
    bits = next((bits for kind, bits in _BITS.items() if isinstance(field, kind)), 32)
    choices = [number for number, _ in field.choices or ()]

    accept = _or_null(field, partial(read_integer, bits=bits))
    if text_values and not isinstance(field, NumberField):
        texts = {"enum": [str(number) for number in choices]} if choices else {"pattern": "^-?[0-9]+$"}
        return Codec(text_or_null, accept, read_integer, {"type": "string", **texts})
    return Codec(None, accept, read_integer, {"type": "integer", **({"enum": choices} if choices else {})})


def _or_null(field: peewee.Field, read: Convert) -> Convert:
    """Return a reader for which an empty text is NULL, if the field may be NULL."""
    return (lambda value: None if value == "" else read(value)) if field.null else read


def text_or_null(value: Any) -> str | None:
    """Return a number as text."""
    return None if value is None else str(value)


def _boolean(field: peewee.Field, text_values: bool, opened: Backend) -> Codec:
    if text_values:
        return Codec(
            lambda value: None if value is None else str(int(value)), read_flag, read_flag, {"enum": ["0", "1"]}
        )
    return Codec(lambda value: None if value is None else bool(value), read_flag, read_flag, {"type": "boolean"})


def _float(field: peewee.Field, text_values: bool, opened: Backend) -> Codec:
    if text_values:
        return Codec(text_or_null, read_float, read_float, {"type": "string"})
    return Codec(None, read_float, read_float, {"type": "number"})


def _exact(field: Any, text_values: bool, opened: Backend) -> Codec:
    places, limit = field.scale, field.limit()
    finest = EXACT.scaleb(1, -places)

    def read(value: Any) -> Decimal:
        number = read_decimal(value, limit)
        if number != (rounded := EXACT.quantize(number, finest)):
            warn(f"`{field.name}`: {number} is rounded to {rounded}")
        return number

    accept = _or_null(field, read)

    def compare(value: str) -> Any:
        return field.db_value(accept(value))

    is_trimmed = not places or (text_values and field.trimmed)
    answer = _decimal_text(places, scaled=opened.scaled_decimals, trimmed=is_trimmed)
    pattern = r"^-?[0-9]+(\.[0-9]+)?$" if is_trimmed else rf"^-?[0-9]+\.[0-9]{{{places}}}$"
    return Codec(answer, accept, compare, {"type": "string", "pattern": pattern})


def _fixed(value: Decimal, finest: Decimal) -> str:
    # -0.00 is equal to 0.00, for which a cache would return its text
    return f"{EXACT.add(value, 0).quantize(finest, ROUND_HALF_EVEN, EXACT):f}"


@cache
def _decimal_text(places: int, *, scaled: bool, trimmed: bool) -> Convert:
    """Return the conversion of decimals to text.

    :param scaled: the database keeps them as whole numbers
    :param trimmed: without zeros at the end
    """
    # Of what the database keeps
    unit, step = 10**places, 10 ** (SCALE - places) if scaled else 1
    finest = EXACT.scaleb(1, -places)

    # Cached: most amounts of a page are 0, and a list holds many equal ones
    @lru_cache(maxsize=16384)
    def decimal_text(value: Any) -> str | None:
        if value is None:
            return None
        if scaled:
            number = abs(value) if step == 1 else (abs(value) + step // 2) // step
            whole, rest = divmod(number, unit)
            text = f"{'-' if value < 0 else ''}{whole}.{rest:0{places}d}"
        else:
            text = _fixed(Decimal(str(value)), finest)
        return text.rstrip("0").rstrip(".") if trimmed and "." in text else text

    return decimal_text


# Dates ---------------------------------------------------------------------------------------------------------------


# Cached: a list holds many equal instants
@lru_cache(maxsize=16384)
def seconds_of(value: Any) -> int | None:
    """Return the Unix seconds of an instant as the database returns it."""
    if value is None:
        return None
    try:
        # SQLite's instants are text
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        return (moment.replace(tzinfo=None) - EPOCH) // SECOND
    except ValueError:
        # Other programs write 0000-00-00 for no value
        return None


@lru_cache(maxsize=16384)
def _seconds_of_day(zone: ZoneInfo | None, value: date | str | None) -> int | None:
    if value is None:
        return None
    try:
        return midnight(datetime.fromisoformat(value).date() if isinstance(value, str) else value, zone)
    except ValueError:
        return None


#: the schema of an instant
SECONDS = {"type": "integer", "format": "unix-time"}


def _instant(field: peewee.Field, text_values: bool, opened: Backend) -> Codec:
    def compare(text: str) -> Any:
        moment = read_instant(filter_text(text))
        return moment.strftime("%Y-%m-%d %H:%M:%S") if opened.dates_as_text else moment

    return _dated(seconds_of, _or_null(field, read_instant), compare, text_values, SECONDS)


def _day(field: peewee.DateField, text_values: bool, opened: Backend, zone: ZoneInfo | None) -> Codec:
    def compare(text: str) -> Any:
        day = read_day_in(filter_text(text), zone)
        return day.isoformat() if opened.dates_as_text else day

    name = zone.key if zone else "UTC"
    said = {"description": f"as the seconds of its midnight in {name}", "x-day": name}
    accept = _or_null(field, partial(read_day_in, zone=zone))
    return _dated(partial(_seconds_of_day, zone), accept, compare, text_values, SECONDS | said)


def _dated(answer: Convert, accept: Convert, compare: Convert, text_values: bool, seconds: dict[str, Any]) -> Codec:
    """Return the codec of instants or days; in the profile of texts, NULL is an empty text."""
    if not text_values:
        return Codec(answer, accept, compare, seconds)

    def answer_text(value: Any) -> int | str:
        known = answer(value)
        return "" if known is None else known

    said = {name: each for name, each in seconds.items() if name not in SECONDS}
    return Codec(answer_text, accept, compare, {"anyOf": [SECONDS, {"type": "string", "maxLength": 0}], **said})


# Text and maps -------------------------------------------------------------------------------------------------------


def _text(field: Any, text_values: bool, opened: Backend) -> Codec:
    longest = getattr(field, "max_length", None) or LONGEST_TEXT
    # A character has up to four bytes
    longest_plain = min(longest, LONGEST_TEXT // 4)

    def accept(value: Any) -> str:
        if value.__class__ is str and len(value) <= longest_plain and value.isprintable():
            return value
        if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
            raise ValueError("expected text")
        text = str(value)
        if len(text) > longest:
            raise ValueError(f"expected at most {longest} characters, got {len(text)}")
        if longest == LONGEST_TEXT and _is_too_long(text):
            raise ValueError(f"expected at most {LONGEST_TEXT} bytes, got {len(text.encode())}")
        return storable(text)

    return Codec(None, accept, str, {"type": "string"}, text=True, longest=longest)


def _is_too_long(text: str) -> bool:
    """Return whether a text column of the current database doesn't hold a text, because it counts bytes."""
    limit = backend().max_text_bytes
    # A character has up to four bytes
    return bool(limit) and len(text) > limit // 4 and len(text.encode()) > limit


def _map(field: peewee.Field, text_values: bool, opened: Backend) -> Codec:
    def answer(value: Any) -> Any:
        return (json.loads(value) if value else None) or ([] if text_values else {})

    def accept(value: Any) -> dict[str, Any]:
        if value in ("", []):
            return {}
        if isinstance(value, str) and value.startswith("{"):
            # As a cell of a CSV file has it
            value = read_json(value)
        if not isinstance(value, dict):
            raise ValueError("expected an object")
        check_texts(value)
        text = json.dumps(value, default=str, ensure_ascii=False)
        if _is_too_long(text):
            raise ValueError(f"expected at most {LONGEST_TEXT} bytes as JSON, got {len(text.encode())}")
        return json.loads(text)  # type: ignore[no-any-return]

    free = {"type": "object", "additionalProperties": True}
    empty = [{"type": "array", "items": {}, "maxItems": 0}] if text_values else []
    schema: dict[str, Any] = {"anyOf": [free, *empty]} if empty else free
    return Codec(answer, accept, str, schema, text=True, longest=LONGEST_TEXT)


_KINDS: dict[type, Callable[..., Codec]] = {
    peewee.AutoField: _integer,
    peewee.IntegerField: _integer,
    peewee.BooleanField: _boolean,
    peewee.FloatField: _float,
    ExactField: _exact,
    peewee.DateTimeField: _instant,
    MapField: _map,
    peewee.CharField: _text,
    peewee.TextField: _text,
}
#: classes of peewee whose values the API can't show or accept → what to write instead, with `0` for the field
_INSTEAD: dict[type, str] = {
    peewee.DecimalField: "ExactField(digits={0.max_digits}, scale={0.decimal_places})",
    peewee.ForeignKeyField: 'RecordField({0.rel_model.__name__}, "{0.rel_model.__name__}")',
    peewee.ManyToManyField: "a model with a RecordField for each of the two",
    peewee.IdentityField: "AutoField()",
    peewee.TimestampField: "DateTimeField()",
    peewee.TimeField: "CharField(max_length=8)",
    peewee.UUIDField: "CharField(max_length=36)",
    peewee.BinaryUUIDField: "CharField(max_length=36)",
    peewee.IPField: "CharField(max_length=39)",
    peewee.BitField: "BooleanField() for each flag",
    peewee.BigBitField: "a table of its own",
    peewee.BlobField: "a file in `documents`, or TextField() with base64",
}


def why_unfit(field: Any) -> str:
    """Return why a field can't be shown and written by the API on every database, and what to write; empty: it can."""
    kinds = (*_KINDS, *_INSTEAD, peewee.DateField)
    kind = next((each for each in type(field).__mro__ if each in kinds), None)
    is_json = "JSON" in type(field).__name__
    if is_json or kind is None or kind in _INSTEAD:
        instead = "MapField()" if is_json else "CharField()" if kind is None else _INSTEAD[kind].format(field)
        return f"{type(field).__name__} doesn't work here: write {instead}"
    default = None if callable(field.default) else field.default
    longest = getattr(field, "max_length", None)
    if longest and isinstance(default, str) and len(default) > longest:
        return f"default: expected at most {longest} characters, got {len(default)}"
    read: Any = float if isinstance(field, (peewee.IntegerField, peewee.FloatField)) else field.db_value
    try:
        read(default) if default is not None else None
    except (ValueError, TypeError, ArithmeticError):
        return f"default: {default!r:.40} isn't a value of {type(field).__name__}"
    return ""


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

"""What differs between a column and its field: what is safe, and what only a migration may do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import peewee

from ..storage.database import dialect_name
from .forms import ColumnForm
from .steps import AddIndex, Change, DropIndex, Step

_TEXTS = ("CHAR", "VARCHAR", "TEXT")
#: from the narrowest to the widest
_WHOLE = ("SMALLINT", "INT", "BIGINT")
_FLOATS = ("FLOAT", "DOUBLE")
#: kinds in words for the author
_WORDS = {
    "CHAR": "text", "VARCHAR": "text", "TEXT": "long text", "SMALLINT": "a small whole number",
    "INT": "a whole number", "BIGINT": "a large whole number", "DECIMAL": "an exact decimal", "FLOAT": "a float",
    "DOUBLE": "a float", "BOOL": "a boolean", "DATE": "a date", "DATETIME": "a date and time", "TIME": "a time of day",
    "BLOB": "bytes", "UUID": "a UUID", "JSON": "JSON",
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """A difference that is not simply safe.

    :ivar reason: in words for the author
    :ivar step: the step of a migration; None: the author must decide
    """

    reason: str
    step: Step | None = None


def column_differences(
    table: str, wanted: ColumnForm, present: ColumnForm, field: peewee.Field
) -> Iterator[Step | Difference]:
    """How a column differs from its field: steps that are safe, and differences that are not.

    :param field: the field, for the steps
    """
    change = Change(table, wanted.name, field)
    called = f"{table}.{wanted.name}"
    reason = next(_of_type(called, wanted, present), "")
    if not reason and present.null and not wanted.null:
        reason = f"{called}: models.py requires a value, but rows may have none"
    if reason:
        yield Difference(reason, change)
        return
    if _is_changed(wanted, present):
        yield change
    yield from _of_indexes(table, wanted, present)


def _is_changed(wanted: ColumnForm, present: ColumnForm) -> bool:
    """Whether the column must be made anew, in a way that every row fits."""
    return (
        _physical(wanted) != _physical(present)
        or wanted.references != present.references
        or (not wanted.null and not wanted.computed and wanted.default != present.default)
    )


def _physical(form: ColumnForm) -> tuple[object, ...]:
    return _plain(form.kind), form.length, form.digits, form.scale, form.null


def _plain(kind: str) -> str:
    """The kind without that the database counts it."""
    return {"AUTO": "INT", "BIGAUTO": "BIGINT"}.get(kind, kind)


def _of_type(called: str, wanted: ColumnForm, present: ColumnForm) -> Iterator[str]:
    """Why what is in the column would be lost or misread."""
    one, other = _plain(present.kind), _plain(wanted.kind)
    if one in _TEXTS and other in _TEXTS:
        yield from _of_length(called, wanted, present)
    elif one in _WHOLE and other in _WHOLE:
        if _WHOLE.index(other) < _WHOLE.index(one):
            yield (
                f"{called}: the column holds {_WORDS[one]}, but models.py declares {_WORDS[other]}; larger numbers "
                "would not fit"
            )
    elif one in _FLOATS and other in _FLOATS:
        if (one, other) == ("DOUBLE", "FLOAT"):
            yield (
                f"{called}: the column holds 15 digits, but models.py declares a float of 7 digits; the rest would be "
                "lost"
            )
    elif one != other:
        yield (
            f"{called}: the column holds {_WORDS.get(one, one)}, but models.py declares {_WORDS.get(other, other)}; "
            "existing values would be misread"
        )
    elif present.scale != wanted.scale and None not in (present.scale, wanted.scale):
        yield (
            f"{called}: the column has {present.scale or 'no'} decimal places, but models.py declares "
            f"{wanted.scale}; {_by_scale(wanted.scale or 0, present.scale or 0)}"
        )
    elif (present.digits or 0) > (wanted.digits or 0) and wanted.digits is not None:
        yield (
            f"{called}: the column holds {present.digits} digits, but models.py declares {wanted.digits}; larger "
            "numbers would not fit"
        )


def _of_length(called: str, wanted: ColumnForm, present: ColumnForm) -> Iterator[str]:
    if wanted.kind == "TEXT":
        return
    if present.kind == "TEXT":
        yield (
            f"{called}: the column holds text of any length, but models.py declares {wanted.length} characters; "
            "longer text would not fit"
        )
    elif (present.length or 0) > (wanted.length or 0):
        yield (
            f"{called}: the column holds {present.length} characters, but models.py declares {wanted.length}; longer "
            "text would not fit"
        )


def _by_scale(wanted: int, present: int) -> str:
    if dialect_name() == "sqlite":
        times = 10 ** abs(wanted - present)
        return f"values would be {times} times too {'small' if wanted > present else 'large'}"
    return f"new values would be rounded to {present}" if wanted > present else "further decimal places would be lost"


def _of_indexes(table: str, wanted: ColumnForm, present: ColumnForm) -> Iterator[Step]:
    """How the index of one column differs. That of a reference stays: MariaDB needs it."""
    asked, there = (wanted.index or wanted.unique), (present.index or present.unique)
    if there and (wanted.unique != present.unique or (not asked and not wanted.references)):
        yield DropIndex(table, (wanted.name,))
        there = False
    if asked and not there:
        yield AddIndex(table, (wanted.name,), wanted.unique)

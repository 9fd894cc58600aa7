"""What differs between a column and its field: what is safe, what depends on the rows, what only a migration may do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import peewee

from ..storage.database import dialect_name, quote
from .forms import ColumnForm
from .steps import AddIndex, Change, DropIndex, Step

_TEXTS = ("CHAR", "VARCHAR", "TEXT")
#: from the narrowest to the widest
_WHOLE = ("SMALLINT", "INT", "BIGINT")
_FLOATS = ("FLOAT", "DOUBLE")
#: kinds in an author's words
_WORDS = {
    "CHAR": "a text", "VARCHAR": "a text", "TEXT": "a long text", "SMALLINT": "a small whole number",
    "INT": "a whole number", "BIGINT": "a large whole number", "DECIMAL": "an exact decimal", "FLOAT": "a float",
    "DOUBLE": "a float", "BOOL": "a boolean", "DATE": "a day", "DATETIME": "an instant", "TIME": "a time of day",
    "BLOB": "bytes", "UUID": "a UUID", "JSON": "JSON",
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """A difference that is not simply safe.

    :ivar reason: in the author's words; ``{count}``: how many rows or values stand in the way
    :ivar step: what a migration would do, or what is done where nothing stands in the way; None: nobody can guess
    :ivar count: the statement that counts what stands in the way; empty: it is never safe
    """

    reason: str
    step: Step | None = None
    count: str = ""


def column_differences(
    table: str, wanted: ColumnForm, present: ColumnForm, field: peewee.Field
) -> Iterator[Step | Difference]:
    """How a column differs from its field: steps that are safe, and differences that are not.

    :param field: the field, for the steps
    """
    change = Change(table, wanted.name, field)
    called = f"{table}.{wanted.name}"
    unsafe = [*_of_type(called, wanted, present)]
    for reason in unsafe:
        yield Difference(reason, change)
    if unsafe:
        return
    if present.null and not wanted.null:
        yield Difference(
            f"{called}: models.py wants a value in each row, and some have none ({{count}}); a migration fills them",
            change,
            f"SELECT COUNT(*) FROM {quote(table)} WHERE {quote(wanted.name)} IS NULL",
        )
    elif wanted.references and wanted.references != present.references:
        yield Difference(
            f"{called}: models.py says that it names rows of {wanted.references}, and some name none that is "
            "there ({count}); a migration mends them",
            change,
            _without_target(table, wanted, field),
        )
    elif _is_changed(wanted, present):
        yield change
    yield from _of_indexes(table, wanted, present)


def _is_changed(wanted: ColumnForm, present: ColumnForm) -> bool:
    """Whether the column must be made anew, in a way that every row fits."""
    return (
        _physical(wanted) != _physical(present)
        or (wanted.letters and not present.letters)
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
    name = called.partition(".")[2]
    if one in _TEXTS and other in _TEXTS:
        yield from _of_length(called, wanted, present)
    elif one in _WHOLE and other in _WHOLE:
        if _WHOLE.index(other) < _WHOLE.index(one):
            yield (
                f"{called}: the table keeps {_WORDS[one]}, models.py says {_WORDS[other]}, and larger ones would not "
                "fit"
            )
    elif one in _FLOATS and other in _FLOATS:
        if (one, other) == ("DOUBLE", "FLOAT"):
            yield f"{called}: the table keeps 15 digits, models.py says a float of 7, and the rest would be lost"
    elif one != other:
        yield (
            f"{called}: the table keeps {_WORDS.get(one, one)}, models.py says {_WORDS.get(other, other)}, and what "
            "is there would be misread"
        )
    elif present.scale != wanted.scale and None not in (present.scale, wanted.scale):
        yield (
            f"{called}: the table keeps {present.scale or 'no'} digits behind the point, models.py says "
            f"{wanted.scale}, and {_by_scale(name, wanted.scale or 0, present.scale or 0)}"
        )
    elif (present.digits or 0) > (wanted.digits or 0) and wanted.digits is not None:
        yield (
            f"{called}: the table keeps {present.digits} digits, models.py says {wanted.digits}, and larger ones "
            "would not fit"
        )


def _of_length(called: str, wanted: ColumnForm, present: ColumnForm) -> Iterator[str]:
    if wanted.kind == "TEXT":
        return
    if present.kind == "TEXT":
        yield (
            f"{called}: the table keeps a text of any length, models.py says {wanted.length} characters, and longer "
            "ones would not fit"
        )
    elif (present.length or 0) > (wanted.length or 0):
        yield (
            f"{called}: the table keeps {present.length} characters, models.py says {wanted.length}, and longer "
            "ones would not fit"
        )


def _by_scale(name: str, wanted: int, present: int) -> str:
    if dialect_name() == "sqlite":
        times = 10 ** abs(wanted - present)
        return f"every {name} would read {times} times too {'small' if wanted > present else 'large'}"
    return f"what is written would be rounded to {present}" if wanted > present else "the others would be lost"


def _without_target(table: str, wanted: ColumnForm, field: peewee.Field) -> str:
    target = getattr(field, "target", None)
    key = target()._meta.primary_key.column_name if target is not None else "rowid"
    return (
        f"SELECT COUNT(*) FROM {quote(table)} AS child WHERE child.{quote(wanted.name)} IS NOT NULL AND NOT EXISTS "
        f"(SELECT 1 FROM {quote(wanted.references)} AS parent WHERE parent.{quote(key)} = child.{quote(wanted.name)})"
    )


def _of_indexes(table: str, wanted: ColumnForm, present: ColumnForm) -> Iterator[Step | Difference]:
    """How the index of one column differs. That of a reference stays: MariaDB needs it."""
    asked, there = (wanted.index or wanted.unique), (present.index or present.unique)
    if there and (wanted.unique != present.unique or (not asked and not wanted.references)):
        yield DropIndex(table, (wanted.name,))
        there = False
    if asked and not there:
        step = AddIndex(table, (wanted.name,), wanted.unique)
        yield twice(table, (wanted.name,), step) if wanted.unique else step


def twice(table: str, names: tuple[str, ...], step: Step) -> Difference:
    """That values must stand once, unless some stand in several rows."""
    columns = ", ".join(map(quote, names))
    filled = " AND ".join(f"{quote(name)} IS NOT NULL" for name in names)
    return Difference(
        f"{table}.{', '.join(names)}: models.py wants each value once, and some stand in several rows ({{count}} of "
        "them); a migration, or whoever knows the rows, must make them different",
        step,
        f"SELECT COUNT(*) FROM (SELECT 1 FROM {quote(table)} WHERE {filled} GROUP BY {columns} "
        "HAVING COUNT(*) > 1) AS twice",
    )

"""What a model says and what its table has, compared: what may be done at once, and what only a migration may do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import peewee

from ..storage.database import backend
from ..storage.model import Model
from .conversions import WHOLE, family_of, plain_kind
from .forms import ColumnForm, TableForm, field_of, form_of
from .steps import Add, AddIndex, Change, Drop, DropIndex, Rename, Step

#: kinds in words for the author
_WORDS = {
    "CHAR": "text", "VARCHAR": "text", "TEXT": "long text", "SMALLINT": "a small whole number",
    "INT": "a whole number", "BIGINT": "a large whole number", "DECIMAL": "an exact decimal", "FLOAT": "a float",
    "DOUBLE": "a float", "BOOL": "a boolean", "DATE": "a date", "DATETIME": "a date and time", "TIME": "a time of day",
    "BLOB": "bytes", "UUID": "a UUID", "JSON": "JSON",
}  # fmt: skip


#: what ends the reason of a file that is refused
ADVICE = "run `comptoir migrate --write` to create the migration"


class DriftError(Exception):
    """A table is no longer what its model says, and only a migration may change it."""


@dataclass(frozen=True)
class Difference:
    """A difference that is not simply safe.

    :ivar reason: in words for the author
    :ivar step: the step of a migration; None: the author must decide
    """

    reason: str
    step: Step | None = None


@dataclass
class Drift:
    """How a table differs from its model.

    :ivar safe: what may be done at once
    :ivar unsafe: what only a migration may do
    """

    safe: list[Step] = field(default_factory=list)
    unsafe: list[Difference] = field(default_factory=list)

    def reason(self) -> str:
        """Why the file cannot be served, and what to do."""
        return "; ".join([*(each.reason for each in self.unsafe), ADVICE])


def compare(wanted: TableForm, present: TableForm, fields: Mapping[str, peewee.Field] | None = None) -> Drift:
    """How a table differs from what is wanted of it.

    :param fields: the model's, by column; None: they are made of the form
    """
    made = {name: (fields or {}).get(name) or field_of(column) for name, column in wanted.columns.items()}
    found = list(_all_differences(wanted, present, made))
    unsafe = [each for each in found if isinstance(each, Difference)]
    return Drift([each for each in found if not isinstance(each, Difference)], unsafe)


def _all_differences(
    wanted: TableForm, present: TableForm, fields: Mapping[str, peewee.Field]
) -> Iterator[Step | Difference]:
    table, old = wanted.name, present.columns
    for name, column in wanted.columns.items():
        if name in old:
            yield from _column_differences(table, column, old[name], fields[name])
    gone = {name: column for name, column in old.items() if name not in wanted.columns}
    new = {name: column for name, column in wanted.columns.items() if name not in old}
    for name, column in gone.items():
        if likely := [] if column.left or column.guest else _likely_names(column, new, gone):
            yield _renamed(table, name, likely)
            for each in likely:
                new.pop(each)
        elif not (column.null or column.has_default):
            yield _required(table, name)
    for name, column in new.items():
        optional = column.null or column.has_default
        yield Add(table, name, fields[name]) if optional else _new_and_required(table, name, fields[name])
    for names, unique in present.indexes:
        if (names, unique) not in wanted.indexes and set(names) <= set(wanted.columns):
            yield DropIndex(table, names)
    for names, unique in wanted.indexes:
        if (names, unique) not in present.indexes:
            yield AddIndex(table, names, unique)


def differences(models: Mapping[str, type[Model]], forms: Mapping[str, TableForm]) -> list[Difference]:
    """Return what only a migration may do, so that the tables are what the models say.

    :param models: by table
    :param forms: what the tables are made from, by name
    """
    return [
        each
        for table, model in models.items()
        if table in forms
        for each in compare(form_of(model), forms[table]).unsafe
    ]


def _column_differences(
    table: str, wanted: ColumnForm, present: ColumnForm, field: peewee.Field
) -> Iterator[Step | Difference]:
    """How a column differs from its field: steps that are safe, and differences that are not.

    :param field: the field, for the steps
    """
    change = Change(table, wanted.name, field)
    called = f"{table}.{wanted.name}"
    reason = _misfit(called, wanted, present)
    if not reason and present.null and not wanted.null:
        reason = f"{called}: models.py requires a value, but rows may have none"
    if reason:
        yield Difference(reason, change)
        return
    if _is_changed(wanted, present):
        yield change
    yield from _of_indexes(table, wanted, present)


def _is_changed(wanted: ColumnForm, present: ColumnForm) -> bool:
    """Return whether the column must be changed, and every row fits the change."""
    return (
        _physical(wanted) != _physical(present)
        or wanted.references != present.references
        or (not wanted.null and not wanted.computed and wanted.default != present.default)
    )


def _physical(form: ColumnForm) -> tuple[object, ...]:
    return plain_kind(form), form.length, form.digits, form.scale, form.null


def _misfit(called: str, wanted: ColumnForm, present: ColumnForm) -> str:
    """Why values of the column would be lost or misread; empty if they wouldn't."""
    one, other = plain_kind(present), plain_kind(wanted)
    holds, declares, so = f"holds {_WORDS.get(one, one)}", _WORDS.get(other, other), ""
    family = family_of(one)
    if family != family_of(other):
        so = "existing values would be misread"
    elif family == "text":
        if other != "TEXT" and (one == "TEXT" or (present.length or 0) > (wanted.length or 0)):
            holds = "holds text of any length" if one == "TEXT" else f"holds {present.length} characters"
            declares = f"{wanted.length} characters" if one == "TEXT" else str(wanted.length)
            so = "longer text would not fit"
    elif family == "whole":
        so = "larger numbers would not fit" if WHOLE.index(other) < WHOLE.index(one) else ""
    elif (one, other) == ("DOUBLE", "FLOAT"):
        holds, declares, so = "holds 15 digits", "a float of 7 digits", "the rest would be lost"
    elif present.scale != wanted.scale and None not in (present.scale, wanted.scale):
        holds, declares = f"has {present.scale or 'no'} decimal places", str(wanted.scale)
        so = _by_scale(wanted.scale or 0, present.scale or 0)
    elif wanted.digits is not None and (present.digits or 0) > wanted.digits:
        holds, declares, so = f"holds {present.digits} digits", str(wanted.digits), "larger numbers would not fit"
    return f"{called}: the column {holds}, but models.py declares {declares}; {so}" if so else ""


def _by_scale(wanted: int, present: int) -> str:
    if backend().scaled_decimals:
        times = 10 ** abs(wanted - present)
        return f"values would be {times} times too {'small' if wanted > present else 'large'}"
    return f"new values would be rounded to {present}" if wanted > present else "further decimal places would be lost"


def _of_indexes(table: str, wanted: ColumnForm, present: ColumnForm) -> Iterator[Step]:
    """Yield how the index of one column differs. That of a reference stays: databases may need it."""
    asked, there = (wanted.index or wanted.unique), (present.index or present.unique)
    if there and (wanted.unique != present.unique or (not asked and not wanted.references)):
        yield DropIndex(table, (wanted.name,))
        there = False
    if asked and not there:
        yield AddIndex(table, (wanted.name,), wanted.unique)


def _likely_names(column: ColumnForm, new: Mapping[str, ColumnForm], gone: Mapping[str, ColumnForm]) -> list[str]:
    """The new columns that a vanished one may have become; the likeliest alone where several have vanished."""
    found = [name for name, each in new.items() if _alike(column, each)]
    others = [
        name
        for name, each in gone.items()
        if name != column.name and not (each.left or each.guest) and _alike(column, each)
    ]
    if not others:
        return found
    return sorted(found, key=lambda name: -SequenceMatcher(None, column.name, name).ratio())[:1]


def _alike(one: ColumnForm, other: ColumnForm) -> bool:
    same = one.kind == other.kind or family_of(one.kind) == family_of(other.kind) == "text"
    return same and one.scale == other.scale and one.references == other.references


def _renamed(table: str, name: str, likely: list[str]) -> Difference:
    if len(likely) == 1:
        to = likely[0]
        reason = (
            f"{table}.{name}: models.py has no such field, but has a new field {to} of the same type. If the field was "
            f"renamed, use tables.rename({table!r}, {name!r}, {to!r}) in a migration, or its values would be lost; "
            f"if not, use tables.drop({table!r}, {name!r})"
        )
        return Difference(reason, Rename(table, name, to))
    reason = (
        f"{table}.{name}: models.py has no such field, but has the new fields {_listed(likely)} of the same type. "
        f"In a migration, rename {name} to one of them, or drop it"
    )
    return Difference(reason)


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]])


def _required(table: str, name: str) -> Difference:
    reason = (
        f"{table}.{name}: models.py has no such field, but the column requires a value, so no row could be added; "
        f"drop the column in a migration (tables.drop({table!r}, {name!r})), or restore the field"
    )
    return Difference(reason, Drop(table, name))


def _new_and_required(table: str, name: str, made: peewee.Field) -> Difference:
    reason = (
        f"{table}.{name}: the new field needs null=True or a default, because the table has rows; or add and fill it "
        "in a migration"
    )
    return Difference(reason, Add(table, name, made))

"""What a model says and what its table has, compared: what may be done at once, and what only a migration may do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import peewee

from .differences import Difference, column_differences
from .forms import ColumnForm, TableForm, field_of
from .steps import Add, AddIndex, Drop, DropIndex, Rename, Step

#: what ends the reason of a file that is refused
ADVICE = "run `comptoir migrate --write` to create the migration"


class DriftError(Exception):
    """A table is no longer what its model says, and only a migration may change it."""


@dataclass
class Drift:
    """How a table differs from its model.

    :ivar safe: what may be done at once
    :ivar unsafe: what only a migration may do
    :ivar left: columns that no field has any more, and that stay
    """

    safe: list[Step] = field(default_factory=list)
    unsafe: list[Difference] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def note(self, found: Iterable[Step | Difference]) -> None:
        """Put each where it belongs."""
        for each in found:
            if isinstance(each, Difference):
                self.unsafe.append(each)
            else:
                self.safe.append(each)

    def reason(self) -> str:
        """Why the file cannot be served, and what to do."""
        return "; ".join([*(each.reason for each in self.unsafe), ADVICE])


def compare(wanted: TableForm, present: TableForm, fields: Mapping[str, peewee.Field] | None = None) -> Drift:
    """How a table differs from what is wanted of it.

    :param fields: the model's, by column; None: they are made of the form
    """
    drift = Drift()
    table, old = wanted.name, present.columns
    made = {name: (fields or {}).get(name) or field_of(column) for name, column in wanted.columns.items()}
    for name, column in wanted.columns.items():
        if name in old:
            drift.note(column_differences(table, column, old[name], made[name]))
    gone = {name: column for name, column in old.items() if name not in wanted.columns}
    new = {name: column for name, column in wanted.columns.items() if name not in old}
    for name, column in gone.items():
        spare = column.null or column.has_default
        likely = [] if column.left or column.guest else _likely_names(column, new, gone)
        if likely:
            drift.unsafe.append(_renamed(table, name, likely))
            for each in likely:
                new.pop(each)
        elif column.guest and spare:
            continue
        elif spare:
            drift.left.append(name)
        else:
            drift.unsafe.append(_required(table, name))
    for name, column in new.items():
        if column.null or column.has_default:
            drift.safe.append(Add(table, name, made[name]))
        else:
            drift.unsafe.append(_new_and_required(table, name, made[name]))
    _compare_indexes(drift, wanted, present)
    return drift


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
    texts = ("VARCHAR", "CHAR", "TEXT")
    same = one.kind == other.kind or (one.kind in texts and other.kind in texts)
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


def _compare_indexes(drift: Drift, wanted: TableForm, present: TableForm) -> None:
    table = wanted.name
    for names, unique in present.indexes:
        if (names, unique) not in wanted.indexes and set(names) <= set(wanted.columns):
            drift.safe.append(DropIndex(table, names))
    for names, unique in wanted.indexes:
        if (names, unique) not in present.indexes:
            drift.safe.append(AddIndex(table, names, unique))

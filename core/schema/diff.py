"""The differences between a model and its table: changes at load, and changes that only a migration may make.

At load, the server adds and widens columns, lets them be NULL, changes defaults, and creates and drops indexes. It also
drops references that the model no longer has. Every row stays as it is, and a process with the older model can
continue. The author decides on all other changes.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

import peewee

from ..storage.column import Column
from ..storage.database import backend, database, query, quote
from ..storage.fields import field_of
from ..storage.model import Model, meta_of
from .columns import add_columns
from .indexes import why_not_unique
from .known_tables import Known, digest_of, merged, remember
from .steps import Add, AddIndex, AddReference, Change, Drop, DropIndex, Rename, RenameTable, Step, apply
from .table import Table, owner_of, read_table, table_name

_log = logging.getLogger("comptoir.tables")

#: the end of the reason of a rejected module
ADVICE = "run `comptoir migrate --write` to create the migration"
_FIXED_KEY = "a primary key can't change; keep it, or give the model another table_name"


@dataclass(frozen=True)
class Difference:
    """A difference that only a migration may remove.

    :ivar reason: in words for the author
    :ivar step: the step of a migration; None: the author must decide
    :ivar likely: the new columns that a missing one may have become
    """

    reason: str
    step: Step | None = None
    likely: tuple[str, ...] = ()

    @property
    def table(self) -> str:
        """The name that the model gives to the table."""
        return self.step.to if isinstance(self.step, RenameTable) else self.reason.partition(":")[0].partition(".")[0]


@dataclass
class TableDiff:
    """The difference between a table and its model.

    :ivar safe: the steps that the server makes
    :ivar unsafe: changes that only a migration may make
    """

    safe: list[Step] = field(default_factory=list)
    unsafe: list[Difference] = field(default_factory=list)

    def reason(self) -> str:
        """Return why the module can't be served, and what to do."""
        return "; ".join([*(each.reason for each in self.unsafe), ADVICE])


def compare(wanted: Table, present: Table, fields: Mapping[str, peewee.Field] | None = None) -> TableDiff:
    """Return how a table differs from what its model says.

    :param fields: the model's fields, by column; None: they are made from the columns
    """
    made = {name: (fields or {}).get(name) or field_of(column) for name, column in wanted.columns.items()}
    found = list(_all_differences(wanted, present, made))
    unsafe = [each for each in found if isinstance(each, Difference)]
    return TableDiff([each for each in found if not isinstance(each, Difference)], unsafe)


def differences(models: Mapping[str, type[Model]], tables: Mapping[str, Table]) -> list[Difference]:
    """Return the changes that only a migration may make to adapt the tables to the models.

    :param models: by table
    :param tables: the recorded tables, by name
    """
    pairs = [(Table.of_model(model), tables[name]) for name, model in models.items() if name in tables]
    return [each for wanted, present in pairs for each in compare(wanted, present).unsafe]


def _all_differences(wanted: Table, present: Table, fields: Mapping[str, peewee.Field]) -> Iterator[Step | Difference]:
    table, old = wanted.name, present.columns
    for name, column in wanted.columns.items():
        if name in old:
            yield from _column_differences(table, column, old[name], fields[name])
    gone = {name: column for name, column in old.items() if name not in wanted.columns}
    new = {name: column for name, column in wanted.columns.items() if name not in old}
    renames = _likely_names({name: each for name, each in gone.items() if not (each.unused or each.added)}, new)
    for name, column in gone.items():
        if name in renames:
            yield _renamed(table, name, renames[name])
        elif not (column.null or column.has_default):
            yield _required(table, name)
    new = {name: column for name, column in new.items() if not any(name in each for each in renames.values())}
    for name, column in new.items():
        if column.is_key:
            yield Difference(f"{table}.{name}: {_FIXED_KEY}")
            continue
        optional = column.null or column.has_default
        yield Add(table, name, fields[name]) if optional else _new_and_required(table, name, fields[name])
    for names, unique in present.indexes:
        if (names, unique) not in wanted.indexes and set(names) <= set(wanted.columns):
            yield DropIndex(table, names)
    for names, unique in wanted.indexes:
        if (names, unique) not in present.indexes:
            yield AddIndex(table, names, unique)


def _column_differences(
    table: str, wanted: Column, present: Column, field: peewee.Field
) -> Iterator[Step | Difference]:
    name = f"{table}.{wanted.name}"
    if present.is_key and wanted.family != present.family:
        yield Difference(f"{name}: {_FIXED_KEY}")
        return
    reason = _misfit(name, wanted, present)
    if not reason and present.null and not wanted.null:
        reason = f"{name}: the model requires a value, but rows may have none"
    if reason:
        yield Difference(reason, Change(table, wanted.name, field))
    if wanted.references not in ("", present.references):
        what = f"a reference to {wanted.references}"
        yield Difference(
            f"{name}: the model makes it {what}, but rows may refer to missing ones",
            AddReference(table, wanted.name, wanted.references),
        )
        present = replace(present, references=wanted.references)
    if reason:
        return
    if _is_widened(wanted, present):
        yield Change(table, wanted.name, field, widens=True)
    yield from _index_differences(table, wanted, present)


def _is_widened(wanted: Column, present: Column) -> bool:
    """Return whether the column must be changed. Every row fits: `_misfit` has nothing against it."""
    return (
        _physical(wanted) != _physical(present)
        or wanted.references != present.references
        or (not wanted.null and not wanted.computed and wanted.default != present.default)
    )


def _physical(column: Column) -> tuple[object, ...]:
    kind = {"AUTO": "INT", "BIGAUTO": "BIGINT"}.get(column.kind, column.kind)
    return kind, column.length, column.digits, column.scale, column.null


def _misfit(name: str, wanted: Column, present: Column) -> str:
    """Return why values of the column would be lost or misread; empty if they wouldn't."""
    holds, declares, so = f"holds {present.words}", wanted.words, ""
    if present.family != wanted.family:
        so = "existing values would be misread"
    elif present.family == "text":
        if wanted.kind != "TEXT" and (present.kind == "TEXT" or (present.length or 0) > (wanted.length or 0)):
            is_long = present.kind == "TEXT"
            holds = "holds text of any length" if is_long else f"holds {present.length} characters"
            declares = f"{wanted.length} characters" if is_long else str(wanted.length)
            so = "longer text would not fit"
    elif present.family == "whole":
        so = "larger numbers would not fit" if wanted.bits < present.bits else ""
    elif (present.kind, wanted.kind) == ("DOUBLE", "FLOAT"):
        holds, declares, so = "holds 15 digits", "a float of 7 digits", "the rest would be lost"
    elif present.scale != wanted.scale and None not in (present.scale, wanted.scale):
        holds, declares = f"has {present.scale or 'no'} decimal places", str(wanted.scale)
        is_wider = (wanted.scale or 0) > (present.scale or 0)
        so = f"new values would be rounded to {present.scale}" if is_wider else "further decimal places would be lost"
    elif wanted.digits is not None and (present.digits or 0) > wanted.digits:
        holds, declares, so = f"holds {present.digits} digits", str(wanted.digits), "larger numbers would not fit"
    return f"{name}: the column {holds}, but the model declares {declares}; {so}" if so else ""


def _index_differences(table: str, wanted: Column, present: Column) -> Iterator[Step]:
    """Yield how the index of one column differs. That of a reference stays: databases may need it."""
    asked, has = (wanted.index or wanted.unique), (present.index or present.unique)
    if has and (wanted.unique != present.unique or (not asked and not wanted.references)):
        yield DropIndex(table, (wanted.name,))
        has = False
    if asked and not has:
        yield AddIndex(table, (wanted.name,), wanted.unique)


def _likely_names(gone: Mapping[str, Column], new: Mapping[str, Column]) -> dict[str, list[str]]:
    """Return the new columns that each missing one may have become.

    Columns of the same size, both with NULL or without, are the likeliest; then those with similar names. A new column
    that is left is another possibility for each missing one that it resembles, unless a column of its size was found.
    """

    def likeness(old: str, name: str) -> tuple[bool, float]:
        same = _physical(gone[old]) == _physical(new[name])
        return same, SequenceMatcher(None, old.lower(), name.lower()).ratio()

    pairs = [(likeness(old, name), old, name) for old in gone for name in new if _is_alike(gone[old], new[name])]
    pairs.sort(key=lambda each: each[0], reverse=True)
    found: dict[str, list[str]] = {}
    for _, old, name in pairs:
        if old not in found and not any(name in names for names in found.values()):
            found[old] = [name]
    left = {name for _, _, name in pairs} - {name for names in found.values() for name in names}
    for old, (first,) in found.items():
        if len(found) == 1 or not likeness(old, first)[0]:
            alike = {name for _, other, name in pairs if other == old and name in left}
            found[old] = [name for name in new if name in {first, *alike}]
    return found


def _is_alike(one: Column, other: Column) -> bool:
    same = one.kind == other.kind or one.family == other.family == "text"
    return same and one.scale == other.scale and one.references == other.references


def _renamed(table: str, name: str, likely: list[str]) -> Difference:
    if len(likely) == 1:
        to = likely[0]
        reason = (
            f"{table}.{name}: the model has no such field, but has a new field {to} of the same type. If the field was "
            f"renamed, use tables.rename({table!r}, {name!r}, {to!r}) in a migration, or its values would be lost; "
            f"if not, use tables.drop({table!r}, {name!r})"
        )
        return Difference(reason, Rename(table, name, to), (to,))
    listed = " and ".join([", ".join(likely[:-1]), likely[-1]])
    return Difference(
        f"{table}.{name}: the model has no such field, but has the new fields {listed} of the same type. "
        f"In a migration, rename {name} to one of them, or drop it",
        likely=tuple(likely),
    )


def _required(table: str, name: str) -> Difference:
    reason = (
        f"{table}.{name}: the model has no such field, but the column requires a value, so no row could be added; "
        f"drop the column in a migration (tables.drop({table!r}, {name!r})), or restore the field"
    )
    return Difference(reason, Drop(table, name))


def _new_and_required(table: str, name: str, made: peewee.Field) -> Difference:
    reason = (
        f"{table}.{name}: the new field needs null=True or a default, because the table has rows; or add and fill it "
        "in a migration"
    )
    return Difference(reason, Add(table, name, made))


# Changes at load -----------------------------------------------------------------------------------------------------


@dataclass
class Update:
    """The changes that adapt a table to its model.

    :ivar table: the table recorded afterwards
    :ivar present: the present table
    :ivar owner: the module that owns the table
    :ivar digest: of the owner's model
    :ivar reason: why the table can't change; empty: `steps` are made
    """

    model: type[Model]
    table: Table
    present: Table
    owner: str
    digest: str
    steps: list[Step] = field(default_factory=list)
    reason: str = ""

    @property
    def extends(self) -> bool:
        """Return whether another module owns the table."""
        return self.owner != owner_of(self.model)

    def make(self) -> None:
        """Change the table."""
        # Not worth a line for an empty table: at the first start, several modules may add columns to it
        level = logging.DEBUG if self.steps and is_empty(self.table.name) else logging.INFO
        for step in self.steps:
            _log.log(level, "%s", step.words())
        new = {step.column: step.field for step in self.steps if isinstance(step, Add)}
        if new:
            add_columns(self.table.name, new)
        for step in self.steps:
            if not isinstance(step, Add):
                apply(step, self.present)

    def record(self) -> None:
        """Record the present table."""
        remember(self.model, self.table, self.owner, self.digest)


def plan_update(model: type[Model], digests: Mapping[str, str], known: Known) -> Update:
    """Return the changes that adapt a table to its model.

    :param digests: the recorded digests, by name
    :param known: the recorded tables
    """
    name, wanted = table_name(model), Table.of_model(model)
    # A process may have ended after it created a table and before it recorded it
    recorded, owner = known.get(name, (wanted, ""))
    extends = owner not in ("", owner_of(model))
    present = read_table(wanted, recorded)
    fields = {each.column_name: each for each in meta_of(model).sorted_fields}
    # If it extends a table, other columns and indexes are for its owner's model
    ours = {each for each in present.columns if each in wanted.columns or not extends}
    ours -= _half_filled(wanted, present, recorded)
    compared = replace(
        present,
        columns={each: column for each, column in present.columns.items() if each in ours},
        indexes=tuple(each for each in present.indexes if each in wanted.indexes or not extends),
    )
    diff = compare(wanted, compared, fields)
    made = Update(
        model,
        merged(wanted, present, recorded, extends=extends),
        present,
        owner if extends else owner_of(model),
        digests[name] if extends else digest_of(model),
        [step for step in diff.safe if not _is_formal(step, wanted, present)],
    )
    new = [each.step for each in diff.unsafe if isinstance(each.step, Add)]
    if diff.unsafe and not (len(new) == len(diff.unsafe) and is_empty(name)):
        made.reason = diff.reason()
    else:
        made.steps[:0] = new
        unique = [each.columns for each in made.steps if isinstance(each, AddIndex) and each.unique]
        unique += [(each.column,) for each in made.steps if isinstance(each, Add) and each.definition.unique]
        made.reason = "; ".join(filter(None, (_why_not_unique(wanted, compared, columns) for columns in unique)))
    return made


def _why_not_unique(wanted: Table, present: Table, columns: tuple[str, ...]) -> str:
    new = [name for name in columns if name not in present.columns]
    if any(wanted.columns[name].null or wanted.columns[name].computed for name in new):
        # Rows have no value, or each has its own
        return ""
    return why_not_unique(wanted.name, [name for name in columns if name not in new], new)


def _half_filled(wanted: Table, present: Table, recorded: Table) -> set[str]:
    """Return new columns that a function fills, if that was interrupted: some rows have no value yet."""
    both = {
        name: (new, present.columns[name])
        for name, new in wanted.columns.items()
        if name in present.columns and name not in recorded.columns
    }
    return {
        name for name, (new, old) in both.items() if new.computed and old.null and not new.null and _is_alike(new, old)
    }


def moved_tables(models: Iterable[type[Model]], own: Collection[str], known: Known) -> list[Difference]:
    """Return the renamed tables: they have rows and no model, and a new or empty one of the module has their columns.

    :param models: those whose tables are new or have changed
    :param own: all tables that have a model
    """
    existing, found = {*database.get_tables()}, []
    for model in models:
        name = table_name(model)
        for old in former_tables(model, own, known, existing) if name not in existing or is_empty(name) else ():
            if not is_empty(old):
                reason = (
                    f"{old}: the table has rows but no model, and the new table {name} has its columns. If the table "
                    f"was renamed, use tables.rename_table({old!r}, {name!r}) in a migration, or its rows would be "
                    f"missing; if not, run `DROP TABLE {old}` in the database"
                )
                found.append(Difference(reason, RenameTable(old, name)))
    return found


def former_tables(model: type[Model], own: Collection[str], known: Known, existing: Collection[str]) -> list[str]:
    """Return the tables that a model may have had before: its module owns them, and it has all their columns."""
    return [
        name
        for name, (table, owner) in known.items()
        if owner == owner_of(model) and name in existing and name not in own and len(table.columns) > 1
        if _kinds(table) <= _kinds(Table.of_model(model))
    ]


def _kinds(table: Table) -> set[tuple[str, str]]:
    return {(name, each.family) for name, each in table.columns.items() if not (each.unused or each.added)}


def is_empty(table: str) -> bool:
    """Return whether a table has no rows."""
    return not query(f"SELECT 1 FROM {quote(table)} LIMIT 1")


def _is_formal(step: Step, wanted: Table, present: Table) -> bool:
    """Return whether a change needs no statement, because the database ignores lengths and digits."""
    if not (backend().ignores_sizes and isinstance(step, Change)):
        return False
    new, old = wanted.columns[step.column], present.columns[step.column]
    return (new.null, new.references) == (old.null, old.references) and (
        new.null or new.computed or new.default == old.default
    )

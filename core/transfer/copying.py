"""Copying a whole database into an empty one, from any kind to any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import peewee

from ..common.settings import Settings
from ..loading.loader import Loader
from ..records.extra_fields import ExtraField, values_table
from ..schema.alterations import VALUES
from ..schema.known_tables import known_digests, known_tables, write
from ..schema.migrations import Migration
from ..schema.table import Table as Recorded
from ..schema.tables import CORE_TABLES, ensure_tables, outdated, protect_trail
from ..storage.backend import ColumnDefinition
from ..storage.cache_version import CacheVersion, IncompleteCopy, bump
from ..storage.database import DatabaseUrlError, backend, close, database
from ..storage.error_kinds import reason_of
from ..storage.fields import field_of
from ..storage.model import Model, ids_given_once, meta_of
from .endpoint import CopyEndpoint, TransferError, open_endpoint
from .tables import Table, Totals, converter, differences, read_tables, recorded_tables, totals

#: a table that only the copy changes: its cache version is raised
MOVED = meta_of(CacheVersion).table_name

#: rows per batch
BATCH = 1000

#: takes the name of a step; returns the function that shows its progress
Progress = Callable[[str], Callable[[int, int], None]]


def no_progress(text: str) -> Callable[[int, int], None]:
    """Show no progress."""
    return lambda done, all: None


@dataclass(frozen=True)
class Known:
    """The installed models and migrations, and the files that can't be loaded."""

    models: tuple[type[Model], ...]
    migrations: dict[str, Any]
    failures: tuple[str, ...]


def know(configuration: Settings, progress: Progress = no_progress) -> Known:
    """Load the modules, without touching a database."""
    loader = Loader(configuration.module_folders, tables=False, progress=progress("Loading modules"))
    made = loader.load()
    migrations = {
        folder.parent.name: folder for root in configuration.module_folders for folder in root.glob("*/migrations")
    }
    models: tuple[type[Model], ...] = (*CORE_TABLES, Migration, *made.models)
    failures = tuple(dict.fromkeys(f"{each.module}/{each.file.name}: {each.reason}" for each in made.failures))
    return Known(models, migrations, failures)


def ensure_current_tables(known: Known) -> None:
    """Reject an active database whose tables other versions of the modules have made.

    :raises TransferError: it is one
    """
    others = outdated(known.models, known.migrations)
    if others:
        raise TransferError(
            f"the tables of the database differ from the installed modules ({', '.join(others[:5])}). Use the version "
            "that created them (or `pg_dump`, `mariadb-dump`), or start the server once to update them"
        )


@dataclass
class Inventory:
    """The inventory of a copy.

    :param tables: table → its totals
    :param warnings: warnings for the operator
    """

    tables: dict[str, Totals] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def copy_database(
    source_url: str,
    target_url: str,
    configuration: Settings,
    *,
    again: bool = False,
    progress: Progress = no_progress,
) -> Inventory:
    """Copy a database at one instant into an empty one; both may be in use.

    :param again: empty a target with an incomplete copy first
    :raises TransferError: the copy failed; the target is unchanged or marked as incomplete
    """
    source = open_endpoint(source_url)
    try:
        known = know(configuration, progress)
        ensure_current_tables(known)
        with source.reading():
            return write_copy(source, target_url, known, again=again, progress=progress)
    finally:
        source.close()
        close()


def write_copy(
    source: CopyEndpoint,
    target_url: str,
    known: Known,
    *,
    again: bool = False,
    beforehand: Callable[[], None] = lambda: None,
    progress: Progress = no_progress,
) -> Inventory:
    """Copy the present instant of an endpoint like `copy_database`; the target is then the active database.

    :param beforehand: additional work of the copy, called once the target is marked as incomplete
    """
    tables = read_tables(source)
    inventory = Inventory(warnings=warnings(tables, known))
    target = _open_empty(target_url, source, again=again)
    try:
        beforehand()
        if source.database.copies_pages and target.database.name == source.database.name:
            source.database.copy_pages(target.database, progress("Copying pages"))
        else:
            _copy_rows(source, target, tables, known, progress)
        bump()
        _compare(source, target, tables, inventory, progress("Comparing"))
        IncompleteCopy.drop_table(safe=True)
    finally:
        target.close()
    return inventory


def warnings(tables: Iterable[Table], known: Known) -> list[str]:
    """Return what the loaded modules don't serve: files, tables and columns."""
    columns: dict[str, set[str]] = {}
    for model in known.models:
        columns.setdefault(meta_of(model).table_name, set()).update(meta_of(model).columns)
    of_extras = {values_table(model) for model in known.models if meta_of(model).extrafields}
    found = [f"module file not loaded: {each}" for each in known.failures]
    for table in tables:
        unknown = ", ".join(name for name in table.names if name not in columns.get(table.name, ()))
        if table.name in of_extras or not unknown:
            continue
        what = f"field for {unknown}" if table.name in columns else "model for this table"
        found.append(f"{table.name}: no loaded module has a {what}; copied unchanged")
    return found


def _open_empty(url: str, source: CopyEndpoint, *, again: bool) -> CopyEndpoint:
    """The target, as the active database, with the note that it is being filled.

    :raises TransferError: there is something in it
    """
    try:
        target = open_endpoint(url, beside=source)
    except (DatabaseUrlError, peewee.PeeweeException) as error:
        raise TransferError(f"can't open the target database: {reason_of(error)}") from error
    present = target.tables()
    if meta_of(IncompleteCopy).table_name in present:
        if not again:
            raise TransferError(
                "the target database contains an incomplete copy. If no other copy is running, use --again to empty it "
                "and start over"
            )
        target.database.remove_tables(present)
    elif present:
        raise TransferError(
            f"the target database already has tables ({', '.join(present[:3])}{'…' if len(present) > 3 else ''}); "
            "nothing was changed. Use an empty database"
        )
    IncompleteCopy.create_table()
    return target


def _copy_rows(
    source: CopyEndpoint, target: CopyEndpoint, tables: list[Table], known: Known, progress: Progress
) -> None:
    definitions = [table for table in tables if table.name == meta_of(ExtraField).table_name]
    others = [table for table in tables if table not in definitions]
    # Definitions of extra fields come first: the tables of their values are made with these columns
    ensure_tables(CORE_TABLES)
    for table in definitions:
        _copy_table(source, target, table, lambda rows: None)
    bump()
    ensure_tables(known.models)
    present = {name: {column.name for column in target.database.get_columns(name)} for name in target.tables()}
    _make_orphans(source, tables, present)
    _record_orphans(source, tables)
    with target.writing():
        target.database.run(f"DELETE FROM {target.quote(MOVED)}")
        everything = sum(source.rows(f"SELECT COUNT(*) FROM {source.quote(table.name)}")[0][0] for table in others)
        show, done = progress("Copying rows"), 0
        for table in others:
            done += _copy_table(source, target, table, partial(_show_further, show, done, everything))
        for table in tables:
            if table.key:
                _set_counter(source, target, table)
    protect_trail()


def _show_further(show: Callable[[int, int], None], before: int, everything: int, rows: int) -> None:
    show(before + rows, everything)


def _copy_table(source: CopyEndpoint, target: CopyEndpoint, table: Table, progress: Callable[[int], None]) -> int:
    """Copy the rows of a table; return their number."""
    convert = converter(table.columns, source.database, target.database)
    names = ", ".join(source.quote(name) for name in table.names)
    done = 0
    try:
        for rows in source.database.stream(f"SELECT {names} FROM {source.quote(table.name)}", BATCH):
            target.database.load_rows(table.name, table.names, convert(rows))
            done += len(rows)
            progress(done)
    except Exception as error:
        if isinstance(error, OSError):
            raise
        raise TransferError(
            f"can't copy rows {done + 1} to {done + BATCH} of {table.name}: {reason_of(error)}"
        ) from error
    return done


def _set_counter(source: CopyEndpoint, target: CopyEndpoint, table: Table) -> None:
    """Set the next ID to that of the source, so IDs aren't reused."""
    highest = source.rows(f"SELECT MAX({source.quote(table.key)}) FROM {source.quote(table.name)}")[0][0] or 0
    given = source.database.id_counter(table.name, table.key) or 0
    target.database.set_id_counter(table.name, table.key, max(highest, given))


def _compare(
    source: CopyEndpoint,
    target: CopyEndpoint,
    tables: Iterable[Table],
    inventory: Inventory,
    progress: Callable[[int, int], None],
) -> None:
    wrong = []
    tables = list(tables)
    for done, table in enumerate(tables, 1):
        here = inventory.tables[table.name] = totals(source, table)
        if table.name != MOVED:
            wrong += differences(table.name, here, totals(target, table))
        progress(done, len(tables))
    if wrong:
        raise TransferError("the copy differs from the original:\n  " + "\n  ".join(wrong))


# Tables and columns without a model, which a removed module has left: made as they were recorded, or else as the
# database describes them, without foreign keys


def _make_orphans(source: CopyEndpoint, tables: Iterable[Table], present: dict[str, set[str]]) -> None:
    """Create the missing tables and columns in the current database.

    :param present: table → its columns in the current database
    """
    for table in tables:
        if table.name not in present:
            _make_table(source, table)
            continue
        for column in table.columns:
            if column.name not in present[table.name]:
                # A row that its new owner inserts has no value there
                kind = backend().type_of(field_of(column))
                backend().add_column(table.name, ColumnDefinition(column.name, kind))


def _record_orphans(source: CopyEndpoint, tables: Iterable[Table]) -> None:
    """Record what was made without a model, for another copy and for the module when it is back."""
    present, digests, recorded = known_tables(), known_digests(), recorded_tables(source)
    for table in tables:
        name = table.name
        known, owner = present.get(name) or recorded.get(name) or (Recorded(name, {}), "")
        others = {each.name: replace(each, unused=True) for each in table.columns if each.name not in known.columns}
        # Definitions of extra fields describe their tables
        if (others or name not in present) and not name.endswith(VALUES):
            write(name, digests.get(name, ""), replace(known, columns=known.columns | others), owner)


def _make_table(source: CopyEndpoint, table: Table) -> None:
    primary = source.database.get_primary_keys(table.name)
    indexes = tuple(
        (tuple(each.columns), each.unique)
        for each in source.database.get_indexes(table.name)
        if each.columns and list(each.columns) != primary and _can_be_indexed(table, each.columns)
    )
    meta: dict[str, Any] = {
        "database": database,
        "table_name": table.name,
        "legacy_table_names": False,
        "indexes": indexes,
        "primary_key": False if not primary else peewee.CompositeKey(*primary),
    }
    fields: dict[str, Any] = {}
    for column in table.columns:
        fields[column.name] = field_of(replace(column, unique=False, index=False, default=None))
        if [column.name] == primary:
            del meta["primary_key"]
            if table.key:
                fields[column.name] = peewee.BigAutoField() if column.bits == 63 else peewee.AutoField()
            else:
                fields[column.name].primary_key = True
    model: Any = type("Orphan", (peewee.Model,), {**fields, "Meta": type("Meta", (), meta)})
    with ids_given_once(model):
        model.create_table()


def _can_be_indexed(table: Table, names: Iterable[str]) -> bool:
    """MariaDB takes no index over a text without a length."""
    kinds = {column.name: column.kind for column in table.columns}
    return not {kinds[name] for name in names} & {"", "BLOB", "TEXT", "JSON"}

"""Copying a whole database into an empty one, from any kind to any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import peewee

from ..common.settings import Settings
from ..contract.catalogue import Catalogue
from ..loading.loader import Loader
from ..records.extra_fields import values_table
from ..schema.known_tables import known_digests, known_tables, write
from ..schema.migrations import Migration
from ..schema.steps import VALUES
from ..schema.table import Table as Recorded
from ..schema.tables import CORE_TABLES, ensure_tables, outdated, protect_trail
from ..storage.backend import ColumnDefinition
from ..storage.cache_version import MARK, CacheVersion, bump
from ..storage.database import DatabaseUrlError, backend, close, database
from ..storage.error_kinds import reason_of
from ..storage.fields import field_of
from ..storage.model import Model, create_table, meta_of
from .endpoint import CopyEndpoint, TransferError, open_endpoint
from .tables import Table, Totals, converter, differences, read_tables, recorded_tables, totals

#: a table that only the copy changes: its cache version is raised
MOVED = meta_of(CacheVersion).table_name

#: rows per batch
BATCH = 1000

#: the totals of each copied table, and warnings for the operator
Copied = tuple[dict[str, Totals], list[str]]

#: takes the name of a step; returns the function that shows its progress
Progress = Callable[[str], Callable[[int, int], None]]


def no_progress(text: str) -> Callable[[int, int], None]:
    """Show no progress."""
    return lambda done, all: None


def load_modules(configuration: Settings, progress: Progress = no_progress) -> Catalogue:
    """Load the modules without touching a database; the catalogue's models include the core's own."""
    loaded = Loader(configuration.module_folders, tables=False, progress=progress("Loading modules")).load()
    return replace(loaded, models=(*CORE_TABLES, Migration, *loaded.models))


def ensure_current_tables(configuration: Settings, models: Iterable[type[Model]]) -> None:
    """Reject an active database whose tables other versions of the modules have made.

    :raises TransferError: it is one
    """
    folders = [folder for root in configuration.module_folders for folder in root.glob("*/migrations")]
    others = outdated(models, {folder.parent.name: folder for folder in folders})
    if others:
        raise TransferError(
            f"the tables of the database differ from the installed modules ({', '.join(others[:5])}). Use the version "
            "that created them (or `pg_dump`, `mariadb-dump`), or start the server once to update them"
        )


def copy_database(
    source_url: str,
    target_url: str,
    configuration: Settings,
    *,
    again: bool = False,
    progress: Progress = no_progress,
) -> Copied:
    """Copy a database at one instant into an empty one; both may be in use.

    :param again: empty a target with an incomplete copy first
    :raises TransferError: the copy failed; the target is unchanged or marked as incomplete
    """
    source = open_endpoint(source_url)
    try:
        loaded = load_modules(configuration, progress)
        ensure_current_tables(configuration, loaded.models)
        with source.reading():
            return fill(source, open_target(target_url, source, again=again), loaded, progress)
    finally:
        source.close()
        close()


def open_target(url: str, source: CopyEndpoint, *, again: bool = False) -> CopyEndpoint:
    """Return an empty database for `fill`: it is the active one, and marked as incomplete.

    :param again: empty it first if it has an incomplete copy
    :raises TransferError: it can't be opened, or has tables
    """
    try:
        target = open_endpoint(url, beside=source)
    except (DatabaseUrlError, peewee.PeeweeException) as error:
        raise TransferError(f"can't open the target database: {reason_of(error)}") from error
    present = target.tables()
    if MARK in present:
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
    target.database.run(f"CREATE TABLE {MARK} (rowid INTEGER)")
    return target


def fill(source: CopyEndpoint, target: CopyEndpoint, loaded: Catalogue, progress: Progress) -> Copied:
    """Copy the present instant of an endpoint into a target, compare both, and remove the mark of the target.

    :raises TransferError: the copy failed; the target stays marked as incomplete
    """
    tables = read_tables(source)
    if not tables:
        raise TransferError("the database has no tables; nothing was copied")
    if source.database.copies_pages and target.database.name == source.database.name:
        source.database.copy_pages(target.database, progress("Copying pages"))
    else:
        try:
            _copy_rows(source, target, tables, loaded, progress)
        except peewee.IntegrityError as error:
            raise TransferError(str(error)) from error
    bump()
    copied, wrong = dict[str, Totals](), []
    show = progress("Comparing")
    for done, table in enumerate(tables, 1):
        copied[table.name] = expected = totals(source, table)
        if table.name != MOVED:
            wrong += differences(table.name, expected, totals(target, table))
        show(done, len(tables))
    if wrong:
        raise TransferError("the copy differs from the original:\n  " + "\n  ".join(wrong))
    # Copied pages have replaced it
    target.database.run(f"DROP TABLE IF EXISTS {MARK}")
    return copied, _warnings(tables, loaded)


def _warnings(tables: Iterable[Table], loaded: Catalogue) -> list[str]:
    """Return what the loaded modules don't serve: files, tables and columns."""
    columns: dict[str, set[str]] = {}
    for model in loaded.models:
        columns.setdefault(meta_of(model).table_name, set()).update(meta_of(model).columns)
    of_extras = {values_table(model) for model in loaded.models if meta_of(model).extrafields}
    files = dict.fromkeys(f"{each.module}/{each.file.name}: {each.reason}" for each in loaded.failures)
    found = [f"module file not loaded: {each}" for each in files]
    for table in tables:
        unknown = ", ".join(name for name in table.names if name not in columns.get(table.name, ()))
        if table.name in of_extras or not unknown:
            continue
        what = f"field for {unknown}" if table.name in columns else "model for this table"
        found.append(f"{table.name}: no loaded module has a {what}; copied unchanged")
    return found


def _copy_rows(
    source: CopyEndpoint, target: CopyEndpoint, tables: list[Table], loaded: Catalogue, progress: Progress
) -> None:
    # First, as at a start: the tables of the core that modules widen stay the core's
    ensure_tables(CORE_TABLES)
    ensure_tables(loaded.models)
    _make_missing(source, target, tables)
    quoted = source.database.quoted
    with target.database.bulk_load():
        target.database.run(f"DELETE FROM {target.database.quoted(MOVED)}")
        total = sum(source.rows(f"SELECT COUNT(*) FROM {quoted(table.name)}")[0][0] for table in tables)
        show, done = progress("Copying rows"), 0
        for table in tables:
            for rows in _copy_table(source, target, table):
                done += rows
                show(done, total)
            if table.key:
                # An ID that was given isn't given again
                highest = source.rows(f"SELECT MAX({quoted(table.key)}) FROM {quoted(table.name)}")[0][0] or 0
                given = source.database.id_counter(table.name, table.key) or 0
                target.database.set_id_counter(table.name, table.key, max(highest, given))
    protect_trail()


def _copy_table(source: CopyEndpoint, target: CopyEndpoint, table: Table) -> Iterator[int]:
    """Copy the rows of a table; yield the number of each batch."""
    convert = converter(table.columns, source.database, target.database)
    names = ", ".join(source.database.quoted(name) for name in table.names)
    done = 0
    try:
        for rows in source.database.stream(f"SELECT {names} FROM {source.database.quoted(table.name)}", BATCH):
            target.database.load_rows(table.name, table.names, convert(rows))
            done += len(rows)
            yield len(rows)
    except OSError:
        raise
    except Exception as error:
        raise TransferError(
            f"can't copy rows {done + 1} to {done + BATCH} of {table.name}: {reason_of(error)}"
        ) from error


# Tables and columns without a model: extra fields, and what a removed module has left. They are made as they were
# recorded, or else as the database describes them, without foreign keys


def _make_missing(source: CopyEndpoint, target: CopyEndpoint, tables: Iterable[Table]) -> None:
    """Create the missing tables and columns, and record them for another copy and for the module when it is back."""
    present, digests, recorded = known_tables(), known_digests(), recorded_tables(source)
    made = {name: {column.name for column in target.database.get_columns(name)} for name in target.tables()}
    for table in tables:
        name = table.name
        missing = [each for each in table.columns if each.name not in made.get(name, ())]
        if name not in made:
            _make_table(source, table)
        else:
            for column in missing:
                # A row that its new owner inserts has no value there
                backend().add_column(name, ColumnDefinition(column.name, backend().type_of(field_of(column))))
        # Definitions of extra fields describe their tables
        if missing and not name.endswith(VALUES):
            known, owner = present.get(name) or recorded.get(name) or (Recorded(name, {}), "")
            unused = {each.name: replace(each, unused=True) for each in missing if each.name not in known.columns}
            write(name, digests.get(name, ""), replace(known, columns=known.columns | unused), owner)


def _make_table(source: CopyEndpoint, table: Table) -> None:
    primary = source.database.get_primary_keys(table.name)
    # MariaDB has no index over a text without a length
    unindexed = {column.name for column in table.columns if column.kind in ("", "BLOB", "TEXT", "JSON")}
    indexes = tuple(
        (tuple(each.columns), each.unique)
        for each in source.database.get_indexes(table.name)
        if each.columns and list(each.columns) != primary and not unindexed & {*each.columns}
    )
    meta: dict[str, Any] = {"database": database, "table_name": table.name, "indexes": indexes}
    if not table.key:
        meta["primary_key"] = peewee.CompositeKey(*primary) if primary else False
    plain = [replace(column, unique=False, index=False, default=None) for column in table.columns]
    fields = {column.name: field_of(column) for column in plain}
    orphan: Any = type("Orphan", (peewee.Model,), {**fields, "Meta": type("Meta", (), meta)})
    create_table(orphan)

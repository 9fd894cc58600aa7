"""Pending migrations of modules: planned against the new models, tried, and run.

A migration and its model arrive together, but one of the files may appear earlier. So the server plans the resulting
tables, and waits until models.py fits them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import peewee

from ..common.runtime import active
from ..storage.cache_version import raise_generation
from ..storage.database import backend, database, is_temporary, schema_lock, transaction
from ..storage.model import Model
from .diff import differences, is_empty, moved_tables, plan_update
from .known_tables import KnownTable, forget, is_known, known_digests, known_tables, owned_digests, shared_table, write
from .migration_tables import Do
from .migrations import (
    MigrationError,
    Plan,
    carry_out,
    done_migrations,
    files_in,
    note_done,
    pending_migrations,
    plan,
    run_file,
    started_migrations,
)
from .safety_copies import make_safety_copy
from .steps import Run, Step, apply
from .table import Table, in_order, models_of, owner_of, read_table, table_name

_log = logging.getLogger("comptoir.tables")

# Planning ------------------------------------------------------------------------------------------------------------


def tables_before(module: str, own: Mapping[str, type[Model]]) -> dict[str, Table]:
    """Return the tables before a module's pending migrations, by name.

    If a migration stopped halfway, these are the tables before it.

    :param own: the module's models, by table
    """
    existing = set(database.get_tables())
    started = module in started_migrations() or changing(module) in known_digests()
    tables = {
        name: table if started or owner != module else read_table(table, table)
        for name, (table, owner) in known_tables().items()
        if name in existing or started
    }
    for name, model in own.items():
        if name in existing and name not in tables and not is_empty(name):
            tables[name] = read_table(Table.of_model(model), Table.of_model(model))
    return tables


def is_first_load(module: str, own: Iterable[str]) -> bool:
    """Return whether a module has no table yet, and so nothing to migrate.

    :param own: the tables of its models
    """
    known, digests = known_tables(), known_digests()
    # Another module that refers to a table may have created it
    ahead = {name for name, (_, owner) in known.items() if not owner and not digests.get(name)}
    tables = {name for name, (_, owner) in known.items() if owner == module} | (set(own) - ahead)
    return not tables & set(database.get_tables())


def plan_for_models(
    module: str, files: list[Path], own: Mapping[str, type[Model]], tables: Mapping[str, Table]
) -> list[Plan]:
    """Return what migrations would do, if they make the tables what the models say.

    :param own: the module's models, by table
    :param tables: what the tables are made from
    :raises MigrationError: they don't, or one would fail
    """
    after = dict(tables)
    plans = plan(module, files, after)
    if any(each.steps is None for each in plans):
        # Their steps are known when they run; then the tables are compared
        return plans
    reasons = [each.reason for each in differences(own, after)]
    if reasons:
        names = " and ".join(file.name for file in files)
        raise MigrationError(
            f"{names} and models.py don't match; nothing was changed. Remaining differences: {'; '.join(reasons)}"
        )
    return plans


# Running -------------------------------------------------------------------------------------------------------------


def run_pending(
    pending: Mapping[str, list[Path]], models: Mapping[str, type[Model]], copies: list[Path], upto: Mapping[str, str]
) -> set[str]:
    """Run pending migrations, under the schema lock; a module's first load has nothing to migrate.

    Returns the modules that have further migrations to run.

    :param pending: the migration files of each module
    :param models: the models that have been loaded, by table
    :param copies: gets the copies of the database that are made beforehand
    :param upto: module → the number of the last migration to run now
    :raises MigrationError: a migration fails, or doesn't make the tables what the models say
    """
    existing = set(database.get_tables())
    left: set[str] = set()
    for module, files in pending.items():
        own = models_of(models.values(), module)
        if is_first_load(module, own):
            note_done(module, files)
            continue
        tables = tables_before(module, own)
        plans = plan_for_models(module, files, own, tables)
        if module in upto:
            plans = [each for each in plans if _number(each.file) <= int(upto[module])]
            left |= {module} if len(plans) < len(files) else set()
        if _changes_rows(plans, existing) and (copy := make_safety_copy(f"{module}-{files[0].stem}")):
            copies.append(copy)
        if plans:
            _run(plans, tables)
    return left


def _number(file: Path) -> int:
    return int(re.match(r"\d+", file.stem)[0])  # type: ignore[index]


def _changes_rows(plans: Iterable[Plan], existing: set[str]) -> bool:
    """Return whether migrations may change rows, or tables that have rows."""
    tables: set[str] = set()
    for each in plans:
        if each.steps is None or any(isinstance(step, Run) for step in each.steps):
            return True
        tables |= {step.table for step in each.steps}
    return not all(map(is_empty, tables & existing))


def _run(plans: list[Plan], tables: dict[str, Table]) -> None:
    if not backend().transactional_ddl:
        # Each statement commits: an interrupted migration needs the former tables to continue
        for name, table in tables.items():
            KnownTable.update(form=table.as_text()).where(KnownTable.name == name).execute()
        _announce(plans[0].module)
    for each in plans:
        _log.info("%s: running migration %s", each.module, each.file.name)
        active.runtime.migrated.append(f"{each.module}: ran migration {each.file.name}")
        before = dict(tables)
        carry_out(each, tables, lambda each=each, before=before: _record(each.module, before, tables))  # type: ignore[misc]
    raise_generation()


def _announce(module: str) -> None:
    """Announce changes that can't be undone, once per migration: processes then stop using the former models."""
    if changing(module) not in known_digests():
        with transaction():
            write(changing(module), "", None, module)
            raise_generation()


def changing(module: str) -> str:
    """Return the name of the row that marks an announced, incomplete change of a module's tables."""
    return f"{module} changing"


def _record(module: str, before: Mapping[str, Table], after: Mapping[str, Table]) -> None:
    """Record the present tables; each module compares them with its models when it loads."""
    owners = {name: owner for name, (_, owner) in known_tables().items()}
    for name, table in after.items():
        if before.get(name) != table:
            write(name, "", table, owners.get(name, module))
    for name in before.keys() - after.keys():
        forget(name)


# Trying --------------------------------------------------------------------------------------------------------------


#: (module, name of the file) → its steps: what may be repeated, the step in words, how often it is
Tried = dict[tuple[str, str], list[tuple[Any, str, int]]]


class MigrationStatus(NamedTuple):
    """A migration file of a module.

    :ivar run: when it was run; None: it is pending
    """

    module: str
    name: str
    run: Any


class PlannedMigration(NamedTuple):
    """The plan of a pending migration.

    :ivar steps: in words
    :ivar reason: why they aren't known
    """

    module: str
    name: str
    steps: list[str]
    reason: str = ""


def migration_statuses(folders: Mapping[str, Path]) -> list[MigrationStatus]:
    """Return every migration, by module and number."""
    done = done_migrations()
    return [
        MigrationStatus(module, file.stem, done.get((module, file.stem)))
        for module, folder in sorted(folders.items())
        for file in files_in(folder)
    ]


def planned_migrations(
    folders: dict[str, Path], models: Iterable[type[Model]], tried: Tried, rejected: Mapping[str, str]
) -> list[PlannedMigration]:
    """Return the steps of pending migrations, as far as `rejected_modules` has found them out.

    :param rejected: its result
    """
    models, found = list(models), []
    for module, files in pending_migrations(folders).items():
        reason = rejected.get(module, "the steps are known only when it runs, because it reads rows")
        if is_first_load(module, models_of(models, module)):
            reason = "nothing to migrate: the module has no tables yet"
        for file in files:
            made = tried.get((module, file.stem))
            steps = [f"{words} (and {more} more)" if more else words for _, words, more in made or ()]
            found.append(PlannedMigration(module, file.stem, steps, "" if made is not None else reason))
    return found


def rejected_modules(
    folders: Mapping[str, Path], models: Iterable[type[Model]], tried: Tried | None = None
) -> dict[str, str]:
    """Return module → why a server would reject it because of its tables; nothing is changed.

    Pending migrations are run and undone. On a database that can't undo changes of tables, these aren't tried.

    :param folders: module → its folder of migration files
    :param tried: gets the steps of the pending migrations
    """
    tried = {} if tried is None else tried
    models, pending = list(models), pending_migrations(dict(folders))
    found: dict[str, str] = {}
    owners = {name: owner for name, _, owner in owned_digests()}
    for model in models:
        owners[table_name(model)] = owners.get(table_name(model)) or owner_of(model)
    for module in folders:
        own = models_of(models, module)
        try:
            reason = shared_table([each for each in models if owner_of(each) == module], owners)
            if not reason and module in pending:
                reason = _try(module, pending[module], own, tried)
            elif not reason:
                reason = _mismatch(own, {}, set())
        except MigrationError as error:
            reason = str(error)
        except peewee.PeeweeException as error:
            # A server waits longer for a lock
            if not is_temporary(error):
                raise
            continue
        if reason:
            found[module] = reason
    return found


def changed_models(models: dict[str, type[Model]], digests: dict[str, str] | None = None) -> list[type[Model]]:
    """Return the models whose recorded tables don't fit them, with two statements.

    A table that a model only refers to must exist; its own module compares it with its model.

    :param models: by table
    """
    digests = known_digests() if digests is None else digests
    return [
        model
        for model in in_order(models)
        if (table_name(model) in models or table_name(model) not in digests) and not is_known(model, digests)
    ]


def _mismatch(own: dict[str, type[Model]], after: Mapping[str, Table], migrated: set[str]) -> str:
    """Return why tables can't be what their models say without a migration; empty if they can.

    :param own: the models of a module, by table
    :param after: what migrations have made of tables, by name
    :param migrated: the tables that they have changed
    """
    existing = set(database.get_tables())
    changed = {*changed_models(own), *(own[name] for name in migrated & own.keys())}
    digests, known = known_digests() | dict.fromkeys(migrated, ""), known_tables()
    known |= {name: (after[name], known.get(name, (None, ""))[1]) for name in migrated if name in after}
    chosen = [model for name, model in own.items() if model in changed and name in existing]
    reasons = [plan_update(model, digests, known).reason for model in chosen]
    return "; ".join(filter(None, [*reasons, *(each.reason for each in moved_tables(changed, own, known))]))


class _Untriable(BaseException):
    """A step that could not be undone."""


class _Undone(BaseException):
    """Ends a trial."""


#: the statements that every database can undo
_CHANGES_ROWS = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b", re.I)


def _try(module: str, files: list[Path], own: dict[str, type[Model]], tried: Tried) -> str:
    """Return why pending migrations don't make the tables what the models say; empty if nothing is known against them.

    :raises MigrationError: one fails
    """
    before = tables_before(module, own)
    if is_first_load(module, own):
        return ""
    plans = plan_for_models(module, files, own, before)
    after, done = dict(before), started_migrations().get(module, {})
    for each in plans:
        if each.steps is not None:
            tried[module, each.file.stem] = [(step, step.words(), 0) for step in each.steps]
    try:
        with _undone():
            for each in plans:
                made = tried.setdefault((module, each.file.stem), []) if each.steps is None else []
                run_file(each.file, after, _trying(done.get(each.file.stem, 0), made))
            return _mismatch(own, after, {name for name in after if before.get(name) != after[name]})
    except _Untriable:
        return "; ".join(
            f"{name}.py has started but not finished; see the server's log for the reason" for name in done
        )


@contextmanager
def _undone() -> Iterator[None]:
    """Change tables under the schema lock, and undo all of it; only rows, if the database can't undo more."""
    opened = backend()
    try:
        with opened.unchecked_references(), transaction():
            with schema_lock() if opened.transactional_ddl else nullcontext():
                yield
            raise _Undone
    except _Undone:
        pass


def _trying(done: int, made: list[tuple[Any, str, int]]) -> Do:
    """Return a function that makes the steps of a migration on trial.

    :param done: number of steps done before
    :param made: gets the steps; statements that differ only in their values are one entry
    """
    numbers = count(1)

    def make(step: Step, table: Table | None) -> None:
        key = step.sql if isinstance(step, Run) else step
        if made and made[-1][0] == key:
            made[-1] = (key, made[-1][1], made[-1][2] + 1)
        else:
            made.append((key, step.words(), 0))
        if next(numbers) <= done:
            return
        if not (backend().transactional_ddl or (isinstance(step, Run) and _CHANGES_ROWS.match(step.sql))):
            made.append(("", "further steps are known only when it runs: this database can't undo a table change", 0))
            raise _Untriable
        apply(step, table)

    return make

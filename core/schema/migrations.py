"""Migration files of modules: list the pending ones, preview them, and run each once and as a whole.

A migration and its model arrive together, but one of the files may appear earlier. So a preview finds out what the
tables would be, and the migrations wait until `models.py` fits them. Then they run, and afterwards the tables are
compared with the models.

If the database can roll back changes of tables, that is one transaction. Otherwise each change of a table commits: it
is recorded when it is done, and the next attempt continues after it. A step that was done but not recorded is made
again, and finds that it has nothing to do.
"""

from __future__ import annotations

import hashlib
import logging
import re
import runpy
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peewee

from ..audit.forms import form_of
from ..audit.notes import MIGRATED, Event
from ..audit.recorder import add_event
from ..common.clock import now
from ..storage.cache_version import raise_generation
from ..storage.database import backend, database, is_temporary, transaction
from ..storage.error_kinds import reason_of
from ..storage.model import Model
from .diff import differences, is_empty
from .known_tables import KnownTable, forget, known_digests, known_tables, rows_if_any, write
from .migration_tables import ReadsRows, Tables, limit_migration
from .safety_copies import make_safety_copy
from .steps import AddIndex, AddReference, DropIndex, Rename, RenameTable, Run, Step, apply
from .table import MigrationError, StepError, Table, models_of, read_table

_log = logging.getLogger("comptoir.tables")

#: a line about each migration that this process has run
migrated: list[str] = []

#: different steps of a migration that the audit trail lists, for each table
MAX_NOTED_STEPS = 100


class Migration(Model):
    """A migration file that was run, or started if each of its steps commits."""

    id = peewee.AutoField(column_name="rowid")
    module = peewee.CharField(max_length=128)
    name = peewee.CharField(max_length=128)
    run = peewee.DateTimeField(default=now)
    done = peewee.IntegerField(null=True, help_text="number of steps done; null: all")
    digest = peewee.CharField(max_length=64, null=True, help_text="of those steps")

    class Meta:
        table_name = "comptoir_migration"
        audited = False
        indexes = ((("module", "name"), True),)


def files_in(folder: Path) -> list[Path]:
    """Return the migration files of a folder, in the order in which they run."""
    # Opening a named pipe would block
    return sorted(file for file in folder.glob("[0-9]*.py") if file.is_file())


def done_migrations() -> dict[tuple[str, str], Any]:
    """Return when each migration was run, by module and name of the file."""
    rows = rows_if_any("SELECT module, name, run FROM comptoir_migration WHERE done IS NULL")
    return {(module, name): run for module, name, run in rows}


def started_modules() -> set[str]:
    """Return the modules with a migration that stopped halfway."""
    return {module for (module,) in rows_if_any("SELECT module FROM comptoir_migration WHERE done IS NOT NULL")}


#: what to do if the database rejects a statement of a migration that is only previewed: it didn't use `tables`
HINT = "; in a migration, read rows with tables.rows, which sees the steps before it, not with query or models"


def pending_migrations(folders: dict[str, Path]) -> dict[str, list[Path]]:
    """Return the migration files that have not been run, by module.

    :param folders: module name → its folder of migration files
    """
    files = {module: found for module, folder in folders.items() if (found := files_in(folder))}
    if not files:
        return {}
    done = done_migrations()
    pending = {module: [file for file in found if (module, file.stem) not in done] for module, found in files.items()}
    return {module: found for module, found in pending.items() if found}


def is_first_load(module: str, own: Iterable[str]) -> bool:
    """Return whether a module has no table yet, and so nothing to migrate.

    :param own: the tables of its models
    """
    known, digests = known_tables(), known_digests()
    # Another module that refers to a table may have created it
    ahead = {name for name, (_, owner) in known.items() if not owner and not digests.get(name)}
    tables = {name for name, (_, owner) in known.items() if owner == module} | (set(own) - ahead)
    return not tables & set(database.get_tables()) and module not in started_modules()


def tables_before(module: str, own: Mapping[str, type[Model]]) -> dict[str, Table]:
    """Return the tables before a module's pending migrations, by name.

    If a migration stopped halfway, these are the tables before it.

    :param own: the module's models, by table
    """
    existing = set(database.get_tables())
    started = module in started_modules()
    tables = {
        name: table if started or owner != module else read_table(table, table)
        for name, (table, owner) in known_tables().items()
        if name in existing or started
    }
    for name, model in own.items():
        if name in existing and name not in tables and not is_empty(name):
            tables[name] = read_table(Table.of_model(model), Table.of_model(model))
    return tables


# Preview -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preview:
    """The steps of a migration that hasn't run.

    :ivar is_whole: False: then it reads rows, so further steps are only known when it runs
    """

    module: str
    file: Path
    steps: tuple[Step, ...]
    is_whole: bool


def preview(module: str, files: Iterable[Path], tables: dict[str, Table]) -> list[Preview]:
    """Return what migration files would do, one after the other; nothing is changed.

    :param tables: what the tables were made from, by name; afterwards what they would be, as far as that is known
    :raises MigrationError: one would fail
    """
    found: list[Preview] = []
    for file in files:
        function = _function(file)
        handle = Tables(dict(tables), file=file)
        # After one that reads rows, it would find tables that aren't known
        is_whole = all(each.is_whole for each in found)
        try:
            with _located(file, HINT), _limited(file):
                if is_whole:
                    function(handle)
            tables.clear()
            tables.update(handle.tables)
        except ReadsRows:
            is_whole = False
        found.append(Preview(module, file, tuple(handle.steps), is_whole))
    return found


def preview_for_models(
    module: str, files: list[Path], own: Mapping[str, type[Model]], tables: Mapping[str, Table]
) -> list[Preview]:
    """Return what migrations would do, if they make the tables what the models say.

    :param own: the module's models, by table
    :param tables: what the tables are made from
    :raises MigrationError: they don't, or one would fail
    """
    after = dict(tables)
    found = preview(module, files, after)
    # Otherwise the tables are compared when they have run
    if all(each.is_whole for each in found) and (reasons := [each.reason for each in differences(own, after)]):
        names = " and ".join(file.name for file in files)
        raise MigrationError(
            f"{names} and models.py don't match; nothing was changed. Remaining differences: {'; '.join(reasons)}"
        )
    return found


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
    left: set[str] = set()
    for module, files in pending.items():
        own = models_of(models.values(), module)
        if is_first_load(module, own):
            for file in files:
                _Progress(module, file).finish()
            continue
        tables = tables_before(module, own)
        found = preview_for_models(module, files, own, tables)
        if module in upto:
            found = [each for each in found if _number(each.file) <= int(upto[module])]
            left |= {module} if len(found) < len(files) else set()
        if _changes_rows(found) and (copy := make_safety_copy(f"{module}-{files[0].stem}")):
            copies.append(copy)
        for each in found:
            _log.info("%s: running migration %s", module, each.file.name)
            migrated.append(f"{module}: ran migration {each.file.name}")
            _run(module, each.file, tables)
        if found:
            raise_generation()
    return left


def _number(file: Path) -> int:
    return int(re.match(r"\d+", file.stem)[0])  # type: ignore[index]


def _changes_rows(found: Iterable[Preview]) -> bool:
    """Return whether migrations may change rows, or tables that have rows."""
    steps = [step for each in found for step in each.steps]
    if not all(each.is_whole for each in found) or any(isinstance(step, Run) for step in steps):
        return True
    return not all(map(is_empty, {step.table for step in steps} & set(database.get_tables())))


def _run(module: str, file: Path, tables: dict[str, Table]) -> None:
    """Run a migration, and record the tables that it makes; its module then compares them with its models.

    :param tables: what the tables were made from, by name; afterwards what they are
    :raises MigrationError: it fails; the message has the file's line and the statement that the database rejected
    """
    before, function = dict(tables), _function(file)
    with _Progress(module, file) as progress:
        handle = Tables(tables, progress.make, file)
        with _located(file, handle=handle):
            progress.begin(tables)
            with _limited(file):
                function(handle)
            progress.finish(lambda: _record(module, before, tables))


def _record(module: str, before: Mapping[str, Table], after: Mapping[str, Table]) -> None:
    owners = {name: owner for name, (_, owner) in known_tables().items()}
    for name, table in after.items():
        if before.get(name) != table:
            write(name, "", table, owners.get(name, module))
    for name in before.keys() - after.keys():
        forget(name)


class _Progress:
    """The progress of a migration.

    If each change of a table commits, the statements between two changes are one transaction, which also records how
    many steps are done.
    """

    def __init__(self, module: str, file: Path) -> None:
        self._module = module
        self._where = (Migration.module == module) & (Migration.name == file.stem)
        self._row = {"module": module, "name": file.stem}
        started = Migration.get_or_none(self._where)
        self._is_new = started is None
        self._done, self._digest_done = (started.done or 0, started.digest) if started else (0, None)
        self._commits = not backend().transactional_ddl
        self._number = 0
        #: of the steps up to now
        self._digest = ""
        self._group = ExitStack()
        self._changes = _Changes(f"{module}/{file.stem}")

    def __enter__(self) -> _Progress:
        """Begin."""
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """Undo the statements that are not recorded yet."""
        self._group.__exit__(kind, error, trace)

    def begin(self, tables: Mapping[str, Table]) -> None:
        """Announce changes that can't be undone: processes then stop using the former models.

        :param tables: before the migration; an attempt that goes on begins with them
        """
        # If the file is taken away before it is done, the module compares its tables, which sets their digests again
        owned = (KnownTable.owner == self._module) & KnownTable.form.is_null(False)
        is_due = self._commits and (self._is_new or KnownTable.select().where(owned, KnownTable.digest != "").exists())
        if not is_due:
            return
        with transaction():
            if self._is_new:
                self._write(0)
                for name, table in tables.items():
                    KnownTable.update(form=table.as_text()).where(KnownTable.name == name).execute()
            KnownTable.update(digest="").where(owned).execute()
            raise_generation()

    def make(self, step: Step, table: Table | None) -> None:
        """Make a step, unless it was recorded as done."""
        if not isinstance(step, Run):
            self._settle()
        self._changes.add(step)
        self._number += 1
        self._digest = hashlib.sha256(f"{self._digest}{step.words()}".encode()).hexdigest()
        if self._number <= self._done:
            if self._number == self._done and self._digest != self._digest_done:
                first = "the first step is" if self._done == 1 else f"the first {self._done} steps are"
                raise StepError(
                    f"{first} already done and must not change; add new steps at the end, or in a new migration"
                )
            return
        if self._commits and not database.in_transaction() and isinstance(step, Run):
            self._group.enter_context(transaction())
        apply(step, table)
        if self._commits and not isinstance(step, Run):
            self._write(self._number)

    def _settle(self) -> None:
        """Record the statements that were run, and commit them."""
        if self._commits and database.in_transaction():
            self._write(self._number)
            self._group.close()

    def finish(self, record: Callable[[], None] = lambda: None) -> None:
        """Record that all of it is done.

        :param record: called in the same transaction
        """
        self._settle()
        with transaction():
            record()
            self._changes.note()
            self._write(None)

    def _write(self, done: int | None) -> None:
        values = {"done": done, "digest": self._digest if done else None, "run": now()}
        if not Migration.update(**values).where(self._where).execute() and not Migration.get_or_none(self._where):
            Migration.create(**self._row, **values)


class _Changes:
    """The changes that a migration makes in each table, for the histories of its records."""

    def __init__(self, migration: str) -> None:
        self._migration = migration
        #: by table: its former name, former names of columns, the steps
        self._tables: dict[str, dict[str, Any]] = {}

    def add(self, step: Step) -> None:
        """Add a step, unless it concerns no values."""
        table = step.table
        if isinstance(step, (AddIndex, DropIndex, AddReference)) or not table:
            return
        if isinstance(step, RenameTable):
            table = step.to
            self._tables[table] = {"table": step.table, **self._tables.pop(step.table, {})}
        details = self._tables.setdefault(table, {})
        if isinstance(step, Rename):
            columns = details.setdefault("columns", {})
            first = next((old for old, new in columns.items() if new == step.column), step.column)
            columns[first] = step.to
        # Not the statement's values: a loop over all rows is one step
        words = step.text_without_values if isinstance(step, Run) else step.words()
        steps = details.setdefault("steps", [])
        if words not in steps and len(steps) < MAX_NOTED_STEPS:
            steps.append(words)

    def note(self) -> None:
        """Note it in the audit trail."""
        for table, details in self._tables.items():
            if form_of(table) is not None:
                add_event(Event(MIGRATED, table[:64], "", {"migration": self._migration, **details}))


def _function(file: Path) -> Callable[[Tables], object]:
    with _located(file), _limited(file):
        function = runpy.run_path(str(file)).get("migrate")
    if not callable(function):
        raise MigrationError(f"{file.name} has no function migrate(tables)")
    return function  # type: ignore[no-any-return]


@contextmanager
def _limited(file: Path) -> Iterator[None]:
    """Limit the time of a migration's code, in a process that does so."""
    limit_migration.value(file)
    try:
        yield
    finally:
        limit_migration.value(None)


@contextmanager
def _located(file: Path, hint: str = "", handle: Tables | None = None) -> Iterator[None]:
    """Report an error in a migration with its file, line and statement; temporary errors pass unchanged.

    :param hint: what to do if the database rejects a statement
    :param handle: knows the statement
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        if isinstance(error, MigrationError) or is_temporary(error):
            raise
        place = ":".join([file.name, *_line(file, error)])
        if isinstance(error, StepError):
            raise MigrationError(f"{place}: {error}") from error
        if isinstance(error, peewee.PeeweeException):
            asked = f", in `{' '.join(handle.statement.split())[:500]}`" if handle and handle.statement else ""
            raise MigrationError(f"{place}: the database rejects it: {reason_of(error)}{asked}{hint}") from error
        raise MigrationError(f"{place}: {type(error).__name__}: {error}") from error


def _line(file: Path, error: BaseException) -> list[str]:
    """Return the line of the file that failed; empty if the error isn't in the file."""
    if isinstance(error, SyntaxError):
        return [str(error.lineno)] if error.filename == str(file) else []
    frames = traceback.walk_tb(error.__traceback__)
    return [str(line) for frame, line in frames if frame.f_code.co_filename == str(file)][-1:]

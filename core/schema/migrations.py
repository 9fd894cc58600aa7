"""Migration files of modules: list the pending ones, plan them, and run each once and as a whole.

If the database can roll back changes of tables, a migration is one transaction. Otherwise each step commits: it is
recorded when it is done, and the next attempt continues after it. A step that was done but not recorded is made again,
and finds that it has nothing to do.
"""

from __future__ import annotations

import hashlib
import runpy
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peewee

from ..audit.forms import form_of
from ..audit.notes import MIGRATED, Event
from ..audit.recorder import add_event
from ..common.clock import utc_now
from ..common.runtime import active
from ..storage.database import backend, database, is_temporary, transaction
from ..storage.error_kinds import reason_of
from ..storage.model import Model
from .known_tables import rows_if_any
from .migration_tables import Do, ReadsRows, Tables
from .steps import AddIndex, AddReference, DropIndex, Rename, RenameTable, Run, Step, apply
from .table import SchemaError, StepError, Table

#: different steps of a migration that the audit trail lists, for each table
MAX_NOTED_STEPS = 100


class MigrationError(SchemaError):
    """A migration that fails, with the reason; nothing of it was done, or the next attempt goes on where it stopped."""


class Migration(Model):
    """A migration file that was run, or started if each of its steps commits."""

    id = peewee.AutoField(column_name="rowid")
    module = peewee.CharField(max_length=128)
    name = peewee.CharField(max_length=128)
    run = peewee.DateTimeField(default=utc_now)
    done = peewee.IntegerField(null=True, help_text="number of steps done; null: all")
    digest = peewee.CharField(max_length=64, null=True, help_text="of those steps")

    class Meta:
        table_name = "comptoir_migration"
        audited = False
        indexes = ((("module", "name"), True),)


@dataclass(frozen=True)
class Plan:
    """The plan of a migration file.

    :ivar steps: None: the file reads rows, so its steps are only known when it runs
    """

    module: str
    file: Path
    steps: tuple[Step, ...] | None


def files_in(folder: Path) -> list[Path]:
    """Return the migration files of a folder, in the order in which they run."""
    # Opening a named pipe would block
    return sorted(file for file in folder.glob("[0-9]*.py") if file.is_file())


def done_migrations() -> dict[tuple[str, str], Any]:
    """Return when each migration was run, by module and name of the file."""
    rows = rows_if_any("SELECT module, name, run FROM comptoir_migration WHERE done IS NULL")
    return {(module, name): run for module, name, run in rows}


def started_migrations() -> dict[str, dict[str, int]]:
    """Return the migrations that stopped halfway, with the number of steps done, by module."""
    found: dict[str, dict[str, int]] = {}
    for module, name, done in rows_if_any("SELECT module, name, done FROM comptoir_migration WHERE done IS NOT NULL"):
        found.setdefault(module, {})[name] = done
    return found


#: what to do if the database rejects a statement of a migration that is only planned: it didn't use `tables`
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


def note_done(module: str, files: Iterable[Path]) -> None:
    """Record migrations as done that have nothing to migrate, because it is the module's first load."""
    for file in files:
        _Progress(module, file).finish()


def plan(module: str, files: Iterable[Path], tables: dict[str, Table]) -> list[Plan]:
    """Return what migration files would do, one after the other; nothing is changed.

    :param tables: what the tables were made from, by name; afterwards what they would be, as far as that is known
    :raises MigrationError: one would fail
    """
    plans: list[Plan] = []
    for file in files:
        function = _function(file)
        handle = Tables(tables, file=file)
        steps: tuple[Step, ...] | None = None
        before = dict(tables)
        try:
            if any(each.steps is None for each in plans):
                # It would find tables that aren't known
                raise ReadsRows
            with _located(file, HINT), _limited(file):
                function(handle)
            steps = tuple(handle.steps)
        except ReadsRows:
            tables.clear()
            tables.update(before)
        plans.append(Plan(module, file, steps))
    return plans


def carry_out(planned: Plan, tables: dict[str, Table], record: Callable[[], None] = lambda: None) -> None:
    """Run a migration, under the schema lock.

    :param tables: what the tables were made from, by name; afterwards what they are
    :param record: records these, in one transaction with the migration
    :raises MigrationError: it fails
    """
    with _located(planned.file), _Progress(planned.module, planned.file) as progress:
        run_file(planned.file, tables, progress.step)
        progress.finish(record)


def run_file(file: Path, tables: dict[str, Table], do: Do) -> None:
    """Make the steps of a migration file.

    :param tables: what the tables were made from, by name; afterwards what they are
    :param do: makes a step
    :raises MigrationError: it fails; the message has the file's line and the statement that the database rejected
    """
    function = _function(file)
    handle = Tables(tables, do, file)
    with _located(file, handle=handle), _limited(file):
        function(handle)


class _Progress:
    """The progress of a migration."""

    def __init__(self, module: str, file: Path) -> None:
        self._where = (Migration.module == module) & (Migration.name == file.stem)
        self._row = {"module": module, "name": file.stem}
        started = Migration.get_or_none(self._where)
        self._done = started.done or 0 if started is not None else 0
        self._digest = started.digest if started is not None else None
        self._number = 0
        #: digest of the steps up to now, and of those before the last one
        self._seen = self._before = ""
        self._group = ExitStack()
        self._changes = _Changes(f"{module}/{file.stem}")

    def step(self, step: Step, table: Table | None) -> None:
        """Make a step, unless it was recorded as done."""
        self._number += 1
        self._changes.add(step)
        self._before = self._seen
        self._seen = hashlib.sha256(f"{self._seen}{step.words()}".encode()).hexdigest()
        if self._number <= self._done:
            if self._number == self._done and self._seen != self._digest:
                first = "the first step is" if self._done == 1 else f"the first {self._done} steps are"
                raise StepError(
                    f"{first} already done and must not change; add new steps at the end, or in a new migration"
                )
            return
        if isinstance(step, Run) and not backend().transactional_ddl:
            # Statements that follow each other are one transaction, with the record that they are done
            if not database.in_transaction():
                self._group.enter_context(transaction())
            apply(step, table)
            return
        self._settle(self._number - 1)
        apply(step, table)
        if not backend().transactional_ddl:
            self._write(self._number, self._seen)

    def _settle(self, number: int) -> None:
        """Record the statements that were run, and commit them."""
        if not backend().transactional_ddl and database.in_transaction():
            self._write(number, self._before)
            self._group.close()

    def __enter__(self) -> _Progress:
        """Begin."""
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """Undo the statements that are not recorded yet."""
        self._group.__exit__(kind, error, trace)

    def finish(self, record: Callable[[], None] = lambda: None) -> None:
        """Record that all of it is done.

        :param record: called in the same transaction
        """
        self._before = self._seen
        self._settle(self._number)
        with transaction():
            record()
            self._changes.note()
            self._write(None, None)

    def _write(self, done: int | None, digest: str | None) -> None:
        values = {"done": done, "digest": digest, "run": utc_now()}
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
    active.runtime.limit_migration(file)
    try:
        yield
    finally:
        active.runtime.limit_migration(None)


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

"""Migrations of modules: which are pending, what they would do, and that each is done once and as a whole.

The transaction of the schema's lock makes all of it or nothing, if the database undoes changes of tables. Otherwise
each of them commits: a step is noted when it is done, and the next attempt goes on after it. A step that was done and
not noted is asked for again, and finds that it is there.
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

from ..common.clock import utc_now
from ..storage.database import backend, database, transaction
from ..storage.database_errors import is_temporary
from ..storage.error_kinds import reason_of
from ..storage.model import Model
from .columns import StepError
from .drift import DriftError
from .forms import TableForm
from .handle import Reads, Tables
from .known_tables import rows_if_any
from .steps import Run, Step, apply, words_of

#: makes a step of a change, of a table with this form
Do = Callable[[Step, TableForm | None], None]


class MigrationError(DriftError):
    """A migration that cannot be done, with the reason; nothing of it is written, or it goes on where it stopped."""


class Migration(Model):
    """A migration file that has been run, or begun if each of its steps commits."""

    id = peewee.AutoField(column_name="rowid")
    module = peewee.CharField(max_length=128)
    name = peewee.CharField(max_length=128)
    run = peewee.DateTimeField(default=utc_now)
    done = peewee.IntegerField(null=True, help_text="the steps that are done; null: all of them")
    digest = peewee.CharField(max_length=64, null=True, help_text="of those steps")

    class Meta:
        table_name = "comptoir_migration"
        audited = False
        indexes = ((("module", "name"), True),)


@dataclass(frozen=True)
class Plan:
    """What a migration file would do.

    :ivar steps: None: it reads rows in between, so only doing it tells
    """

    module: str
    file: Path
    steps: tuple[Step, ...] | None


def files_in(folder: Path) -> list[Path]:
    """The migration files of a folder, in the order in which they run."""
    # A pipe of such a name would hold up whoever opens it
    return sorted(file for file in folder.glob("[0-9]*.py") if file.is_file())


def done_migrations() -> dict[tuple[str, str], Any]:
    """When each migration was run, by module and name of the file."""
    rows = rows_if_any("SELECT module, name, run FROM comptoir_migration WHERE done IS NULL")
    return {(module, name): run for module, name, run in rows}


def begun_migrations() -> dict[str, dict[str, int]]:
    """The migrations that stopped halfway, with the steps that are done, by module."""
    found: dict[str, dict[str, int]] = {}
    for module, name, done in rows_if_any("SELECT module, name, done FROM comptoir_migration WHERE done IS NOT NULL"):
        found.setdefault(module, {})[name] = done
    return found


#: what to do where the database refuses something while a migration is only planned: it was asked past `tables`
HINT = "; in a migration, read rows with tables.rows, which sees the steps before it, not with query or models"


def pending_migrations(folders: dict[str, Path]) -> dict[str, list[Path]]:
    """The migration files that have not been run, by module.

    :param folders: module name → its folder of migration files
    """
    files = {module: found for module, folder in folders.items() if (found := files_in(folder))}
    if not files:
        return {}
    done = done_migrations()
    pending = {module: [file for file in found if (module, file.stem) not in done] for module, found in files.items()}
    return {module: found for module, found in pending.items() if found}


def note_done(module: str, files: Iterable[Path]) -> None:
    """Note migrations as done that have nothing to migrate: a module's first load."""
    for file in files:
        _Note(module, file).finish()


def plan(module: str, files: Iterable[Path], forms: dict[str, TableForm]) -> list[Plan]:
    """What migration files would do, one after the other; nothing is changed.

    :param forms: what the tables were made from, by name; afterwards what they would be, as far as is known
    :raises MigrationError: one cannot be done
    """
    plans: list[Plan] = []
    for file in files:
        function = _function(file)
        handle = Tables(forms)
        steps: tuple[Step, ...] | None = None
        before = dict(forms)
        try:
            if any(each.steps is None for each in plans):
                # What it finds then is not known either
                raise Reads
            with _told(file, HINT):
                function(handle)
            steps = tuple(handle.steps)
        except Reads:
            forms.clear()
            forms.update(before)
        plans.append(Plan(module, file, steps))
    return plans


def carry_out(planned: Plan, forms: dict[str, TableForm], keep: Callable[[], None] = lambda: None) -> None:
    """Do a migration, under the lock of the schema.

    :param forms: what the tables were made from, by name; afterwards what they are
    :param keep: writes these down, in one transaction with the note that it is done
    :raises MigrationError: it cannot be done
    """
    with _told(planned.file), _Note(planned.module, planned.file) as note:
        run_file(planned.file, forms, note.step)
        note.finish(keep)


def run_file(file: Path, forms: dict[str, TableForm], do: Do) -> None:
    """Do what a migration file says.

    :param forms: what the tables were made from, by name; afterwards what they are
    :param do: makes a step
    :raises MigrationError: it cannot be done; the message has the file's line and the statement that was refused
    """
    function = _function(file)
    handle = Tables(forms, do)
    with _told(file, handle=handle):
        function(handle)


class _Note:
    """How far a migration has come."""

    def __init__(self, module: str, file: Path) -> None:
        self._where = (Migration.module == module) & (Migration.name == file.stem)
        self._row = {"module": module, "name": file.stem}
        begun = Migration.get_or_none(self._where)
        self._done = begun.done or 0 if begun is not None else 0
        self._digest = begun.digest if begun is not None else None
        self._number = 0
        #: digests of the steps up to now, and of those before the last one
        self._seen = self._before = ""
        self._group = ExitStack()

    def step(self, step: Step, form: TableForm | None) -> None:
        """Make a step, unless that was done before."""
        self._number += 1
        self._before = self._seen
        self._seen = hashlib.sha256(f"{self._seen}{words_of(step)}".encode()).hexdigest()
        if self._number <= self._done:
            if self._number == self._done and self._seen != self._digest:
                first = "the first step is" if self._done == 1 else f"the first {self._done} steps are"
                raise StepError(
                    f"{first} already done and must not change; add new steps at the end, or in a new migration"
                )
            return
        if isinstance(step, Run) and not backend().transactional_ddl:
            # The rows and the note of it, or neither; statements that follow each other are one transaction
            if not database.in_transaction():
                self._group.enter_context(transaction())
            apply(step, form)
            return
        self._settle(self._number - 1)
        apply(step, form)
        if not backend().transactional_ddl:
            self._write(self._number, self._seen)

    def _settle(self, number: int) -> None:
        """Note the statements that have been run, and commit them."""
        if not backend().transactional_ddl and database.in_transaction():
            self._write(number, self._before)
            self._group.close()

    def __enter__(self) -> _Note:
        """Begin."""
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """Undo the statements that are not noted yet."""
        self._group.__exit__(kind, error, trace)

    def finish(self, keep: Callable[[], None] = lambda: None) -> None:
        """Note that all of it is done.

        :param keep: done in one transaction with the note
        """
        self._before = self._seen
        self._settle(self._number)
        with transaction():
            keep()
            self._write(None, None)

    def _write(self, done: int | None, digest: str | None) -> None:
        values = {"done": done, "digest": digest, "run": utc_now()}
        if not Migration.update(**values).where(self._where).execute() and not Migration.get_or_none(self._where):
            Migration.create(**self._row, **values)


def _function(file: Path) -> Callable[[Tables], object]:
    """A file's function `migrate`."""
    with _told(file):
        function = runpy.run_path(str(file)).get("migrate")
    if not callable(function):
        raise MigrationError(f"{file.name} has no function migrate(tables)")
    return function  # type: ignore[no-any-return]


@contextmanager
def _told(file: Path, hint: str = "", handle: Tables | None = None) -> Iterator[None]:
    """Report whatever goes wrong in a migration with its file and line; what passes by itself passes on.

    :param hint: what to do, behind what the database says
    :param handle: knows the statement that the database refuses
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
    """The line of the file that failed; empty: none of it did."""
    if isinstance(error, SyntaxError):
        return [str(error.lineno)] if error.filename == str(file) else []
    frames = traceback.walk_tb(error.__traceback__)
    return [str(line) for frame, line in frames if frame.f_code.co_filename == str(file)][-1:]

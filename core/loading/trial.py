"""A process that imports module files, so that a file that ends, blocks or crashes it harms no server.

Before a server loads modules, the process also runs their pending migrations, for the same reason. It notes each file
before it imports it: if the process ends, that file is the cause. Python's `faulthandler` ends it when a file takes too
long.
"""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ..audit.protection import record
from ..common.settings import Settings, current_settings, settings
from ..schema.migration_tables import limit_migration
from ..schema.migrations import migrated
from ..schema.table import MigrationError
from ..storage.database import open_database
from .assembly import Loaded
from .importing import LoadError, close_to_imports, forget_all, join_folders
from .loader import Loader
from .manifest import in_order
from .module_files import ModuleFolder

#: seconds that the import of a file may take in a server
IMPORT_SECONDS = 5.0

#: how much longer the code of a migration may take between two statements: it may prepare many rows
_MIGRATION_FACTOR = 4
#: seconds after its time limit at which a file that the process hasn't ended is ended from outside
_PATIENCE = 5.0
#: the reason if the process ends while the database runs a statement of a migration
_IN_STATEMENT = "ended the process during a statement"
#: how a path is kept in a file, whatever its bytes and whatever a module makes of the locale
_TEXT: Any = {"encoding": "utf-8", "errors": "surrogateescape"}
_ALARMS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


class Refusal(NamedTuple):
    """Why a file is refused, and the line that ran then.

    :ivar is_late: it took too long, perhaps because the machine was busy
    :ivar state: the digest of its module
    :ivar due: when it is tried again (Unix seconds); 0: not before its module, or what is installed, changes
    :ivar pause: the pause before that, in seconds
    """

    reason: str
    line: int | None
    is_late: bool = False
    state: str = ""
    due: float = 0.0
    pause: float = 0.0


class ImportsFailed(Exception):
    """The process ended again and again, and no file was being imported."""


class _Task(NamedTuple):
    """The task of a process; `try_imports` explains the parameters."""

    settings: Settings | None
    folders: tuple[Path, ...]
    found: list[ModuleFolder]
    chosen: list[ModuleFolder]
    seconds: float
    refused: Mapping[str, Refusal]
    collect: Callable[[Loader, list[Loaded]], Any] | None

    def limit_of(self, file: str) -> float:
        return self.seconds * (_MIGRATION_FACTOR if _is_migration(file) else 1)


def try_imports(
    folders: tuple[Path, ...],
    found: list[ModuleFolder],
    chosen: list[ModuleFolder],
    seconds: float,
    *,
    refused: Mapping[str, Refusal] | None = None,
    ends: int = 2,
    collect: Callable[[Loader, list[Loaded]], Any] | None = None,
) -> tuple[dict[str, Refusal], Any]:
    """Import modules in another process, without the files that end it; return these files and what it collected.

    :param folders: the module folders, with all modules `found` there
    :param chosen: the modules to import
    :param seconds: how long the import of a file may take
    :param refused: files that aren't imported
    :param ends: how many processes must end at a file, since one may end for another reason
    :param collect: a function that can be pickled, as can its result. None: the process runs pending migrations, and
        the result is a line about each
    :raises ImportsFailed: the process ends, and no file is being imported
    """
    refusals = dict(refused or {})
    ended: Counter[str] = Counter()
    while True:
        task = _Task(current_settings.value, folders, found, chosen, seconds, refusals, collect)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            code = _run(task, place)
            with suppress(FileNotFoundError):
                return refusals, pickle.loads((place / "result").read_bytes())
            printed = (place / "printed").read_text(errors="replace")
            file, _, harm = (place / "note").read_text(**_TEXT).partition("\0")
        ended[file] += 1
        refusal = _refusal(task, file, harm, code, printed)
        # A file that took too long is tried again later
        if ended[file] >= ends or refusal.is_late:
            if not file:
                raise ImportsFailed(f"a process ended without importing a file\n{printed or refusal.reason}")
            refusals[file] = refusal


def _run(task: _Task, place: Path) -> int:
    """Run the process until it ends; return its exit code.

    :param place: a folder for its files
    """
    (place / "note").touch()
    with (place / "printed").open("wb") as printed:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"import {__name__} as trial; trial.main({str(place)!r})"],
            stdin=subprocess.PIPE,
            stdout=printed,
            stderr=printed,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(each or os.getcwd() for each in sys.path)},
            # Ctrl-C is for the server
            process_group=0,
        )
    assert process.stdin is not None
    try:
        with suppress(BrokenPipeError), process.stdin:
            process.stdin.write(pickle.dumps(task))
        noted = ""
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE + task.seconds * _MIGRATION_FACTOR)
            before, noted = noted, (place / "note").read_text(**_TEXT)
            if noted == before and noted.endswith("\0") and len(noted) > 1:
                # The file has stopped the process, or its own time limit
                break
    finally:
        # With all processes that it has started
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):
                kill(process.pid, signal.SIGKILL)
    return process.wait()


def _refusal(task: _Task, file: str, harm: str, code: int, printed: str) -> Refusal:
    """Return why a file is refused at which the process has ended."""
    is_late = not harm and re.search(r"^Timeout \(\d+:\d\d:\d\d", printed, re.MULTILINE) is not None
    if is_late:
        harm = f"took more than {task.limit_of(file):g} seconds"
    elif code < 0:
        harm = f"crashed the process ({signal.Signals(-code).name})"
    line = re.search(rf'^  File "{re.escape(file)}", line (\d+)', printed, re.MULTILINE)
    doing = "running the migration" if _is_migration(file) else "importing the file"
    reason = f"{doing} {harm or f'ended the process (os._exit({code}) or similar)'}"
    return Refusal(reason, int(line[1]) if line else None, is_late)


def _is_migration(file: str) -> bool:
    return Path(file).parent.name == "migrations"


@contextmanager
def as_migration_error(file: Path) -> Iterator[None]:
    """Report a file that is refused as a migration that fails: nothing of its module may use the tables."""
    try:
        yield
    except LoadError as error:
        place = f"{file.name}:{error.line}" if error.line else file.name
        raise MigrationError(f"{place}: {error}") from error


# In the process -------------------------------------------------------------------------------------------------------


def main(place: str) -> NoReturn:
    """Do the task that is read from standard input.

    :param place: the folder for the process's files
    """
    task: _Task = pickle.load(sys.stdin.buffer)
    imports = _Imports(task, Path(place))
    try:
        imports.run()
    except BaseException as error:  # noqa: BLE001 - the parent must learn of every error
        imports.note(imports.file, f"raised {type(error).__name__}")
        os.write(2, traceback.format_exc().encode())
    finally:
        # Threads that a file has started, and what it wants done at the end, stay undone
        os._exit(0)


class _Imports:
    """The files that the process imports, one after the other."""

    def __init__(self, task: _Task, place: Path) -> None:
        self._task = task
        self._place = place
        self._parent = os.getppid()
        #: the file that is being imported; empty: none
        self.file = ""

    def run(self) -> None:
        task = self._task
        # A worker blocks some while it starts
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.enable(2, all_threads=False)
        logging.disable()
        gc.disable()
        self._before = _surroundings()
        current_settings.value = task.settings
        limit_migration.value = self._limit_migration
        if task.collect is None:
            open_database(settings().database)
            # The audit trail notes what a migration changes
            record()
        forget_all()
        join_folders(task.folders)
        close_to_imports(name for folder in task.found for name in folder.closed)
        loader = Loader(task.folders, before_import=self._before_import, tables=False if task.collect else None)
        ordered, wrong = in_order(task.found)
        chosen = {each.path for each in task.chosen}
        loaded = [loader.load_folder(each, wrong.get(each.path)) for each in ordered if each.path in chosen]
        self._after_import()
        result = task.collect(loader, loaded) if task.collect else migrated
        part = self._place / "part"
        part.write_bytes(pickle.dumps(result))
        part.rename(self._place / "result")

    def _before_import(self, file: Path) -> None:
        self._after_import()
        if refusal := self._task.refused.get(str(file)):
            raise LoadError(refusal.reason, refusal.line)
        self.note(str(file))

    def _after_import(self) -> None:
        if self.file and (harm := self._harm()):
            self.note(self.file, harm)
            os._exit(1)
        self.note("")

    def _limit_migration(self, file: Path | None) -> None:
        if file is None:
            self.note(self.file, _IN_STATEMENT)
        elif self.file == str(file):
            self.note(self.file)
        else:
            with as_migration_error(file):
                self._before_import(file)

    def note(self, file: str, harm: str = "") -> None:
        """Note the file that is being imported, and begin its time unless `harm` is set."""
        try:
            if os.getppid() != self._parent:
                os._exit(1)
            self.file = file
            (self._place / "note").write_text(f"{file}\0{harm}", **_TEXT)
            faulthandler.cancel_dump_traceback_later()
            if file and not harm:
                faulthandler.dump_traceback_later(self._task.limit_of(file), exit=True, file=2)
        except BaseException:  # noqa: BLE001 - a file that isn't noted must not count as tried
            os._exit(1)

    def _harm(self) -> str:
        """Return what the import of a file has done to this process that a server wouldn't survive."""
        try:
            files, folder = _surroundings()
        except OSError:
            files, folder = [], self._before[1]
        if files != self._before[0] or any(each.closed for each in (sys.stdin, sys.stdout, sys.stderr) if each):
            return "closes files that it didn't open"
        if any(signal.getitimer(alarm)[0] for alarm in _ALARMS):
            return "sets an alarm that would end the process"
        return "" if folder == self._before[1] else "changes the working directory"


def _surroundings() -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Return what the standard files and the working directory are."""
    files = [(status.st_dev, status.st_ino) for status in map(os.fstat, range(3))]
    folder = os.stat(".")
    return files, (folder.st_dev, folder.st_ino)

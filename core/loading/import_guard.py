"""The import guard: a child process imports changed modules before a process that serves does.

A file may end, block or crash the process that imports it. Here that is a child of this process, which then refuses the
file until it changes, or a module that it imports. If the parent ends together with the child, by Ctrl-C or for want of
memory, no file is refused. The child also runs pending migrations, for the same reason.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import gc
import hashlib
import json
import logging
import mmap
import os
import pickle
import platform
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ..audit.protection import record
from ..common.runtime import Runtime, active
from ..common.settings import settings
from ..schema.migrations import MigrationError
from ..storage.database import close, open_database
from ..version import VERSION
from .assembly import Loaded
from .folders import Look, fingerprint
from .importing import LoadError, close_to_imports, forget_all, imported_modules, join_folders
from .loader import Loader
from .module_files import ModuleFolder

#: seconds that the import of a file may take in a server
IMPORT_SECONDS = 5.0

#: how much longer the code of a migration may take between two statements: it may prepare many rows
_MIGRATION_FACTOR = 4
#: the reason if a process ends while the database runs a statement of a migration
_IN_STATEMENT = "ended the process during a statement"
#: seconds between two looks at a child
_PAUSE = 0.002
#: maximum number of trials if files change during a trial
_ROUNDS = 4
_ALARMS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_log = logging.getLogger("comptoir.tables")
#: loads modules; its argument is called before each import
_Load = Callable[[Callable[[Path], None]], list[Loaded]]


class Refusal(NamedTuple):
    """Why a file is refused, the line of the file that ran then, and the traceback."""

    reason: str
    line: int | None
    trace: str


class ImportsFailed(Exception):
    """The child process ended again and again, and no file was being imported."""


class ImportGuard:
    """Has each state of the modules tried by one process, and refuses files for all of them.

    :param folder: holds the record of what was tried, and the lock
    :param seconds: how long the import of a file may take
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._seconds = seconds
        self._record = _Record("", {}, {})

    def ensure_allowed(self, file: Path) -> None:
        """Check that a file of the state that was settled may be imported.

        :raises LoadError: the file ended or blocked the process that imported it
        """
        if refusal := self._record.refused.get(str(file)):
            reason = f"{refusal.reason}; the file is not loaded again until a file of its module changes"
            raise LoadError(reason, refusal.line, refusal.trace)

    def ensure_migration_allowed(self, file: Path | None) -> None:
        """Check that a migration may be run.

        :raises MigrationError: it ended or blocked the process that ran it
        """
        if file is not None:
            with _as_migration_error(file):
                self.ensure_allowed(file)

    def knows(self, found: Iterable[ModuleFolder]) -> bool:
        """Return whether modules were tried in this very state."""
        state = _digest(found)
        if self._record.state != state:
            self._record = _read(self._folder / "tried.json")
        return self._record.state == state

    def settle(self, loader: Loader) -> Look | None:
        """Have what has changed in its folders tried, and return what was tried; None if files change all the time."""
        for _ in range(_ROUNDS):
            looked = loader.look()
            if self.knows(looked[0]):
                return looked
            with self._locked():
                # Another process may have tried this state in the meantime
                if not self.knows(looked[0]):
                    self._try(loader.folders, looked[0])
        return None

    def record(self, found: list[ModuleFolder], states: dict[str, str], refused: dict[str, Refusal]) -> None:
        """Note that all modules were tried. If that can't be written, each process tries them for itself."""
        self._record = _Record(_digest(found), states, refused)
        part = self._folder / f"tried.{os.getpid()}"
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(self._record))
            part.replace(self._folder / "tried.json")

    def _try(self, folders: tuple[Path, ...], found: list[ModuleFolder]) -> None:
        known, states = self._record, module_states(found)
        changed = {path for path, state in states.items() if known.states.get(path) != state}
        chosen = [each for each in found if str(each.path) in changed]
        others = tuple(f"{path}/" for path in states.keys() - changed)
        refused = {file: refusal for file, refusal in known.refused.items() if file.startswith(others)}
        if chosen:
            run = try_imports if threading.active_count() == 1 else _try_in_new_process
            # A connection must not be shared with a child
            close()
            newly, migrated = run(folders, found, chosen, self._seconds)
            refused |= newly
            for each in migrated:
                _log.info("%s", each)
        self.record(found, states, refused)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                fcntl.flock(stack.enter_context((self._folder / "lock").open("w")), fcntl.LOCK_EX)
            yield


class _Record(NamedTuple):
    """The last trial: the state of all modules, that of each module by its path, and the refused files."""

    state: str
    states: dict[str, str]
    refused: dict[str, Refusal]


def _read(file: Path) -> _Record:
    try:
        state, states, refused = json.loads(file.read_text())
        return _Record(str(state), dict(states), {file: Refusal(*each) for file, each in refused.items()})
    except (OSError, ValueError, TypeError, AttributeError):
        return _Record("", {}, {})


def environment() -> tuple[Any, ...]:
    """Return what an import depends on, apart from the module files: version, machine and installed packages."""
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages")) and os.path.isdir(path)]
    return VERSION, sys.version, platform.node(), [(path, os.stat(path).st_mtime_ns) for path in packages]


def module_states(found: list[ModuleFolder]) -> dict[str, str]:
    """Return a digest for the path of each module: of its files, and of those of the modules that it needs.

    Modules that can't be read have none.
    """
    found = [each for each in found if not each.lost]
    named = {folder.name: folder for folder in reversed(found)}
    imports = {name: imported_modules(folder) & named.keys() for name, folder in named.items()}
    states = {}
    for folder in found:
        needed, pending = {folder.name: folder}, [folder.name]
        while pending:
            more = imports[pending.pop()] - needed.keys()
            needed |= {name: named[name] for name in more}
            pending += more
        states[str(folder.path)] = _digest(needed.values())
    return states


def _digest(folders: Iterable[ModuleFolder]) -> str:
    # Those that can't be read aren't imported
    seen = repr((environment(), sorted(fingerprint(each for each in folders if not each.lost).items())))
    return hashlib.sha256(seen.encode(errors="surrogatepass")).hexdigest()


def try_imports(
    folders: tuple[Path, ...],
    found: list[ModuleFolder],
    chosen: list[ModuleFolder],
    seconds: float,
    *,
    ends: int = 2,
    collect: Callable[[list[Loaded]], Any] | None = None,
    progress: Callable[[str], None] = lambda file: None,
) -> tuple[dict[str, Refusal], Any]:
    """Import modules in a child process, without the files that end it; return these files and what it collected.

    The calling process must have one thread.

    :param folders: the module folders, with all modules `found` there
    :param chosen: the modules to import
    :param seconds: how long the import of a file may take
    :param ends: how many child processes must end at a file, since one may end for another reason
    :param collect: called in the child; returns something that can be pickled. None: the child runs pending migrations,
        and what it collects is a line about each
    :param progress: called with each file that is being imported, as far as this process sees it
    :raises ImportsFailed: children end, and no file is being imported
    """
    refused: dict[str, Refusal] = {}
    ended: Counter[str] = Counter()
    pending = chosen

    def load(before_import: Callable[[Path], None]) -> list[Loaded]:
        forget_all()
        join_folders(folders)
        close_to_imports(name for folder in found for name in folder.closed)
        loader = Loader(folders, before_import=before_import, tables=False if collect else None)
        return [loader.load_folder(each) for each in pending]

    while True:
        child = _Child(seconds, refused, progress)
        if collected := child.run(load, collect if pending == chosen else None):
            if collect is None or pending == chosen:
                return refused, pickle.loads(collected)
            pending = chosen
            continue
        file, refusal = child.refuse(folders)
        # The modules before this one have come through
        pending = pending[next((n for n, each in enumerate(pending) if Path(file).is_relative_to(each.path)), 0) :]
        ended[file] += 1
        # A migration that blocks may hold the lock of the database
        if ended[file] < ends and not (child.is_late and _is_migration(file)):
            continue
        if not file:
            raise ImportsFailed(f"a child process ended without importing a file\n{child.printed or refusal.reason}")
        refused[file] = refusal


def _try_in_new_process(*arguments: Any) -> tuple[dict[str, Refusal], list[str]]:
    """Call `try_imports` in a new interpreter: a process with several threads can't be forked."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import {__name__} as guard; guard.serve_parent()"],
        input=pickle.dumps((os.getpid(), settings(), active.runtime.loads_drafts, arguments)),
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        # Ctrl-C is for the server
        process_group=0,
        check=True,
    )
    refused, migrated = json.loads(done.stdout)
    return {file: Refusal(*each) for file, each in refused.items()}, migrated


def serve_parent() -> None:
    """Read the arguments of `try_imports` from standard input, and write its results to standard output."""
    # A worker blocks some while it starts
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    parent, configuration, loads_drafts, arguments = pickle.load(sys.stdin.buffer)
    _end_with(parent)
    active.runtime = Runtime(configuration)
    active.runtime.loads_drafts = loads_drafts
    open_database(configuration.database)
    # The audit trail notes what a migration changes
    record()
    json.dump(try_imports(*arguments), sys.stdout)


def _end_with(parent: int) -> None:
    """Let the system end this process when its parent ends (`PR_SET_PDEATHSIG`), or end it if that has happened."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


@contextlib.contextmanager
def _as_migration_error(file: Path) -> Iterator[None]:
    """Report a file that is refused as a migration that fails: nothing of its module may use the tables."""
    try:
        yield
    except LoadError as error:
        place = f"{file.name}:{error.line}" if error.line else file.name
        raise MigrationError(f"{place}: {error}") from error


class _Child:
    """A process that imports modules; its parent sees which file, and whether that breaks the process.

    :param seconds: how long the import of a file may take
    :param refused: files that are not imported
    :param progress: called with each file that is being imported
    """

    def __init__(self, seconds: float, refused: Mapping[str, Refusal], progress: Callable[[str], None]) -> None:
        self._seconds = seconds
        self._refused = refused
        self._progress = progress
        self._parent = os.getpid()
        #: the file that the child has noted last, and how many notes it has made
        self._said, self._number = "", 0
        # Shared by the two: that file, what it has done to the process, and that number
        self._memory = mmap.mmap(-1, 16384)
        self.printed = ""

    # In the parent

    def run(self, load: _Load, collect: Callable[[list[Loaded]], Any] | None) -> bytes:
        """Return what the child collects of what it loads, pickled; nothing if the child ends before."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as result:
            process = os.fork()
            if not process:
                self._run(load, collect, output.fileno(), result.fileno())
            try:
                self.is_late = self._wait(process)
            finally:
                # With all processes that it has started
                for kill in (os.killpg, os.kill):
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        kill(process, signal.SIGKILL)
                _, self._status = os.waitpid(process, 0)
            output.seek(0)
            result.seek(0)
            self.printed = output.read().decode(errors="replace")
            return result.read()

    def _wait(self, process: int) -> bool:
        """Wait until the process ends, and end it if a file takes too long; return whether that was necessary."""
        seen, since, aborted = self._note(), time.monotonic(), 0.0
        while os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            now = time.monotonic()
            if seen != (noted := self._note()):
                seen, since = noted, now
                self._progress(seen[0])
            if aborted and now - aborted > 1:
                # The file has changed how the signal is handled
                break
            if not aborted and seen[0] and not seen[1] and now - since > _limit_of(seen[0], self._seconds):
                # The child then prints its traceback
                aborted = now
                os.kill(process, signal.SIGABRT)
            time.sleep(_PAUSE)
        return bool(aborted)

    def refuse(self, folders: tuple[Path, ...]) -> tuple[str, Refusal]:
        """Return the file at which the process ended, or an empty text, and why it is refused."""
        file, harm, _ = self._note()
        code = os.waitstatus_to_exitcode(self._status)
        if self.is_late:
            harm = f"took more than {_limit_of(file, self._seconds):g} seconds"
        elif code < 0:
            harm = f"crashed the process ({signal.Signals(-code).name})"
        line = re.search(rf'^  File "{re.escape(file)}", line (\d+)', self.printed, re.MULTILINE)
        doing = "running the migration" if _is_migration(file) else "importing the file"
        reason = f"{doing} {harm or f'ended the process (os._exit({code}) or similar)'}"
        return file, Refusal(reason, int(line[1]) if line else None, _authors_lines(self.printed, folders))

    def _note(self) -> tuple[str, str, str]:
        file, harm, number, _ = self._memory[:].decode(errors="surrogateescape").split("\0", 3)
        return file, harm, number

    # In the child

    def _run(self, load: _Load, collect: Callable[[list[Loaded]], Any] | None, output: int, result: int) -> NoReturn:
        try:
            _end_with(self._parent)
            # A signal to the group of the server doesn't reach this process, nor one to its own group the server
            os.setpgid(0, 0)
            for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), output, output, result)):
                os.dup2(file, number)
            # No socket or lock of the parent outlives it
            os.closerange(4, 65536)
            self._before = _surroundings()
            faulthandler.enable(2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            logging.disable()
            gc.disable()
            active.runtime.limit_migration = self._limit_migration
            loaded = load(self._before_import)
            self._after_import()
            collected = pickle.dumps(collect(loaded) if collect else active.runtime.migrated)
            self._after_import()
            with open(3, "wb") as opened:
                opened.write(collected)
        except BaseException as error:  # noqa: BLE001 - the parent must learn of every error
            self._say(self._said, f"raised {type(error).__name__}")
            os.write(2, traceback.format_exc().encode())
        finally:
            # Threads that a file has started, and what it wants done at the end, stay undone
            os._exit(0)

    def _before_import(self, file: Path) -> None:
        self._after_import()
        if refusal := self._refused.get(str(file)):
            raise LoadError(*refusal)
        self._say(str(file))

    def _limit_migration(self, file: Path | None) -> None:
        if file is None:
            self._say(self._said, _IN_STATEMENT)
        elif self._said == str(file):
            self._say(self._said)
        else:
            with _as_migration_error(file):
                self._before_import(file)

    def _after_import(self) -> None:
        file = self._said
        if file and (harm := self._harm()):
            self._say(file, harm)
            os._exit(1)
        self._say("")

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

    def _say(self, file: str, harm: str = "") -> None:
        self._said, self._number = file, self._number + 1
        text = f"{file}\0{harm}\0{self._number}\0".encode(errors="surrogateescape")
        self._memory[: len(text)] = text


def _is_migration(file: str) -> bool:
    return Path(file).parent.name == "migrations"


def _limit_of(file: str, seconds: float) -> float:
    return seconds * _MIGRATION_FACTOR if _is_migration(file) else seconds


def _surroundings() -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Return what the first four file descriptors and the working directory are."""
    files = [(status.st_dev, status.st_ino) for status in map(os.fstat, range(4))]
    folder = os.stat(".")
    return files, (folder.st_dev, folder.st_ino)


def _authors_lines(printed: str, folders: tuple[Path, ...]) -> str:
    """Return the lines of a traceback up to the last one in a module; empty if no line is in a module."""
    frames = [line for line in printed.splitlines() if line.startswith("  File ")]
    own = [
        number for number, line in enumerate(frames) if line.startswith(tuple(f'  File "{each}/' for each in folders))
    ]
    return "\n".join(["Most recent call first:", *frames[: own[-1] + 1], ""]) if own else ""

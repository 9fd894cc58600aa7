"""The import guard: another process imports changed outside modules before a process that serves does.

A file may end, block or crash the process that imports it (`trial.py`). It is then refused until a file of its module
changes; a file that took too long is tried again, after growing pauses. The process also runs pending migrations, for
the same reason. One process has each state of the folders tried for all. `wsgi.build` has the loader ask the guard.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..storage.database import close
from ..version import VERSION
from .folders import Look, fingerprint
from .importing import LoadError
from .loader import Loader
from .module_files import ModuleFolder
from .trial import Refusal, as_migration_error, try_imports

#: maximum number of trials if files change during a trial
_ROUNDS = 4
#: seconds after which a file that took too long is tried again: the first pause, which then doubles, and the maximum
_FIRST_PAUSE, _MAX_PAUSE = 5.0, 300.0
#: the folder of these files, below that of the installation's data
TRIALS_FOLDER = "importing"
#: the file with the state of the native modules
_NATIVES = "natives.json"
_log = logging.getLogger("comptoir.tables")


class ImportGuard:
    """Lets one process try each state of the outside modules; all processes then refuse the same files.

    :param folder: holds the record of what was tried, and the lock
    :param seconds: how long the import of a file may take
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._seconds = seconds
        #: the state of each outside module that was tried, by path, and the refused files
        self._states: dict[str, str] = {}
        self._refused: dict[str, Refusal] = {}

    def ensure_allowed(self, file: Path) -> None:
        """Check that a file of the state that was settled may be imported.

        :raises LoadError: the file ended or blocked the process that imported it
        """
        if refused := self._refused.get(str(file)):
            again = "tried again after a pause, or when" if refused.is_late else "not loaded again until"
            raise LoadError(f"{refused.reason}; the file is {again} a file of its module changes", refused.line)

    def ensure_migration_allowed(self, file: Path | None) -> None:
        """Check that a migration may be run.

        :raises MigrationError: it ended or blocked the process that ran it
        """
        if file is not None:
            with as_migration_error(file):
                self.ensure_allowed(file)

    def knows(self, found: Iterable[ModuleFolder]) -> bool:
        """Return whether modules were tried in this very state, and none is due to be tried again."""
        states = _states(found)
        if self._states != states or self.is_due():
            self._read()
        return self._states == states and not self.is_due()

    def is_newer(self, found: Iterable[ModuleFolder]) -> bool:
        """Return whether the last process that tried modules had others in the folders that can't be read now."""
        self._read()
        lost = [each for each in found if each.lost]
        folders = {str(each.path.parent) for each in lost}
        tried = {path: state for path, state in self._states.items() if str(Path(path).parent) in folders}
        return bool(self._states) and tried != _states(lost)

    def is_due(self) -> bool:
        """Return whether a file that took too long is to be tried again."""
        return any(0 < each.due <= time.time() for each in self._refused.values())

    def settle(self, loader: Loader) -> Look | None:
        """Try the outside modules if they have changed; return what was tried, or None if files keep changing."""
        for _ in range(_ROUNDS):
            looked = loader.look()
            if self.knows(looked[0]):
                return looked
            with self._locked():
                # Another process may have tried this state in the meantime
                if not self.knows(looked[0]):
                    self._try(loader.folders, looked[0])
        return None

    def record(self, found: Iterable[ModuleFolder], refused: dict[str, Refusal]) -> None:
        """Note that all modules were tried."""
        self._states, self._refused = _states(found), refused
        part = self._made_folder() / f"tried.{os.getpid()}"
        with contextlib.suppress(OSError):
            part.write_text(json.dumps([self._states, self._refused]))
            part.replace(self._folder / "tried.json")

    def note_natives(self, found: Iterable[ModuleFolder]) -> None:
        """Note the files of the native modules that a server has loaded, for `comptoir check`."""
        with contextlib.suppress(OSError):
            (self._made_folder() / _NATIVES).write_text(json.dumps(_natives(found)))

    def _read(self) -> None:
        try:
            states, refused = json.loads((self._folder / "tried.json").read_text())
            self._states, self._refused = dict(states), {file: Refusal(*each) for file, each in refused.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            self._states, self._refused = {}, {}

    def _try(self, folders: tuple[Path, ...], found: list[ModuleFolder]) -> None:
        # A module that can't be read isn't imported again
        chosen = [each for each in found if not each.is_native and not each.lost]
        states = _states(found)
        module_of = {file: str(each.path) for each in found for file in each.prints}
        before = {
            file: each for file, each in self._refused.items() if states.get(module_of.get(file, "")) == each.state
        }
        known = {file: each for file, each in before.items() if not 0 < each.due <= time.time()}
        if chosen:
            # A lock of this process would stop the migrations
            close()
            tried, migrated = try_imports(folders, found, chosen, self._seconds, refused=known)
            for file in tried.keys() - known.keys():
                pause = 0.0
                if tried[file].is_late:
                    pause = min(before[file].pause * 2 if file in before else _FIRST_PAUSE, _MAX_PAUSE)
                due = pause and time.time() + pause
                known[file] = tried[file]._replace(state=states.get(module_of.get(file, ""), ""), due=due, pause=pause)
            for each in migrated:
                _log.info("%s", each)
        self.record(found, known)

    def _made_folder(self) -> Path:
        """Return the folder. If it can't be made, each process tries the modules for itself."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):
                fcntl.flock(stack.enter_context((self._made_folder() / "lock").open("w")), fcntl.LOCK_EX)
            yield


def changed_natives(folder: Path, found: Iterable[ModuleFolder]) -> list[str]:
    """Return the native modules whose files have changed since a server loaded them.

    :param folder: as in `ImportGuard`
    """
    try:
        loaded = json.loads((folder / _NATIVES).read_text())
    except (OSError, ValueError):
        return []
    return [Path(path).name for path, state in _natives(found).items() if loaded.get(path, state) != state]


def _natives(found: Iterable[ModuleFolder]) -> dict[str, str]:
    # By path: another release may look into the same folder of data
    return {str(each.path): _hash(each.prints) for each in found if each.is_native and not each.lost}


def environment() -> tuple[Any, ...]:
    """Return what an import depends on, apart from the module files: version, machine and installed packages."""
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages")) and os.path.isdir(path)]
    return VERSION, sys.version, platform.node(), [(path, os.stat(path).st_mtime_ns) for path in packages]


def _states(found: Iterable[ModuleFolder]) -> dict[str, str]:
    """Return the state of each outside module and of its environment, by path.

    A module that can't be read has the state that was loaded.
    """
    present = environment()
    outside = (replace(each, lost="") for each in found if not each.is_native)
    return {str(each.path): _hash({**fingerprint([each]), "environment": present}) for each in outside}


def _hash(seen: Mapping[str, object]) -> str:
    return hashlib.sha256(repr(sorted(seen.items())).encode(errors="surrogatepass")).hexdigest()

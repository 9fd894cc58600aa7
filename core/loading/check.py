"""Loading every module file in another process, with a limit of time.

All are loaded by one process, as a server loads them; where that does not come back, each is loaded by a process of
its own, so that a file that hangs, ends its process or crashes it costs that file alone. What files give travels back
as the server itself would see it, and is put together by the function that the server uses. No database is changed.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import pickle
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from ..common.settings import settings
from ..contract.catalogue import Catalogue, Failure, Operation, Service
from ..schema.plan import rejected_modules
from ..storage.database import ensure_connected
from ..storage.opening import open_database
from .assembly import Loaded, assemble
from .failures import read_methods
from .folders import look
from .importing import forget_all, join_folders
from .loader import Loader
from .module_files import ModuleFolder
from .scout import ending_of, kill_group

#: seconds a file may take
LIMIT = 10.0

_PAUSE = 0.005


def examine(
    folders: Iterable[Path],
    *,
    wanted: Callable[[ModuleFolder], bool] = lambda folder: True,
    seconds: float = LIMIT,
    drafts: bool = False,
    asks: bool = False,
    progress: Callable[[int, int], None] = lambda done, all: None,
) -> Catalogue:
    """The catalogue of what lies in the folders, made without importing anything into this process.

    :param wanted: which modules are loaded
    :param seconds: how long a file may take
    :param drafts: also modules that are not to be served yet
    :param asks: ask the database, too: a module that a server refuses because of its tables has failed
    :param progress: told how many files of how many are done
    """
    folders = tuple(folders)
    found, skipped = look(folders, drafts=drafts)
    left_out = [folder for folder in found if not wanted(folder)]
    found = [folder for folder in found if wanted(folder)]
    tried = [_Trial(found, seconds, asks)]
    _run(tried, folders)
    if tried[0].died:
        tried = [_Trial([part], seconds, asks) for folder in found for part in _parts(folder)]
        _run(tried, folders, progress)
    loaded = [part for each in tried for part in each.loaded]
    merged = [_merge(folder, [part for part in loaded if part.folder.path == folder.path]) for folder in found]
    refused = {module: reason for each in tried for module, reason in each.refused.items()}
    if refused:
        # Nothing of a module that is refused is imported
        merged = Loader(folders, tables=False).refuse(merged, refused)
    return assemble(1, merged, skipped, left_out)


def _parts(folder: ModuleFolder) -> list[ModuleFolder]:
    """A module with each of its API files alone; whole where it has none, for its other files' sake."""
    if folder.refused or not folder.api_files:
        return [folder]
    return [replace(folder, api_files=(file,)) for file in folder.api_files]


def _merge(folder: ModuleFolder, parts: list[Loaded]) -> Loaded:
    """What the files of a module gave, as one; a module's events fail once, however many files it has."""
    failures = {failure.file: failure for part in parts for failure in part.failures}
    services = [service for part in parts for service in part.services]
    handlers: dict[str, list[Callable[..., object]]] = {name: [_heard] for part in parts for name in part.handlers}
    templates = {each.file: each for part in parts for each in part.templates}
    texts = {each.file: each for part in parts for each in part.texts}
    points = {name: None for part in parts for name in part.points}
    jobs = {name: None for part in parts for name in part.jobs}
    files = list({file: None for part in parts for file in part.files})
    return Loaded(
        folder,
        {name for part in parts for name in part.imports},
        services=services,
        failures=list(failures.values()),
        templates=list(templates.values()),
        texts=list(texts.values()),
        handlers=handlers,
        points=points,
        jobs=jobs,
        files=files,
        patched={name for part in parts for name in part.patched},
    )


def _heard(record: object) -> None:
    """Stands for an event handler, which stays in the process that imported it."""


@dataclass
class _Trial:
    """Modules, with the API files that are loaded of each."""

    folders: list[ModuleFolder]
    seconds: float
    #: whether the database is asked for the tables of their models
    asks: bool = False

    def __post_init__(self) -> None:
        #: what they gave
        self.loaded: list[Loaded] = []
        #: whether the process has not come back
        self.died = False
        #: module → why it is refused
        self.refused: dict[str, str] = {}

    def start(self, folders: tuple[Path, ...], scratch: Path) -> None:
        """Load them in a child of this process."""
        self.scratch = scratch
        self.end = time.monotonic() + self.seconds + 1
        self.process = os.fork()
        if not self.process:
            _load(self, folders)

    def finish(self, status: int) -> None:
        """Read what the child left behind."""
        try:
            self.loaded = pickle.loads(self.scratch.with_suffix(".loaded").read_bytes())
        except OSError:
            self.died = True
            self.loaded = [Loaded(each, failures=[self._failure(each, status)]) for each in self.folders]
        told = self.scratch.with_suffix(".refused")
        self.refused = pickle.loads(told.read_bytes()) if told.exists() else {}

    @property
    def output(self) -> Path:
        """What the child printed."""
        return self.scratch.with_suffix(".output")

    def _failure(self, folder: ModuleFolder, status: int) -> Failure:
        printed = self.output.read_text(errors="replace") if self.output.exists() else ""
        is_late = "Timeout (" in printed or time.monotonic() > self.end
        reason = f"importing the file {f'took more than {self.seconds:g} seconds' if is_late else ending_of(status)}"
        trace = _authors_lines(printed, folder.path)
        if not folder.api_files:
            return Failure(folder.name, folder.name, folder.path, reason, trace, shadowed=True)
        file = folder.api_files[0]
        return Failure(file.service, folder.name, file.path, reason, trace, read_methods(file))


def _authors_lines(printed: str, folder: Path) -> str:
    """Where in its own module the process was when it ended; empty when that is not known."""
    lines = printed.splitlines()
    own = [number for number, line in enumerate(lines) if line.startswith(f'  File "{folder}/')]
    if not own:
        return ""
    frames = [line for line in lines[: own[-1] + 1] if line.startswith("  File ")]
    return "Most recent call first:\n" + "\n".join(frames) + "\n"


def _run(
    trials: list[_Trial], folders: tuple[Path, ...], progress: Callable[[int, int], None] = lambda done, all: None
) -> None:
    """Run the trials, as many at once as there are processors."""
    waiting = list(enumerate(trials))[::-1]
    running: list[_Trial] = []
    with tempfile.TemporaryDirectory(prefix="comptoir-check-") as scratch:
        try:
            while waiting or running:
                while waiting and len(running) < (os.cpu_count() or 1):
                    number, trial = waiting.pop()
                    trial.start(folders, Path(scratch) / str(number))
                    running.append(trial)
                for trial, status in _ended(running):
                    running.remove(trial)
                    trial.finish(status)
                    progress(len(trials) - len(waiting) - len(running), len(trials))
                time.sleep(_PAUSE)
        finally:
            for trial in running:
                kill_group(trial.process)
                os.waitpid(trial.process, 0)


def _ended(running: list[_Trial]) -> Iterator[tuple[_Trial, int]]:
    for trial in list(running):
        if time.monotonic() > trial.end:
            kill_group(trial.process)
        process, status = os.waitpid(trial.process, os.WNOHANG)
        if process:
            yield trial, status


# In the child --------------------------------------------------------------------------------------------------------


def _load(trial: _Trial, folders: tuple[Path, ...]) -> NoReturn:
    try:
        os.setpgid(0, 0)
        _redirect(trial.output)
        faulthandler.enable(2)
        faulthandler.dump_traceback_later(trial.seconds, exit=True, file=2)
        logging.disable()
        sys.dont_write_bytecode = True
        forget_all()
        join_folders(folders)
        loader = Loader(folders, tables=False)
        loaded = [loader.load_folder(each) for each in trial.folders]
        plain = [_plain_module(each) for each in loaded]
        unfinished = trial.scratch.with_suffix(".unfinished")
        unfinished.write_bytes(pickle.dumps(plain))
        faulthandler.cancel_dump_traceback_later()
        unfinished.rename(trial.scratch.with_suffix(".loaded"))
        if trial.asks and any(each.models for each in loaded):
            open_database(settings().database)
            ensure_connected()
            migrations = {each.name: each.path / "migrations" for each in trial.folders}
            models = [model for each in loaded for model in each.models]
            unfinished.write_bytes(pickle.dumps(rejected_modules(migrations, models)))
            unfinished.rename(trial.scratch.with_suffix(".refused"))
    except BaseException:  # noqa: BLE001 - this process has nobody to raise it to
        os.write(2, traceback.format_exc().encode())
    finally:
        # What the file has started, or left to be done at exit, does not concern the check
        os._exit(0)


def _redirect(output: Path) -> None:
    """Nothing to read, and whatever is printed goes to a file."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number, target in enumerate((nothing, written, written)):
        os.dup2(target, number)


def _plain_module(loaded: Loaded) -> Loaded:
    """A module without what cannot leave the process that made it."""
    return replace(
        loaded,
        services=[_plain(each) for each in loaded.services],
        models=[],
        templates=[replace(each, content=None) for each in loaded.templates],
        handlers={name: [_heard] for name in loaded.handlers},
        rules=[],
        points=dict.fromkeys(loaded.points),
        jobs=dict.fromkeys(loaded.jobs),
        key_tables={},
    )


def _plain(service: Service) -> Service:
    """A service without what only the process that made it can hold."""
    return replace(service, operations=tuple(_plain_operation(each) for each in service.operations), records=None)


def _plain_operation(operation: Operation) -> Operation:
    return replace(operation, inputs=(), answers=None, respond=_respond, entries=(), shape=None)


def _respond(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a read-only catalogue can't serve requests")

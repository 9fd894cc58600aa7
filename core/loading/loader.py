"""From the module folders to a catalogue; never raises.

Each file is imported inside a guard: whatever goes wrong becomes a `Failure` with its reason, and costs that file
alone. What did not change since the last catalogue is taken over as it is.
"""

from __future__ import annotations

import gc
import importlib
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from ..common.settings import NATIVE_MODULES
from ..contract.catalogue import Catalogue, Template, Texts
from ..records.key_tables import read_key_table
from ..schema.plan import changed_models
from ..schema.table import SchemaError
from ..schema.tables import ensure_tables, is_new_database
from ..storage.database_errors import is_temporary
from ..storage.model import Model, widest
from ..storage.model_options import wrong_option
from .assembly import Loaded, assemble
from .failures import failure_of, line_of_text, text_of
from .folders import ApiFile, Look, ModuleFolder, digest_of_prints, imported_modules, look, read_source
from .importing import LoadError, close_to_imports, forget, forget_all, import_file, join_folders
from .journal import Journal
from .known_files import KNOWN_FILES, read_or_blame
from .services import read_service
from .silent_operations import unguarded
from .texts import read_texts

_log = logging.getLogger("comptoir.loader")

#: what a file may raise while it is imported; SystemExit is one of them
GUARDED = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)


def show_nothing(done: int, total: int) -> None:
    """A progress that nobody follows."""


class Loader:
    """Makes catalogues; keeps what each module gave, for the next one.

    :param folders: the folders that hold modules; the native one first
    :param journal: notes what is being imported, so that a file that kills the process is passed over the next time
    :param tables: make the tables of the modules' models
    :param progress: told how many modules of how many have been loaded
    """

    def __init__(
        self,
        folders: Iterable[Path],
        journal: Journal | None = None,
        *,
        tables: bool = True,
        progress: Callable[[int, int], None] = show_nothing,
    ) -> None:
        self.folders = tuple(folders)
        self.journal = journal or Journal(None)
        self.tables = tables
        self.progress = progress
        self._loaded: dict[Path, Loaded] = {}
        #: the modules that lie in the folders now, and which others each of them imports
        self._found: dict[str, ModuleFolder] = {}
        self._imports: dict[Path, set[str]] = {}
        #: modules that failed because the database did not answer: tried again at the next look
        self.retries: set[Path] = set()
        self._number = 0
        #: the failures that this process has logged: file and reason
        self._logged: set[tuple[Path, str]] = set()
        #: what the modules were imported into
        self._package: ModuleType | None = None

    def take_over(self, other: Loader, folder: Path) -> None:
        """Begin with what another loader of this process made of a folder of modules, as if this were its next load.

        Importing all native modules takes a second, and tests start many servers. Nothing is taken over when somebody
        else has imported modules since, nor a module that failed.
        """
        if other._package is None or other._package is not sys.modules.get("modules"):
            return
        self._loaded = {
            path: loaded
            for path, loaded in other._loaded.items()
            if path.parent == folder and path not in other.retries and not loaded.failures
        }
        forget([loaded.folder for path, loaded in other._loaded.items() if path not in self._loaded])
        if self.tables:
            taken = self._loaded.values()
            ensure_tables(
                [model for loaded in taken for model in loaded.models],
                {loaded.folder.name: loaded.folder.path / "migrations" for loaded in taken},
            )

    @property
    def digest(self) -> str:
        """The state of the disk that was loaded last, in one word."""
        return digest_of_prints(loaded.folder for loaded in self._loaded.values())

    def load(self, looked: Look | None = None) -> Catalogue:
        """The catalogue of what lies in the folders.

        :param looked: what lies there; None: what lies there now
        """
        sys.dont_write_bytecode = True
        if not self._loaded:
            forget_all()
        self._package = join_folders(self.folders)
        found, skipped = looked or look(self.folders)
        old = self._loaded
        stale = _stale(found, old, self.retries | self._mismatched(old))
        self.retries = set()
        there = {folder.path for folder in found}
        forget([loaded.folder for path, loaded in old.items() if path in stale or path not in there])
        self._loaded = {}
        self._found = {folder.name: folder for folder in reversed(found)}
        self._imports = {path: loaded.imports for path, loaded in old.items() if path not in stale}
        self.journal.begin()
        # What is made now stays, and having the collector look through it again and again costs a fifth of the time
        gc.disable()
        try:
            self._load_folders(found, old, stale)
        finally:
            gc.enable()
        self.journal.end()
        self._number += 1
        made = assemble(self._number, list(self._loaded.values()), skipped)
        self._log_failures(made)
        if old:
            gc.collect()
        return made

    def _log_failures(self, made: Catalogue) -> None:
        """Log each failure once, as long as it stays the same."""
        failures = {(each.file, each.reason): each.line for each in made.failures}
        for (file, reason), line in failures.items():
            if (file, reason) not in self._logged:
                place = f"{file}:{line}" if line else file
                _log.warning("%s can't be loaded: %s", place, " ".join(reason.split()))
        self._logged = set(failures)

    def _load_folders(self, found: list[ModuleFolder], old: dict[Path, Loaded], stale: set[Path]) -> None:
        close_to_imports(folder.name for folder in found if folder.refused and not folder.is_second)
        self.progress(0, len(found))
        if self.tables and not old:
            self._make_first_tables(found)
        for done, folder in enumerate(found, 1):
            kept = old.get(folder.path)
            if kept is not None and folder.path not in stale:
                self._loaded[folder.path] = kept
            else:
                self._loaded[folder.path] = self.load_folder(folder)
            self.progress(done, len(found))
        self._spread_mismatches()

    def _make_first_tables(self, found: list[ModuleFolder]) -> None:
        """Make the tables of all native modules of a new database at once, which is much faster than one by one."""
        # An error occurs again when its module is loaded, and is that module's failure
        with suppress(*GUARDED):
            if not is_new_database():
                return
            natives = [Loaded(folder) for folder in found if folder.path.parent == NATIVE_MODULES]
            for loaded in natives:
                self._import_models(loaded)
            models = [model for loaded in natives for model in loaded.models]
            ensure_tables(models, {each.folder.name: each.folder.path / "migrations" for each in natives})

    def _mismatched(self, old: dict[Path, Loaded]) -> set[Path]:
        """The modules whose tables were not what their models say, or are not any more."""
        if not self.tables or not old:
            return set()
        changed = set(changed_models(widest(model for loaded in old.values() for model in loaded.models)))
        return {path for path, loaded in old.items() if loaded.mismatch or changed & set(loaded.models)}

    def refuse(self, modules: Iterable[Loaded], reasons: Mapping[str, str]) -> list[Loaded]:
        """What a server makes of loaded modules, some of which it refuses, with all that needs them.

        :param reasons: module → why its tables are not what its models say
        """
        self._loaded = {
            each.folder.path: self.load_folder(each.folder, SchemaError(reasons[each.folder.name]))
            if each.folder.name in reasons
            else each
            for each in modules
        }
        self._spread_mismatches()
        return list(self._loaded.values())

    def _spread_mismatches(self) -> None:
        """Serve nothing that needs the models of a module whose tables are not what they say."""
        mismatches = {path.name: loaded.mismatch for path, loaded in self._loaded.items() if loaded.mismatch}
        more = True
        while mismatches and more:
            more = False
            for path, loaded in list(self._loaded.items()):
                needed = sorted(loaded.imports & mismatches.keys())
                if needed and path.name not in mismatches:
                    reason = f"the module needs {needed[0]}, which can't be loaded: {mismatches[needed[0]]}"
                    self._loaded[path] = self.load_folder(loaded.folder, SchemaError(reason))
                    mismatches[path.name] = mismatches[needed[0]]
                    more = True

    def load_folder(self, folder: ModuleFolder, error: BaseException | None = None) -> Loaded:
        """What one module folder gives.

        :param error: why nothing of it may be used
        """
        loaded = Loaded(folder, self._imports_of(folder))
        closed: BaseException | None = LoadError(folder.refused) if folder.refused else error
        broken = closed or self._load_models(folder, loaded)
        if isinstance(broken, SchemaError):
            closed, loaded.mismatch = broken, str(broken)
        for api in folder.api_files:
            with self._apart(loaded, api.path, api):
                self._begin(folder, api.path, broken)
                self._load_service(loaded, api)
        for known in KNOWN_FILES:
            file = folder.path / f"{known.name}.py"
            if str(file) not in folder.prints:
                continue
            given = None
            with self._apart(loaded, file):
                self._begin(folder, file, closed)
                module = importlib.import_module(f"modules.{folder.name}.{known.name}")
                _ensure_no_other_models(folder, module, loaded.models)
                given = read_or_blame(known.read, module)
                loaded.known_files.append(file)
            setattr(loaded, known.gives, known.replace(folder, text_of(file)) if given is None else given)
        for file in folder.template_files:
            with self._apart(loaded, file):
                self._begin(folder, file, closed)
                place, (kind, _, name) = file.parent.name, file.stem.partition("_")
                content = importlib.import_module(f"modules.{folder.name}.{place}.{file.stem}")
                loaded.templates.append(Template(place, kind, name, folder.name, file, content))
        for file in folder.text_files:
            with self._apart(loaded, file):
                self._begin(folder, file, closed if folder.refused else None, imports=False)
                loaded.texts.append(Texts(file.stem, folder.name, file, read_texts(file)))
        # What all records of a model hold in a profile
        models = {model.__name__: model for model in loaded.models}
        for file in folder.key_files if broken is None or folder.refused else ():
            with self._apart(loaded, file):
                self._begin(folder, file, closed, imports=False)
                if file.stem not in models:
                    raise LoadError(f"models.py has no model {file.stem}")
                table = read_or_blame(read_key_table, read_source(file))
                loaded.key_tables.setdefault(file.parent.name, {})[models[file.stem]] = table
                loaded.known_files.append(file)
        return loaded

    @contextmanager
    def _apart(self, loaded: Loaded, file: Path, api: ApiFile | None = None) -> Iterator[None]:
        """Make whatever goes wrong with a file its failure."""
        try:
            yield
        except GUARDED as error:
            loaded.failures.append(failure_of(loaded.folder, file, error, api))
            if is_temporary(error):
                self.retries.add(loaded.folder.path)

    def _begin(self, folder: ModuleFolder, file: Path, closed: BaseException | None, *, imports: bool = True) -> None:
        """Raise what keeps a file from being loaded, and note which file is imported.

        :param closed: why nothing of its folder may be used
        :raises LoadError: the file must not be read, or importing it has ended processes
        """
        if closed is not None:
            raise closed
        if reason := folder.unreadable.get(file):
            raise LoadError(reason)
        if imports:
            self.journal.note(file, lambda: self._state_of(folder))

    def _load_service(self, loaded: Loaded, api: ApiFile) -> None:
        module = import_file(api)
        _ensure_no_other_models(loaded.folder, module, loaded.models)
        service = read_service(loaded.folder, api, module)
        loaded.services.append(service)
        for line in unguarded(service):
            _log.warning("%s", line)

    def _state_of(self, folder: ModuleFolder) -> str:
        """A digest of the files of a module, and of those of all modules that it needs."""
        reached = {folder.name: folder}
        pending = [folder]
        while pending:
            for name in self._imports_of(pending.pop()):
                if name in self._found and name not in reached:
                    reached[name] = self._found[name]
                    pending.append(self._found[name])
        return digest_of_prints(reached.values())

    def _imports_of(self, folder: ModuleFolder) -> set[str]:
        if folder.path not in self._imports:
            self._imports[folder.path] = imported_modules(folder)
        return self._imports[folder.path]

    def _load_models(self, folder: ModuleFolder, loaded: Loaded) -> BaseException | None:
        """Import ``models.py`` and make its tables; answers what went wrong."""
        try:
            if self._import_models(loaded) and self.tables:
                # A migration may take its time: that is no import that hangs (`Watchdog`)
                self.journal.end()
                ensure_tables(loaded.models, {folder.name: folder.path / "migrations"})
        except GUARDED as error:
            return error
        return None

    def _import_models(self, loaded: Loaded) -> bool:
        """Import ``models.py``; return whether there is one."""
        folder = loaded.folder
        file = folder.path / "models.py"
        if str(file) not in folder.prints:
            return False
        self._begin(folder, file, None)
        module = importlib.import_module(f"modules.{folder.name}.models")
        prefix = f"modules.{folder.name}."
        loaded.models = [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, Model)
            and value.__module__.startswith(prefix)
            and not value.is_pattern
        ]
        for model in loaded.models:
            wrong = wrong_option(model)
            if wrong:
                raise LoadError(f"{model.__name__}.Meta: {wrong}")
        return True


def _ensure_no_other_models(folder: ModuleFolder, module: ModuleType, models: list[type[Model]]) -> None:
    """Check that an imported file and the helpers of its module have no model outside ``models.py``.

    :param models: those of ``models.py``, whose tables are made
    :raises LoadError: there is one, which would have no table
    """
    file = Path(module.__file__ or "")
    # Another file that is loaded for itself fails for itself
    others = {each.path for each in folder.api_files} | {folder.path / f"{each.name}.py" for each in KNOWN_FILES}
    for each in _with_helpers(module, f"modules.{folder.name}"):
        place = Path(each.__file__ or "")
        if place != file and place in others:
            continue
        for name, value in vars(each).items():
            is_own = isinstance(value, type) and issubclass(value, Model) and value.__module__ == each.__name__
            if is_own and not value.is_pattern and value not in models:
                line = line_of_text(rf"[ \t]*class {name}\b", text_of(file)) if place == file else None
                reason = f"the model {name} in {place.name} gets no table; move it to models.py or import it there"
                raise LoadError(reason, line)


def _with_helpers(module: ModuleType, name: str) -> Iterator[ModuleType]:
    """A module's file, and whatever else of the module was imported."""
    yield module
    pending = [sys.modules[name]] if name in sys.modules else []
    while pending:
        found = pending.pop()
        yield found
        pending += [
            each
            for each in vars(found).values()
            if isinstance(each, ModuleType) and each.__name__.startswith(f"{found.__name__}.") and each is not module
        ]


def _stale(found: list[ModuleFolder], old: dict[Path, Loaded], retries: set[Path]) -> set[Path]:
    """The modules that must be loaded anew: those that changed, and those that import them."""
    names = {folder.name: folder.path for folder in found}
    stale = {
        folder.path
        for folder in found
        if folder.path not in old
        or folder.path in retries
        or old[folder.path].folder.prints != folder.prints
        or old[folder.path].folder.refused != folder.refused
    }
    changed = {path.name for path in stale} | {path.name for path in old if path not in names.values()}
    while True:
        more = {
            path
            for path, loaded in old.items()
            if path not in stale and path in names.values() and loaded.imports & changed
        }
        if not more:
            return stale
        stale |= more
        changed |= {path.name for path in more}

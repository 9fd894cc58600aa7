"""The loader: from the module folders to a catalogue.

It never raises: an error becomes a `Failure` of the file that raised it. Native modules are imported once, outside
modules each time something has changed; one that fails only because another one has changed stays as it was.
"""

from __future__ import annotations

import gc
import logging
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from ..common.authors_code import default_context
from ..contract.catalogue import Catalogue, Failure
from ..records.events import SENT_BY_RECORDS
from ..records.extra_field_definitions import establish
from ..records.records import Records
from ..schema.first_data import make_first_data
from ..schema.known_tables import digest_of
from ..schema.migration_tables import limit_migration
from ..schema.migrations import pending_migrations
from ..schema.table import SchemaError
from ..schema.tables import changed_models, ensure_tables, is_new_database
from ..storage.database import is_temporary
from ..storage.model import Model, meta_of, use_former_models, widest, wrong_option
from ..storage.values import why_unfit
from .assembly import Events, Loaded, assemble, manifest_failure
from .failures import failure_of, line_of_text
from .folders import Look, look
from .importing import (
    LoadError,
    close_to_imports,
    forget,
    forget_all,
    import_file,
    join_folders,
    restore,
    told_as_reason,
    used_modules,
    values_in,
)
from .manifest import NAME, Manifest, in_order, manifest_of, with_functions
from .module_files import ModuleFile, ModuleFolder, text_of
from .places import (
    API,
    MIGRATIONS,
    OF_DISABLED,
    PLACES,
    Place,
    Source,
    declared_handlers,
    declared_handlers_that_refuse,
)
from .wrapping import read_wraps

_log = logging.getLogger("comptoir.loader")

#: whether the environment forbids bytecode files (`PYTHONDONTWRITEBYTECODE`)
_WRITES_NO_BYTECODE = sys.dont_write_bytecode

#: in the text of an API file that may define a model
_MODELS = re.compile(r"Field\(|\bModel\b")


def show_nothing(done: int, total: int) -> None:
    """Ignore the progress."""


class Loader:
    """Makes catalogues, and keeps the result of each module for the next one.

    :param folders: the folders of modules, the native one first
    :param before_import: called with each file before it is imported; it may raise an error, such as LoadError
    :param drafts: include modules that aren't served yet, as when their author tests one
    :param tables: True to make the tables of the models; None: only of modules with pending migrations
    :param progress: called with the number of loaded modules and of all modules
    """

    def __init__(
        self,
        folders: Iterable[Path],
        *,
        before_import: Callable[[Path], None] = lambda file: None,
        drafts: bool = False,
        tables: bool | None = True,
        progress: Callable[[int, int], None] = show_nothing,
    ) -> None:
        self.folders = tuple(folders)
        self.before_import = before_import
        self.drafts = drafts
        self.tables = tables
        self.progress = progress
        #: modules that failed because the database was unreachable, or similar: the next check loads them again
        self.retries: set[Path] = set()
        self._loaded: dict[Path, Loaded] = {}
        #: module → the threads that it started when it was imported
        self._threads: dict[Path, list[threading.Thread]] = {}
        self._number = 0
        #: file and reason of each failure that has been logged
        self._logged: set[tuple[Path, str]] = set()
        #: the text of each file whose guards must remain if it can no longer be read
        self._texts: dict[Path, str] = {}
        #: the package `modules`
        self._package: ModuleType | None = None

    def take_over(self, other: Loader) -> None:
        """Reuse the native modules that another loader of this process has loaded: tests start many servers.

        Modules that failed are not reused, and none if modules were imported otherwise in the meantime.
        """
        if other._package is None or other._package is not sys.modules.get("modules"):
            return
        self._loaded = {
            path: loaded
            for path, loaded in other._loaded.items()
            if loaded.folder.is_native and path not in other.retries and not loaded.failures
        }
        forget(loaded.folder for path, loaded in other._loaded.items() if path not in self._loaded)
        if self.tables:
            taken = self._loaded.values()
            ensure_tables(
                [model for loaded in taken for model in loaded.models],
                {loaded.folder.name: loaded.folder.path / "migrations" for loaded in taken},
            )

    def look(self) -> Look:
        """Return the modules that are in the folders now; those that can't be read stay as they were loaded."""
        return look(self.folders, drafts=self.drafts, loaded=[each.folder for each in self._loaded.values()])

    def load(self, looked: Look | None = None) -> Catalogue:
        """Return the catalogue of the modules in the folders.

        Native modules are imported once, all outside modules again, because they may import each other. One that has
        not changed, but can't be loaded now, stays as it was.

        :param looked: the modules; None: those that are there now
        """
        if not self._loaded:
            forget_all()
        self._package = join_folders(self.folders)
        found, skipped = looked or self.look()
        found, wrong = in_order(found)
        old = self._loaded
        again = self.retries | self._mismatched(old)
        kept = {each.path for each in found if each.path in old and _is_kept(old[each.path], each, again)}
        removed = forget(each.folder for path, each in old.items() if path not in kept and not each.has_natives)
        self._warn_of_threads(kept)
        self._loaded, self.retries = {}, set()
        # All objects that are made here stay: collections would take a fifth of the time
        gc.disable()
        try:
            with use_former_models(removed):
                close_to_imports(name for folder in found if folder.path not in kept for name in folder.closed)
                self.progress(0, len(found))
                if self.tables and not old:
                    self._make_first_tables(found)
                for done, folder in enumerate(found, 1):
                    loaded = old[folder.path] if folder.path in kept else self._load(folder, old, removed, wrong)
                    self._loaded[folder.path] = replace(loaded, folder=folder)
                    self.progress(done, len(found))
                self._spread_mismatches()
        finally:
            gc.enable()
        self._number += 1
        made = assemble(self._number, list(self._loaded.values()), skipped)
        if self.tables and made.extra_fields:
            made = self._with_extra_fields(made)
        self._log_failures(made)
        if old:
            gc.collect()
        return made

    def _load(
        self,
        folder: ModuleFolder,
        old: Mapping[Path, Loaded],
        removed: Mapping[str, ModuleType],
        wrong: Mapping[Path, LoadError],
    ) -> Loaded:
        """Load a module; return its former result if that stays.

        :param removed: the files of modules that were imported before
        :param wrong: why some modules can't be loaded
        """
        loaded, before = self.load_folder(folder, wrong.get(folder.path)), old.get(folder.path)
        if before is not None and _keeps_former_version(before, loaded):
            restore(folder, removed)
            return replace(before, stays=loaded.failures[0].reason)
        return loaded

    def _with_extra_fields(self, made: Catalogue) -> Catalogue:
        """Make the extra fields that modules declare; return the catalogue without those that can't be made."""
        lost = {}
        for (kind, name), each in made.extra_fields.items():
            try:
                establish(kind, each)
            except Exception as error:  # noqa: BLE001 - it disables only this field
                lost[kind, name] = self._failure(each.module, f"fields.{each.service}.{name}", error)
        kept = {key: each for key, each in made.extra_fields.items() if key not in lost}
        return replace(made, failures=(*made.failures, *lost.values()), extra_fields=kept)

    def with_first_data(self, made: Catalogue) -> Catalogue:
        """Make the first data that modules declare; return the catalogue with a failure for each that can't be made."""
        errors = make_first_data(made.first_data) if self.tables else {}
        failures = [self._failure(module, "first_data", error) for module, error in errors.items()]
        return replace(made, failures=(*made.failures, *failures)) if failures else made

    def _failure(self, module: str, key: str, error: Exception) -> Failure:
        """Return the failure of what a module declares; it is tried again at the next load, or soon if it may pass."""
        folder = next(loaded.folder for loaded in self._loaded.values() if loaded.folder.name == module)
        if is_temporary(error):
            self.retries.add(folder.path)
        return manifest_failure(folder, LoadError(f"{NAME}: {key}: {told_as_reason(error)}"))

    def _log_failures(self, made: Catalogue) -> None:
        """Log each failure once, as long as it stays the same."""
        failures = {(each.file, each.reason): each.line for each in made.failures}
        for (file, reason), line in failures.items():
            if (file, reason) not in self._logged:
                place = f"{file}:{line}" if line else file
                _log.warning("%s can't be loaded: %s", place, " ".join(reason.split()))
        self._logged = set(failures)

    def _warn_of_threads(self, kept: set[Path]) -> None:
        """Warn of threads that still run the code of a module that is loaded again or gone.

        :param kept: the other modules
        """
        for path in self._threads.keys() - kept:
            for thread in self._threads.pop(path):
                if thread.is_alive():
                    _log.warning(
                        "the thread %s, which the module %s started when it was imported, still runs the old code; "
                        "restart the server to end it",
                        *(thread.name, path.name),
                    )

    def _make_first_tables(self, found: list[ModuleFolder]) -> None:
        """Make the tables of all native modules of a new database at once, which is much faster than one by one."""
        # An error here occurs again when its module is loaded, as a failure of that module
        with suppress(BaseException):
            if not is_new_database():
                return
            natives = [Loaded(folder) for folder in found if folder.is_native]
            for loaded in natives:
                self._import_models(loaded)
            models = [model for loaded in natives for model in loaded.models]
            ensure_tables(models, {each.folder.name: each.folder.path / "migrations" for each in natives})

    # Tables that don't match the models

    def _mismatched(self, old: dict[Path, Loaded]) -> set[Path]:
        """Return the modules whose tables didn't match the models, or don't now."""
        if not self.tables or not old:
            return set()
        changed = set(changed_models(widest(model for loaded in old.values() for model in loaded.models)))
        return {path for path, loaded in old.items() if loaded.mismatch or changed & set(loaded.models)}

    def refuse(self, modules: Iterable[Loaded], reasons: Mapping[str, str]) -> list[Loaded]:
        """Return loaded modules as a server would load them that rejects the tables of some.

        :param reasons: for each rejected module, why its tables don't match the models
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
        """Serve no module that needs another one whose tables don't match its models."""
        reasons = {path.name: loaded.mismatch for path, loaded in self._loaded.items() if loaded.mismatch}
        pending = list(reasons)
        used = {path: used_modules(loaded.folder) for path, loaded in self._loaded.items()} if pending else {}
        while pending:
            needed = pending.pop()
            for path, loaded in self._loaded.items():
                if needed in used[path] and path.name not in reasons and not loaded.folder.lost:
                    reason = f"the module needs {needed}, which can't be loaded: {reasons[needed]}"
                    refused = self.load_folder(loaded.folder, SchemaError(reason))
                    self._loaded[path] = replace(refused, prints=loaded.prints)
                    reasons[path.name] = reasons[needed]
                    pending.append(path.name)

    # One module

    @default_context
    def load_folder(self, folder: ModuleFolder, error: BaseException | None = None) -> Loaded:
        """Return the result of loading a module.

        :param error: why nothing of it may be used
        """
        # The bytecode of a file that is edited twice in a second may be taken for current
        sys.dont_write_bytecode = _WRITES_NO_BYTECODE or not folder.is_native
        loaded = Loaded(folder, folder.prints, is_imported=not folder.refused)
        threads, disabled = set(threading.enumerate()), logging.root.manager.disable
        closed: BaseException | None = LoadError(folder.refused) if folder.refused else error
        broken = closed or self._load_models(loaded)
        if isinstance(broken, SchemaError):
            closed, loaded.mismatch = broken, str(broken)
        blocked = {"folder": closed if folder.refused else None, "tables": closed, "models": broken}
        files = (*folder.api_files, *folder.files)
        for file in files if not folder.is_disabled else [each for each in files if each.place in OF_DISABLED]:
            self._load_file(loaded, file, blocked[PLACES[file.place].needs])
        loaded.wraps, wrong = ([], []) if folder.is_disabled else read_wraps(folder, self.before_import, closed)
        loaded.manifest = Manifest() if folder.refused else manifest_of(folder)
        first_data = loaded.manifest.first_data if broken is None and not folder.is_disabled else ""
        found = with_functions(folder, self.before_import, loaded.settings, first_data)
        loaded.settings, loaded.first_data, more = found
        wrong += [*(() if folder.is_disabled else loaded.manifest.wrong), *more]
        loaded.failures += [manifest_failure(folder, each) for each in wrong]
        for note in loaded.notes:
            _log.warning("%s", note)
        loaded.events = _declared_events(loaded)
        # A module that calls `logging.disable` would silence the server
        logging.disable(disabled)
        # A server has threads of its own
        started = {each for each in threading.enumerate() if not each.name.startswith("comptoir")} - threads
        if started:
            self._threads[folder.path] = list(started)
        return loaded

    def _load_file(self, loaded: Loaded, file: ModuleFile, blocked: BaseException | None) -> None:
        """Add the result of loading a file, or its failure.

        :param blocked: why nothing of it may be used
        """
        place, folder = PLACES[file.place], loaded.folder
        try:
            if blocked is not None:
                raise blocked
            _ensure_readable(folder, file.path)
            content = None
            if place.is_imported:
                self.before_import(file.path)
                content = import_file(file.path, folder.path)
                own = _own_models(content, file.path, content.__name__) if file.place == API else []
                if taken := _taken(own, loaded.models):
                    raise LoadError(taken)
                _ensure_no_other_models(folder, file.path, loaded.models)
            source = Source(folder, file, content, loaded.models, loaded.notes)
            given = _read(place.read, source)
            if file.place == API:
                loaded.event_handlers += _read(declared_handlers, source)
            # A migration that is due may still fail
            loaded.files += [file.path] if file.place != MIGRATIONS else []
        except BaseException as error:  # noqa: BLE001 - a file may raise anything while it is imported
            loaded.failures.append(failure_of(folder, file, error))
            if is_temporary(error):
                self.retries.add(folder.path)
            text = text_of(file.path) or self._texts.get(file.path, "")
            given = place.replace(folder, text)
            if file.place == API:
                loaded.event_handlers += declared_handlers_that_refuse(folder, file, text)
        else:
            if place.replace is not Place.replace or file.place == API:
                self._texts[file.path] = text_of(file.path)
        results = getattr(loaded, place.gives)
        if isinstance(results, dict):
            results.update(given)
        else:
            results.extend(given)

    def _load_models(self, loaded: Loaded) -> BaseException | None:
        """Import ``models.py`` and make its tables; return the error."""
        migrations = {loaded.folder.name: loaded.folder.path / "migrations"}
        try:
            if self._import_models(loaded) and self.tables is not False:
                # The time that the database takes isn't that of models.py
                limit_migration.value(None)
                if self.tables or pending_migrations(migrations):
                    ensure_tables(loaded.models, migrations)
        except BaseException as error:  # noqa: BLE001 - a file may raise anything while it is imported
            if not (isinstance(error, SchemaError) or is_temporary(error)):
                # Later comparisons with the database would raise the same error
                loaded.models = []
            return error
        return None

    def _import_models(self, loaded: Loaded) -> bool:
        """Import ``models.py``, and the API files with models; return whether there is any."""
        folder = loaded.folder
        file = folder.path / "models.py"
        if str(file) in folder.prints:
            _ensure_readable(folder, file)
            self.before_import(file)
            loaded.models = _own_models(import_file(file, folder.path), file, f"modules.{folder.name}.")
        for each in folder.api_files:
            if not folder.is_native and each.path.suffixes == [".py"] and _MODELS.search(text_of(each.path)):
                # An error occurs again when the file itself is loaded: it disables only its own service
                with suppress(BaseException):
                    _ensure_readable(folder, each.path)
                    self.before_import(each.path)
                    imported = import_file(each.path, folder.path)
                    own = _own_models(imported, each.path, imported.__name__)
                    loaded.models += own if not _taken(own, loaded.models) else []
        return bool(loaded.models) or str(file) in folder.prints


def _own_models(imported: ModuleType, file: Path, home: str) -> list[type[Model]]:
    """Return the models of an imported file.

    :param home: the beginning of the name of the files that define them
    :raises LoadError: one has a field or an option that can't be used
    """
    models = [
        each
        for each in vars(imported).values()
        if isinstance(each, type)
        and issubclass(each, Model)
        and each.__module__.startswith(home)
        and not each.is_pattern
    ]
    for model in models:
        if wrong := wrong_option(model):
            raise LoadError(f"{_place(file, rf'class {model.__name__}')}: {model.__name__}.Meta: {wrong}")
        meta = meta_of(model)
        hidden = {*meta.secret} & {*meta.managed}
        own = {name: each for name, each in meta.manytomany.items() if not each._is_backref}
        for name, field in (meta.fields | own).items():
            if name not in hidden and (wrong := why_unfit(field)):
                raise LoadError(f"{_place(file, rf'[ ]+{name} *[:=]')}: {model.__name__}.{name}: {wrong}")
        digest_of(model)
    return models


def _taken(own: list[type[Model]], others: list[type[Model]]) -> str:
    """Return why the models of a file can't have their tables, which others of the module have; empty if they can."""
    for model in own:
        table = meta_of(model).table_name
        for each in others:
            if (
                each is not model
                and meta_of(each).table_name == table
                and not (issubclass(each, model) or issubclass(model, each))
            ):
                home = each.__module__.rpartition(".")[2]
                return f"{home}.py already has the table {table}: write `table_name = …` in Meta of {model.__name__}"
    return ""


def _declared_events(loaded: Loaded) -> Events:
    """Return the events of each service that the records and the API files of a module declare."""
    # Its records may be in a place that is not searched, such as a dictionary
    found = {service.name: {**SENT_BY_RECORDS} for service in loaded.services}
    # `isinstance` would ask a proxy for the class of what it stands for
    held: list[Any] = [each for each in values_in(loaded.folder) if issubclass(type(each), Records)]
    for records in held + [each.records for each in loaded.services if each.records is not None]:
        found.setdefault(records.service, {}).update(records.events)
    for service in loaded.services:
        found[service.name].update(service.events)
    return found


def _ensure_readable(folder: ModuleFolder, file: Path) -> None:
    """Check that a file may be opened.

    :raises LoadError: it must not
    """
    if reason := folder.unreadable.get(file):
        raise LoadError(reason)


def _place(file: Path, pattern: str) -> str:
    """Return name and line of a file, for an error that other files of its module report."""
    line = line_of_text(pattern, text_of(file))
    return f"{file.name}:{line}" if line else file.name


def _read(read: Callable[[Source], Any], source: Source) -> Any:
    """Return the result of a file; a ValueError becomes a LoadError, with the line that is its second argument."""
    try:
        return read(source)
    except ValueError as error:
        reason, line = error.args if len(error.args) == 2 and isinstance(error.args[1], int | None) else (error, None)
        raise LoadError(str(reason), line) from error


def _ensure_no_other_models(folder: ModuleFolder, file: Path, models: list[type[Model]]) -> None:
    """Check that an imported file and the helpers of its module have no model outside ``models.py``.

    :param models: those of ``models.py``, whose tables are made
    :raises LoadError: there is one, which would have no table
    """
    # Each of the other files is checked when it is loaded
    others = {str(each.path) for each in (*folder.api_files, *folder.files) if each.path != file}
    root = f"modules.{folder.name}"
    for model in _models_below(Model):
        name, home = model.__name__, model.__module__
        module = sys.modules.get(home) if home == root or home.startswith(f"{root}.") else None
        if module is None or module.__file__ in others or vars(module).get(name) is not model:
            continue
        if not model.is_pattern and model not in models:
            place = Path(module.__file__ or "")
            line = line_of_text(rf"[ \t]*class {name}\b", text_of(file)) if place == file else None
            reason = f"the model {name} in {place.name} gets no table; move it to models.py or import it there"
            raise LoadError(reason, line)


def _models_below(model: type[Model]) -> Iterator[type[Model]]:
    """Yield all models that derive from one."""
    for each in model.__subclasses__():
        yield each
        yield from _models_below(each)


def _is_kept(before: Loaded, now: ModuleFolder, again: set[Path]) -> bool:
    """Return whether a module isn't loaded again: it can't be read, or is native.

    :param again: modules that failed because of the database
    """
    if now.lost or not now.is_native:
        return bool(now.lost)
    return before.has_natives and (now.path not in again or before.prints != now.prints)


def _keeps_former_version(before: Loaded, now: Loaded) -> bool:
    """Return whether a module that fails stays as it was: it worked, and another one has changed."""
    same = before.prints == now.prints and before.folder.refused == now.folder.refused
    return bool(same and now.failures and not before.failures and not now.mismatch)

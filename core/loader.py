"""From the module folders to a catalogue; never raises.

Each file is imported inside a guard: whatever goes wrong becomes a `Failure` with its reason, and costs that file
alone. What did not change since the last catalogue is taken over as it is.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.util
import inspect
import logging
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import peewee

from .annotations import Annotation, AnnotationError, read_annotation
from .api import Api
from .caller import Permission
from .catalogue import Catalogue, FailedMethod, Failure, Operation, Service
from .converters import UnknownType
from .database import Model
from .endpoint import Endpoint
from .errors import ApiError, named_errors
from .events import NAME as EVENT_NAME
from .folders import RESERVED, ApiFile, ModuleFolder, imported_modules, look
from .journal import Journal
from .routes import Route, RouteError, derive_path, read_routes
from .tables import ensure_tables

_log = logging.getLogger("comptoir.loader")

#: what a file may raise while it is imported; SystemExit is one of them
GUARDED = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)


class LoadError(Exception):
    """A file that can be imported and not served; its message is the reason."""


@dataclass
class Loaded:
    """What one module folder gave."""

    folder: ModuleFolder
    imports: set[str]
    services: list[Service]
    failures: list[Failure]
    handlers: dict[str, list[Callable[..., object]]]
    models: list[type[Model]]


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
        progress: Callable[[int, int], None] = lambda done, all: None,
    ) -> None:
        self.folders = tuple(folders)
        self._journal = journal or Journal(None)
        self._tables = tables
        self._progress = progress
        self._loaded: dict[Path, Loaded] = {}
        #: modules that failed because the database did not answer: tried again at the next look
        self.retries: set[Path] = set()
        self._number = 0

    def load(self) -> Catalogue:
        """The catalogue of what lies in the folders now."""
        sys.dont_write_bytecode = True
        join_folders(self.folders)
        if not self._number:
            _forget_all()
        found, skipped = look(self.folders)
        old = self._loaded
        stale = _stale(found, old, self.retries)
        self.retries = set()
        there = {folder.path for folder in found}
        _forget([loaded.folder for path, loaded in old.items() if path in stale or path not in there])
        self._loaded = {}
        self._journal.begin()
        # Everything that is made now stays: looking through it again and again costs a fifth of the time
        gc.disable()
        try:
            self._load_folders(found, old, stale)
        finally:
            gc.enable()
        self._journal.end()
        self._number += 1
        made = assemble(self._number, list(self._loaded.values()), skipped)
        if old:
            gc.collect()
        return made

    def _load_folders(self, found: list[ModuleFolder], old: dict[Path, Loaded], stale: set[Path]) -> None:
        self._progress(0, len(found))
        for done, folder in enumerate(found, 1):
            kept = old.get(folder.path)
            if kept is not None and folder.path not in stale:
                self._loaded[folder.path] = kept
            else:
                self._loaded[folder.path] = self.load_folder(folder)
            self._progress(done, len(found))

    def load_folder(self, folder: ModuleFolder) -> Loaded:
        """What one module folder gives."""
        loaded = Loaded(folder, imported_modules(folder), [], [], {}, [])
        if folder.refused:
            loaded.failures = [_failure(folder, file, LoadError(folder.refused)) for file in folder.api_files]
            return loaded
        broken = self._load_models(folder, loaded)
        for file in folder.api_files:
            try:
                if broken is not None:
                    raise broken
                self._journal.note(file.path)
                loaded.services.append(_read_service(folder, file, _import_file(file)))
            except GUARDED as error:
                _log.warning("%s cannot be loaded: %s", file.path, _reason(error))
                loaded.failures.append(_failure(folder, file, error))
                if isinstance(error, (peewee.OperationalError, peewee.InterfaceError)):
                    self.retries.add(folder.path)
        self._load_events(folder, loaded)
        return loaded

    def _load_models(self, folder: ModuleFolder, loaded: Loaded) -> BaseException | None:
        """Import ``models.py`` and make its tables; answers what went wrong."""
        file = folder.path / "models.py"
        if not file.is_file():
            return None
        try:
            self._journal.note(file)
            module = importlib.import_module(f"modules.{folder.name}.models")
            prefix = f"modules.{folder.name}."
            loaded.models = [
                value
                for value in vars(module).values()
                if isinstance(value, type) and issubclass(value, Model) and value.__module__.startswith(prefix)
            ]
            if self._tables:
                # A migration may take its time: that is no import that hangs (core/serve.py)
                self._journal.end()
                ensure_tables(loaded.models, {folder.name: folder.path / "migrations"})
        except GUARDED as error:
            return error
        return None

    def _load_events(self, folder: ModuleFolder, loaded: Loaded) -> None:
        file = folder.path / "events.py"
        if not file.is_file():
            return
        try:
            self._journal.note(file)
            module = importlib.import_module(f"modules.{folder.name}.events")
            for name, value in vars(module).items():
                if inspect.isfunction(value) and value.__module__ == module.__name__ and EVENT_NAME.fullmatch(name):
                    loaded.handlers.setdefault(name, []).append(value)
        except GUARDED as error:
            _log.warning("%s cannot be loaded: %s", file, _reason(error))
            loaded.failures.append(
                Failure(f"{folder.name}/events", folder.name, file, _reason(error), _trace(error), shadowed=True)
            )


# Importing -----------------------------------------------------------------------------------------------------------


def join_folders(folders: tuple[Path, ...]) -> None:
    """Give all module folders one name: native and outside modules are imported alike."""
    package = sys.modules.get("modules")
    if package is None:
        package = ModuleType("modules")
        package.__doc__ = "All modules, native and outside."
        sys.modules["modules"] = package
    package.__path__ = [str(folder) for folder in folders]
    importlib.invalidate_caches()


def _import_file(file: ApiFile) -> ModuleType:
    if file.dotted is not None:
        return importlib.import_module(file.dotted)
    name = f"modules.{file.path.parent.parent.name}.class.{file.path.name.partition('.')[0]}"
    spec = importlib.util.spec_from_file_location(name, file.path, loader=SourceFileLoader(name, str(file.path)))
    if spec is None or spec.loader is None:
        raise LoadError("the file cannot be imported")
    importlib.import_module(name.rpartition(".")[0])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


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


def _forget_all() -> None:
    """Drop what another loader of this process imported."""
    for name in [name for name in sys.modules if name.startswith("modules.")]:
        del sys.modules[name]
        top = name.split(".")[1]
        if hasattr(sys.modules["modules"], top):
            delattr(sys.modules["modules"], top)


def _forget(folders: list[ModuleFolder]) -> None:
    """Drop modules from `sys.modules` and from the package: either alone keeps the old generation reachable."""
    package = sys.modules.get("modules")
    for folder in folders:
        prefix = f"modules.{folder.name}"
        for name in [name for name in sys.modules if name == prefix or name.startswith(prefix + ".")]:
            del sys.modules[name]
        if package is not None and hasattr(package, folder.name):
            delattr(package, folder.name)


# Reading a class -----------------------------------------------------------------------------------------------------


def _read_service(folder: ModuleFolder, file: ApiFile, module: ModuleType) -> Service:
    if file.service in RESERVED:
        raise LoadError(f"the name {file.service} is taken by the server itself")
    api_class = _find_class(file, module)
    annotation = read_annotation(_own_doc(api_class))
    try:
        api_class()
    except TypeError as error:
        raise LoadError(f"class {api_class.__name__} must be made without arguments: {error}") from error
    operations: list[Operation] = []
    for name, method in _methods(api_class):
        try:
            operations += _read_method(file.service, api_class, name, method, annotation)
        except (AnnotationError, RouteError, UnknownType, LoadError, ValueError) as error:
            raise LoadError(f"{api_class.__name__}.{name}: {error}") from error
    _check_twice(operations)
    return Service(file.service, folder.name, file.path, annotation, tuple(operations), annotation.rights)


def _find_class(file: ApiFile, module: ModuleType) -> type:
    found = [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and name.lower().replace("_", "") in (file.service, file.service + "api")
    ]
    if not found:
        raise LoadError(f"there is no class named like the file ({file.service}, case and underscores ignored)")
    return found[0]


def _own_doc(api_class: type) -> str | None:
    return api_class.__dict__.get("__doc__")


def _methods(api_class: type) -> list[tuple[str, Callable[..., Any]]]:
    found: dict[str, Callable[..., Any]] = {}
    for base in reversed(api_class.__mro__):
        if base in (Api, object):
            continue
        for name, value in vars(base).items():
            if not name.startswith("_") and inspect.isfunction(value):
                found[name] = value
    return list(found.items())


def _read_method(
    service: str, api_class: type, name: str, method: Callable[..., Any], of_class: Annotation
) -> list[Operation]:
    annotation = read_annotation(method.__doc__ or inspect.getdoc(method))
    access = annotation.access or of_class.access or "protected"
    if access == "private":
        return []
    text = annotation.permission or (of_class.permission if access == "protected" else None)
    permission = Permission.parse(text) if text else None
    if permission is not None and access != "protected":
        raise LoadError(f"a permission needs a key, and the access is {access}")
    errors = _read_raises(annotation, method)
    routes, signature = read_routes(method, annotation)
    grouped = {each.group for route in routes for each in route.inputs if each.group}
    groups = {name: parameter.annotation for name, parameter in signature.parameters.items() if name in grouped}
    return [
        Operation(
            service,
            name,
            route.verb,
            "/" + "/".join(part for part in (service, route.path) if part),
            annotation,
            route.inputs,
            signature.return_annotation,
            permission,
            access,
            Endpoint(api_class, name, route, permission, access, annotation, groups),
            errors,
        )
        for route in routes
    ]


def _read_raises(annotation: Annotation, method: Callable[..., Any]) -> tuple[tuple[int, str], ...]:
    """The status and the text of every documented error."""
    known = named_errors()
    errors = []
    for name, text in annotation.raises:
        if name.isdigit() and 300 <= int(name) <= 599:
            errors.append((int(name), text))
            continue
        value = method.__globals__.get(name, known.get(name))
        if isinstance(value, type) and issubclass(value, ApiError):
            errors.append((value.status, text))
        else:
            raise LoadError(f":raises {name}: is neither a status nor an error of core ({', '.join(sorted(known))})")
    return tuple(errors)


def _check_twice(operations: list[Operation]) -> None:
    seen: dict[tuple[str, tuple[object, ...]], Operation] = {}
    for operation in operations:
        numbers = {each.name: each.type in (int, float) for each in operation.inputs}
        shape = tuple(
            ("number" if numbers.get(part[1:-1]) else "text",) if part.startswith("{") else part.lower()
            for part in operation.segments
        )
        other = seen.setdefault((operation.verb, shape), operation)
        if other is not operation:
            raise LoadError(f"{operation.verb} {operation.template} is served by {other.name} and by {operation.name}")


# Putting together ----------------------------------------------------------------------------------------------------


def assemble(number: int, modules: list[Loaded], skipped: list[tuple[Path, str]]) -> Catalogue:
    """The catalogue of what the module folders gave, in their order."""
    services: dict[str, Service] = {}
    failures: list[Failure] = [failure for loaded in modules for failure in loaded.failures]
    handlers: dict[str, list[Callable[..., object]]] = {}
    for loaded in modules:
        for service in loaded.services:
            first = services.setdefault(service.name, service)
            if first is not service:
                reason = f"/{service.name} is served by {first.file} already"
                failures.append(Failure(service.name, service.module, service.file, reason, shadowed=True))
        for name, functions in loaded.handlers.items():
            handlers.setdefault(name, []).extend(functions)
    failures = [replace(each, shadowed=True) if each.name in services else each for each in failures]
    for service in list(services.values()):
        wrong = _unknown_right(service, services, failures)
        if wrong:
            del services[service.name]
            failures.append(Failure(service.name, service.module, service.file, wrong, "", _as_failed(service)))
    return Catalogue(
        number,
        dict(sorted(services.items())),
        tuple(sorted(failures, key=lambda each: (each.name, str(each.file)))),
        (*skipped, *(each for loaded in modules for each in loaded.folder.skipped)),
        handlers,
        tuple(model for loaded in modules for model in loaded.models),
        {file: seen for loaded in modules for file, seen in loaded.folder.prints.items()},
    )


def _unknown_right(service: Service, services: dict[str, Service], failures: list[Failure]) -> str:
    unloadable = {failure.name for failure in failures}
    for operation in service.operations:
        for right in sorted(operation.permission.rights) if operation.permission else ():
            owner, _, _ = right.partition(".")
            if owner in unloadable and owner not in services:
                continue
            if owner not in services or right not in services[owner].right_names:
                return f"{operation.name}: there is no right {right} (a service's own verbs stand in :rights:)"
    return ""


def _as_failed(service: Service) -> tuple[FailedMethod, ...]:
    return tuple(FailedMethod(each.verb, each.template, each.annotation.summary) for each in service.operations)


# Failures ------------------------------------------------------------------------------------------------------------


def _failure(folder: ModuleFolder, file: ApiFile, error: BaseException) -> Failure:
    return Failure(file.service, folder.name, file.path, _reason(error), _trace(error), read_methods(file))


def _reason(error: BaseException) -> str:
    if isinstance(error, LoadError):
        return str(error)
    return f"{type(error).__name__}: {error}".strip().removesuffix(":")


def _trace(error: BaseException) -> str:
    """The traceback from the author's first line on."""
    if isinstance(error, LoadError) and error.__cause__ is None:
        return ""
    trace = error.__traceback__
    while trace is not None and (
        "importlib" in trace.tb_frame.f_code.co_filename
        or str(Path(__file__).parent) in trace.tb_frame.f_code.co_filename
    ):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace, chain=False))


def read_methods(file: ApiFile) -> tuple[FailedMethod, ...]:
    """The methods of a file that cannot be loaded, read from its text without running it."""
    try:
        tree = ast.parse(file.path.read_bytes())
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):
        return ()
    wanted = (file.service, file.service + "api")
    classes = [
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.lower().replace("_", "") in wanted
    ]
    found = []
    for node in classes[0].body if classes else []:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found += _read_failed(file.service, node)
    return tuple(found)


def _read_failed(service: str, node: ast.FunctionDef) -> list[FailedMethod]:
    try:
        annotation = read_annotation(ast.get_docstring(node))
    except AnnotationError:
        annotation = Annotation(summary=(ast.get_docstring(node) or "").strip().partition("\n")[0])
    names = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)][1:]
    required = names[: len(names) - len(node.args.defaults)]
    urls = annotation.urls or (derive_path(node.name, names, required),)
    return [
        FailedMethod(verb, "/" + "/".join(part for part in (service, path) if part), annotation.summary)
        for verb, path in urls
    ]


__all__ = ["GUARDED", "LoadError", "Loaded", "Loader", "Route", "assemble", "join_folders", "read_methods"]

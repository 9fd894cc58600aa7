"""Importing the files of modules, and forgetting them.

All modules are in one package `modules`, so that relative imports, types and tracebacks are the same for all of them.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from ..common.errors import ApiError
from ..common.plain_functions import line_in, why_not_plain
from .module_files import ModuleFolder


class LoadError(Exception):
    """A file can be imported, but not served; the message is the reason.

    :ivar line: the line in question, from 1; None: unknown
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def join_folders(folders: tuple[Path, ...]) -> ModuleType:
    """Return the package `modules`, which consists of all module folders."""
    package = sys.modules.get("modules")
    if package is None:
        package = ModuleType("modules")
        package.__doc__ = "All modules, native and outside."
        sys.modules["modules"] = package
    package.__path__ = [str(folder) for folder in folders]
    importlib.invalidate_caches()
    return package


def import_file(file: Path, folder: Path) -> ModuleType:
    """Import a file of a module.

    :param folder: the folder of the module
    """
    parts = (*file.relative_to(folder.parent).parts[:-1], file.name.partition(".")[0])
    name = ".".join(("modules", *parts))
    if file.name == f"{parts[-1]}.py":
        return importlib.import_module(name)
    # Python doesn't know the endings `.class` and `.class.py`
    spec = importlib.util.spec_from_file_location(name, file, loader=SourceFileLoader(name, str(file)))
    if spec is None or spec.loader is None:
        raise LoadError("Python has no loader for this file")
    importlib.import_module(name.rpartition(".")[0])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def named_function(folder: ModuleFolder, target: str, before_import: Callable[[Path], None]) -> Callable[..., Any]:
    """Import and return a function of a module.

    :param target: file and function, such as ``approval:approve``
    :param before_import: called with the file before it is imported
    :raises LoadError: there is no such file or function, or it is a coroutine or a generator
    """
    home, _, name = target.partition(":")
    file = folder.path.joinpath(*home.split(".")).with_suffix(".py")
    if str(file) not in folder.prints:
        raise LoadError(f"there is no file {file.relative_to(folder.path.parent)}")
    before_import(file)
    function = getattr(import_file(file, folder.path), name, None)
    if not inspect.isfunction(function):
        raise LoadError(f"{file.name} has no function {name}")
    if wrong := why_not_plain(function):
        raise LoadError(f"{name} {wrong}", line_in(function, str(file)))
    return function


def told_as_reason(error: BaseException) -> str:
    """Return the text of an error for a reason: with its type, unless it is written for people."""
    return str(error) if isinstance(error, (LoadError, ApiError)) else f"{type(error).__name__}: {error}"


def close_to_imports(names: Iterable[str]) -> None:
    """Let the import of some names below the package `modules` fail."""
    for name in names:
        # Python then raises ModuleNotFoundError
        sys.modules[f"modules.{name}"] = None  # type: ignore[assignment]


def forget_all() -> None:
    """Remove all modules and their package from `sys.modules`."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "modules"]:
        del sys.modules[name]


def forget(folders: Iterable[ModuleFolder]) -> dict[str, ModuleType]:
    """Remove modules from `sys.modules` and from the package: each of the two keeps the old classes alive.

    A second module of a name has never been imported: the files are those of the first.
    """
    package = sys.modules.get("modules")
    removed = {}
    for folder in (each for each in folders if not each.is_second):
        prefix = f"modules.{folder.name}"
        for name in [name for name in list(sys.modules) if name == prefix or name.startswith(prefix + ".")]:
            removed[name] = sys.modules.pop(name)
        if package is not None and hasattr(package, folder.name):
            delattr(package, folder.name)
    return removed


def restore(folder: ModuleFolder, removed: Mapping[str, ModuleType]) -> None:
    """Put the files of a module back that were imported before `forget`."""
    forget([folder])
    prefix = f"modules.{folder.name}"
    own = {name: module for name, module in removed.items() if f"{name}.".startswith(f"{prefix}.")}
    sys.modules.update(own)
    if prefix in own:
        setattr(sys.modules["modules"], folder.name, own[prefix])


def used_modules(folder: ModuleFolder) -> set[str]:
    """Return the modules that global values of a module's files come from; an import in a function doesn't count."""
    used: set[str] = set()
    for value in values_in(folder):
        if isinstance(value, ModuleType):
            home = value.__name__
        else:
            home = (value if isinstance(value, (type, FunctionType)) else type(value)).__module__
        if isinstance(home, str) and home.startswith("modules."):
            used.add(home.split(".")[1])
    return used - {folder.name}


def values_in(folder: ModuleFolder) -> Iterator[object]:
    """Yield the global values of the imported files of a module."""
    prefix = f"modules.{folder.name}."
    for name, module in list(sys.modules.items()):
        if module is not None and f"{name}.".startswith(prefix):
            yield from list(vars(module).values())

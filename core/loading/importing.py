"""Importing the files of modules, forgetting them, and what they import and change.

All modules are in one package `modules`, so that relative imports, types and tracebacks are the same for all of them.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Collection, Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from .module_files import ModuleFolder, read_source


class LoadError(Exception):
    """A file can be imported, but not served; the message is the reason.

    :ivar line: the line in question, from 1; None: unknown
    :ivar trace: the traceback of a process that the file ended
    """

    def __init__(self, reason: str, line: int | None = None, trace: str = "") -> None:
        super().__init__(reason)
        self.line = line
        self.trace = trace


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


def close_to_imports(names: Iterable[str]) -> None:
    """Let the import of some names below the package `modules` fail."""
    for name in names:
        # Python then raises ModuleNotFoundError
        sys.modules[f"modules.{name}"] = None  # type: ignore[assignment]


def forget_all() -> None:
    """Remove all modules and their package from `sys.modules`."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "modules"]:
        del sys.modules[name]


def forget(folders: Iterable[ModuleFolder]) -> None:
    """Remove modules from `sys.modules` and from the package; each of the two keeps the old classes alive."""
    package = sys.modules.get("modules")
    for folder in folders:
        prefix = f"modules.{folder.name}"
        for name in [name for name in list(sys.modules) if name == prefix or name.startswith(prefix + ".")]:
            del sys.modules[name]
        if package is not None and hasattr(package, folder.name):
            delattr(package, folder.name)


# The imports of a module ----------------------------------------------------------------------------------------------

#: ``from ..orders import a, b`` or ``import a, b``, anywhere in a text; parsing it takes twenty times as long
_IMPORT = re.compile(
    r"\bfrom[ \t]+(\.*)([\w.]*)(?:[ \t]|\\\n)+import\b[ \t]*(\([^)]*|(?:\\\n|[^\n;#])*)|\bimport[ \t]+([\w., \t]+)"
)


def imported_modules(folder: ModuleFolder) -> set[str]:
    """Return the other modules that a module imports.

    An import in a docstring also counts: the module is then only loaded again more often than necessary.
    """
    found: set[str] = set()
    for file in folder.prints:
        # This many dots lead to the package `modules`
        up = "." * (file.count(os.sep, len(str(folder.path))) + 1)
        try:
            text = read_source(Path(file)).decode(errors="replace")
        except OSError:
            continue
        if "modules" not in text and f"from {up}" not in text:
            continue
        for dots, named, listed, plain in _IMPORT.findall(text):
            if dots and dots != up:
                continue
            source = f"modules.{named}".rstrip(".") if dots else named
            names = _names_in(listed)
            names = [f"modules.{each}" for each in names] if source == "modules" else [source, *_names_in(plain)]
            found.update(each.split(".")[1] for each in names if each.startswith("modules."))
    return found - {folder.name}


def _names_in(listed: str) -> list[str]:
    """Return the names of a list such as ``(a as b, c``."""
    return re.findall(r"(?:^|[(,])\s*([\w.]+)", re.sub(r"#.*|\\", "", listed))


# The changes that a module makes --------------------------------------------------------------------------------------


def attributes_of(names: Collection[str]) -> dict[str, dict[str, object]]:
    """Return the attributes of the imported files of some modules, and of their classes and objects.

    :param names: the folders of the modules
    """
    found: dict[str, dict[str, object]] = {}
    prefixes = tuple(f"modules.{each}." for each in names)
    for name, module in list(sys.modules.items()) if names else ():
        if module is None or not f"{name}.".startswith(prefixes):
            continue
        found[name] = dict(vars(module))
        for attribute, value in found[name].items():
            if isinstance(value, type) and value.__module__.startswith("modules."):
                found[f"{value.__module__}.{value.__qualname__}"] = dict(vars(value))
            elif type(value).__module__.startswith(("modules.", "core.")) and hasattr(value, "__dict__"):
                # Values that an object computes once are not changes
                found[f"{name}.{attribute}"] = {key: each for key, each in vars(value).items() if callable(each)}
    return found


def changed_attributes(before: dict[str, dict[str, object]], names: Collection[str]) -> set[str]:
    """Return the attributes that were set, replaced or deleted, such as ``modules.orders.orders.Orders.create``.

    :param before: the attributes before, of `attributes_of`
    """
    after = attributes_of(names)
    return {
        f"{owner}.{name}"
        for owner in before.keys() & after.keys()
        for name in before[owner].keys() | after[owner].keys()
        if before[owner].get(name) is not after[owner].get(name)
        and not name.startswith("__")
        and not isinstance(after[owner].get(name), ModuleType)
    }

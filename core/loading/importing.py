"""Importing the files of modules, and forgetting what was imported.

Native and outside modules lie under one package name, `modules`, so that relative imports, types and tracebacks are the
same for both.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from .folders import ApiFile, ModuleFolder


class LoadError(Exception):
    """A file that can be imported and not served; its message is the reason.

    :ivar line: the line of the file that is to blame, from 1; None: unknown
    :ivar trace: the traceback of a process that the file ended
    """

    def __init__(self, reason: str, line: int | None = None, trace: str = "") -> None:
        super().__init__(reason)
        self.line = line
        self.trace = trace


def join_folders(folders: tuple[Path, ...]) -> ModuleType:
    """Give all module folders one name: native and outside modules are imported alike. Answers the package."""
    package = sys.modules.get("modules")
    if package is None:
        package = ModuleType("modules")
        package.__doc__ = "All modules, native and outside."
        sys.modules["modules"] = package
    package.__path__ = [str(folder) for folder in folders]
    importlib.invalidate_caches()
    return package


def import_file(file: ApiFile) -> ModuleType:
    """Import a file; whatever it raises comes out."""
    if file.dotted is not None:
        return importlib.import_module(file.dotted)
    name = f"modules.{file.path.parent.parent.name}.class.{file.path.name.partition('.')[0]}"
    spec = importlib.util.spec_from_file_location(name, file.path, loader=SourceFileLoader(name, str(file.path)))
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
    """Let nobody import modules of which nothing may run: a file that does so fails.

    :param names: of the modules' folders
    """
    for name in names:
        # What Python takes for "there is no such module"
        sys.modules[f"modules.{name}"] = None  # type: ignore[assignment]


def forget_all() -> None:
    """Drop what was imported in this process, and the package itself: who still holds it can tell that it is gone."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "modules"]:
        del sys.modules[name]


def forget(folders: list[ModuleFolder]) -> None:
    """Drop modules from `sys.modules` and from the package: either alone keeps the old generation reachable."""
    package = sys.modules.get("modules")
    for folder in folders:
        prefix = f"modules.{folder.name}"
        for name in [name for name in list(sys.modules) if name == prefix or name.startswith(prefix + ".")]:
            del sys.modules[name]
        if package is not None and hasattr(package, folder.name):
            delattr(package, folder.name)

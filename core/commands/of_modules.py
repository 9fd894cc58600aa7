"""Commands of modules: `<module>/commands/<name>.py` contains a click command named after the file.

The list of commands comes from the file names and docstrings, so that it imports nothing. When a command runs, the
database is open and all modules are loaded.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import click

from ..common.settings import SettingError
from ..loading.folders import look
from ..loading.loader import Loader
from ..storage.database import close, ensure_connected
from ..wsgi import build
from .database_wait import require_installation
from .terminal import Commands, read_settings, show_loading

FOLDER = "commands"


class AllCommands(Commands):
    """The commands of the core and of the modules; if a name occurs twice, the core wins, then the first module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The core's as they were added, then the modules'."""
        own = super().list_commands(ctx)
        return [*own, *(name for name in sorted(command_files()) if name not in own)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command by its name."""
        own = super().get_command(ctx, name)
        file = None if own else command_files().get(name)
        return _ModuleCommand(name, file) if file else own


def command_files() -> dict[str, Path]:
    """The files of commands, by the commands' names."""
    found: dict[str, Path] = {}
    try:
        folders = read_settings().module_folders
    except SettingError:
        # The command that runs reports it
        return {}
    for module in look(folders)[0]:
        for file in map(Path, () if module.refused else sorted(module.prints)):
            if file.parent == module.path / FOLDER and file.suffix == ".py" and not file.name.startswith("_"):
                found.setdefault(file.stem, file)
    return found


class _ModuleCommand(click.Command):
    """Stands for a command of a module until that is run."""

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(name, short_help=_purpose(file))
        self._file = file

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> click.Context:
        """Load the modules; what is run is the command of the file."""
        if set(args) & {"-h", "--help"}:
            Loader(read_settings().module_folders, tables=False).load()
        else:
            require_installation(read_settings())
            build(progress=show_loading)
            ensure_connected()
        context = _import(self._file).make_context(info_name, args, parent, **extra)
        context.call_on_close(close)
        return context


def _import(file: Path) -> click.Command:
    try:
        module = importlib.import_module(f"modules.{file.parent.parent.name}.{FOLDER}.{file.stem}")
    except (Exception, SystemExit) as error:
        raise click.ClickException(f"{file} can't be imported: {type(error).__name__}: {error}") from error
    made = getattr(module, file.stem, None)
    if not isinstance(made, click.Command):
        raise click.ClickException(f"{file}: expected a click command named {file.stem}, got none")
    return made


def _purpose(file: Path) -> str:
    """The first line of a file's docstring."""
    try:
        return (ast.get_docstring(ast.parse(file.read_bytes())) or "").partition("\n")[0]
    except (OSError, SyntaxError, ValueError):
        return "The file can't be read."

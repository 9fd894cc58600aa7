"""The command line: one file per command. `--json` prints what programs read.

Modules add commands: `<module>/commands/<name>.py` contains a click command named after the file. The list of commands
comes from the file names and docstrings, so that it imports nothing. When a command runs, the database is open and all
modules are loaded.
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
from ..version import VERSION, commit
from ..wsgi import build
from .backup import backup, copy, restore
from .check import check, routes
from .database_wait import require_installation
from .demo import demo
from .grant import grant
from .jobs import jobs
from .key import key
from .migrate import migrate
from .modules import disable, enable, install, modules, uninstall
from .new import new
from .serve import serve
from .settings import settings
from .tables import tables
from .terminal import Commands, read_settings, show_loading
from .user import user


class AllCommands(Commands):
    """The commands of the core and of the modules; if a name occurs twice, the core wins, then the first module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the core's as they were added, then the modules'."""
        own = super().list_commands(ctx)
        return [*own, *(name for name in sorted(_command_files()) if name not in own)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command by its name."""
        own = super().get_command(ctx, name)
        file = None if own else _command_files().get(name)
        return _ModuleCommand(name, file) if file else own


def _command_files() -> dict[str, Path]:
    """Return the files of the modules' commands, by the commands' names."""
    found: dict[str, Path] = {}
    try:
        folders = read_settings().module_folders
    except SettingError:
        # The command that runs reports it
        return {}
    for module in look(folders)[0]:
        for file in map(Path, () if module.refused else sorted(module.prints)):
            if file.parent == module.path / "commands" and file.suffix == ".py" and not file.name.startswith("_"):
                found.setdefault(file.stem, file)
    return found


class _ModuleCommand(click.Command):
    """A command of a module, which is imported only if it runs."""

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(name, short_help=_purpose(file))
        self._file = file

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> click.Context:
        """Load the modules; the context is that of the command in the file."""
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
        module = importlib.import_module(f"modules.{file.parent.parent.name}.commands.{file.stem}")
    except (Exception, SystemExit) as error:
        raise click.ClickException(f"{file} can't be imported: {type(error).__name__}: {error}") from error
    made = getattr(module, file.stem, None)
    if not isinstance(made, click.Command):
        raise click.ClickException(f"{file}: expected a click command named {file.stem}, got none")
    return made


def _purpose(file: Path) -> str:
    """Return the first line of a file's docstring."""
    try:
        return (ast.get_docstring(ast.parse(file.read_bytes())) or "").partition("\n")[0]
    except (OSError, SyntaxError, ValueError):
        return "The file can't be read."


def _show_version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        known = commit()
        click.echo(f"comptoir {VERSION}" + (f" ({known})" if known else ""))
        context.exit()


@click.group(
    "comptoir", cls=AllCommands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and the commit.",
)
def main() -> None:
    """Run and manage Comptoir, a REST server for business records.

    Settings are environment variables; `comptoir settings` lists them.
    """


for _command in (
    serve, demo, settings, user, key, grant, check, routes, new, modules, install, disable, enable, uninstall,
    migrate, tables, jobs, backup, restore, copy,
):  # fmt: skip
    main.add_command(_command)

__all__ = ["main"]

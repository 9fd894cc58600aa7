"""`comptoir check` and `routes`: load every module file in a separate process and report the result."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import click
import peewee

from ..common.settings import settings
from ..contract.catalogue import Catalogue
from ..loading.check import examine
from ..loading.file_status import FileStatus, count, file_statuses, report
from ..loading.folders import DRAFT, look
from ..loading.import_guard import TRIALS_FOLDER, changed_natives
from ..loading.module_files import ModuleFolder, text_of
from ..loading.places import ROOT_FILES
from ..loading.trial import IMPORT_SECONDS
from ..schema.known_tables import Known, known_tables
from ..storage.database import DatabaseUrlError, close, is_missing
from ..wsgi import data_folder
from .database_wait import require_database
from .terminal import json_option, plural, read_settings, short, show, show_json


@click.command()
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--timeout",
    metavar="SECONDS",
    default=IMPORT_SECONDS,
    show_default=True,
    help="Seconds allowed for loading each file.",
)
@json_option
@click.pass_context
def check(context: click.Context, folder: Path | None, timeout: float, as_json: bool) -> None:
    """Check that every module file can be loaded.

    The command loads each file in a separate process and serves nothing. FOLDER is a module or a folder of modules;
    without it, the command checks all configured module folders.

    If the database is reachable, the command also checks the tables: a module fails if a server would reject them.
    Pending migrations are previewed, not run. Columns without a field are listed as notes.

    The exit code is 1 if a file failed, or if there are no files.
    """
    configured = tuple(each.resolve() for each in read_settings().module_folders)
    folders, wanted = _folders(configured, folder.resolve() if folder else None)
    tables = _recorded_tables()
    made = examine(folders, wanted=wanted, seconds=timeout, drafts=True, asks=tables is not None)
    statuses = [each for each in file_statuses(made) if folder is None or each.file.is_relative_to(folder.resolve())]
    failed = sum(each.state == "failed" for each in statuses)
    notes = list(_notes(made, folders, tables or {}, {each.module for each in statuses}))
    if as_json:
        show_json({**report(statuses), "notes": notes})
    else:
        for each in statuses:
            _show(each)
        for note in notes:
            click.echo(f"{click.style('note', fg='yellow')}     {note}")
        click.echo(", ".join(f"{number} {state}" for state, number in count(statuses).items()))
        if not statuses:
            click.echo(
                "Found no module files. A module is a folder that contains class/api_<name>.py or at least one of "
                f"{', '.join(ROOT_FILES[1:])}."
            )
    context.exit(1 if failed or not statuses else 0)


@click.command()
@json_option
def routes(as_json: bool) -> None:
    """List all routes with verb, path, permission and summary."""
    statuses = file_statuses(examine(read_settings().module_folders))
    table = sorted(
        (route for each in statuses for route in each.routes), key=lambda route: (route["path"], route["verb"])
    )
    failed = [each for each in statuses if each.state == "failed"]
    if as_json:
        failures = [{"file": str(each.file), "service": each.service, "reason": each.reason} for each in failed]
        show_json({"routes": table, "failures": failures})
        return
    show(table, {head.upper(): head for head in ("verb", "path", "permission", "summary")})
    if failed:
        click.echo(f"\n{plural(len(failed), 'file')} could not be loaded (run `comptoir check` for details):")
        for each in failed:
            click.echo(f"  {short(each.file)}: {each.reason}")


def _folders(
    configured: tuple[Path, ...], folder: Path | None
) -> tuple[tuple[Path, ...], Callable[[ModuleFolder], bool]]:
    """Return where to look for modules, and which of them to check."""
    if folder is None:
        return configured, lambda module: True
    single = (folder / "class").is_dir() or any((folder / name).is_file() for name in ROOT_FILES)
    holder = folder.parent if single else folder
    if holder in configured:
        return configured, lambda module: True
    return (*configured, holder), lambda module: module.path.parent != holder or not single or module.path == folder


def _show(status: FileStatus) -> None:
    colour = {"loaded": "green", "failed": "red", "skipped": "yellow"}[status.state]
    line = f":{status.line}" if status.line else ""
    click.echo(f"{click.style(status.state.ljust(7), fg=colour)}  {short(status.file)}{line}")
    if status.reason:
        click.echo(f"         {status.reason}")
    for line in status.trace.splitlines():
        click.echo(f"           {line}")
    for route in status.routes:
        click.echo(f"         {route['verb']:<6} {route['path']}")
    for note in status.notes:
        click.echo(f"{click.style('note', fg='yellow')}     {note}")
    if status.service and status.state == "loaded" and not status.routes:
        click.echo("         no routes: the class has no public methods")


def _recorded_tables() -> Known | None:
    """Return the stored form of each table; None: the database is unreachable or does not exist yet."""
    if is_missing(settings().database):
        return None
    try:
        require_database(settings())
        return known_tables()
    except (peewee.PeeweeException, DatabaseUrlError, OSError):
        return None
    finally:
        close()


def _notes(made: Catalogue, folders: Iterable[Path], tables: Known, modules: Collection[str]) -> Iterator[str]:
    """Yield what an author may want to know about some modules."""
    for table, (recorded, owner) in sorted(tables.items()):
        for name in [each for each, column in recorded.columns.items() if column.unused and owner in modules]:
            yield (
                f"{table}.{name}: no model of {owner} has a field for this column; a migration can drop it "
                f"(tables.drop({table!r}, {name!r}))"
            )
    for module, found in made.notes.items():
        yield from found if module in modules else ()
    for name in sorted(modules):
        if any((holder / name / DRAFT).exists() for holder in folders):
            yield f"{name}: a draft, not served; to serve it, remove its file {DRAFT}"
    for name in changed_natives(data_folder(settings()) / TRIALS_FOLDER, look(folders)[0]):
        if name in modules:
            yield f"{name}: its files have changed since a server loaded them; restart that server, or send it SIGUSR2"
    yield from _private_imports(folders, modules)
    package = settings().explorer
    ignored_files = getattr(importlib.import_module(package), "ignored_files", None) if package else None
    if ignored_files:
        yield from ignored_files(each for each in made.services.values() if each.module in modules)


def _private_imports(folders: Iterable[Path], modules: Collection[str]) -> Iterator[str]:
    """Yield the files of an author that import from inside `core`, which may change in any release."""
    for each in look(folders)[0]:
        for file in sorted(each.prints) if each.name in modules and not each.is_native else ():
            for name in dict.fromkeys(_imported_from_core(text_of(Path(file)))):
                told = f"imports from {name}, which may change; modules/NAMES.md lists the names that stay"
                yield f"{Path(file).relative_to(each.path.parent)}: {told}"


def _imported_from_core(text: str) -> Iterator[str]:
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in nodes:
        names = [each.name for each in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
        if isinstance(node, ast.ImportFrom):
            inside = node.module == "core" and "for_natives" in names
            names = [f"{node.module}.for_natives" if inside else node.module or ""] if not node.level else []
        yield from (each for each in names if each.startswith("core.") and not each.startswith("core.testing"))

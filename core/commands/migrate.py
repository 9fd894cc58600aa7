"""`comptoir migrate`: list, preview, write and run migrations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..loading.folders import look
from ..loading.loader import Loader
from ..schema.diff import differences, moved_tables
from ..schema.drafts import QUESTION, drafts_of
from ..schema.known_tables import known_tables
from ..schema.migrations import (
    done_migrations,
    files_in,
    is_first_load,
    pending_migrations,
    preview,
    tables_before,
)
from ..schema.safety_copies import safety_copies
from ..schema.steps import RenameTable
from ..schema.table import MigrationError, SchemaError, models_of, owner_of
from ..schema.tables import ensure_core_tables, ensure_tables, rejected_modules
from ..storage.database import close
from ..storage.model import Model
from .database_wait import require_database, require_installation
from .terminal import plural, read_settings, short, show, show_json, unknown


@dataclass(frozen=True)
class _Modules:
    """The modules on disk, and the models of those that can be imported."""

    folders: dict[str, Path]
    models: list[type[Model]]
    failures: list[str]


@click.command()
@click.option(
    "--status", "shows_status", is_flag=True, help="List the migrations: when each ran, which are pending, which fail."
)
@click.option("--dry-run", is_flag=True, help="Show the steps of pending migrations; change nothing.")
@click.option("--to", "upto", metavar="[MODULE:]NNNN", help="Number of the last migration to run.")
@click.option(
    "--write", "writes", is_flag=True, help="Write a migration for the differences between models.py and the tables."
)
@click.option("--json", "as_json", is_flag=True, help="With --status or --dry-run: print JSON.")
@click.argument("module", required=False)
@click.pass_context
def migrate(
    context: click.Context, module: str | None, shows_status: bool, dry_run: bool, upto: str | None, writes: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Run the pending migrations of MODULE, or of all modules. A server runs them automatically.

    On SQLite, the command first saves a copy of the database in the same folder. On PostgreSQL and MariaDB, run
    `comptoir backup` before you put the new files in place; with them, use `pg_dump` or `mariadb-dump`.

    --status and --dry-run run nothing. A migration that reads rows shows its steps up to there. The exit code is 1 if
    a server would reject a module because of its tables.

    A running server applies a migration as soon as the file exists. To review it first, work on a copy of the module:
    run `COMPTOIR_MODULES=<copy> comptoir migrate --write`, check the file, then move it and models.py to the module
    together.
    """
    with _modules(module, creates=not (shows_status or dry_run or writes)) as modules:
        if shows_status or dry_run:
            context.exit(_show(modules, not shows_status, as_json))
        context.exit(_write(modules) if writes else _run(modules, upto))


@contextmanager
def _modules(wanted: str | None, *, creates: bool) -> Iterator[_Modules]:
    configuration = read_settings()
    found = [each for each in look(configuration.module_folders)[0] if not each.refused]
    if wanted is not None and wanted not in {each.name for each in found}:
        raise unknown("module", wanted, [each.name for each in found], "run `comptoir check` to see all modules")
    folders = {each.name: each.path / "migrations" for each in found if wanted in (None, each.name)}
    made = Loader(configuration.module_folders, tables=False).load()
    (require_database if creates else require_installation)(configuration)
    try:
        # Other files of a module that fail to load don't matter here
        whole = {owner_of(model) for model in made.models}
        broken = [each for each in made.failures if each.module in folders and each.module not in whole]
        failures = list(dict.fromkeys(f"{short(each.file)}: {each.reason}" for each in broken))
        yield _Modules(folders, list(made.models), failures)
    finally:
        close()


def _show(modules: _Modules, dry_run: bool, as_json: bool) -> int:
    """Print the migrations, or the steps of the pending ones, and what a server would reject; return the exit code."""
    rejected = rejected_modules(modules.folders, modules.models)
    done = done_migrations()
    found: list[dict[str, Any]] = [
        {"module": module, "name": file.stem, "run": done.get((module, file.stem))}
        for module, folder in sorted(modules.folders.items())
        for file in files_in(folder)
    ]
    if dry_run:
        found = _previews(modules)
    if as_json:
        show_json({"migrations": found, "refused": rejected})
    elif dry_run:
        for each in found:
            click.echo(click.style(f"{each['module']}: {each['name']}", bold=True))
            for line in filter(None, [*each["steps"], each["reason"]]):
                click.echo(f"  {line}")
        click.echo(f"{plural(len(found), 'migration')} pending; nothing was changed")
    else:
        show(found, {"MODULE": "module", "MIGRATION": "name", "RUN": lambda each: each["run"] or "pending"})
    for module, reason in sorted({}.items() if as_json else rejected.items()):
        click.echo(f"rejected {module}: {reason}")
    for reason in modules.failures:
        click.echo(f"failed   {reason}", err=True)
    return 1 if rejected or modules.failures else 0


def _previews(modules: _Modules) -> list[dict[str, Any]]:
    """Return the steps of each pending migration in words, and why further ones aren't known."""
    found = []
    for module, files in sorted(pending_migrations(modules.folders).items()):
        own, reason = models_of(modules.models, module), ""
        steps: dict[Path, list[str]] = {}
        if is_first_load(module, own):
            reason = "nothing to migrate: the module has no tables yet"
        else:
            try:
                for each in preview(module, files, tables_before(module, own)):
                    steps[each.file] = [step.words() for step in each.steps]
                    if not each.is_whole:
                        steps[each.file].append("further steps are known only when it runs, because it reads rows")
            except MigrationError as error:
                reason = str(error)
        for file in files:
            shown = steps.get(file, [])
            found.append({"module": module, "name": file.stem, "steps": shown, "reason": reason})
    return found


def _run(modules: _Modules, upto: str | None) -> int:
    pending = pending_migrations(modules.folders)
    limits = _limits(upto, pending)
    before = {copy.name for copy in safety_copies()}
    ensure_core_tables()
    failed = list(modules.failures)
    for name, folder in modules.folders.items():
        own = list(models_of(modules.models, name).values())
        try:
            ensure_tables(own, {name: folder}, upto=limits)
        except SchemaError as error:
            failed.append(f"{name}: {error}")
    left = pending_migrations(modules.folders)
    for name, files in pending.items():
        for each in files:
            if each not in left.get(name, ()):
                click.echo(f"ran      {name}: {each.stem}")
    for copy in safety_copies():
        if copy.name not in before:
            click.echo(f"saved    {short(copy)}: a copy of the database before the migrations")
    for reason in failed:
        click.echo(f"failed   {reason}", err=True)
    number = sum(map(len, left.values()))
    click.echo(f"{plural(number, 'migration')} pending" if number else "No migrations are pending.")
    return 1 if failed else 0


def _limits(upto: str | None, pending: dict[str, list[Path]]) -> dict[str, str]:
    """Return the last migration to run, by module."""
    if upto is None:
        return {}
    module, _, number = upto.rpartition(":")
    wanted = {module} if module else set(pending)
    if not number.isdigit() or not wanted & set(pending):
        known = ", ".join(f"{name}:{file.stem}" for name, files in pending.items() for file in files)
        raise click.ClickException(
            f"--to: expected a pending migration, got {upto!r}; {f'pending: {known}' if known else 'none is pending'}"
        )
    return {name: number for name in pending if name in wanted}


def _write(modules: _Modules) -> int:
    written = 0
    for name, folder in sorted(modules.folders.items()):
        own = models_of(modules.models, name)
        tables = tables_before(name, own)
        files = files_in(folder)
        preview(name, pending_migrations({name: folder}).get(name, []), tables)
        moved = moved_tables(own.values(), own, known_tables())
        for step in [each.step for each in moved if isinstance(each.step, RenameTable)]:
            if step.table in tables:
                tables.pop(step.to, None)
                step.plan(tables)
        found = [*moved, *differences(own, tables)]
        if not found:
            continue
        folder.mkdir(exist_ok=True, mode=0o755)
        drafts = drafts_of(found, own, tables, files)
        for file, text in drafts.items():
            with (folder / file).open("x", encoding="utf-8") as opened:
                opened.write(text)
            written += 1
            click.echo(f"written  {short(folder / file)}")
        if any(QUESTION in text for text in drafts.values()):
            click.echo(
                "         The migration contains open questions. Answer them in the file, then delete the `raise` line."
            )
        else:
            click.echo("         A server that runs on this folder applies it immediately.")
    for reason in modules.failures:
        click.echo(f"skipped  {reason}", err=True)
    if written:
        click.echo(
            "Check each step before it runs, because dropped data is lost. `comptoir migrate --dry-run` lists\n"
            "the steps.\n"
            "If a server runs on this folder, work on a copy of the module instead:\n"
            "`COMPTOIR_MODULES=<copy> comptoir migrate --write`, check the file, then move it and models.py to the\n"
            "module together."
        )
    else:
        click.echo("Nothing to write: no table needs a migration.")
    return 0

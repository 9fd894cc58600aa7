"""`python -m core check`: load every module file apart and say what became of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from ..checking import LIMIT, examine
from ..findings import Finding, count, find, report
from ..folders import ModuleFolder
from .terminal import progress_line, read_settings, show_json


@click.command()
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--timeout", default=LIMIT, show_default=True, help="Seconds that a file may take.")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
@click.pass_context
def check(context: click.Context, folder: Path | None, timeout: float, as_json: bool) -> None:
    """Load every module file in a process of its own and say what became of it.

    FOLDER is one module, or a folder of modules; without it all configured folders are checked. Nothing is served and
    no database is touched. The exit code is 1 when a file cannot be loaded.
    """
    folders, wanted = _folders(read_settings().module_folders, folder.resolve() if folder else None)
    progress = (lambda done, all: None) if as_json else progress_line("Checking file")
    made = examine(folders, wanted=wanted, seconds=timeout, progress=progress)
    findings = [each for each in find(made) if folder is None or each.file.is_relative_to(folder.resolve())]
    failed = sum(each.state == "failed" for each in findings)
    if as_json:
        show_json(report(findings))
    else:
        for each in findings:
            _show(each)
        click.echo(", ".join(f"{number} {state}" for state, number in count(findings).items()))
        if not findings:
            click.echo("Nothing is served from here: a module is a folder that holds class/api_<module><object>.py")
    context.exit(1 if failed or not findings else 0)


def _folders(
    configured: tuple[Path, ...], folder: Path | None
) -> tuple[tuple[Path, ...], Callable[[ModuleFolder], bool]]:
    """Where modules are looked for, and which of them count: all that are served, and those of the folder."""
    if folder is None:
        return configured, lambda module: True
    single = (folder / "class").is_dir() or (folder / "models.py").is_file()
    holder = folder.parent if single else folder
    if holder in configured:
        return configured, lambda module: True
    return (*configured, holder), lambda module: module.path.parent != holder or not single or module.path == folder


def _show(finding: Finding) -> None:
    colour = {"loaded": "green", "failed": "red", "skipped": "yellow"}[finding.state]
    click.echo(f"{click.style(finding.state.ljust(7), fg=colour)}  {short(finding.file)}")
    if finding.reason:
        click.echo(f"         {finding.reason}")
    for line in finding.trace.splitlines():
        click.echo(f"           {line}")
    for route in finding.routes:
        click.echo(f"         {route['verb']:<6} {route['path']}")
    if finding.service and finding.state == "loaded" and not finding.routes:
        click.echo("         no route: it has no public method")


def short(file: Path) -> str:
    """A path as one would type it here."""
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)


__all__ = ["check", "short"]

"""`comptoir new`: create a working module."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from ..loading.folders import DRAFT
from ..loading.scaffold import Names, NameTaken, WrongName, write
from .check import short
from .terminal import program, read_settings


@click.command()
@click.argument("module")
@click.argument("object_name", metavar="OBJECT")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="Module folder to write to.")
@click.option(
    "--now",
    is_flag=True,
    help="Don't create a draft: a running server serves the module and creates its table immediately.",
)
def new(module: str, object_name: str, folder: Path | None, now: bool) -> None:
    """Create a working module with a table, an API class and a test.

    `comptoir new loyalty cards` creates the folder loyalty/, which serves /loyaltycards. If both names are the same,
    the path is the single name: `comptoir new subscriptions subscriptions` serves /subscriptions.

    The module goes into the first writable folder of COMPTOIR_MODULES, or else into modules/ of the current folder.
    Existing files are not overwritten.

    The module is a draft: a server ignores it until you delete its file DRAFT, or run the same command with --now.
    `comptoir check` and the module's test work on a draft.
    """
    configuration = read_settings()
    _, *outside = configuration.module_folders
    # Not the folder of the native modules: in an installed Comptoir that is a package folder
    here = Path("modules").resolve()
    target = folder.resolve() if folder else next((each for each in outside if os.access(each, os.W_OK)), here)
    try:
        names = Names(module, object_name)
        if now and (target / module / DRAFT).exists():
            (target / module / DRAFT).unlink()
            click.echo(f"Published {short(target / module)}; a running server now serves /{names.service}.")
            return
        written = write(names, target, draft=not now)
    except WrongName as error:
        raise click.UsageError(str(error)) from error
    except NameTaken as error:
        listed = "\n".join(f"  {short(file)}" for file in error.files)
        raise click.ClickException(f"these files already exist; nothing was written:\n{listed}") from error
    for file in written:
        click.echo(f"written  {short(file)}")
    home = short(target / names.module)
    steps = [
        *([(f"{short(Path(sys.executable))} -m pytest {home}/tests", "run the test")] if find_spec("pytest") else []),
        (f"{program()} check {home}", "load the module and list its routes"),
        *([] if now else [(f"rm {home}/{DRAFT}", "publish it: the server creates the table from models.py")]),
        (f"{program()} serve", "start a server, unless one is running"),
        (f'curl -H "DOLAPIKEY: <key>" http://{configuration.bind}/{names.service}', "call the service"),
    ]
    if target.resolve() not in map(Path.resolve, configuration.module_folders):
        steps.insert(
            -2 if now else -3, (f"export COMPTOIR_MODULES={target}", "add the folder to the server's module folders")
        )
    click.echo("\nNext:")
    for command, purpose in steps:
        click.echo(f"  # {purpose}\n  {command}")

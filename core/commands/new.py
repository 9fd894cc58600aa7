"""`comptoir new`: write a working module to start from."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import click

from ..loading.folders import DRAFT
from ..loading.scaffold import Names, NameTaken, WrongName, write
from .check import short
from .terminal import read_settings


@click.command()
@click.argument("module")
@click.argument("object_name", metavar="OBJECT")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="The module folder to write into.")
@click.option("--now", is_flag=True, help="No draft: a server that runs serves it, and makes its table, at once.")
def new(module: str, object_name: str, folder: Path | None, now: bool) -> None:
    """Write a working module: its table, its API class and a test.

    `new loyalty cards` makes the folder loyalty/ that serves /loyaltycards, `new subscriptions subscriptions` one that
    serves /subscriptions. It goes into the first folder of
    COMPTOIR_MODULES that may be written to, otherwise into modules/ of the current folder. Nothing that exists is
    overwritten.

    It is a draft: no server serves it, or makes its table, before the file DRAFT in it is removed, which the same
    command with --now does. `check` and its test work nevertheless.
    """
    configuration = read_settings()
    _, *outside = configuration.module_folders
    # Not simply the native modules' folder: where Comptoir was installed, that is no place to work in
    here = Path("modules").resolve()
    target = folder.resolve() if folder else next((each for each in outside if os.access(each, os.W_OK)), here)
    try:
        names = Names.read(module, object_name)
        if now and (target / module / DRAFT).exists():
            (target / module / DRAFT).unlink()
            click.echo(f"{short(target / module)} is no draft any more; a server that runs serves /{names.service}")
            return
        written = write(names, target, draft=not now)
    except WrongName as error:
        raise click.ClickException(str(error)) from error
    except NameTaken as error:
        listed = "\n".join(f"  {short(file)}" for file in error.files)
        raise click.ClickException(f"nothing has been written, this exists already:\n{listed}") from error
    for file in written:
        click.echo(f"written  {short(file)}")
    home = short(target / names.module)
    steps = [
        *([(f"python -m pytest {home}/tests", "run its test")] if find_spec("pytest") else []),
        (f"comptoir check {home}", "load it apart and see its routes"),
        *([] if now else [(f"rm {home}/{DRAFT}", "let servers see it; then its table is made as models.py says")]),
        ("comptoir serve", "serve it; a server that runs does so already"),
        (f'curl -H "DOLAPIKEY: <key>" http://{configuration.bind}/{names.service}', "call it"),
    ]
    if target not in configuration.module_folders:
        steps.insert(-2 if now else -3, (f"export COMPTOIR_MODULES={target}", "let the server look there"))
    click.echo("\nNext:")
    for command, purpose in steps:
        click.echo(f"  # {purpose}\n  {command}")

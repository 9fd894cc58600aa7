"""Check the files of records, and mend what does not fit."""

from __future__ import annotations

import json
from typing import Any

import click

from core import ApiError

from ..mending.findings import find
from ..mending.mending import mend_changed, mend_lost, mend_stray
from ..store.configured_store import store


@click.group()
def files() -> None:
    """The files of records: papers that were printed, files that people have sent."""


@files.command()
@click.option("--mend", is_flag=True, help="Print lost papers anew, take files into the index or move them aside.")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
@click.pass_context
def check(context: click.Context, mend: bool, as_json: bool) -> None:
    """Say which rows have no file, which files no row, and where sizes differ. The server may run meanwhile.

    With --mend a lost paper is printed anew; a row whose file is lost for good goes; a file in a record's folder is
    taken into the index, another one is moved to `.aside` in the store. What interrupted uploads have left behind for
    an hour is removed in any case. The exit code is 1 as long as something does not fit.
    """
    try:
        swept, found = store().sweep(), find()
    except ApiError as error:
        raise click.ClickException(error.message) from error
    told: list[dict[str, Any]] = []
    for path, problem, mending in [
        *((row.path, "the file is missing", lambda row=row: mend_lost(row)) for row in found.lost),
        *((row.path, f"{size} bytes, the index says {row.size}", lambda row=row, size=size: mend_changed(row, size))
          for row, size in found.changed),
        *((path, "it is not in the index", lambda path=path: mend_stray(path)) for path in found.stray),
    ]:  # fmt: skip
        told.append({"path": path, "problem": problem, "done": _try(mending) if mend else ""})
    left = [each for each in told if not each["done"] or each["done"].startswith("left")]
    if as_json:
        click.echo(json.dumps({"files": found.files, "swept": swept, "findings": told}, indent=2, ensure_ascii=False))
    else:
        for each in told:
            click.echo(f"{each['path']}: {each['problem']}" + (f"; {each['done']}" if each["done"] else ""))
        click.echo(f"{found.files} files, {len(told)} findings, {swept} leftovers of uploads removed")
        if left and not mend:
            click.echo("python -m core files check --mend mends what can be mended")
    context.exit(1 if left else 0)


def _try(mending: Any) -> str:
    try:
        return str(mending())
    except ApiError as error:
        return f"left: {error.message}"

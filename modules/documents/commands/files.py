"""Check the files of records, and repair what does not fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click

from core import ApiError

from ..repair.findings import Findings, find
from ..repair.repair import repair_changed, repair_lost, repair_missing, repair_stray
from ..store.configured_store import store


@click.group()
def files() -> None:
    """The files of records: PDFs that were printed, files that people have sent."""


@files.command()
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
@click.pass_context
def check(context: click.Context, as_json: bool) -> None:
    """List files that do not fit their records. The server may run meanwhile.

    These are rows of the index without their file, files without their row, other sizes than the index says, and
    validated documents without their PDF. The exit code is 1 if there are any. Files that interrupted uploads left an
    hour ago are removed.
    """
    context.exit(_examine(as_json, repairs=False))


@files.command()
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
@click.pass_context
def repair(context: click.Context, as_json: bool) -> None:
    """Repair what `check` lists. The server may run meanwhile.

    Missing PDFs are printed. A row is deleted if its file is lost for good. A file in a record's folder is taken into
    the index; any other file is moved to `.aside` in the store. The exit code is 1 if something is left.
    """
    context.exit(_examine(as_json, repairs=True))


def _examine(as_json: bool, *, repairs: bool) -> int:
    try:
        found = find()
        swept = store().sweep()
    except ApiError as error:
        raise click.ClickException(error.message) from error
    told: list[dict[str, Any]] = [
        {"path": path, "problem": problem, "done": _try(repairing) if repairs else ""}
        for path, problem, repairing in _problems(found)
    ]
    left = [each for each in told if not each["done"] or each["done"].startswith("left")]
    if as_json:
        click.echo(json.dumps({"files": found.files, "swept": swept, "findings": told}, indent=2, ensure_ascii=False))
    else:
        for each in told:
            click.echo(f"{each['path']}: {each['problem']}" + (f"; {each['done']}" if each["done"] else ""))
        click.echo(f"{found.files} files, {len(told)} findings, {swept} leftovers of uploads removed")
        if left and not repairs:
            click.echo("`comptoir files repair` repairs what can be repaired")
    return 1 if left else 0


def _problems(found: Findings) -> Iterator[tuple[str, str, Callable[[], str]]]:
    """Each path with what is wrong there, and what repairs it."""
    for row in found.lost:
        yield row.path, "the file is missing", partial(repair_lost, row)
    for row, size in found.changed:
        yield row.path, f"{size} bytes, the index says {row.size}", partial(repair_changed, row, size)
    for path in found.stray:
        yield path, "it is not in the index", partial(repair_stray, path)
    for each in found.missing:
        yield each.path, "the PDF of a validated document is missing", partial(repair_missing, each)


def _try(repairing: Callable[[], str]) -> str:
    try:
        return repairing()
    except ApiError as error:
        return f"left: {error.message}"

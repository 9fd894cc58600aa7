"""Check the files of records, and repair inconsistencies."""

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
    """Check the files of records, and repair inconsistencies.

    The files are uploads and generated PDFs. The database keeps an index of them.
    """


@files.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check(context: click.Context, as_json: bool) -> None:
    """List missing, unknown and changed files. The server can keep running.

    \b
    The command reports:
    - index entries without a file
    - files without an index entry
    - files whose size differs from the index
    - validated documents without a PDF

    It also removes files that interrupted uploads left more than an hour ago. The exit code is 1 if it reports
    anything.
    """
    context.exit(_examine(as_json, repairs=False))


@files.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def repair(context: click.Context, as_json: bool) -> None:
    """Repair the files that `check` reports. The server can keep running.

    The command generates missing PDFs, removes index entries whose file is lost, and adds files in a record's folder to
    the index. It moves files that no record owns to `.aside` in the store. The exit code is 1 if a file could not be
    repaired.
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
        click.echo(
            f"Checked {_count(found.files, 'file')}, found {_count(len(told), 'problem')}; "
            f"removed {_count(swept, 'leftover')} from interrupted uploads."
        )
        if left and not repairs:
            click.echo("Run `comptoir files repair` to repair the files.")
    return 1 if left else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _problems(found: Findings) -> Iterator[tuple[str, str, Callable[[], str]]]:
    """Yield each path with its problem and the function that repairs it."""
    for row in found.lost:
        yield row.path, "the file is missing", partial(repair_lost, row)
    for row, size in found.changed:
        yield row.path, f"the file has {size} bytes, but the index lists {row.size}", partial(repair_changed, row, size)
    for path in found.stray:
        yield path, "the file is not in the index", partial(repair_stray, path)
    for each in found.missing:
        yield each.path, "the PDF of a validated document is missing", partial(repair_missing, each)


def _try(repairing: Callable[[], str]) -> str:
    try:
        return repairing()
    except ApiError as error:
        return f"left unchanged: {error.message}"

"""`comptoir copy`: copy the database into another one of any kind."""

from __future__ import annotations

import time
from collections.abc import Mapping

import click

from ..common.masks import hide_password
from ..transfer.copying import copy_database
from ..transfer.manifest import Manifest
from ..transfer.tables import Totals
from .database_wait import require_installation
from .terminal import plural, progress_bar, read_settings, show_json


@click.command("copy")
@click.option(
    "--to", "target", required=True, metavar="URL", help="URL of the database to fill; it must have no tables."
)
@click.option("--again", is_flag=True, help="Empty a target that an interrupted copy left incomplete, and start over.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def copy(target: str, again: bool, as_json: bool) -> None:
    """Copy the database into an empty database of any kind.

    The original is COMPTOIR_DATABASE. The server can keep running: the copy shows the data as it was when the
    command started. At the end, the command compares the rows, values and sums of both databases. Files are not copied.
    """
    configuration = read_settings()
    if target.strip() == configuration.database:
        raise click.UsageError("--to: expected another database, got the one in COMPTOIR_DATABASE")
    require_installation(configuration)
    started = time.monotonic()
    made = copy_database(configuration.database, target, configuration, again=again, progress=progress_bar)
    show_copied("Copied", made.tables, made.warnings, started, as_json=as_json)
    if not as_json:
        click.echo(f"To serve the copy, set COMPTOIR_DATABASE to {hide_password(target)}.")


def show_copied(
    done: str,
    tables: Mapping[str, Totals],
    warnings: list[str],
    started: float,
    *,
    as_json: bool,
    manifest: Manifest | None = None,
) -> None:
    """Print what was copied.

    :param done: past participle that starts the sentence
    :param started: the monotonic time at which the command started
    :param manifest: that of the backup
    """
    rows, seconds, files, more = sum(each.rows for each in tables.values()), time.monotonic() - started, "", {}
    if manifest is not None:
        files = f" and {plural(manifest.files, 'file')} ({manifest.bytes:,} bytes)"
        more = {name: getattr(manifest, name) for name in ("version", "made", "files", "bytes", "missing")}
    if as_json:
        counted = {name: {"rows": each.rows, "sums": each.sums} for name, each in tables.items()}
        show_json({"tables": counted, "rows": rows, **more, "warnings": warnings, "seconds": round(seconds, 1)})
        return
    for warning in warnings:
        click.echo(f"  {warning}", err=True)
    click.echo(
        f"{done} {plural(rows, 'row')} from {plural(len(tables), 'table')}{files} in {seconds:.1f} s; "
        "rows, values and sums match."
    )

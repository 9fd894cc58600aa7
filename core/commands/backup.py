"""`comptoir backup`, `restore` and `copy`: the database and its files in a plain folder, or in another database."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import click

from ..common.masks import hide_password
from ..transfer.backup import back_up
from ..transfer.copying import copy_database
from ..transfer.manifest import Manifest
from ..transfer.restore import restore as restore_backup
from ..transfer.tables import Totals
from .database_wait import require_installation
from .terminal import json_option, plural, progress_bar, read_settings, show_json


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@json_option
def backup(folder: Path, as_json: bool) -> None:
    """Back up the database and the files into a new FOLDER. The server can keep running.

    FOLDER receives `database.db` (always SQLite), `files`, `SHA256SUMS` and
    `manifest.json`. The manifest is written last: a folder without it is not a complete backup.
    """
    configuration = read_settings()
    require_installation(configuration)
    started = time.monotonic()
    manifest, warnings = back_up(folder.resolve(), configuration, progress_bar)
    for path in manifest.missing[:20]:
        warnings.append(f"{path}: a record refers to this file, but the file is missing; run `comptoir files check`")
    then = f"The backup is in {folder}. Only your user can read it: it contains password hashes and key digests."
    _show("Backed up", manifest.tables, warnings, started, then, as_json, manifest)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--again", is_flag=True, help="Start over after an interrupted restore.")
@json_option
def restore(folder: Path, again: bool, as_json: bool) -> None:
    """Restore a backup into an empty database and an empty file store.

    FOLDER is the backup; COMPTOIR_DATABASE and COMPTOIR_DOCUMENTS are the targets. The database can be of a different
    kind from the original, and the backup can come from an older version.
    """
    configuration = read_settings()
    started = time.monotonic()
    manifest, warnings = restore_backup(folder.resolve(), configuration, again=again, progress=progress_bar)
    then = f"The database now has the state of {manifest.made.replace('T', ' ')} UTC."
    _show("Restored", manifest.tables, warnings, started, then, as_json, manifest)


@click.command("copy")
@click.option(
    "--to", "target", required=True, metavar="URL", help="URL of the database to fill; it must have no tables."
)
@click.option("--again", is_flag=True, help="Empty a target that an interrupted copy left incomplete, and start over.")
@json_option
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
    tables, warnings = copy_database(configuration.database, target, configuration, again=again, progress=progress_bar)
    then = f"To serve the copy, set COMPTOIR_DATABASE to {hide_password(target)}."
    _show("Copied", tables, warnings, started, then, as_json)


def _show(
    done: str,
    tables: Mapping[str, Totals],
    warnings: list[str],
    started: float,
    then: str,
    as_json: bool,
    manifest: Manifest | None = None,
) -> None:
    """Print what was copied.

    :param done: past participle that starts the sentence
    :param started: the monotonic time at which the command started
    :param then: the sentence after it
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
        f"rows, values and sums match.\n{then}"
    )

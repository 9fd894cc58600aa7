"""`comptoir backup` and `restore`: the database and its files, in a plain folder."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ..transfer.backup import back_up
from ..transfer.restore import restore as restore_backup
from .copy import show_copied
from .database_wait import require_installation
from .terminal import progress_bar, read_settings


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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
    show_copied("Backed up", manifest.tables, warnings, started, as_json=as_json, manifest=manifest)
    if not as_json:
        click.echo(
            f"The backup is in {folder}. Only your user can read it: it contains password hashes and key digests."
        )


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--again", is_flag=True, help="Start over after an interrupted restore.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def restore(folder: Path, again: bool, as_json: bool) -> None:
    """Restore a backup into an empty database and an empty file store.

    FOLDER is the backup; COMPTOIR_DATABASE and COMPTOIR_DOCUMENTS are the targets. The database can be of a different
    kind from the original, and the backup can come from an older version.
    """
    configuration = read_settings()
    started = time.monotonic()
    manifest, warnings = restore_backup(folder.resolve(), configuration, again=again, progress=progress_bar)
    show_copied("Restored", manifest.tables, warnings, started, as_json=as_json, manifest=manifest)
    if not as_json:
        click.echo(f"The database now has the state of {manifest.made.replace('T', ' ')} UTC.")

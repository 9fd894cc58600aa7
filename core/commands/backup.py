"""`comptoir backup` and `restore`: database and files, in step, in a plain folder."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ..common.masks import hide_password
from ..transfer.backup import back_up
from ..transfer.manifest import Manifest
from ..transfer.restore import restore as restore_backup
from .copy import show_copied
from .database_wait import require_installation
from .terminal import plural, progress_bar, read_settings


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def backup(folder: Path, as_json: bool) -> None:
    """Back up database and files into FOLDER, a new one; the server may run meanwhile.

    FOLDER then holds `database.db` (SQLite, whatever the database is), the files as they are called, `SHA256SUMS` and
    `manifest.json`, which is written last: without it the backup is not finished.
    """
    configuration = read_settings()
    require_installation(configuration)
    started = time.monotonic()
    manifest, warnings = back_up(folder.resolve(), configuration, progress_bar)
    for path in manifest.missing[:20]:
        warnings.append(f"{path}: a row names it, and there is no such file (`comptoir files check`)")
    _show(manifest, warnings, as_json, time.monotonic() - started)
    if not as_json:
        click.echo(f"{folder} is a backup. It holds keys' digests and passwords' hashes: keep it where few can read.")


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--again", is_flag=True, help="Begin again a restoration that was broken off.")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def restore(folder: Path, again: bool, as_json: bool) -> None:
    """Restore the backup in FOLDER into the database and the files that COMPTOIR_DATABASE and COMPTOIR_DOCUMENTS name.

    Both must be empty. The database may be of another kind than the one that was backed up, and the backup one of an
    older version.
    """
    configuration = read_settings()
    started = time.monotonic()
    manifest, warnings = restore_backup(folder.resolve(), configuration, again=again, progress=progress_bar)
    _show(manifest, warnings, as_json, time.monotonic() - started)
    if not as_json:
        click.echo(f"{hide_password(configuration.database)} is what it was at {manifest.made} (UTC).")


def _show(manifest: Manifest, warnings: list[str], as_json: bool, seconds: float) -> None:
    files = f" and {plural(manifest.files, 'file')} ({manifest.bytes:,} bytes)"
    told = {name: getattr(manifest, name) for name in ("version", "made", "files", "bytes", "missing")}
    show_copied(manifest.tables, warnings, files, as_json=as_json, seconds=seconds, **told)

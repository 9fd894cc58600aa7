"""From a backup to a database and a store of files, both empty before."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from ..common.settings import Settings
from ..storage.database import close
from ..wsgi import build
from .backup import compare
from .copying import Progress, know, no_progress, write_copy
from .endpoint import TransferError, file_endpoint, open_endpoint
from .files import PART, FileTree, umask
from .manifest import DATABASE, FILES, Manifest, read_manifest


# As the store creates its files
@umask(0o027)
def restore(
    folder: Path, configuration: Settings, *, again: bool = False, progress: Progress = no_progress
) -> tuple[Manifest, list[str]]:
    """Fill the database and file store of a configuration from a backup; return the manifest and warnings.

    A backup of an older version is upgraded as at a start of the server.

    :param again: start over after an interrupted restore
    :raises TransferError: the backup is damaged, or the database or the store isn't empty
    """
    manifest, digests = read_manifest(folder)
    backup, store = FileTree(str(folder / FILES)), FileTree(configuration.documents)
    if not any(each.rows for each in manifest.tables.values()):
        raise TransferError(f"{folder} is a backup of an empty database; nothing was restored")
    _check_digests(folder, digests, progress)
    files = [path.removeprefix(f"{FILES}/") for path in digests if path.startswith(f"{FILES}/")]
    _require_empty(store, set(files), again=again)
    with tempfile.TemporaryDirectory(prefix="comptoir-restore-") as scratch:
        file = Path(scratch) / DATABASE
        shutil.copyfile(folder / DATABASE, file)
        _check_database(file, manifest)
        # A start brings the copy into the form that the modules here know
        build(replace(configuration, database=f"sqlite:///{file}", documents=str(Path(scratch) / FILES)))
        source = open_endpoint(f"sqlite:///{file}")
        try:
            known = know(configuration, progress)
            with source.reading():
                inventory = write_copy(
                    source, configuration.database, known, again=again, progress=progress,
                    beforehand=lambda: _restore_files(backup, store, files, digests, manifest.bytes, progress),
                )  # fmt: skip
        finally:
            source.close()
            close()
    return manifest, inventory.warnings


def _check_digests(folder: Path, digests: dict[str, str], progress: Progress) -> None:
    tree, show = FileTree(str(folder)), progress("Checking files")
    for done, (path, digest) in enumerate(digests.items(), 1):
        try:
            found = tree.digest(path)
        except FileNotFoundError:
            raise TransferError(f"the backup is damaged: {path} is missing") from None
        if found != digest:
            raise TransferError(f"the backup is damaged: the SHA-256 checksum of {path} doesn't match")
        show(done, len(digests))


def _require_empty(store: FileTree, own: set[str], *, again: bool) -> None:
    """Reject a store with files, except those of an interrupted restore that starts over."""
    # An interrupted copy leaves a part
    own |= {path + PART for path in own}
    present = set(store.look())
    if present and present <= own and not again:
        raise TransferError(
            f"COMPTOIR_DOCUMENTS already contains {_files(len(present))} of this backup; nothing was changed. "
            "If a restore was interrupted, use --again to start over"
        )
    if foreign := present - own:
        raise TransferError(
            f"COMPTOIR_DOCUMENTS already contains {_files(len(foreign), 'other file')} "
            f"({min(foreign)}{' …' if len(foreign) > 1 else ''}); nothing was changed. "
            "Use an empty folder"
        )


def _files(number: int, noun: str = "file") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _check_database(file: Path, manifest: Manifest) -> None:
    copy = file_endpoint(file)
    try:
        wrong = compare(copy, manifest.tables)
    finally:
        copy.close()
    if wrong:
        raise TransferError("the backup's database differs from its manifest:\n  " + "\n  ".join(wrong))


def _restore_files(
    backup: FileTree, store: FileTree, files: list[str], digests: dict[str, str], size: int, progress: Progress
) -> None:
    show, done = progress("Copying files"), 0
    for path in files:
        copied, digest = store.take(path, backup)
        if digest != digests[f"{FILES}/{path}"]:
            raise TransferError(f"{path} changed while it was copied; run the command again with --again")
        done += copied
        show(done, size)

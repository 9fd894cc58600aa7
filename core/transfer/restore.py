"""From a backup to a database and a store of files, both empty before."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from ..common.settings import Settings
from ..storage.database import close
from ..wsgi import build
from .copying import Progress, fill, load_modules, no_progress, open_target
from .endpoint import TransferError, open_endpoint
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
    _check_digests(folder, digests, progress)
    files = [path.removeprefix(f"{FILES}/") for path in digests if path.startswith(f"{FILES}/")]
    _require_empty(store, files, again=again)
    with tempfile.TemporaryDirectory(prefix="comptoir-restore-") as scratch:
        file = Path(scratch) / DATABASE
        shutil.copyfile(folder / DATABASE, file)
        # A start brings the copy into the form that the modules here know
        build(replace(configuration, database=f"sqlite:///{file}", documents=str(Path(scratch) / FILES)))
        source = open_endpoint(f"sqlite:///{file}")
        try:
            loaded = load_modules(configuration, progress)
            with source.reading():
                target = open_target(configuration.database, source, again=again)
                _restore_files(backup, store, files, digests, manifest.bytes, progress)
                _, warnings = fill(source, target, loaded, progress)
        finally:
            source.close()
            close()
    return manifest, warnings


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


def _require_empty(store: FileTree, files: list[str], *, again: bool) -> None:
    """Reject a store with files; `again` accepts those of an interrupted restore, and the part of the last one."""
    present = set(store.scan())
    if again:
        present -= {*files, *(path + PART for path in files)}
    if present:
        raise TransferError(
            f"COMPTOIR_DOCUMENTS already contains files, such as {min(present)}; nothing was changed. Use an empty "
            "folder, or --again if a restore of this backup was interrupted"
        )


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

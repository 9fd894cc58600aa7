"""A backup: a folder with the database at one instant, and every file that its rows reference.

The database is a SQLite file, whatever its source was, and can be restored into any database. Files may change while
the backup is made, so most of them are copied beforehand. Then the instant is taken, and files that have changed since
are copied again. A copied file that the instant references stays, even if its source was moved or removed meanwhile. If
a file still doesn't fit its row, another instant is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ..common.clock import now
from ..common.settings import Settings
from ..storage.database import close
from ..storage.model import Model, meta_of
from ..storage.sqlite_lock import lock_file_of
from ..version import VERSION
from .copying import BATCH, Progress, ensure_current_tables, fill, load_modules, no_progress, open_target
from .endpoint import CopyEndpoint, TransferError, open_endpoint
from .files import FileStamp, FileTree, umask
from .manifest import DATABASE, FILES, Manifest, write_manifest

#: maximum number of instants until every file fits its row
_ATTEMPTS = 5


class _Copied(NamedTuple):
    """A file in the backup: the stamp of its source, its size in bytes and its SHA-256."""

    stamp: FileStamp
    size: int
    digest: str


class _Files:
    """The files in a backup so far, by path."""

    def __init__(self, origin: FileTree, copies: FileTree) -> None:
        self.origin, self.copies = origin, copies
        self.copied: dict[str, _Copied] = {}

    def update(self, progress: Callable[[int, int], None] = lambda done, all: None) -> set[str]:
        """Copy new and changed files; return all present paths. Files that are gone stay until `keep_only`."""
        present = self.origin.scan()
        changed = [
            path for path, stamp in present.items() if path not in self.copied or self.copied[path].stamp != stamp
        ]
        total, done = sum(present[path].size for path in changed), 0

        def report(size: int) -> None:
            nonlocal done
            done += size
            progress(done, max(total, done))

        for path in changed:
            try:
                self.copied[path] = _Copied(present[path], *self.copies.take(path, self.origin, report))
            except FileNotFoundError:
                continue
        return set(present)

    def keep_only(self, paths: set[str]) -> None:
        """Remove the files that no longer exist and that no row references."""
        for path in set(self.copied) - paths:
            self.copies.remove(path)
            del self.copied[path]


@umask(0o077)
def back_up(folder: Path, configuration: Settings, progress: Progress = no_progress) -> tuple[Manifest, list[str]]:
    """Make a backup while the server may be running; return its manifest and warnings.

    :param folder: new or empty; one that exists keeps its mode, but only its owner can read the contents
    :raises TransferError: the backup failed; a folder without a manifest is not a backup
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise TransferError(f"{folder} is not empty; use a new folder for each backup")
    source = open_endpoint(configuration.database)
    try:
        loaded = load_modules(configuration, progress)
        if not source.database.copies_pages:
            ensure_current_tables(configuration, loaded.models)
        files = _Files(FileTree(configuration.documents), FileTree(str(folder / FILES)))
        files.update(progress("Copying files"))
        with _instant(source, loaded.models, files) as missing:
            made = now()
            target = open_target(f"sqlite:///{quote(str(folder / DATABASE))}", source)
            tables, warnings = fill(source, target, loaded, progress)
        _finish(target, folder / DATABASE)
        copied = files.copied
        digests = {f"{FILES}/{path}": each.digest for path, each in copied.items()}
        digests[DATABASE] = FileTree(str(folder)).digest(DATABASE)
        manifest = Manifest(
            VERSION, made.isoformat(), source.database.name, tables, len(copied),
            sum(each.size for each in copied.values()), sorted(missing),
        )  # fmt: skip
        write_manifest(folder, manifest, digests)
    finally:
        source.close()
        close()
    return manifest, warnings


@contextmanager
def _instant(source: CopyEndpoint, models: Iterable[type[Model]], files: _Files) -> Iterator[set[str]]:
    """Read the database as it is at an instant at which every row has its file; yields those that have none.

    A file that is missing at two instants, one after the other, is missing for good.
    """
    before: set[str] | None = None
    for attempt in range(1, _ATTEMPTS + 1):
        with source.reading():
            present = files.update()
            referenced = dict(_referenced_files(source, models))
            sizes = {path: each.size for path, each in files.copied.items()}
            missing = {
                path for path, size in referenced.items() if path not in sizes or size not in (None, 0, sizes[path])
            }
            if not missing or missing == before or attempt == _ATTEMPTS:
                files.keep_only(present | set(referenced))
                yield missing
                return
            before = missing


def _referenced_files(end: CopyEndpoint, models: Iterable[type[Model]]) -> Iterator[tuple[str, int | None]]:
    """Yield the files that rows reference, each with its size if the row has it."""
    existing = set(end.tables())
    for meta in map(meta_of, models):
        if not meta.stored_file or meta.table_name not in existing:
            continue
        names = [*meta.stored_file, *([meta.stored_size] if meta.stored_size else [])]
        columns = ", ".join(end.database.quoted(meta.fields[name].column_name) for name in names)
        for rows in end.database.stream(f"SELECT {columns} FROM {end.database.quoted(meta.table_name)}", BATCH):
            for row in rows:
                parts = row[: len(meta.stored_file)]
                yield "/".join(map(str, parts)), row[len(parts)] if len(row) > len(parts) else None


def _finish(target: CopyEndpoint, file: Path) -> None:
    """Close the copy of the database, as one file without the log and the lock file that a server keeps beside it.

    :raises TransferError: SQLite finds the file damaged
    """
    target.database.run("PRAGMA journal_mode = delete")
    found = target.rows("PRAGMA integrity_check")[0][0]
    close()
    lock_file_of(file).unlink(missing_ok=True)
    if found != "ok":
        raise TransferError(f"the copy of the database is damaged: {found}; run the backup again")

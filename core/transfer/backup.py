"""A backup: a folder with the database at one instant, and every file that its rows reference.

The database is a SQLite file, whatever its source was, and can be restored into any database. Files may change while
the backup is made, so most of them are copied beforehand. Then the instant is taken, and files that have changed since
are copied again. A copied file that the instant references stays, even if its source was moved or removed meanwhile. If
a file still doesn't fit its row, another instant is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..common.clock import utc_now
from ..common.settings import Settings
from ..storage.database import close
from ..storage.model import meta_of
from ..storage.sqlite_lock import lock_file_of
from ..version import VERSION
from .copying import (
    BATCH,
    MOVED,
    Inventory,
    Known,
    Progress,
    ensure_current_tables,
    know,
    no_progress,
    warnings,
    write_copy,
)
from .endpoint import CopyEndpoint, TransferError, file_endpoint, open_endpoint
from .files import FileTree, Seen, umask
from .manifest import DATABASE, FILES, Manifest, write_manifest
from .tables import Totals, differences, read_tables, totals

#: maximum number of instants until every file fits its row
_ATTEMPTS = 5


@dataclass
class _Held:
    """The files in a backup so far: the state of each source, its size and its SHA-256."""

    origin: FileTree
    copies: FileTree
    seen: dict[str, Seen] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    def follow(self, progress: Callable[[int, int], None] = lambda done, all: None) -> set[str]:
        """Copy new and changed files; return all present paths. Files that are gone stay until `keep_only`."""
        there = self.origin.look()
        changed = [path for path, seen in there.items() if self.seen.get(path) != seen]
        everything, done = sum(there[path].size for path in changed), 0

        def tell(size: int) -> None:
            nonlocal done
            done += size
            progress(done, max(everything, done))

        for path in changed:
            try:
                self.sizes[path], self.digests[path] = self.copies.take(path, self.origin, tell)
            except FileNotFoundError:
                continue
            self.seen[path] = there[path]
        return set(there)

    def keep_only(self, paths: set[str]) -> None:
        """Remove the files that no longer exist and that no row references."""
        for path in set(self.digests) - paths:
            self.copies.remove(path)
            del self.digests[path], self.sizes[path]


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
        known = know(configuration, progress)
        if not source.database.copies_pages:
            ensure_current_tables(known)
        held = _Held(FileTree(configuration.documents), FileTree(str(folder / FILES)))
        held.follow(progress("Copying files"))
        with _instant(source, known, held) as missing:
            made = utc_now()
            inventory = _copy_database(source, folder / DATABASE, known, progress)
        digests = {f"{FILES}/{path}": digest for path, digest in held.digests.items()}
        digests[DATABASE] = FileTree(str(folder)).digest(DATABASE)
        manifest = Manifest(
            VERSION, made.isoformat(), source.database.name, inventory.tables, len(held.sizes),
            sum(held.sizes.values()), sorted(missing),
        )  # fmt: skip
        write_manifest(folder, manifest, digests)
    finally:
        source.close()
        close()
    return manifest, inventory.warnings


@contextmanager
def _instant(source: CopyEndpoint, known: Known, held: _Held) -> Iterator[set[str]]:
    """Read the database as it is at an instant at which every row has its file; yields those that have none.

    A file that is missing at two instants, one after the other, is missing for good.
    """
    before: set[str] | None = None
    for attempt in range(1, _ATTEMPTS + 1):
        with source.reading():
            there = held.follow()
            named = dict(named_files(source, known))
            missing = {path for path, size in named.items() if held.sizes.get(path) != (size or held.sizes.get(path))}
            missing |= set(named) - set(held.sizes)
            if not missing or missing == before or attempt == _ATTEMPTS:
                held.keep_only(there | set(named))
                yield missing
                return
            before = missing


def named_files(end: CopyEndpoint, known: Known) -> Iterator[tuple[str, int | None]]:
    """Yield the files that rows reference, each with its size if the row has it."""
    present = set(end.tables())
    for model in known.models:
        meta = meta_of(model)
        if not meta.stored_file or meta.table_name not in present:
            continue
        names = [*meta.stored_file, *([meta.stored_size] if meta.stored_size else [])]
        columns = ", ".join(end.quote(meta.fields[name].column_name) for name in names)
        for rows in end.database.stream(f"SELECT {columns} FROM {end.quote(meta.table_name)}", BATCH):
            for row in rows:
                parts = row[: len(meta.stored_file)]
                yield "/".join(map(str, parts)), row[len(parts)] if len(row) > len(parts) else None


def _copy_database(source: CopyEndpoint, file: Path, known: Known, progress: Progress) -> Inventory:
    """The database of the instant as a SQLite file, which is opened and compared."""
    if source.database.copies_pages:
        inventory = _copy_pages(source, file, known, progress)
    else:
        inventory = write_copy(source, f"sqlite:///{file}", known, progress=progress)
    copy = file_endpoint(file)
    try:
        # One file, without the log that a server keeps beside it
        copy.database.run("PRAGMA journal_mode = delete")
        found = copy.rows("PRAGMA integrity_check")[0][0]
        if found != "ok":
            raise TransferError(f"the copy of the database is damaged: {found}; run the backup again")
        wrong = compare(copy, inventory.tables)
    finally:
        copy.close()
        # No further transaction is written
        lock_file_of(file).unlink(missing_ok=True)
    if wrong:
        raise TransferError("the backup differs from the database:\n  " + "\n  ".join(wrong))
    return inventory


def _copy_pages(source: CopyEndpoint, file: Path, known: Known, progress: Progress) -> Inventory:
    copy = file_endpoint(file)
    try:
        source.database.copy_pages(copy.database, progress("Copying pages"))
    finally:
        copy.close()
    tables = read_tables(source)
    return Inventory({table.name: totals(source, table) for table in tables}, warnings(tables, known))


def compare(end: CopyEndpoint, expected: dict[str, Totals]) -> list[str]:
    """Return the differences between a database and expected totals."""
    found = {table.name: table for table in read_tables(end)}
    wrong = [f"{name}: the table is missing" for name in expected if name not in found]
    for name, counted in expected.items():
        if name in found and name != MOVED:
            wrong += differences(name, counted, totals(end, found[name]))
    return wrong

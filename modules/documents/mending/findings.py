"""Where index and store do not fit: a row without its file, a file without its row, a size that is not the file's."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..files.index import file_at, stored_files
from ..models import StoredFile
from ..printing.logo import FOLDER as LOGOS
from ..store.configured_store import store
from ..store.store import PARTS

#: where files go that belong to nothing
ASIDE = ".aside"
#: seconds for which a file may lie there before its row is committed
YOUNG = 60


@dataclass(frozen=True)
class Findings:
    """What does not fit.

    :param lost: rows without a file
    :param changed: rows whose file has another size, with that size
    :param stray: paths of files without a row
    :param files: how many files there are
    """

    lost: list[StoredFile]
    changed: list[tuple[StoredFile, int]]
    stray: list[str]
    files: int


def find() -> Findings:
    """Compare index and store; what others are doing at this moment is no finding.

    :raises Unavailable: the store does not answer
    """
    lying = {path: each for path, each in store().files().items() if not _is_apart(path)}
    rows = {row.path: row for row in stored_files.rows({})}
    long_ago = time.time() - YOUNG
    differing = [
        (row, lying[path].size) for path, row in rows.items() if path in lying and row.size != lying[path].size
    ]
    return Findings(
        [row for path, row in rows.items() if path not in lying and _is_as_read(row) and not _lies(path)],
        [(row, size) for row, size in differing if lying[row.path].changed < long_ago and _is_as_read(row)],
        [path for path, each in lying.items() if path not in rows and each.changed < long_ago and not _is_named(path)],
        len(lying),
    )


def _is_apart(path: str) -> bool:
    """Whether a file is none of a record; logos are named by a constant."""
    return path.startswith((f"{PARTS}/", f"{ASIDE}/", f"{LOGOS}/"))


def _is_as_read(row: StoredFile) -> bool:
    """Whether nobody has changed a row since it was read."""
    now = file_at(row.filepath, row.filename)
    return now is not None and (now.id, now.size, now.date_m) == (row.id, row.size, row.date_m)


def _lies(path: str) -> bool:
    return path in store().files(path.rpartition("/")[0])


def _is_named(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return file_at(folder, name) is not None

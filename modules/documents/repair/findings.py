"""Find inconsistencies between records, index and store.

A row without its file, a file without its row, a wrong size in a row, a validated document without its PDF.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from core import Refused, now

from ..files.index import PROVISIONAL, file_at, stored_files
from ..files.record_types import RecordType, identifier_of, record_types
from ..models import StoredFile
from ..printing.logo import FOLDER as LOGOS
from ..printing.template_choice import can_print, pdf_name
from ..store.configured_store import require_folder, store
from ..store.store import PARTS

#: folder in the store for files that belong to no record
ASIDE = ".aside"
#: seconds that a file may exist before the commit of its row, and a validated document before its PDF
YOUNG = 60


@dataclass(frozen=True)
class MissingPdf:
    """A validated document without its PDF.

    :param path: of the PDF in the store
    """

    service: str
    id: int
    path: str


@dataclass(frozen=True)
class Findings:
    """The inconsistencies.

    :param lost: rows without a file
    :param changed: rows whose file has another size, with that size
    :param stray: paths of files without a row
    :param missing: validated documents without a PDF
    :param files: number of files in the store
    """

    lost: list[StoredFile]
    changed: list[tuple[StoredFile, int]]
    stray: list[str]
    missing: list[MissingPdf]
    files: int


def find() -> Findings:
    """Compare index and store; changes by concurrent requests are ignored.

    :raises 503: the store does not respond
    """
    if StoredFile.select().exists():
        require_folder()
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
        list(_missing_pdfs({*rows, *lying})),
        len(lying),
    )


def _missing_pdfs(present: Collection[str]) -> Iterator[MissingPdf]:
    """Yield the validated documents without a PDF.

    :param present: paths of all files in the index or the store
    """
    for record_type in record_types():
        fields: Any = record_type.records.model._meta.fields
        if not record_type.by_ref or not can_print(record_type) or not {"statut", "date_modification"} <= set(fields):
            continue
        model: Any = record_type.records.model
        long_ago = now() - timedelta(seconds=YOUNG)
        found = model.select(model._meta.primary_key, model.ref).where(
            model.statut != 0, model.date_modification < long_ago
        )
        for row in found.order_by(model._meta.primary_key):
            path = _pdf_path(record_type, row)
            if path and path not in present and not _is_named(path):
                yield MissingPdf(record_type.service, identifier_of(row), path)


def _pdf_path(record_type: RecordType, row: Any) -> str:
    """Return the path of a document's PDF; empty if it has no final reference, or one unusable as a folder name."""
    if not row.ref or row.ref.startswith(PROVISIONAL):
        return ""
    try:
        folder = record_type.folder_of(row.ref, identifier_of(row))
    except Refused:
        return ""
    return f"{folder}/{pdf_name(folder)}"


def _is_apart(path: str) -> bool:
    """Return whether a file belongs to no record: a partial upload, a file set aside, or a logo."""
    return path.startswith((f"{PARTS}/", f"{ASIDE}/", f"{LOGOS}/"))


def _is_as_read(row: StoredFile) -> bool:
    """Return whether a row is unchanged since it was read."""
    now = file_at(row.filepath, row.filename)
    return now is not None and (now.id, now.size, now.date_m) == (row.id, row.size, row.date_m)


def _lies(path: str) -> bool:
    return path in store().files(path.rpartition("/")[0])


def _is_named(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return file_at(folder, name) is not None

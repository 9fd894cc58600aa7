"""Repair inconsistencies: generate PDFs, add files of records to the index, move other files to `.aside`."""

from __future__ import annotations

from typing import Any

from core import ApiError, NotFound

from ..files.filenames import upload_name
from ..files.index import LONGEST, record_of_folder
from ..files.record_types import RecordType, identifier_of, record_type_of_element, record_type_of_folder
from ..files.storage import save_file
from ..files.upload_content import check_content
from ..jobs import print_document
from ..models import GENERATED, ISSUED, UPLOADED, StoredFile
from ..printing.printer import print_pdf_again
from ..printing.template_choice import can_print, pdf_name
from ..store.configured_store import store
from .findings import ASIDE, MissingPdf

#: what to do about the PDF of a validation that is lost or changed
KEPT = "the PDF of a validation can't be made again; restore it from a backup"


def repair_lost(row: StoredFile) -> str:
    """Repair a row without a file: generate the PDF again, or delete the row. Return a description of the repair."""
    record_type = record_type_of_element(row.src_object_type)
    if record_type is None:
        return f"left unchanged: no service handles records of the type {row.src_object_type}"
    if _print(record_type, row.src_object_id, row.path):
        return "generated again"
    if row.gen_or_uploaded == ISSUED:
        return f"left unchanged: {KEPT}"
    StoredFile.delete().where(StoredFile.id == row.id).execute()
    return "removed from the index: the file is lost"


def repair_changed(row: StoredFile, size: int) -> str:
    """Repair a row with a wrong size: generate the PDF again, or update the row. Return a description of the repair."""
    record_type = record_type_of_element(row.src_object_type)
    if row.gen_or_uploaded == GENERATED and record_type and _print(record_type, row.src_object_id, row.path):
        return "generated again"
    if row.gen_or_uploaded == ISSUED:
        return f"left unchanged: {KEPT}"
    StoredFile.update(size=size).where(StoredFile.id == row.id, StoredFile.size == row.size).execute()
    return f"set its size in the index to {size} bytes"


def repair_missing(missing: MissingPdf) -> str:
    """Generate the missing PDF of a validated document, and return a description of the repair."""
    print_document(missing.service, missing.id)
    return "generated"


def repair_stray(path: str) -> str:
    """Repair a file without a row: generate the PDF again, add a record's file to the index, or move it to `.aside`.

    Return a description of the repair.
    """
    folder, _, name = path.rpartition("/")
    record_type = record_type_of_folder(folder.partition("/")[0])
    if record_type is None:
        return "left unchanged: no service handles records in this folder"
    identifier = _record_of(record_type, folder.partition("/")[2])
    if identifier and _print(record_type, identifier, path):
        return "generated again"
    if identifier and len(path) <= LONGEST and _take_in(record_type, identifier, folder, name):
        return "added to the index"
    store().move(path, f"{ASIDE}/{path}")
    return f"moved to {ASIDE}/{path}"


def _record_of(record_type: RecordType, name: str) -> int | None:
    """Return the ID of the record that a folder belongs to, or None."""
    try:
        return identifier_of(record_type.load_named(name))
    except NotFound:
        return record_of_folder(record_type, name)


def _take_in(record_type: RecordType, identifier: int, folder: str, name: str) -> bool:
    """Add a file to the index like a new upload; return False if the upload would be rejected."""
    content = store().read(f"{folder}/{name}")
    try:
        if upload_name(name) != name:
            return False
        check_content(name, content)
        save_file(record_type, identifier, (folder, name), content, UPLOADED)
    except ApiError:
        return False
    return True


def _print(record_type: RecordType, identifier: int, path: str) -> bool:
    """Generate the PDF of a record if a path is that of its PDF; return whether it was generated."""
    try:
        record: dict[str, Any] = record_type.records.read(identifier)
        folder = record_type.folder_of(record.get("ref"), identifier)
        if not can_print(record_type) or path != f"{folder}/{pdf_name(folder)}":
            return False
        print_pdf_again(record_type, record)
    except NotFound:
        return False
    return True

"""Jobs that generate PDFs: those that failed when their document changed, and those of many documents."""

from __future__ import annotations

from core import NotFound, Refused, job

from ..commercial.states import DRAFT
from .files.record_types import record_type_of
from .files.storage import move_files
from .printing.printer import issued_files, keep_issued, print_pdf_again
from .printing.template_choice import can_print


@job
def print_document(service: str, id: int, issued: int = 0) -> None:
    """Print the PDF of a document as it is now, in the folder of its reference.

    :param issued: keep it as that of this validation as well, unless it is kept or the document is a draft again
    """
    record_type = record_type_of(service)
    if record_type is None or not can_print(record_type):
        return
    try:
        record = record_type.records.read(id)
    except NotFound:
        return
    move_files(record_type, id, record_type.folder_of(record.get("ref"), id))
    printed = print_pdf_again(record_type, record)
    if issued and int(record.get("statut") or 0) != DRAFT and issued > len(issued_files(record_type, id)):
        keep_issued(record_type, printed)


@job
def follow_reference(service: str, id: int) -> None:
    """Move the files of a record into the folder of its present reference."""
    record_type = record_type_of(service)
    if record_type is None:
        return
    try:
        row = record_type.load(id)
        folder = record_type.folder_of(row.ref, id)
    except (NotFound, Refused):
        # A reference that can't be the name of a folder leaves the files where they are
        return
    move_files(record_type, id, folder)


@job
def print_documents(service: str, ids: list[int]) -> None:
    """Print the PDFs of several documents as they are now."""
    for identifier in ids:
        print_document(service, identifier)

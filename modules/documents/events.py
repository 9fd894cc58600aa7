"""Event handlers that keep the files of records up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core import on, set_header, transaction

from ..setup.constants import is_on
from .files.index import as_file, files_of
from .files.record_types import RecordType, record_type_of
from .files.storage import delete_files, hand_over_files, move_files
from .jobs import follow_reference, print_document
from .mentions.check import refuse_incomplete
from .printing.printer import ISSUED_LINK, current_pdf, issued_files, keep_issued, print_changed_pdf, print_pdf
from .printing.template_choice import can_print
from .store.configured_store import store


def has_files(service: str) -> bool:
    """Return whether the records of a service have files."""
    return record_type_of(service) is not None


def has_pdf(service: str) -> bool:
    """Return whether the records of a service have PDFs."""
    return has_files(service) and can_print(_type_of(service))


def follows_changes(service: str) -> bool:
    """Return whether a change of a record may affect its files."""
    return has_pdf(service) or (has_files(service) and _type_of(service).is_named_by_people)


def _type_of(service: str) -> RecordType:
    record_type = record_type_of(service)
    assert record_type is not None, service
    return record_type


@on("any.validated", when="before", services=has_files)
def require_notices(service: str, record: dict[str, Any]) -> None:
    """Refuse to validate a document without the required legal notices, if a constant enables the check."""
    refuse_incomplete(_type_of(service), record)


@on("any.validated", when="after", services=has_files)
def print_validated(service: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """Move the files of a document into the folder of its final reference, and generate its PDF."""
    record_type = _type_of(service)
    identifier = int(record["id"])
    issued = len(issued_files(record_type, identifier)) + 1 if record_type.keeps_issued else 0
    with _retried(record_type, record, issued):
        files, folder = files_of(record_type, identifier), record_type.folder_of(record.get("ref"), identifier)
        if any(file.filepath != folder for file in files):
            move_files(record_type, identifier, folder)
        if can_print(record_type):
            printed = print_pdf(record_type, record, is_printed=None if files else False)
            if issued:
                keep_issued(record_type, printed)
                set_header("Link", ISSUED_LINK)
    return record


@contextmanager
def _retried(record_type: RecordType, record: dict[str, Any], issued: int = 0) -> Iterator[None]:
    """Let a job print the PDF of a document if that fails now.

    :param issued: number of the validation as whose PDF it is kept; 0: none
    """
    try:
        yield
    except Exception:
        if can_print(record_type):
            with transaction():
                print_document.later(record_type.service, int(record["id"]), issued)
        raise


@on("any.signed", when="after", services=has_pdf)
@on("any.refused", when="after", services=has_pdf)
@on("any.billed", when="after", services=has_pdf)
@on("any.paid", when="after", services=has_pdf)
@on("any.unpaid", when="after", services=has_pdf)
@on("any.abandoned", when="after", services=has_pdf)
def print_state(service: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """Generate the PDF of a document again after its state has changed."""
    return record if _print_changed(service, record, is_new=True) else None


@on("any.payment_added", when="after", services=has_pdf)
@on("any.payment_cancelled", when="after", services=has_pdf)
@on("any.credited", when="after", services=has_pdf)
@on("any.closed", when="after", services=has_pdf)
@on("any.reopened", when="after", services=has_pdf)
@on("any.cancelled", when="after", services=has_pdf)
@on("any.shipped", when="after", services=has_pdf)
@on("any.unshipped", when="after", services=has_pdf)
@on("any.unbilled", when="after", services=has_pdf)
def print_amounts(service: str, record: dict[str, Any]) -> None:
    """Generate the PDF of a document again after something has changed that it shows."""
    _print_changed(service, record)


@on("any.changed", when="after", services=follows_changes)
def follow_changes(service: str, record: dict[str, Any]) -> None:
    """Generate the PDF of a changed document again; let the files of other records follow their reference."""
    record_type, identifier = _type_of(service), int(record["id"])
    if record_type.is_named_by_people and files_of(record_type, identifier):
        try:
            follow_reference(service, identifier)
        except Exception:
            with transaction():
                follow_reference.later(service, identifier)
            raise
    if can_print(record_type):
        _print_changed(service, record)


def _print_changed(service: str, record: dict[str, Any], *, is_new: bool = False) -> bool:
    """Generate the PDF of a document again unless it is current; return whether the server does so.

    :param is_new: also generate a missing one
    """
    record_type = _type_of(service)
    if is_on("MAIN_DISABLE_PDF_AUTOUPDATE"):
        return False
    with _retried(record_type, record):
        print_changed_pdf(record_type, record, is_new=is_new)
    return True


@on("any.pdf_requested", when="before", services=has_files)
def add_pdf(service: str, request: dict[str, Any]) -> None:
    """Add the PDF of a document, or the one of its last validation, to the `files` of the request."""
    record_type = _type_of(service)
    issued = issued_files(record_type, int(request["id"]))
    if request["issued"]:
        request["files"] += [as_file(each) for each in issued[-1:]]
    elif can_print(record_type):
        request["files"].append(current_pdf(record_type, int(request["id"])))
        if issued:
            set_header("Link", ISSUED_LINK)


@on("any.deleted", when="before", services=has_files)
def delete_its_files(service: str, record: dict[str, Any]) -> None:
    """Delete the files of a deleted record."""
    delete_files(files_of(_type_of(service), int(record["id"])))


@on("thirdparties.merged", when="before")
def move_merged_files(record: dict[str, Any]) -> None:
    """Move the files of a merged third party to the remaining one."""
    hand_over_files(_type_of("thirdparties"), record["merged"], record["id"])


@on("health.store", when="before")
def check_store(nothing: dict[str, Any]) -> None:
    """Check that the store is writable; otherwise the server isn't ready."""
    store().check()

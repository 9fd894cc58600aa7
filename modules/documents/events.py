"""Event handlers that keep the files of records up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core import set_header, shown, transaction, wrong_fields

from ..commercial.api import ISSUED_LINK
from ..setup.constants import is_on
from .content.own_texts import own_text_fault
from .files.filenames import LONGEST, clean_name
from .files.index import as_file, files_of
from .files.record_types import RecordType, record_type_of
from .files.storage import delete_files, hand_over_files, move_files
from .jobs import follow_reference, print_document
from .layout.colours import ACCENT, is_colour
from .mentions.check import refuse_incomplete
from .mentions.constants import check_mention_constant
from .payment.account import account_fault
from .payment.link import PATTERN, link_fault
from .printing.logo import LOGO
from .printing.printer import current_pdf, issued_files, keep_issued, print_changed_pdf, print_pdf
from .printing.template_choice import can_print
from .store.configured_store import store


def before_any_validated(service: str, record: dict[str, Any]) -> None:
    """Refuse to validate a document without the required legal notices, if a constant enables the check."""
    record_type = record_type_of(service)
    if record_type is not None:
        refuse_incomplete(record_type, record)


def after_any_validated(service: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """Move the files of a document into the folder of its final reference, and generate its PDF."""
    record_type = record_type_of(service)
    if record_type is None:
        return None
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


def after_any_signed(service: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """Generate the PDF of a document again after its state has changed."""
    return record if _print_changed(service, record, is_new=True) else None


after_any_refused = after_any_billed = after_any_paid = after_any_signed
after_any_unpaid = after_any_abandoned = after_any_signed


def after_any_payment_added(service: str, record: dict[str, Any]) -> None:
    """Generate the PDF of a document again after something has changed that it shows."""
    _print_changed(service, record)


after_any_payment_cancelled = after_any_credited = after_any_payment_added
after_any_closed = after_any_reopened = after_any_cancelled = after_any_payment_added
after_any_shipped = after_any_unshipped = after_any_unbilled = after_any_payment_added


def after_any_changed(service: str, record: dict[str, Any]) -> None:
    """Generate the PDF of a changed document again; let the files of other records follow their reference."""
    record_type = record_type_of(service)
    if record_type is None:
        return
    identifier = int(record["id"])
    if record_type.is_named_by_people and files_of(record_type, identifier):
        try:
            follow_reference(service, identifier)
        except Exception:
            with transaction():
                follow_reference.later(service, identifier)
            raise
    _print_changed(service, record)


def _print_changed(service: str, record: dict[str, Any], *, is_new: bool = False) -> bool:
    """Generate the PDF of a document again unless it is current; return whether the server does so.

    :param is_new: also generate a missing one
    """
    record_type = record_type_of(service)
    if record_type is None or is_on("MAIN_DISABLE_PDF_AUTOUPDATE") or not can_print(record_type):
        return False
    with _retried(record_type, record):
        print_changed_pdf(record_type, record, is_new=is_new)
    return True


def before_any_pdf_requested(service: str, request: dict[str, Any]) -> None:
    """Add the PDF of a document, or the one of its last validation, to the `files` of the request."""
    record_type = record_type_of(service)
    if record_type is None:
        return
    issued = issued_files(record_type, int(request["id"]))
    if request["issued"]:
        request["files"] += [as_file(each) for each in issued[-1:]]
    elif can_print(record_type):
        request["files"].append(current_pdf(record_type, int(request["id"])))
        if issued:
            set_header("Link", ISSUED_LINK)


def before_any_deleted(service: str, record: dict[str, Any]) -> None:
    """Delete the files of a deleted record."""
    record_type = record_type_of(service)
    if record_type is not None:
        delete_files(files_of(record_type, int(record["id"])))


def before_thirdparties_merged(record: dict[str, Any]) -> None:
    """Move the files of a merged third party to the remaining one."""
    record_type = record_type_of("thirdparties")
    if record_type is not None:
        hand_over_files(record_type, record["merged"], record["id"])


def before_health_store(nothing: dict[str, Any]) -> None:
    """Check that the store is writable; otherwise the server isn't ready."""
    store().check()


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Reject constants that would break the generation of PDFs."""
    check_pdf_constant(record["name"], record["value"])
    check_mention_constant(record["name"], record["value"])
    # Each PDF loads the logo from the store, so its name must be a valid file name
    name = record["value"]
    if record["name"] == LOGO and (clean_name(name) != name or len(name.encode()) > LONGEST):
        reason = f"expected a file name of at most {LONGEST} bytes such as logo.png, got {shown(name)}"
        raise wrong_fields([("value", f"{LOGO}: {reason}")])


def check_pdf_constant(name: str, value: str) -> None:
    """Reject a value of a constant that no PDF could be generated with; an empty value unsets it.

    :raises BadRequest: the value is invalid
    """
    text = value.strip()
    expected = own_text_fault(name, value) or account_fault(name, value)
    if name == PATTERN and text:
        expected = link_fault(text)
    elif name == ACCENT and text and not is_colour(text):
        expected = f"a colour such as #1b3a5c, got {shown(value)}"
    if expected:
        raise wrong_fields([("value", f"{name}: expected {expected}")])

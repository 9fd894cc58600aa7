"""What happens to records elsewhere and concerns their files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core import transaction, wrong_fields

from ..setup.constants import constant
from .files.filenames import LONGEST, clean_name
from .files.index import files_of
from .files.record_types import RecordType, record_type_of
from .files.storage import delete_files, hand_over_files, move_files
from .jobs import print_document
from .layout.colours import ACCENT, is_colour
from .mentions.check import refuse_incomplete
from .mentions.constants import check_mention_constant
from .papers.own_texts import own_text_fault
from .payment.account import account_fault
from .payment.link import PATTERN, link_fault
from .printing.logo import LOGO
from .printing.printer import current_paper, print_paper, print_paper_again
from .printing.template_choice import can_print
from .store.configured_store import store


def before_any_validated(service: str, record: dict[str, Any]) -> None:
    """A paper that lacks what the law wants is not sent, where a constant says so."""
    record_type = record_type_of(service)
    if record_type is not None:
        refuse_incomplete(record_type, record)


def after_any_validated(service: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """A document that gets its reference takes its files along, and is printed."""
    record_type = record_type_of(service)
    if record_type is None:
        return None
    identifier = int(record["id"])
    with _retried(record_type, record):
        files, folder = files_of(record_type, identifier), record_type.folder_of(record.get("ref"), identifier)
        if any(file.filepath != folder for file in files):
            move_files(record_type, identifier, folder)
        if can_print(record_type):
            print_paper(record_type, record, is_printed=None if files else False)
    return record


@contextmanager
def _retried(record_type: RecordType, record: dict[str, Any]) -> Iterator[None]:
    """Let a job print the PDF of a document if that fails now."""
    try:
        yield
    except Exception:
        if can_print(record_type):
            with transaction():
                print_document.later(record_type.service, int(record["id"]))
        raise


def after_any_signed(service: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """A document that has moved on is printed again."""
    record_type = record_type_of(service)
    switched_off = constant("MAIN_DISABLE_PDF_AUTOUPDATE", "0") not in ("", "0")
    if record_type is None or switched_off or not can_print(record_type):
        return None
    with _retried(record_type, record):
        print_paper_again(record_type, record)
    return record


after_any_refused = after_any_billed = after_any_paid = after_any_signed
after_any_unpaid = after_any_abandoned = after_any_signed


def before_any_pdf_requested(service: str, request: dict[str, Any]) -> None:
    """Add the PDF of a document to the `files` of the request."""
    record_type = record_type_of(service)
    if record_type is not None and can_print(record_type):
        request["files"].append(current_paper(record_type, int(request["id"])))


def before_any_deleted(service: str, record: dict[str, Any]) -> None:
    """A record that is deleted takes its files along."""
    record_type = record_type_of(service)
    if record_type is not None:
        delete_files(files_of(record_type, int(record["id"])))


def before_thirdparties_merged(record: dict[str, Any]) -> None:
    """The files of a third party that is merged into another one are that one's."""
    record_type = record_type_of("thirdparties")
    if record_type is not None:
        hand_over_files(record_type, record["merged"], record["id"])


def before_health_store(nothing: dict[str, Any]) -> None:
    """The server is ready only while files can be kept."""
    store().check()


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Whatever is set, papers can be printed."""
    check_paper_constant(record["name"], record["value"])
    check_mention_constant(record["name"], record["value"])
    # The logo is looked for whenever a paper is printed, under a name that can be that of a file
    name = record["value"]
    if record["name"] == LOGO and (clean_name(name) != name or len(name.encode()) > LONGEST):
        reason = f"expected a file name of at most {LONGEST} bytes such as logo.png, got {name!r:.60}"
        raise wrong_fields([("value", f"{LOGO}: {reason}")])


def check_paper_constant(name: str, value: str) -> None:
    """Refuse a value of a constant that no paper could be made with; an empty one unsets it.

    :raises BadRequest: it is such a value
    """
    text = value.strip()
    expected = own_text_fault(name, value) or account_fault(name, value)
    if name == PATTERN and text:
        expected = link_fault(text)
    elif name == ACCENT and text and not is_colour(text):
        expected = f"a colour such as #1b3a5c, got {value!r:.60}"
    if expected:
        raise wrong_fields([("value", f"{name}: expected {expected}")])

"""Generate the PDF of a record with a template, and save it in the store."""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from core import ApiError, BadRequest, File, NotFound, shown, warn
from core.for_natives import default_context

from ...commercial.states import DRAFT, VALIDATED
from ..files.filenames import clean_name, is_safe_path
from ..files.index import as_file, files_of, record_of_folder
from ..files.media_types import media_type
from ..files.record_types import RecordType, identifier_of
from ..files.storage import save_file
from ..models import GENERATED, ISSUED, StoredFile
from .template_choice import SUFFIX, choose_template, pdf_name, template_failure, templates_of

_log = logging.getLogger("comptoir.documents")

#: the field of a record with the path of its PDF
NOTED = "last_main_doc"
#: end of the name of the PDF of a validation
ISSUED_SUFFIX = "-issued"
#: what a PDF shows of any document and may change after its validation; `Documents.printed` has more
CHANGING = (
    "socid", "ref_client", "date", "total_ht", "total_tva", "total_ttc", "array_options", "note_public",
    "cond_reglement_id", "mode_reglement_id", "fk_account", "statut",
)  # fmt: skip
#: the header that leads from a response with the PDF of a document to its issued PDF
ISSUED_LINK = '<pdf/issued>; rel="alternate"; type="application/pdf"'


@dataclass(frozen=True)
class PrintedPdf:
    """A generated PDF.

    :param template: the template used
    :param language: language of the PDF, such as ``fr_FR``
    :param requested: the template in the request, or else in the record
    """

    file: StoredFile
    content: bytes
    template: str
    language: str
    requested: str | None


def print_pdf_at(record_type: RecordType, original_file: str, template: str, language: str) -> PrintedPdf:
    """Generate the PDF of a record at a path.

    :param original_file: ``<REF>/<REF>.pdf``, or with the folder of the type in front, as in `last_main_doc`
    :param template: empty: the default one
    :param language: such as ``fr_FR``; empty: the recipient's
    :raises BadRequest: the path is invalid for a PDF, or the language is unknown
    :raises NotFound: the caller can't see such a record, or there is no such template
    :raises Refused: the template can't be loaded, or it failed
    """
    reference = _reference(original_file.removeprefix(f"{record_type.folder}/"))
    if not templates_of(record_type):
        choose_template(record_type, template, {})
    return print_pdf(record_type, _find(record_type, reference), template, language)


def _reference(original_file: str) -> str:
    """Return the reference in ``<REF>/<REF>.pdf``, which may contain characters forbidden in file names."""
    stem = original_file.removesuffix(SUFFIX)
    middle = len(stem) // 2
    reference = stem[:middle]
    fits = stem == f"{reference}/{reference}" and clean_name(reference) and is_safe_path(stem)
    if stem == original_file or not fits:
        reason, theirs = (
            "expected <REF>/<REF>.pdf with the reference of the record",
            "bad value for parameter original_file",
        )
        reason = f"`original_file`: {reason}, got {shown(original_file)}"
        raise BadRequest(
            errors=[("original_file", reason)], dolibarr=f"{theirs}: {reason}" if original_file else theirs
        )
    return reference


def _find(record_type: RecordType, reference: str) -> dict[str, Any]:
    """Return the record for the reference in a path: its own one, or the store's spelling of it in an existing path."""
    if not record_type.by_ref:
        return record_type.records.read(identifier_of(record_type.load_named(reference)))
    try:
        record = record_type.records.read(reference, "ref")
    except NotFound:
        record = {}
    # Databases that ignore case and trailing blanks may find another record
    if record.get("ref") == reference:
        return record
    known = record_of_folder(record_type, reference)
    row = record_type.load(known) if known else None
    if row is None or record_type.folder_of(row.ref, known or 0) != f"{record_type.folder}/{reference}":
        raise NotFound(f"{record_type.noun} not found")
    return record_type.records.read(known)


def print_pdf(
    record_type: RecordType,
    record: dict[str, Any],
    template: str = "",
    language: str = "",
    *,
    is_printed: bool | None = None,
) -> PrintedPdf:
    """Generate the PDF of a record; otherwise as `print_pdf_at`.

    :param record: as `Records.read` returns it; `last_main_doc` is updated if the record has this field
    :param is_printed: whether it had a PDF shortly before; None if unknown
    :raises Refused: also if the PDF was stored without the file that it should carry
    """
    name, content, written, failure = _render(record_type, record, template, language)
    identifier = int(record["id"])
    folder = record_type.folder_of(record.get("ref"), identifier)
    location = folder, pdf_name(folder)
    path = "/".join(location)
    file = save_file(
        record_type, identifier, location, content, GENERATED,
        then=None if record.get(NOTED) == path else lambda row: _note(record_type, row, record, path),
        template=name, language=written[:16], is_there=is_printed,
        shows="" if failure else _digest(record_type, record),
    )  # fmt: skip
    if failure is not None:
        raise failure
    return PrintedPdf(file, content, name, written, template or record.get("model_pdf"))


@default_context
def _render(
    record_type: RecordType, record: dict[str, Any], template: str, language: str
) -> tuple[str, bytes, str, ApiError | None]:
    """Return the template, the PDF, its language, and why it lacks the file that it should carry; None: it has it."""
    name, made = choose_template(record_type, template, record)
    failure = None
    try:
        writer = made(record, language)
        document = writer.document()
        try:
            document.enclosed = writer.enclosed()
        except ApiError:
            raise
        except Exception as error:  # noqa: BLE001 - a template may raise anything
            _log.exception("template %s: the file that the PDF should carry can't be made", name)
            failure = template_failure(name, error)
        content = writer.finish(writer.render(document))
    except ApiError:
        raise
    except Exception as error:
        _log.exception("template %s failed", name)
        raise template_failure(name, error) from error
    return name, content, writer.words.language, failure


def _note(record_type: RecordType, row: Any, record: dict[str, Any], path: str) -> None:
    """Write the path of the PDF into the record, if it has a field for that."""
    if NOTED not in row._meta.fields or len(path) >= 256:
        return
    if getattr(row, NOTED) != path:
        record_type.records.write_unchecked(identifier_of(row), **{NOTED: path})
    record[NOTED] = path


def _digest(record_type: RecordType, record: dict[str, Any]) -> str:
    """Return the digest of what a PDF shows of a record and may change."""
    names = *CHANGING, *getattr(record_type.records, "printed", ())
    return hashlib.sha256(repr([str(record.get(name)) for name in names]).encode()).hexdigest()


def keep_issued(record_type: RecordType, printed: PrintedPdf) -> None:
    """Store the PDF of a validation under a name of its own, where it stays as it was sent."""
    file = printed.file
    names = {each.filename.casefold() for each in files_of(record_type, file.src_object_id)}
    stem = file.filename.removesuffix(SUFFIX) + ISSUED_SUFFIX
    made = (f"{stem}{number}{SUFFIX}" for number in chain([""], (f"-{number}" for number in count(2))))
    name = next(each for each in made if each.casefold() not in names)
    save_file(
        record_type, file.src_object_id, (file.filepath, name), printed.content, ISSUED,
        template=printed.template, language=printed.language[:16], is_there=False,
    )  # fmt: skip


def is_reserved(name: str, pdf: str) -> bool:
    """Return whether a name is that of a record's PDF, or of one of its validations.

    :param pdf: the name of the record's PDF
    """
    stem, name = pdf.removesuffix(SUFFIX).lower(), name.lower()
    return name == pdf.lower() or (name.startswith(f"{stem}{ISSUED_SUFFIX}") and name.endswith(SUFFIX))


def issued_files(record_type: RecordType, identifier: int) -> list[StoredFile]:
    """Return the PDFs of a record's validations, the last one at the end."""
    return [each for each in files_of(record_type, identifier) if each.gen_or_uploaded == ISSUED]


def print_changed_pdf(record_type: RecordType, record: dict[str, Any], *, is_new: bool = False) -> None:
    """Generate the PDF of a record again unless it shows the record as it is now.

    :param is_new: also generate a missing one
    """
    known = _printed(record_type, int(record["id"]))
    is_due = known.shows != _digest(record_type, record) if known is not None else is_new
    if is_due and int(record.get("statut", VALIDATED) or 0) != DRAFT:
        print_pdf_again(record_type, record)


def print_pdf_again(record_type: RecordType, record: dict[str, Any]) -> PrintedPdf:
    """Generate the PDF of a record again, with the same template and in the same language."""
    known = _printed(record_type, int(record["id"]))
    if known is not None and known.template in templates_of(record_type):
        return print_pdf(record_type, record, known.template, known.language or "", is_printed=True)
    return print_pdf(record_type, record)


def current_pdf(record_type: RecordType, identifier: int) -> File:
    """Return the stored PDF of a record; generate one if none is stored that shows the record as it is now.

    The generated PDF isn't stored, because a GET must not change the record or its tag.

    :raises NotFound: the caller can't see such a record
    :raises Refused: the template can't be loaded, or it failed
    """
    row = record_type.load(identifier)
    folder = record_type.folder_of(getattr(row, "ref", None), identifier)
    name, known = pdf_name(folder), _printed(record_type, identifier)
    record = record_type.records.read(identifier)
    is_draft = getattr(row, "statut", VALIDATED) == DRAFT
    is_current = known is not None and known.shows in (None, _digest(record_type, record)) and not is_draft
    if known is not None and is_current and known.path == f"{folder}/{name}":
        # The file may be missing from the store
        with suppress(NotFound):
            return as_file(known)
    is_known = known is not None and known.template in templates_of(record_type)
    template, language = (known.template, known.language) if known is not None and is_known else ("", "")
    _, content, _, failure = _render(record_type, record, template or "", language or "")
    if failure is not None:
        warn(failure.message)
    return File(content, name, media_type(name))


def _printed(record_type: RecordType, identifier: int) -> StoredFile | None:
    """Return the generated file of a record."""
    return next((file for file in files_of(record_type, identifier) if file.gen_or_uploaded == GENERATED), None)

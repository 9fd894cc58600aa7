"""Building documents: a record, a template, a file."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from core import ApiError, BadRequest, NotFound

from .files import files_of, record_of_folder
from .keeping import keep
from .kinds import Kind, identifier_of
from .logo import logo
from .models import GENERATED, StoredFile
from .names import clean, is_plain_path
from .templates import choose, failed, templates_of

_log = logging.getLogger("comptoir.documents")

SUFFIX = ".pdf"


@dataclass(frozen=True)
class Built:
    """A document that has been built.

    :param language: the one it is in, such as ``fr_FR``
    """

    file: StoredFile
    content: bytes
    template: str
    language: str


def build_at(kind: Kind, original_file: str, template: str, language: str) -> Built:
    """Build the document of a record, named by the place it goes to.

    :param original_file: ``<REF>/<REF>.pdf``
    :param template: empty: the default one
    :param language: such as ``fr_FR``; empty: the recipient's
    :raises BadRequest: the place is none that a document can have, or there is no such language
    :raises NotFound: there is no such record for the caller, or no such template
    :raises Refused: the template cannot be loaded, or it failed
    """
    reference = _reference(original_file)
    if not templates_of(kind):
        choose(kind, template, {})
    return _build(kind, _find(kind, reference), template, language)


def build(kind: Kind, identifier: int, template: str = "", language: str = "") -> Built:
    """Build the document of a record; otherwise as `build_at`."""
    return _build(kind, kind.records.read(identifier), template, language)


def _reference(original_file: str) -> str:
    """The reference in ``<REF>/<REF>.pdf``; it may hold what no file name may."""
    stem = original_file.removesuffix(SUFFIX)
    middle = len(stem) // 2
    reference = stem[:middle]
    if stem == original_file or stem != f"{reference}/{reference}" or not clean(reference) or not is_plain_path(stem):
        reason = "bad value for parameter original_file"
        more = ": expected <REF>/<REF>.pdf, and REF the record's reference" if original_file else ""
        raise BadRequest(reason + more, errors=[("original_file", reason + more)])
    return reference


def _find(kind: Kind, reference: str) -> dict[str, Any]:
    """The record that a place names: by its reference, or by what the store made of that when it was built before."""
    if not kind.by_ref:
        return kind.records.read(identifier_of(kind.named(reference)))
    try:
        record = kind.records.read(reference, "ref")
    except NotFound:
        record = {}
    # Databases that mind neither case nor blanks at the end find too much
    if record.get("ref") == reference:
        return record
    known = record_of_folder(kind, reference)
    row = kind.load(known) if known else None
    if row is None or kind.folder_of(row.ref, known or 0) != f"{kind.folder}/{reference}":
        raise NotFound(f"{kind.noun} not found")
    return kind.records.read(known)


def _build(kind: Kind, record: dict[str, Any], template: str, language: str) -> Built:
    name, made = choose(kind, template, record)
    identifier = int(record["id"])
    folder = kind.folder_of(record.get("ref"), identifier)
    try:
        writer = made()
        paper = writer.paper(record, language)
        paper.logo = logo()
        content = writer.finish(record, writer.render(paper))
    except ApiError:
        raise
    except Exception as error:
        _log.exception("the template %s failed", name)
        raise failed(name, error) from error
    written = str(getattr(paper, "language", "") or language)
    place = folder, folder.rpartition("/")[2] + SUFFIX
    file = keep(
        kind, identifier, place, content, GENERATED, then=lambda row: _note(kind, row, "/".join(place)), template=name,
        language=written[:16],
    )  # fmt: skip
    return Built(file, content, name, written)


def _note(kind: Kind, row: Any, path: str) -> None:
    """Note in a record where its document lies, if it keeps that."""
    meta = row._meta
    if "last_main_doc" in meta.fields and row.last_main_doc != path and len(path) < 256:
        kind.records.write(identifier_of(row), last_main_doc=path)


def build_again(kind: Kind, identifier: int) -> None:
    """Build the document of a record that has changed its state, with the template and in the language it had."""
    known = next((file for file in files_of(kind, identifier) if file.gen_or_uploaded == GENERATED), None)
    if known is not None and known.template in templates_of(kind):
        build(kind, identifier, known.template, known.language or "")
    else:
        build(kind, identifier)

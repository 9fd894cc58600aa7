"""Store the files that callers upload for a record."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from core import BadRequest, NotFound, Refused, Unauthorized

from .files.filenames import upload_name
from .files.index import files_of, record_of_folder
from .files.record_types import RecordType, identifier_of
from .files.storage import move_files, save_file
from .files.upload_content import check_content, decode_upload
from .models import UPLOADED, StoredFile
from .printing.printer import is_reserved
from .printing.template_choice import pdf_name, templates_of


def save_upload(
    record_type: RecordType,
    filename: str,
    content: Any,
    encoding: str = "",
    *,
    ref: str = "",
    subdir: str = "",
    overwrite: bool = False,
    create_folder: bool = True,
) -> str:
    """Store an upload for a record, and return the name of the stored file.

    :param content: text, or an uploaded file
    :param encoding: of a text: empty or ``base64``
    :param ref: the record's reference
    :param subdir: the record's folder, as an alternative to `ref`
    :param create_folder: whether it may be the first file of the record
    :raises BadRequest: the name or the content is not accepted
    :raises NotFound: the caller can't see such a record
    :raises Unauthorized: it would be the record's first file, and `create_folder` is False
    :raises Refused: such a file exists, or the name is reserved for the generated PDF
    """
    name = upload_name(filename)
    data = decode_upload(content, encoding)
    check_content(name, data)
    row = _record(record_type, ref, subdir)
    identifier = identifier_of(row)
    folder = record_type.folder_of(getattr(row, "ref", None), identifier)
    if templates_of(record_type) and is_reserved(name, pdf_name(folder)):
        raise Refused(f"the name {name} is reserved for the generated PDF; use another name", reason="value_taken")
    if record_type.by_ref:
        move_files(record_type, identifier, folder)
    if not create_folder and not files_of(record_type, identifier):
        reason = "the record has no folder yet; set `createdirifnotexists` to 1"
        raise Unauthorized(reason, dolibarr="Directory not exists", reason="incomplete")

    def check(known: StoredFile) -> None:
        if not overwrite:
            reason = f"a file named '{name}' already exists; set `overwriteifexists` to 1 to replace it"
            raise Refused(reason, dolibarr=f"File with name '{name}' already exists.", reason="value_taken")
        if known.gen_or_uploaded != UPLOADED:
            raise Refused(f"'{name}' is a generated document and can't be replaced by an upload", reason="value_taken")

    return save_file(record_type, identifier, (folder, name), data, UPLOADED, check=check).filename


def _record(record_type: RecordType, ref: str, subdir: str) -> Any:
    if not ref and not subdir:
        reason = "`ref` or `subdir` is required"
        raise BadRequest(reason, errors=[("ref", reason)], dolibarr=f"{reason}.")
    name = ref or subdir.strip("/")
    with suppress(NotFound):
        return record_type.load_named(name)
    with suppress(NotFound):
        if known := record_of_folder(record_type, name) if subdir and not ref else None:
            return record_type.load(known)
    # The same message for a folder of a record that the caller can't see
    reason = f"{record_type.noun} {name[:60]} not found"
    raise NotFound(reason, dolibarr=f"Object with ref '{name[:60]}' was not found.")

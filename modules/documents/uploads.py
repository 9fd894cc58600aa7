"""Files that people send for a record."""

from __future__ import annotations

from typing import Any

from core import BadRequest, NotFound, Refused, Unauthorized

from .building import SUFFIX
from .contents import bytes_of, check_content
from .files import files_of, record_of_folder
from .keeping import follow, keep
from .kinds import Kind, identifier_of
from .models import GENERATED, UPLOADED, StoredFile
from .names import upload_name
from .templates import templates_of


def upload(
    kind: Kind,
    filename: str,
    content: Any,
    encoding: str = "",
    *,
    ref: str = "",
    subdir: str = "",
    overwrite: bool = False,
    create_folder: bool = True,
) -> str:
    """Keep a file for a record; answers the name it is kept under.

    :param content: text, or an uploaded file
    :param encoding: of a text: empty or ``base64``
    :param ref: the record's reference
    :param subdir: the record's folder, instead
    :param create_folder: whether it may be the first of the record
    :raises BadRequest: name or content are not taken
    :raises NotFound: there is no such record for the caller
    :raises Refused: there is such a file, or it is the name of the document that is built
    """
    name = upload_name(filename)
    data = bytes_of(content, encoding)
    check_content(name, data)
    row = _record(kind, ref, subdir)
    identifier = identifier_of(row)
    folder = kind.folder_of(getattr(row, "ref", None), identifier)
    if name.lower() == f"{folder.rpartition('/')[2]}{SUFFIX}".lower() and templates_of(kind):
        raise Refused(f"'{name}' is the name of the document that is built")
    if kind.by_ref:
        follow(kind, identifier, folder)
    if not create_folder and not files_of(kind, identifier):
        raise Unauthorized("Directory not exists")

    def check(known: StoredFile) -> None:
        if not overwrite:
            raise Refused(f"File with name '{name}' already exists.")
        if known.gen_or_uploaded == GENERATED:
            raise Refused(f"'{name}' is a document that was built")

    return keep(kind, identifier, (folder, name), data, UPLOADED, check=check).filename


def _record(kind: Kind, ref: str, subdir: str) -> Any:
    if not ref and not subdir:
        raise BadRequest("`ref` or `subdir` is required.", errors=[("ref", "`ref` or `subdir` is required.")])
    name = ref or subdir.strip("/")
    try:
        return kind.named(name)
    except NotFound:
        known = record_of_folder(kind, name) if subdir and not ref else None
        if known is None:
            raise NotFound(f"Object with ref '{name[:60]}' was not found.") from None
        return kind.load(known)

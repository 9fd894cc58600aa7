"""List and find the files of records through the index."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any

from core import ApiError, BadRequest, Conflict, File, NotFound, Records, profile

from ..models import GENERATED, StoredFile
from ..shapes import ListedFile
from ..store.configured_store import store
from .filenames import clean_name, is_safe_path
from .media_types import media_type
from .record_types import RecordType, identifier_of

#: the index, shared by all requests because its statements are prepared once
stored_files = Records(StoredFile, noun="File")

#: maximum length in characters of a folder, and of a name, in the index
LONGEST = 255

#: prefix of the references of drafts
PROVISIONAL = "(PROV"
PDF = ".pdf"

#: sort field → the value of a file to sort by
SORTS: dict[str, Callable[[StoredFile], Any]] = {
    "": lambda file: file.id,
    "fullname": lambda file: file.path,
    "relativename": lambda file: file.filename,
    "name": lambda file: file.filename,
    "date": lambda file: file.date_m,
    "size": lambda file: file.size,
}
#: prefixes allowed before a column of the index in `sortfield`
ALIASES = ("t.", "ecm.")


def files_of(record_type: RecordType, identifier: int) -> list[StoredFile]:
    """Return the files of a record in the order of their creation."""
    return stored_files.rows({"src_object_type": record_type.element, "src_object_id": identifier})


def list_files(
    record_type: RecordType, identifier: int, ref: str, sort: str = "", *, descending: bool = False, called: str = ""
) -> list[ListedFile]:
    """Return the list entries of a record's files, without the PDFs generated for its draft.

    :param identifier: of the record; 0: `ref` identifies it
    :param called: the record type as the caller wrote it
    :raises BadRequest: neither `identifier` nor `ref` is given, or `sort` is unknown
    :raises NotFound: the caller can't see such a record; or, in the profile `dolibarr16`, it has no files
    """
    if not identifier and not ref:
        reason, theirs = "`id` or `ref` is required", "bad value for parameter id or ref"
        raise BadRequest(reason, errors=[("id", reason)], dolibarr=theirs)
    order = _order(sort.strip().lower())
    row = record_type.load(identifier) if identifier else record_type.load_named(ref)
    number = identifier_of(row)
    files = [file for file in files_of(record_type, number) if not is_of_draft(file)]
    if not files and profile().empty_list_is_missing:
        name = getattr(row, "ref", None) or number
        raise NotFound(
            f"{record_type.noun} {name} has no files",
            dolibarr=f"Search for modulepart {called or record_type.element} with Id {number} or Ref {name} "
            "does not return any document.",
        )
    return [_shown(file) for file in sorted(files, key=order, reverse=descending)]


def _order(sort: str) -> Callable[[StoredFile], Any]:
    """Return the sort key for files: one of `SORTS`, or a column of the index.

    :raises BadRequest: it is neither
    """
    if sort in SORTS:
        return SORTS[sort]
    prefix = next((each for each in ALIASES if sort.startswith(each)), "")
    index: Any = StoredFile._meta
    field = index.combined.get(sort.removeprefix(prefix))
    if field is None:
        raise BadRequest(errors=[BadRequest.unknown("sortfield", sort)])
    name = field.name
    # Empty values come first, as in every list; files with equal values are in the order of their creation
    return lambda file: ((value := getattr(file, name)) is not None, value, file.id)


def _shown(file: StoredFile) -> ListedFile:
    return {
        "name": file.filename,
        "path": file.filepath,
        "level1name": file.filepath.rpartition("/")[2],
        "relativename": file.filename,
        "fullname": file.path,
        "date": file.date_m,
        "size": file.size,
        "type": "file",
    }


def open_file(file: StoredFile) -> IO[bytes] | bytes:
    """Return an open file, or its bytes.

    :raises NotFound: the file is missing from the store
    """
    return store().open(file.path)


def as_file(file: StoredFile) -> File:
    """Return a file as a response.

    :raises NotFound: the file is missing from the store
    """
    return File(open_file(file), file.filename, media_type(file.filename))


def read_file(file: StoredFile) -> bytes:
    """Return the bytes of a file.

    :raises NotFound: the file is missing from the store
    """
    return store().read(file.path)


def is_of_draft(file: StoredFile) -> bool:
    """Return whether a file was generated for a draft; it can be downloaded, but isn't listed."""
    return bool(file.gen_or_uploaded == GENERATED and file.filename.startswith(PROVISIONAL))


def find_file(record_type: RecordType, original_file: str) -> StoredFile:
    """Return the file at a path in the folder of its type, if the caller can see its record.

    :param original_file: ``<reference of the record>/<name>``, or its folder in the store and the name; either may have
        the folder of the type in front, as in `last_main_doc` and `fullname`
    :raises BadRequest: the path is empty, or leaves the folder
    :raises Unauthorized: the path leaves the folder, in the profile `dolibarr16`: clients of Dolibarr expect a 401
    :raises NotFound: the caller can't see such a file
    """
    if not original_file:
        raise BadRequest(errors=[BadRequest.missing("original_file")], dolibarr="bad value for parameter original_file")
    if not is_safe_path(original_file):
        reason = "`original_file`: expected a path inside the documents folder"
        raise ApiError(reason, status=profile().path_leads_out)
    below = original_file.removeprefix(f"{record_type.folder}/")
    is_stored = below != original_file
    # As a list returns it, a path is that of the store
    file = (
        (_file_in_folder(record_type, below) if is_stored else None)
        or _file_of_reference(record_type, original_file)
        or (_file_of_reference(record_type, below) if is_stored else None)
        or _file_in_folder(record_type, original_file)
    )
    if file is None:
        raise NotFound("File not found")
    return file


def _file_of_reference(record_type: RecordType, path: str) -> StoredFile | None:
    """Return the file at ``<reference or ID of the record>/<name>``.

    :raises NotFound: there is such a record, but it has no such file
    """
    stem = path.removesuffix(PDF)
    middle = stem[: len(stem) // 2]
    # A reference may contain a slash
    is_pdf = record_type.by_ref and path == f"{middle}/{middle}{PDF}"
    name, called = (middle, f"{middle}{PDF}") if is_pdf else path.rpartition("/")[::2]
    try:
        row = record_type.load_named(name)
    except (NotFound, Conflict):
        return None
    for file in files_of(record_type, identifier_of(row)):
        if file.filename in (called, clean_name(called)) or (is_pdf and file.gen_or_uploaded == GENERATED):
            return file
    raise NotFound("File not found")


def _file_in_folder(record_type: RecordType, path: str) -> StoredFile | None:
    """Return the file at ``<folder in the store>/<name>``, if the caller can see its record."""
    path = f"{record_type.folder}/{path}"
    folder, _, name = path.rpartition("/")
    file = file_at(folder, name)
    # Databases that ignore case and accents may find another file
    if file is None or (file.path, file.src_object_type) != (path, record_type.element):
        return None
    try:
        record_type.load(file.src_object_id)
    except NotFound:
        return None
    return file


def record_of_folder(record_type: RecordType, name: str) -> int | None:
    """Return the ID of the record whose files are in a folder of its type; None if the folder has no files."""
    found = stored_files.rows({"filepath": f"{record_type.folder}/{name}", "src_object_type": record_type.element})
    return found[0].src_object_id if found else None


def file_at(filepath: str, filename: str, *, lock: bool = False) -> StoredFile | None:
    """Return the file at a path in the store; None if the index has none.

    :param lock: lock its row for a change
    """
    if len(filepath) > LONGEST or len(filename) > LONGEST:
        return None
    return next(iter(stored_files.rows({"filepath": filepath, "filename": filename}, lock=lock)), None)

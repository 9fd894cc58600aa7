"""The files of records: listing and finding them, by the index."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any

from core import NotFound, Records, settings, wrong_fields

from ..models import GENERATED, StoredFile
from ..shapes import ListedFile
from ..store.configured_store import store
from .filenames import is_safe_path
from .record_types import RecordType, identifier_of

#: the index; its statements are made once, not for each request
stored_files = Records(StoredFile, noun="File")

#: characters of a folder, and of a name, that the index has room for
LONGEST = 255

#: what references of drafts begin with
PROVISIONAL = "(PROV"

#: what a list can be sorted by → the value of a file that decides
SORTS: dict[str, Callable[[StoredFile], Any]] = {
    "": lambda file: file.id,
    "fullname": lambda file: file.path,
    "relativename": lambda file: file.filename,
    "name": lambda file: file.filename,
    "date": lambda file: file.date_m,
    "size": lambda file: file.size,
}
#: what a list may name a column of the index by
ALIASES = ("t.", "ecm.")


def files_of(record_type: RecordType, identifier: int) -> list[StoredFile]:
    """The files of a record, in the order in which they came."""
    return stored_files.rows({"src_object_type": record_type.element, "src_object_id": identifier})


def list_files(
    record_type: RecordType, identifier: int, ref: str, sort: str = "", *, descending: bool = False, called: str = ""
) -> list[ListedFile]:
    """The files of a record as a list shows them; what was printed of a draft is left out.

    :param identifier: of the record; 0: it is named by `ref`
    :param called: what the caller calls the type of record
    :raises BadRequest: the record is not named, or the order is by nothing that files have
    :raises NotFound: there is no such record for the caller; or nothing to list, in the profile that says so
    """
    if not identifier and not ref:
        reason, theirs = "`id` or `ref` is required", "bad value for parameter id or ref"
        raise wrong_fields([("id", reason)], reason, dolibarr=theirs)
    order = _order(sort.strip().lower())
    row = record_type.load(identifier) if identifier else record_type.load_named(ref)
    number = identifier_of(row)
    files = [file for file in files_of(record_type, number) if not is_of_draft(file)]
    if not files and settings().profile.empty_list_is_missing:
        name = getattr(row, "ref", None) or number
        raise NotFound(
            f"{record_type.noun} {name} has no files",
            dolibarr=f"Search for modulepart {called or record_type.element} with Id {number} or Ref {name} "
            "does not return any document.",
        )
    return [_shown(file) for file in sorted(files, key=order, reverse=descending)]


def _order(sort: str) -> Callable[[StoredFile], Any]:
    """What decides on the order of files: one of `SORTS`, or a column of the index.

    :raises BadRequest: it is neither
    """
    if sort in SORTS:
        return SORTS[sort]
    prefix = next((each for each in ALIASES if sort.startswith(each)), "")
    field = _index().combined.get(sort.removeprefix(prefix))
    if field is None:
        raise wrong_fields([("sortfield", f"`sortfield`: unknown field {sort!r:.80}")])
    name = field.name
    # What is empty comes first, as in every list; of two files of one moment the one that came first
    return lambda file: ((value := getattr(file, name)) is not None, value, file.id)


def _index() -> Any:
    """What peewee knows of the index: its fields by name and by column."""
    return StoredFile._meta


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
    """A file to read, or its bytes.

    :raises NotFound: somebody has taken it out of the store
    """
    return store().open(file.path)


def read_file(file: StoredFile) -> bytes:
    """The bytes of a file.

    :raises NotFound: somebody has taken it out of the store
    """
    return store().read(file.path)


def is_of_draft(file: StoredFile) -> bool:
    """Whether a file was printed of a draft: it is fetched where it lies, and not listed."""
    return bool(file.gen_or_uploaded == GENERATED and file.filename.startswith(PROVISIONAL))


def find_file(record_type: RecordType, original_file: str) -> StoredFile:
    """The file at a path below the folder of its type, of a record that the caller may see.

    :param original_file: ``<folder of the record>/<name>``, or with the folder of the type before it, as in
        `last_main_doc` and `fullname`
    :raises BadRequest: the path is empty, or leads out of the folder
    :raises Unauthorized: it leads out of the folder; clients of the reference expect this and no 403
    :raises NotFound: there is no such file for the caller
    """
    if not original_file:
        reason, theirs = "`original_file` is required", "bad value for parameter original_file"
        raise wrong_fields([("original_file", reason)], reason, dolibarr=theirs)
    if not is_safe_path(original_file):
        raise settings().profile.path_leads_out("`original_file`: expected a path inside the documents folder")
    file = _file_below(record_type, original_file)
    prefix = f"{record_type.folder}/"
    if file is None and original_file.startswith(prefix):
        file = _file_below(record_type, original_file.removeprefix(prefix))
    if file is None:
        raise NotFound("File not found")
    try:
        record_type.load(file.src_object_id)
    except NotFound:
        raise NotFound("File not found") from None
    return file


def _file_below(record_type: RecordType, path: str) -> StoredFile | None:
    """The file of a type of record at a path below the folder of this type."""
    path = f"{record_type.folder}/{path}"
    folder, _, name = path.rpartition("/")
    file = file_at(folder, name)
    # Databases that mind neither case nor accents find too much
    fits = file is not None and (file.path, file.src_object_type) == (path, record_type.element)
    return file if fits else None


def record_of_folder(record_type: RecordType, name: str) -> int | None:
    """The record whose files lie in a folder of its type; None when there are no files in it."""
    found = stored_files.rows({"filepath": f"{record_type.folder}/{name}", "src_object_type": record_type.element})
    return found[0].src_object_id if found else None


def file_at(filepath: str, filename: str, *, lock: bool = False) -> StoredFile | None:
    """The file at a place of the store.

    :param lock: it is about to be changed
    """
    if len(filepath) > LONGEST or len(filename) > LONGEST:
        return None
    return next(iter(stored_files.rows({"filepath": filepath, "filename": filename}, lock=lock)), None)

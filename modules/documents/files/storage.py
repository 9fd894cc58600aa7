"""Save, move and delete files of records: in both the store and the index, or in neither."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from peewee import IntegrityError

from core import ApiError, NotFound, Refused, current_caller, now, transaction
from core.for_natives import after_commit, is_news

from ..models import GENERATED, StoredFile
from ..store.configured_store import store
from .index import PROVISIONAL, file_at, files_of, is_of_draft, stored_files
from .record_types import RecordType

_log = logging.getLogger("comptoir.documents")


def save_file(
    record_type: RecordType,
    identifier: int,
    location: tuple[str, str],
    content: bytes,
    origin: str,
    *,
    check: Callable[[StoredFile], None] = lambda known: None,
    then: Callable[[Any], object] | None = None,
    template: str | None = None,
    language: str | None = None,
    shows: str | None = None,
    is_there: bool | None = None,
) -> StoredFile:
    """Save a file of a record: in both the store and the index, or in neither.

    :param location: the record's folder in the store, and the file's name
    :param origin: GENERATED, ISSUED or UPLOADED
    :param check: called with an existing file before it is replaced; raises an error to prevent that
    :param then: called in the transaction with the locked row of the record, for further writes
    :param is_there: whether the location had a file of the record shortly before; None if unknown
    :raises NotFound: the record has been deleted meanwhile
    :raises Refused: the record's reference has changed meanwhile, or another record has a file at the location
    """
    caller = current_caller()
    user = caller.id if caller else None
    values = {
        "gen_or_uploaded": origin, "size": len(content), "template": template, "language": language, "shows": shows,
        "fk_user_m": user, "date_m": now(),
    }  # fmt: skip
    with store().staged(content, durable=origin != GENERATED) as move_to, transaction():
        # A locked file keeps its record from being deleted or getting another reference
        known = file_at(*location, lock=True) if is_there and then is None else None
        if known is None:
            row = record_type.load(identifier, lock=True)
            if record_type.folder_of(getattr(row, "ref", None), identifier) != location[0]:
                raise Refused("the reference of the record has just changed; try again", reason="changed_meanwhile")
            known = None if is_there is False else file_at(*location, lock=True)
        if known is None:
            known = StoredFile(
                filepath=location[0],
                filename=location[1],
                src_object_type=record_type.element,
                src_object_id=identifier,
                fk_user_c=user,
                **values,
            )
            try:
                known.save(force_insert=True)
            except IntegrityError:
                # A concurrent request has saved a file at this location
                raise _of_another(known) from None
        elif (known.src_object_type, known.src_object_id) != (record_type.element, identifier):
            raise _of_another(known)
        else:
            check(known)
            stored_files.write_unchecked(known.id, **values)
        if then is not None:
            then(row)
        move_to(known.path)
    return known


def _of_another(file: StoredFile) -> Refused:
    return Refused(f"another record already has a file named '{file.filename}' in this folder", reason="value_taken")


def delete_files(files: Collection[StoredFile]) -> None:
    """Delete files from the index in the transaction, and from the store after its commit."""
    if not files:
        return
    with transaction():
        StoredFile.delete().where(StoredFile.id.in_([file.id for file in files])).execute()
        paths = [(file.filepath, file.filename) for file in files]
        after_commit(lambda: _remove_from_store(paths))


def _remove_from_store(paths: list[tuple[str, str]]) -> None:
    # The index no longer lists the files: if this fails, they remain in the store, but can't be downloaded
    try:
        for filepath, filename in paths:
            if file_at(filepath, filename) is None:
                store().remove(f"{filepath}/{filename}")
        for filepath in {filepath for filepath, _ in paths}:
            store().remove_if_empty(filepath)
    except ApiError as error:
        if is_news(error.message):
            _log.warning("deleted files could not be removed from the document store: %s", error.message)


def hand_over_files(record_type: RecordType, identifier: int, other: int) -> None:
    """Move the files of a record to another one of its type, in the open transaction.

    If the other record has a file of the same name, the moved file's name gets the first record's ID as prefix.

    :param other: ID of the record that receives the files
    """
    moved = files_of(record_type, identifier)
    if not moved:
        return
    row = record_type.load(other)
    folder = record_type.folder_of(getattr(row, "ref", None), other)
    for file in moved:
        name = file.filename if file_at(folder, file.filename) is None else f"{identifier}-{file.filename}"
        stored_files.write_unchecked(file.id, filepath=folder, filename=name, src_object_id=other)
        with suppress(NotFound):
            store().move(file.path, f"{folder}/{name}")
    for filepath in {file.filepath for file in moved}:
        store().remove_if_empty(filepath)


def move_files(record_type: RecordType, identifier: int, folder: str) -> None:
    """Move the files of a record into the folder of its new reference; rename those with the draft's reference.

    :param folder: the record's present folder in the store
    """
    if all(file.filepath == folder for file in files_of(record_type, identifier)):
        return
    with transaction():
        misplaced = [file for file in files_of(record_type, identifier) if file.filepath != folder]
        new = folder.rpartition("/")[2]
        for file in misplaced:
            old = file.filepath.rpartition("/")[2]
            called = file.filename.startswith(old) and (
                old.startswith(PROVISIONAL) or file.gen_or_uploaded == GENERATED
            )
            name = new + file.filename[len(old) :] if called else file.filename
            if file_at(folder, name) is not None:
                # If the target exists, a PDF of the draft is deleted, and an upload stays in the old folder
                if is_of_draft(file):
                    delete_files([file])
                continue
            stored_files.write_unchecked(file.id, filepath=folder, filename=name)
            # A file missing from the store doesn't prevent the others from being moved
            with suppress(NotFound):
                store().move(file.path, f"{folder}/{name}")
    for filepath in {file.filepath for file in misplaced}:
        store().remove_if_empty(filepath)

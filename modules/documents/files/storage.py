"""Saving, moving and deleting files of records: in the store and in the index, or in neither."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from peewee import IntegrityError

from core import ApiError, NotFound, Refused, after_commit, current_caller, is_news, transaction, utc_now

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
    is_there: bool | None = None,
) -> StoredFile:
    """Save a file of a record: in the store and in the index, or in neither.

    :param location: the record's folder in the store, and the file's name
    :param origin: GENERATED or UPLOADED
    :param check: refuses, by raising, to replace a file that is there
    :param then: what else to write in the transaction; it is handed the record's row, locked
    :param is_there: whether the record had a file at the location a moment ago; None: unknown
    :raises NotFound: the record has been deleted meanwhile
    :raises Refused: the record has another reference meanwhile, or the location is that of another record's file
    """
    caller = current_caller()
    user = caller.id if caller else None
    values = {
        "gen_or_uploaded": origin, "size": len(content), "template": template, "language": language,
        "fk_user_m": user, "date_m": utc_now(),
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
                # Somebody has saved one there in this very moment
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
    """Take files out of the index inside the transaction, and out of the store once that is committed."""
    if not files:
        return
    with transaction():
        StoredFile.delete().where(StoredFile.id.in_([file.id for file in files])).execute()
        paths = [(file.filepath, file.filename) for file in files]
        after_commit(lambda: _remove_from_store(paths))


def _remove_from_store(paths: list[tuple[str, str]]) -> None:
    # The index is committed without them: where this fails, a file remains that nobody can fetch
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
    """Move the files of a record to another one of its kind, in the transaction that is open.

    One that is called like a file of the other has the first record's identifier before its name.

    :param other: row identifier of the record that they belong to afterwards
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
    """Move the files of a record into the folder of its new reference; those called like the draft are renamed, too.

    :param folder: the record's folder in the store as it is called now
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
                # What was printed of a draft gives way to what is there; what people sent stays where it is
                if is_of_draft(file):
                    delete_files([file])
                continue
            stored_files.write_unchecked(file.id, filepath=folder, filename=name)
            # One that somebody has taken away by hand does not hold up the others
            with suppress(NotFound):
                store().move(file.path, f"{folder}/{name}")
    for filepath in {file.filepath for file in misplaced}:
        store().remove_if_empty(filepath)

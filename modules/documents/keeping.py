"""Keeping files of records: in the store and in the index, or in neither; they go with their record."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from peewee import IntegrityError

from core import ApiError, NotFound, Refused, after_commit, current_caller, transaction, utc_now

from .files import PROVISIONAL, file_at, files_of, is_of_draft, stored
from .kinds import Kind
from .models import GENERATED, StoredFile
from .store import store

_log = logging.getLogger("comptoir.documents")


def keep(
    kind: Kind,
    identifier: int,
    place: tuple[str, str],
    content: bytes,
    origin: str,
    *,
    check: Callable[[StoredFile], None] = lambda known: None,
    then: Callable[[Any], object] = lambda row: None,
    template: str | None = None,
    language: str | None = None,
) -> StoredFile:
    """Keep a file of a record: in the store and in the index, or in neither.

    :param place: the record's folder in the store, and the file's name
    :param origin: GENERATED or UPLOADED
    :param check: refuses, by raising, to write over a file that is there
    :param then: what else to write in the transaction; it is handed the record's row, locked
    :raises NotFound: the record has been deleted meanwhile
    :raises Refused: the record has another reference meanwhile, or the place is that of another record's file
    """
    caller = current_caller()
    user = caller.id if caller else None
    values = {
        "gen_or_uploaded": origin, "size": len(content), "template": template, "language": language,
        "fk_user_m": user, "date_m": utc_now(),
    }  # fmt: skip
    with store().aside(content, lasting=origin != GENERATED) as settle, transaction():
        row = kind.load(identifier, lock=True)
        if kind.folder_of(getattr(row, "ref", None), identifier) != place[0]:
            raise Refused("the record has got another reference meanwhile")
        known = file_at(*place)
        if known is None:
            known = StoredFile(
                filepath=place[0], filename=place[1], src_object_type=kind.element, src_object_id=identifier,
                fk_user_c=user, **values,
            )  # fmt: skip
            try:
                known.save(force_insert=True)
            except IntegrityError:
                # In this moment; of one record there is one at a time
                raise _of_another(known) from None
        elif (known.src_object_type, known.src_object_id) != (kind.element, identifier):
            raise _of_another(known)
        else:
            check(known)
            stored.write(known.id, **values)
        then(row)
        settle(known.path)
    return known


def _of_another(file: StoredFile) -> Refused:
    return Refused(f"File with name '{file.filename}' already exists: it is another record's")


def discard(files: Collection[StoredFile]) -> None:
    """Take files out of the index, in the transaction there is, and out of the store once that is committed."""
    if not files:
        return
    with transaction():
        StoredFile.delete().where(StoredFile.id.in_([file.id for file in files])).execute()
        places = [(file.filepath, file.filename) for file in files]
        after_commit(lambda: _clear(places))


def _clear(places: list[tuple[str, str]]) -> None:
    # The index is committed without them: what fails here leaves a file that nobody is served
    try:
        for filepath, filename in places:
            if file_at(filepath, filename) is None:
                store().remove(f"{filepath}/{filename}")
        for filepath in {filepath for filepath, _ in places}:
            store().sweep(filepath)
    except ApiError as error:
        _log.warning("files remain in the store: %s", error.message)


def follow(kind: Kind, identifier: int, folder: str) -> None:
    """Let the files of a record follow its reference: into its folder, those called like a draft by the new one.

    :param folder: the record's folder in the store as it is called now
    """
    with transaction():
        strays = [file for file in files_of(kind, identifier) if file.filepath != folder]
        new = folder.rpartition("/")[2]
        for file in strays:
            old = file.filepath.rpartition("/")[2]
            called = file.filename.startswith(old) and (
                old.startswith(PROVISIONAL) or file.gen_or_uploaded == GENERATED
            )
            name = new + file.filename[len(old) :] if called else file.filename
            if file_at(folder, name) is not None:
                # What has been built of a draft is worth less than what is there; what people sent stays where it is
                if is_of_draft(file):
                    discard([file])
                continue
            stored.write(file.id, filepath=folder, filename=name)
            # One that somebody has taken away by hand does not keep the others
            with suppress(NotFound):
                store().move(file.path, f"{folder}/{name}")
    for filepath in {file.filepath for file in strays}:
        store().sweep(filepath)

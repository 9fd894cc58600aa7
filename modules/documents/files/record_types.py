"""The types of records that have files, derived from every service that declares its `records`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core import BadRequest, Conflict, NotFound, Records, current_caller, shown
from core.for_natives import Catalogue, Permission, cached_per_catalogue

from ...commercial.documents import Documents
from ...setup.recorded_names import singular
from ..models import StoredFile
from .filenames import folder_name


@dataclass(frozen=True)
class RecordType:
    """A type of record that has files: the records of one service.

    `Records` may define `folder` and `other_names`, as `Documents` do.

    :param service: the service that serves the records
    :param module: the module of the service
    :param element: the element type, as stored in the index of files, such as ``propal``
    :param kind: the word for one record, such as ``proposal``
    :param folder: its folder in the store
    :param by_ref: whether a record's folder has its reference as name; otherwise it has the record's ID
    :param records: the `Records` of the service
    :param permission: the permission for reading a record
    :param owner: the service with the permissions for changing its files
    """

    service: str
    module: str
    element: str
    kind: str
    folder: str
    by_ref: bool
    records: Records[Any]
    permission: Permission
    owner: str

    @property
    def noun(self) -> str:
        """The word for one record, at the beginning of a message."""
        return self.kind.capitalize()

    @property
    def is_named_by_people(self) -> bool:
        """Return whether people write the references, which are the names of the folders."""
        return self.by_ref and getattr(self.records, "series", None) is None

    @property
    def keeps_issued(self) -> bool:
        """Return whether the PDF of a validation is kept as it was sent."""
        return bool(getattr(self.records, "keeps_issued", False))

    @property
    def names(self) -> tuple[str, ...]:
        """Values of `modulepart` that select this type."""
        others = getattr(self.records, "other_names", ())
        return (self.element, self.service, singular(self.service), self.kind, *others)

    def constant_name(self, end: str) -> str:
        """Return the name of one of its constants, such as ``CONTRACT_ADDON_PDF`` for ``ADDON_PDF``."""
        if isinstance(self.records, Documents):
            return self.records.constant_name(end)
        return f"{self.kind.upper()}_{end}"

    def require(self, verb: str) -> None:
        """Raise an error unless the caller has a permission of the service.

        :raises Unauthorized: the permission is missing
        """
        caller = current_caller()
        if caller is not None:
            caller.require(self.permission if verb == "read" else f"{self.owner}.{verb}")

    def load(self, identifier: int, *, lock: bool = False) -> Any:
        """Return the row of a record.

        :param lock: keep others from changing it until the transaction ends
        :raises NotFound: there is no such record, or the caller can't see it
        """
        try:
            return self.records.load(identifier, lock=lock)
        except NotFound:
            raise NotFound(f"{self.noun} not found") from None

    def load_named(self, name: str) -> Any:
        """Return the row of the record with a reference; or with an ID, if records of this type have no reference.

        :raises NotFound: there is no such record, or the caller can't see it
        :raises Conflict: several records have the reference
        """
        if not self.by_ref:
            if name.isascii() and name.isdigit() and 0 < int(name[:20]) < 2**31:
                return self.load(int(name))
            raise NotFound(f"{self.noun} not found")
        # Databases that ignore case and trailing blanks may find other records
        found = [row for row in self.records.rows({"ref": name}) if row.ref == name]
        if not found:
            raise NotFound(f"{self.noun} not found")
        if len(found) > 1:
            raise Conflict(f"`ref`: expected one {self.kind} with the reference {name}, got {len(found)}; use the ID")
        return self.load(identifier_of(found[0]))

    def folder_of(self, reference: str | None, identifier: int) -> str:
        """Return the folder of a record in the store, which no other record has.

        :raises Refused: its reference can't be used as a folder name
        """
        if not self.by_ref:
            return f"{self.folder}/{identifier}"
        folder = f"{self.folder}/{folder_name(reference or '')}"
        if not self.is_named_by_people:
            return folder
        # References that people write may differ in accents or punctuation only
        files: Any = StoredFile
        others = (files.src_object_type != self.element) | (files.src_object_id != identifier)
        return f"{folder}-{identifier}" if files.select().where(files.filepath == folder, others).exists() else folder


def identifier_of(row: Any) -> int:
    """Return the ID of a row."""
    return int(getattr(row, row._meta.primary_key.name))


def record_type_called(modulepart: str) -> RecordType:
    """Return the record type for a value of `modulepart`.

    :raises BadRequest: there is no such type
    """
    types = _record_types()
    found = types.get(modulepart.lower())
    if found is None:
        known = ", ".join(sorted({each.kind for each in types.values()}))
        reason = f"`modulepart`: expected one of {known}; got {shown(modulepart)}"
        raise BadRequest(reason, errors=[("modulepart", reason)])
    return found


def record_type_of(service: str) -> RecordType | None:
    """Return the type of the records of a service; None if they have no files."""
    found = _record_types().get(service)
    return found if found is not None and found.service == service else None


def record_types() -> list[RecordType]:
    """Return every type of record that has files, sorted by service."""
    return sorted(set(_record_types().values()), key=lambda each: each.service)


def record_type_of_element(element: str) -> RecordType | None:
    """Return the record type with an element type of the index; None if no service has such records now."""
    return next((each for each in _record_types().values() if each.element == element), None)


def record_type_of_folder(folder: str) -> RecordType | None:
    """Return the record type whose files are in a folder of the store; None if no service has such records now."""
    return next((each for each in _record_types().values() if each.folder == folder), None)


@cached_per_catalogue
def _record_types(served: Catalogue) -> dict[str, RecordType]:
    """Return each record type under each of its names."""
    types: dict[str, RecordType] = {}
    for service in served.services.values():
        if service.records is not None:
            found = _record_type(service, served)
            for name in found.names:
                types.setdefault(name, found)
    return types


def _record_type(service: Any, served: Catalogue) -> RecordType:
    records, meta = service.records, service.records.model._meta
    element = meta.extrafields or service.name
    own = served.operations_by_origin[service.name]
    reading = next((each for each in own if (each.verb, each.own_segments) == ("GET", ("{id}",))), None)
    # The permissions of a class below another service are those of this service
    owner = reading.service if reading else service.name
    return RecordType(
        service.name,
        service.module,
        element,
        getattr(records, "kind", "") or singular(service.name),
        getattr(records, "folder", "") or element,
        "ref" in meta.fields and meta.fields["ref"].unique,
        records,
        (reading and reading.permission) or Permission.parse(f"{owner}.read"),
        owner,
    )

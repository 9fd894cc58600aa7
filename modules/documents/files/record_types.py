"""The types of records that have files: every service that names the records it serves. There is no list to keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core import BadRequest, Catalogue, Conflict, NotFound, Permission, Records, cached_per_catalogue, current_caller

from .filenames import folder_name

#: further names of an element type, which clients of the reference know
OTHER_NAMES = {"propal": ("propale",), "product": ("produit",), "expedition": ("shipping",)}
#: folders that are not called like the element type, as clients of the reference expect them in paths
FOLDERS = {"propal": "propale", "user": "users"}


@dataclass(frozen=True)
class RecordType:
    """A type of record that has files: the records of one service.

    :param service: the service that serves the records
    :param module: the module it lies in
    :param element: the element type, which the index of files holds, such as ``propal``
    :param noun: what one record is called in a message
    :param folder: its folder in the store
    :param by_ref: whether a record's folder is called like its reference, not like its identifier
    :param records: the records, as their module shows them
    :param permission: what reading a record needs
    """

    service: str
    module: str
    element: str
    noun: str
    folder: str
    by_ref: bool
    records: Records[Any]
    permission: Permission

    @property
    def names(self) -> tuple[str, ...]:
        """What `modulepart` may call it."""
        return (self.element, self.service, self.noun.lower(), *OTHER_NAMES.get(self.element, ()))

    def require(self, verb: str) -> None:
        """Go on only if the caller has a right of the service.

        :raises Unauthorized: it is missing
        """
        caller = current_caller()
        if caller is not None:
            caller.require(self.permission if verb == "read" else f"{self.service}.{verb}")

    def load(self, identifier: int, *, lock: bool = False) -> Any:
        """The row of a record.

        :param lock: keep others from changing it until the transaction ends
        :raises NotFound: there is none, or the caller may not see it
        """
        try:
            return self.records.load(identifier, lock=lock)
        except NotFound:
            raise NotFound(f"{self.noun} not found") from None

    def load_named(self, name: str) -> Any:
        """The row of the record with a reference, or an identifier where records have no reference.

        :raises NotFound: there is none, or the caller may not see it
        :raises Conflict: several have the reference
        """
        if not self.by_ref:
            if name.isascii() and name.isdigit() and 0 < int(name[:20]) < 2**31:
                return self.load(int(name))
            raise NotFound(f"{self.noun} not found")
        # Databases that mind neither case nor blanks at the end find too much
        found = [row for row in self.records.rows({"ref": name}) if row.ref == name]
        if not found:
            raise NotFound(f"{self.noun} not found")
        if len(found) > 1:
            raise Conflict(
                f"`ref`: expected one {self.noun.lower()} with the reference {name}, got {len(found)}; use the ID"
            )
        return self.load(identifier_of(found[0]))

    def folder_of(self, reference: str | None, identifier: int) -> str:
        """The folder of a record in the store.

        :raises Refused: its reference cannot name a folder
        """
        return f"{self.folder}/{folder_name(reference or '') if self.by_ref else identifier}"


def identifier_of(row: Any) -> int:
    """The identifier of a row."""
    return int(getattr(row, row._meta.primary_key.name))


def record_type_called(modulepart: str) -> RecordType:
    """The type of record that `modulepart` names.

    :raises BadRequest: it names none
    """
    types = _record_types()
    found = types.get(modulepart.lower())
    if found is None:
        known = ", ".join(sorted({each.noun.lower() for each in types.values()}))
        reason = f"`modulepart`: expected one of {known}; got {modulepart!r:.60}"
        raise BadRequest(reason, errors=[("modulepart", reason)])
    return found


def record_type_of(service: str) -> RecordType | None:
    """The type of the records that a service serves; None: they have no files."""
    found = _record_types().get(service)
    return found if found is not None and found.service == service else None


def record_types() -> list[RecordType]:
    """Every type of record that has files, in the order of their services."""
    return sorted(set(_record_types().values()), key=lambda each: each.service)


def record_type_of_element(element: str) -> RecordType | None:
    """The type of record that the index calls so; None: no service has such records now."""
    return next((each for each in _record_types().values() if each.element == element), None)


def record_type_of_folder(folder: str) -> RecordType | None:
    """The type of record whose files lie in a folder of the store; None: no service has such records now."""
    return next((each for each in _record_types().values() if each.folder == folder), None)


@cached_per_catalogue
def _record_types(served: Catalogue) -> dict[str, RecordType]:
    """Every type of record by each of its names."""
    types: dict[str, RecordType] = {}
    for service in served.services.values():
        if service.records is not None:
            found = _record_type(service)
            for name in found.names:
                types.setdefault(name, found)
    return types


def _record_type(service: Any) -> RecordType:
    meta = service.records.model._meta
    element = meta.extrafields or service.name
    reading = next(
        (each for each in service.operations if (each.verb, each.template) == ("GET", f"/{service.name}/{{id}}")), None
    )
    return RecordType(
        service.name,
        service.module,
        element,
        _singular(service.name).capitalize(),
        FOLDERS.get(element, element),
        "ref" in meta.fields and meta.fields["ref"].unique,
        service.records,
        (reading and reading.permission) or Permission.parse(f"{service.name}.read"),
    )


def _singular(name: str) -> str:
    return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")

"""Kinds of records that have files: every service with records, found in the catalogue; there is no list to keep."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

from core import BadRequest, Catalogue, Model, NotFound, Permission, Records, catalogue, current_caller

from .names import folder_name

#: further names of an element type, which clients of the reference know
NAMES = {"propal": ("propale",), "product": ("produit",)}
#: folders that are not called like the element type (rules.md 11)
FOLDERS = {"propal": "propale", "user": "users"}


@dataclass(frozen=True)
class Kind:
    """A kind of record with files.

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
        return (self.element, self.service, self.noun.lower(), *NAMES.get(self.element, ()))

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

    def named(self, name: str) -> Any:
        """The row of the record with a reference, or an identifier where records have no reference.

        :raises NotFound: there is none, or the caller may not see it
        """
        if not self.by_ref:
            if name.isascii() and name.isdigit() and 0 < int(name[:20]) < 2**31:
                return self.load(int(name))
            raise NotFound(f"{self.noun} not found")
        # Databases that mind neither case nor blanks at the end find too much
        found = [row for row in self.records.rows({"ref": name}) if row.ref == name]
        if not found:
            raise NotFound(f"{self.noun} not found")
        return self.load(identifier_of(found[0]))

    def folder_of(self, reference: str | None, identifier: int) -> str:
        """The folder of a record in the store.

        :raises Refused: its reference cannot name a folder
        """
        return f"{self.folder}/{folder_name(reference or '') if self.by_ref else identifier}"


def identifier_of(row: Any) -> int:
    """The identifier of a row."""
    return int(getattr(row, row._meta.primary_key.name))


def kind_of(modulepart: str) -> Kind:
    """The kind that `modulepart` names.

    :raises BadRequest: it names none
    """
    kinds = _kinds()
    kind = kinds.get(modulepart.lower())
    if kind is None:
        known = ", ".join(sorted({each.noun.lower() for each in kinds.values()}))
        reason = f"Modulepart {modulepart[:60]} is not known; expected one of {known}"
        raise BadRequest(reason, errors=[("modulepart", reason)])
    return kind


def kind_served_by(service: str) -> Kind | None:
    """The kind whose records a service serves."""
    kind = _kinds().get(service)
    return kind if kind is not None and kind.service == service else None


_found: tuple[Catalogue | None, dict[str, Kind]] = (None, {})


def _kinds() -> dict[str, Kind]:
    """Every kind by each of its names."""
    global _found  # noqa: PLW0603 - one assignment: other threads see the old pair or the new one
    current = catalogue()
    if _found[0] is not current:
        kinds: dict[str, Kind] = {}
        holders = _holders()
        for service in current.services.values():
            kind = _kind(service, holders)
            if kind is not None:
                for name in (kind.element, *kind.names):
                    kinds.setdefault(name, kind)
        _found = (current, kinds)
    return _found[1]


def _kind(service: Any, holders: Mapping[str, list[Records[Any]]]) -> Kind | None:
    reading = next(
        (each for each in service.operations if (each.verb, each.template) == ("GET", f"/{service.name}/{{id}}")), None
    )
    model = _model(reading.result) if reading else None
    if reading is None or model is None:
        return None
    meta: Any = model._meta
    element = meta.extrafields or service.name
    return Kind(
        service.name,
        service.module,
        element,
        _singular(service.name).capitalize(),
        FOLDERS.get(element, element),
        "ref" in meta.fields and meta.fields["ref"].unique,
        next((each for each in holders.get(service.module, ()) if each.model is model), Records(model)),
        reading.permission or Permission.parse(f"{service.name}.read"),
    )


def _model(annotation: Any) -> type[Model] | None:
    """The model of a record that an operation answers: ``Annotated[dict, Order]``."""
    if get_origin(annotation) is not Annotated:
        return None
    return next((each for each in get_args(annotation)[1:] if isinstance(each, type) and issubclass(each, Model)), None)


def _holders() -> dict[str, list[Records[Any]]]:
    """The records that each module keeps, as it keeps them: what it hides may be more than its models say."""
    found: dict[str, list[Records[Any]]] = {}
    for name, module in sorted(sys.modules.items()):
        parts = name.split(".")
        if parts[0] == "modules" and len(parts) > 2:
            kept = [value for value in list(vars(module).values()) if isinstance(value, Records)]
            found.setdefault(parts[1], []).extend(kept)
    return found


def _singular(name: str) -> str:
    return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")

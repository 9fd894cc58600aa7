"""What a document is connected with: the contacts that have a role in it, and the documents it is linked with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core import Loader, settings

from ..links import visible
from ..plain_models import PlainDocument
from ..roles import external_roles, roles_sql

#: both in one statement
_RELATIONS = (
    "SELECT rowid, targettype, fk_target, 0 FROM llx_element_element WHERE fk_source = ? AND sourcetype = ? "
    "UNION ALL SELECT rowid, sourcetype, fk_source, 0 FROM llx_element_element WHERE fk_target = ? AND targettype = ? "
    "UNION ALL SELECT rowid, '', fk_socpeople, fk_c_type_contact FROM llx_element_contact WHERE element_id = ? "
    "ORDER BY 1"
)


class Contacts(Loader):
    """Adds the contacts of the documents of a list.

    :param element: the kind of document
    """

    def __init__(self, element: str) -> None:
        self._element = element

    def sql(self, ids: Sequence[int]) -> tuple[str, Sequence[Any]]:
        """Return the statement that reads roles."""
        return roles_sql(ids), ()

    def apply(self, rows: Sequence[tuple[Any, ...]], records: list[dict[str, Any]]) -> None:
        """Add the IDs of contacts; a list does not tell links."""
        known = external_roles(self._element)
        number: Any = str if settings().profile.text_values else int
        found: dict[int, list[Any]] = {int(record["id"]): [] for record in records}
        for document, role, person in rows:
            if role in known:
                found[document].append(number(person))
        for record in records:
            record["contacts_ids"] = found[int(record["id"])]
            record["linkedObjectsIds"] = None


class Relations(Loader):
    """Adds the contacts and links of a document that is read by itself.

    :param element: the kind of document
    :param models: every kind that can be linked, and its model
    """

    def __init__(self, element: str, models: Mapping[str, type[PlainDocument]]) -> None:
        self._element, self._models = element, models

    def sql(self, ids: Sequence[int]) -> tuple[str, Sequence[Any]]:
        """Return the statement that reads both."""
        (identifier,) = ids
        return _RELATIONS, (identifier, self._element, identifier, self._element, identifier)

    def apply(self, rows: Sequence[tuple[Any, ...]], records: list[dict[str, Any]]) -> None:
        """Add the IDs of contacts, and of the linked documents that the caller may see."""
        profile, known = settings().profile, external_roles(self._element)
        number: Any = str if profile.text_values else int
        people: list[Any] = []
        linked: dict[str, dict[str, Any]] = {}
        for key, kind, other, role in rows:
            if kind:
                linked.setdefault(kind, {})[str(key)] = number(other)
            elif role in known:
                people.append(number(other))
        (record,) = records
        record["contacts_ids"] = people
        record["linkedObjectsIds"] = visible(linked, self._models) or ([] if profile.text_values else {})
        if profile.documents_as_recorded:
            record["linkedObjectsFullLoaded"] = {str(record["id"]): True}

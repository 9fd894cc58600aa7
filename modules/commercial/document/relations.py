"""What a document is connected with: the contacts that have a role in it, and the documents it is linked with."""

from __future__ import annotations

from typing import Any

from core import Asked, asked, query, settings

from ..roles import external_roles

#: both in one statement: a document is read often, and each statement is a way to the database and back
_RELATIONS = (
    "SELECT rowid, targettype, fk_target, 0 FROM llx_element_element WHERE fk_source = ? AND sourcetype = ? "
    "UNION ALL SELECT rowid, sourcetype, fk_source, 0 FROM llx_element_element WHERE fk_target = ? AND targettype = ? "
    "UNION ALL SELECT rowid, '', fk_socpeople, fk_c_type_contact FROM llx_element_contact WHERE element_id = ? "
    "ORDER BY 1"
)


def asked_relations(element: str, identifier: int) -> Asked:
    """What `relations` asks the database."""
    return asked(_RELATIONS, (identifier, element, identifier, element, identifier))


def relations(element: str, identifier: int) -> tuple[list[Any], dict[str, dict[str, Any]]]:
    """The contacts of a document, and what it is linked with: kind → identifier of the link → that of the other."""
    number: Any = str if settings().profile.text_values else int
    known = external_roles(element)
    people: list[Any] = []
    linked: dict[str, dict[str, Any]] = {}
    for key, kind, other, role in query(_RELATIONS, (identifier, element, identifier, element, identifier)):
        if kind:
            linked.setdefault(kind, {})[str(key)] = number(other)
        elif role in known:
            people.append(number(other))
    return people, linked

"""Links between documents: which was made from which. Reading a document shows both directions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from core import BadRequest, Loader, Records, profile, shown
from core.for_natives import sees_all

from ..thirdparties.models import Thirdparty
from .models import DocumentLink, models_by_element
from .roles import Roles
from .states import DRAFT

#: keys of a body that list the documents to link with
LINKS = ("linked_objects", "linkedObjectsIds")
#: documents that a new one can be linked with: each is looked up
MAX_LINKS = 100


class Links:
    """The links between one kind of document and others.

    :param element: name of the kind in links, such as ``propal``
    """

    def __init__(self, element: str) -> None:
        self._element = element

    def add(self, document: int, source: tuple[str, int]) -> None:
        """Write a link to the document that another was made from; an existing link stays.

        :param source: kind and ID of the source document, such as ``("propal", 12)``
        """
        values = {
            "sourcetype": source[0], "fk_source": source[1], "targettype": self._element, "fk_target": document,
        }  # fmt: skip
        known = [getattr(DocumentLink, name) == value for name, value in values.items()]
        if not DocumentLink.select().where(*known).exists():
            DocumentLink.create(**values)

    def add_visible(self, document: int, sources: Collection[tuple[str, int]]) -> None:
        """Link a new document with others that exist and that the caller may see.

        :raises BadRequest: there is no such kind
        :raises NotFound: one does not exist, or the caller may not see it
        """
        models = models_by_element()
        for kind, other in sources:
            if kind not in models:
                reason = f"expected one of {', '.join(sorted(models))}; got {shown(kind)}"
                raise BadRequest(errors=[("linked_objects", reason)])
            Records(models[kind], noun=kind).load(other)
            self.add(document, (kind, other))

    def remove(self, document: int) -> None:
        """Remove every link of a document that is deleted."""
        source = (DocumentLink.sourcetype == self._element) & (DocumentLink.fk_source == document)
        target = (DocumentLink.targettype == self._element) & (DocumentLink.fk_target == document)
        DocumentLink.delete().where(source | target).execute()

    def derived(self, document: int, kind: str) -> list[int]:
        """Return the IDs of the documents of a kind that were made from this one; the caller need not see them."""
        return [number for _, number in _made_from((self._element, document), (kind,))]

    def validated_derived(self, document: int, kinds: Collection[str]) -> str:
        """Return the kind of a document that was made from this one, directly or not, and is not a draft; or "".

        :param kinds: the kinds to look for; the caller need not see the documents
        """
        models = {kind: model for kind, model in models_by_element().items() if kind in kinds}
        seen: set[tuple[str, int]] = set()
        sources = {(self._element, int(document))}
        while sources:
            seen |= sources
            found = {each for source in sources for each in _made_from(source, models)} - seen
            for kind in {kind for kind, _ in found}:
                model: Any = models[kind]
                ids = [number for each, number in found if each == kind]
                if model.select().where(model.id.in_(ids), model.statut != DRAFT).exists():
                    return kind
            sources = found
        return ""


def _made_from(source: tuple[str, int], kinds: Iterable[str]) -> list[tuple[str, int]]:
    kind, number = source
    links = DocumentLink.select().where(
        DocumentLink.sourcetype == kind, DocumentLink.fk_source == number, DocumentLink.targettype.in_([*kinds])
    )
    return [(link.targettype, link.fk_target) for link in links]


class LinkLoader(Loader):
    """Adds the contacts and links of a document that is read by itself.

    :param element: the kind of document
    :param roles: its roles
    """

    #: reads both with one statement
    SQL = (
        "SELECT rowid, targettype, fk_target, 0 FROM llx_element_element WHERE fk_source = ? AND sourcetype = ? "
        "UNION ALL SELECT rowid, sourcetype, fk_source, 0 FROM llx_element_element "
        "WHERE fk_target = ? AND targettype = ? "
        "UNION ALL SELECT rowid, '', fk_socpeople, fk_c_type_contact FROM llx_element_contact WHERE element_id = ? "
        "ORDER BY 1"
    )

    def __init__(self, element: str, roles: Roles) -> None:
        self._element, self._roles = element, roles

    def sql(self, ids: Sequence[int]) -> tuple[str, Sequence[Any]]:
        """Return the statement that reads both."""
        (identifier,) = ids
        return self.SQL, (identifier, self._element, identifier, self._element, identifier)

    def apply(self, rows: Sequence[tuple[Any, ...]], records: list[dict[str, Any]]) -> None:
        """Add the IDs of contacts, and of the linked documents that the caller may see."""
        known = self._roles.external_ids()
        number: Any = str if profile().text_values else int
        people: list[Any] = []
        linked: dict[str, dict[str, Any]] = {}
        for key, kind, other, role in rows:
            if kind:
                linked.setdefault(kind, {})[str(key)] = number(other)
            elif role in known:
                people.append(number(other))
        (record,) = records
        record["contacts_ids"] = people
        record["linkedObjectsIds"] = (linked and _visible(linked)) or ([] if profile().text_values else {})
        if profile().documents_as_recorded:
            record["linkedObjectsFullLoaded"] = {str(record["id"]): True}


def _visible(linked: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return those of a document's links that lead to documents the caller may see.

    :param linked: kind → ID of the link → ID of the other document
    """
    models = models_by_element()
    seen = {}
    for kind, others in linked.items():
        # A kind that no loaded module serves follows the row rule of third parties
        if sees_all(models.get(kind, Thirdparty)):
            seen[kind] = others
            continue
        ids = [int(other) for other in others.values()]
        rows = Records(models[kind], noun=kind).rows({"id": ids}) if kind in models else []
        if there := {row.id for row in rows}:
            seen[kind] = {key: other for key, other in others.items() if int(other) in there}
    return seen


def read_links(body: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the links in a body, ``{"propal": 12}`` or ``{"propal": [12, 13]}``, as kind and ID.

    :raises BadRequest: they have another shape, or are too many
    """
    value = next((body[name] for name in LINKS if body.get(name)), None)
    if not value:
        return []
    found = []
    for kind, named in value.items() if isinstance(value, dict) else [("", None)]:
        several = named.values() if isinstance(named, dict) else named if isinstance(named, list) else [named]
        for each in several:
            text = str(each)
            if isinstance(each, bool) or not (text.isascii() and text.isdigit() and len(text) < 10):
                reason = f'expected document types and IDs such as {{"propal": 12}}, got {shown(value)}'
                raise BadRequest(errors=[("linked_objects", reason)])
            found.append((str(kind), int(text)))
    if len(found) > MAX_LINKS:
        raise BadRequest(errors=[("linked_objects", f"expected at most {MAX_LINKS} documents, got {len(found)}")])
    return found

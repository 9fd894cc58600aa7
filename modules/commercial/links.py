"""Links between documents: which was made from which. Both directions are shown on reading one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import Records, sees_all, wrong_fields

from ..thirdparties.models import Thirdparty
from .models import DocumentLink
from .plain_models import PlainDocument


def link(source: tuple[str, int], target: tuple[str, int]) -> None:
    """Note that a document was made from another one; a link that is there already stays.

    :param source: kind and identifier, such as ``("propal", 12)``
    """
    values = {"sourcetype": source[0], "fk_source": source[1], "targettype": target[0], "fk_target": target[1]}
    known = [getattr(DocumentLink, name) == value for name, value in values.items()]
    if not DocumentLink.select().where(*known).exists():
        DocumentLink.create(**values)


def unlink_all(element: str, identifier: int) -> None:
    """Remove every link of a document that is deleted."""
    source = (DocumentLink.sourcetype == element) & (DocumentLink.fk_source == identifier)
    target = (DocumentLink.targettype == element) & (DocumentLink.fk_target == identifier)
    DocumentLink.delete().where(source | target).execute()


def visible(linked: dict[str, dict[str, Any]], models: Mapping[str, type[PlainDocument]]) -> dict[str, dict[str, Any]]:
    """Of the links of a document those that lead to documents the caller may see.

    :param linked: kind → identifier of the link → identifier of the other document
    :param models: kind → its model
    """
    seen = {}
    for kind, others in linked.items():
        # A kind that no module serves any more belongs to third parties all the same
        if sees_all(models.get(kind, Thirdparty)):
            seen[kind] = others
            continue
        asked = [int(other) for other in others.values()]
        rows = Records(models[kind], noun=kind).rows({"id": asked}) if kind in models else []
        if there := {row.id for row in rows}:
            seen[kind] = {key: other for key, other in others.items() if int(other) in there}
    return seen


#: documents that a new one is linked with: each is looked for
MOST_LINKS = 100


def read_links(value: Any) -> list[tuple[str, int]]:
    """The links a body asks for, ``{"propal": 12}`` or ``{"propal": [12, 13]}``, as kind and identifier.

    :raises BadRequest: it has another shape
    """
    if value in (None, "", [], {}):
        return []
    asked = []
    for kind, named in value.items() if isinstance(value, dict) else [("", None)]:
        several = named.values() if isinstance(named, dict) else named if isinstance(named, list) else [named]
        for each in several:
            text = str(each)
            if isinstance(each, bool) or not (text.isascii() and text.isdigit() and len(text) < 10):
                reason = f'expected document types and IDs such as {{"propal": 12}}, got {value!r:.60}'
                raise wrong_fields([("linked_objects", reason)])
            asked.append((str(kind), int(text)))
    if len(asked) > MOST_LINKS:
        raise wrong_fields([("linked_objects", f"expected at most {MOST_LINKS} documents, got {len(asked)}")])
    return asked

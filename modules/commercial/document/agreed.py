"""What both sides have agreed on does not change behind their backs, and what others were made of does not go."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from core import Refused

from ..models import DocumentLink
from ..states import DRAFT
from .records import models_by_element

#: what is agreed on besides lines, which change in drafts alone
SAME = ("socid", "date")


def insist_on_same(noun: str, values: Mapping[str, Any], before: Any) -> None:
    """Refuse another third party or day.

    :param values: what is about to be written
    """
    wrong = [name for name in SAME if name in values and values[name] != getattr(before, name)]
    if wrong:
        names = " and ".join(f"`{name}`" for name in wrong)
        reason = "can't change: both parties have already agreed to the document"
        raise Refused(
            f"can't change {names} of {noun.lower()} {before.ref}: both parties have already agreed to the document",
            errors=[(name, reason) for name in wrong],
        )


def insist_on_no_heirs(noun: str, row: Any, element: str, kinds: Collection[str]) -> None:
    """Refuse to delete a document that others were made of, and others of these, one of which is no draft.

    :param element: the kind of the document
    :param kinds: those that count; the caller need not see them
    """
    seen: set[tuple[str, int]] = set()
    asked = {(element, int(row.id))}
    while asked:
        seen |= asked
        found = {each for kind, number in asked for each in _made_of(kind, number, kinds)} - seen
        for kind in {kind for kind, _ in found}:
            model: Any = models_by_element()[kind]
            ids = [number for each, number in found if each == kind]
            if model.select().where(model.id.in_(ids), model.statut != DRAFT).exists():
                made = f"a document created from it ({kind}) is no longer a draft"
                raise Refused(f"can't delete {noun.lower()} {row.ref}: {made}")
        asked = found


def _made_of(kind: str, number: int, kinds: Collection[str]) -> list[tuple[str, int]]:
    served = [each for each in kinds if each in models_by_element()]
    links = DocumentLink.select().where(
        DocumentLink.sourcetype == kind, DocumentLink.fk_source == number, DocumentLink.targettype.in_(served)
    )
    return [(link.targettype, link.fk_target) for link in links]

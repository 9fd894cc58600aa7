"""Contacts and users that documents and amounts refer to: they stay, unless only drafts refer to them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any

from core import Model, Refused, allowed_operations, current_caller, warn
from core.for_natives import after_commit, named_uses

from ..dictionaries.entries import entries
from ..dictionaries.models import ContactRole
from ..setup.authors import author_fields
from .models import DocumentContact, kinds_by_element
from .roles import INTERNAL
from .states import DRAFT


def release_person(person: int, source: str) -> None:
    """Remove a contact or user from drafts, inside the transaction that deletes this person.

    :param source: ``external`` for a contact, ``internal`` for a user
    :raises Refused: other documents, or amounts, refer to the person
    """
    noun, service = ("User", "users") if source == INTERNAL else ("Contact", "contacts")
    fields = author_fields() if source == INTERNAL else {}
    _require_unused(person, source, fields, noun, service)
    roles = [role.id for role in entries(ContactRole).values() if role.source == source]
    count = DocumentContact.delete().where(_has(person, roles)).execute()
    for model, names in fields.items():
        for field in names:
            count += model.update({field: None}).where(field == person).execute()
    if count:
        # A later handler may still refuse the deletion
        after_commit(lambda: warn(f"removed {noun.lower()} {person} from drafts"))


def _require_unused(person: int, source: str, fields: dict[type[Model], list[Any]], noun: str, service: str) -> None:
    drafts = _draft_states()
    users = dict(_with_role(person, source, drafts))
    for model, names in fields.items():
        mine = reduce(or_, [field == person for field in names])
        if model.select().where(mine, *drafts.get(model, ())).exists():
            users.setdefault(model, _plural(model))
    if not users:
        return
    told, caller = ", ".join(named_uses(users.items())), current_caller()
    # Users may change their own account without this permission
    ways = [f"PATCH /{service}/{{id}}"] if caller is None or caller.holds(f"{service}.write") else []
    raise Refused(
        f"{noun} {person} can't be deleted, because it is used by {told}; to deactivate it, set `statut` to 0",
        reason="in_use",
        details={"allowed": allowed_operations(ways, person)},
    )


def _with_role(person: int, source: str, drafts: dict[Any, tuple[Any, ...]]) -> Iterator[tuple[type[Model], str]]:
    """Yield the documents in which a person has a role, except drafts: their model, and their kind in words."""
    left = {role.id: role.element for role in entries(ContactRole).values() if role.source == source}
    for name, kind in kinds_by_element().items():
        model: Any = kind.model
        roles = [role for role, element in left.items() if element == name]
        left = {role: element for role, element in left.items() if role not in roles}
        found = DocumentContact.select().join(model, on=DocumentContact.element_id == model.id)
        if roles and found.where(_has(person, roles), *drafts.get(model, ())).exists():
            yield model, _plural(model)
    if left and DocumentContact.select().where(_has(person, [*left])).exists():
        yield DocumentContact, "documents of a module that isn't loaded"


def _has(person: int, roles: list[int]) -> Any:
    return (DocumentContact.fk_socpeople == person) & DocumentContact.fk_c_type_contact.in_(roles)


def _draft_states() -> dict[Any, tuple[Any, ...]]:
    """Return, for each model with drafts, the condition that a document isn't one."""
    return {
        kind.model: (kind.model.statut != DRAFT,) for kind in kinds_by_element().values() if kind.states.transitions
    }


def _plural(model: type[Model]) -> str:
    """Return the records of a model in words: ``bank lines``."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in model.__name__).strip() + "s"

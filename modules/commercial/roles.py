"""Contacts and users with a role in a document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from core import (
    Account,
    NotFound,
    Unchanged,
    bump,
    cached,
    current_caller,
    query,
    settings,
    transaction,
    wrong_fields,
)

from ..dictionaries.entries import entries, entry
from ..dictionaries.models import ContactRole
from ..thirdparties.contacts import contacts
from ..thirdparties.known_users import shown_of_users
from ..thirdparties.representatives import note_representative
from ..thirdparties.thirdparties import thirdparties
from .models import DocumentContact
from .shapes import RoleRow

#: identifiers up to here are the reference's own
FIRST_OWN = 10_000
EXTERNAL = "external"
INTERNAL = "internal"


def roles_of(element: str, source: str = "") -> list[ContactRole]:
    """The roles that a kind of document offers.

    :param element: kind of document, such as ``propal``
    :param source: ``external`` (contacts) or ``internal`` (users); both when empty
    """
    return [
        role
        for role in entries(ContactRole).values()
        if role.element == element and role.active and source in ("", role.source)
    ]


@cached
def _external() -> dict[str, set[int]]:
    """The roles of contacts by kind of document, also those that are no longer offered."""
    found: dict[str, set[int]] = {}
    for role in entries(ContactRole).values():
        if role.source == EXTERNAL:
            found.setdefault(role.element, set()).add(role.id)
    return found


def external_roles(element: str) -> Collection[int]:
    """The roles that contacts may have in a kind of document, also those that are no longer offered."""
    return _external().get(element, ())


def offer_roles(element: str, roles: Mapping[str, str]) -> None:
    """Let the dictionary have the roles that a kind of document brings; those it has already stay as they are.

    :param roles: code → label
    """
    known = {role.code for role in entries(ContactRole).values() if role.element == element}
    missing = {code: label for code, label in roles.items() if code not in known}
    if not missing:
        return
    with transaction():
        number = max([FIRST_OWN, *(int(each) for each in entries(ContactRole))])
        for code, label in missing.items():
            number += 1
            row = {"id": number, "element": element, "source": EXTERNAL, "code": code, "label": label}
            # Another worker may be doing the same
            ContactRole.insert(row).on_conflict_ignore().execute()
        bump()


def role_of(element: str, code: str, source: str = EXTERNAL) -> ContactRole:
    """The role of a code.

    :raises NotFound: the kind of document offers no such role; names those it does
    """
    offered = roles_of(element, source)
    found = next((role for role in offered if role.code == code.upper()), None)
    if found is None:
        codes = ", ".join(role.code for role in offered) or "none"
        raise NotFound(f"unknown contact role {code!r:.40}; expected one of {codes}")
    return found


def known_role(element: str, code: str, brought: Collection[str] = ()) -> None:
    """Refuse the code of a role that a kind of document never had.

    :param brought: codes of roles that the kind brings, which the dictionary may not have yet
    :raises BadRequest: names those there are
    """
    codes = {role.code for role in entries(ContactRole).values() if role.element == element} | {*brought}
    if code.upper() not in codes:
        known = ", ".join(sorted(codes))
        reason = f"expected one of {known}; got {code!r:.60}" if known else f"unknown contact role {code!r:.60}"
        raise wrong_fields([("type", reason)])


def give_role(element: str, identifier: int, person: int, code: str, source: str = EXTERNAL) -> None:
    """Give a contact or a user a role in a document, inside the transaction that has locked the document.

    :param person: identifier of the contact, of the user when the source is ``internal``
    :raises NotFound: there is no such contact, user or role, or the caller may not see the contact
    :raises Unchanged: the person has this role already
    """
    role = role_of(element, code, source)
    if source == INTERNAL:
        if not _may_name(Account.get_or_none(Account.id == person)):
            raise NotFound(f"User {person} not found")
    else:
        contacts.load(person)
    if DocumentContact.select().where(_is(identifier, role, person)).exists():
        raise Unchanged(f"{_noun(source)} {person} already has the role {role.code}")
    if source == INTERNAL:
        note_representative()
    DocumentContact.create(element_id=identifier, fk_c_type_contact=role.id, fk_socpeople=person)


def _noun(source: str) -> str:
    return "user" if source == INTERNAL else "contact"


def _may_name(user: Account | None) -> bool:
    """Whether there is a user, as far as the caller is concerned: who has a role is told by name."""
    caller = current_caller()
    if user is None or caller is None:
        return user is not None
    if caller.socid is not None:
        return bool(user.socid == caller.socid)
    return user.socid is None or thirdparties.find(user.socid) is not None


def take_role(element: str, identifier: int, person: int, code: str, source: str = EXTERNAL) -> None:
    """Take a role in a document from a contact or a user.

    :raises NotFound: there is no such role, or the person does not have it
    """
    role = role_of(element, code, source)
    if not DocumentContact.delete().where(_is(identifier, role, person)).execute():
        raise NotFound(f"{_noun(source)} {person} does not have the role {role.code}")


def _is(identifier: int, role: ContactRole, person: int) -> Any:
    return (
        (DocumentContact.element_id == identifier)
        & (DocumentContact.fk_c_type_contact == role.id)
        & (DocumentContact.fk_socpeople == person)
    )


def contact_rows(element: str, identifier: int, code: str = "", source: str = "") -> list[RoleRow]:
    """The contacts and users of a document, with names and roles.

    :param code: only those with this role
    :param source: ``external`` or ``internal``; both when empty
    """
    found = []
    for key, role_id, person in query(
        "SELECT rowid, fk_c_type_contact, fk_socpeople FROM llx_element_contact WHERE element_id = ? ORDER BY rowid",
        (identifier,),
    ):
        role = entry(ContactRole, role_id)
        if role is None or role.element != element or source not in ("", role.source) or code not in ("", role.code):
            continue
        found.append(_row(key, role, person))
    return found


def roles_with(element: str, identifier: int) -> list[tuple[str, int]]:
    """The roles of contacts in a document: code of the role and identifier of the contact, the first given first."""
    found = []
    for _, role_id, person in _rows([identifier]):
        role = entry(ContactRole, role_id)
        if role is not None and (role.element, role.source) == (element, EXTERNAL):
            found.append((role.code, int(person)))
    return found


def _row(key: int, role: ContactRole, person: int) -> RoleRow:
    number: Any = str if settings().profile.text_values else int
    if role.source == INTERNAL:
        user = Account.get_or_none(Account.id == person)
        known = {name: getattr(user, name, None) for name in shown_of_users()}
    else:
        known = contacts.find(person) or {}
    status = known.get("statut")
    return {
        "socid": known.get("socid"),
        "id": number(person),
        "nom": known.get("lastname"),
        "civility": known.get("civility_code") or "",
        "lastname": known.get("lastname"),
        "firstname": known.get("firstname"),
        "email": known.get("email"),
        "login": known.get("login") or "",
        "photo": "",
        "statuscontact": None if status is None else number(status),
        "source": role.source,
        "rowid": number(key),
        "code": role.code,
        "libelle": role.label,
        "status": number(4),
        "fk_c_type_contact": number(role.id),
    }


def copy_roles(element: str, identifier: int, target: str, target_id: int) -> None:
    """Give the people of a document the same roles in another one, as far as its kind offers them."""
    for _, role_id, person in _rows([identifier]):
        role = entry(ContactRole, role_id)
        if role is None or role.element != element:
            continue
        same = next((each for each in roles_of(target, role.source) if each.code == role.code), None)
        if same is not None:
            DocumentContact.create(element_id=target_id, fk_c_type_contact=same.id, fk_socpeople=person)


def remove_roles(element: str, identifier: int) -> None:
    """Remove everybody's roles in a document that is deleted."""
    known = [role.id for role in entries(ContactRole).values() if role.element == element]
    if known:
        mine = (DocumentContact.element_id == identifier) & DocumentContact.fk_c_type_contact.in_(known)
        DocumentContact.delete().where(mine).execute()


def release_person(person: int, source: str = EXTERNAL) -> None:
    """Take a contact that is deleted, or a user when the source is ``internal``, out of every document."""
    roles = sorted(role.id for role in entries(ContactRole).values() if role.source == source)
    mine = (DocumentContact.fk_socpeople == person) & DocumentContact.fk_c_type_contact.in_(roles)
    DocumentContact.delete().where(mine).execute()


def _rows(identifiers: Iterable[int]) -> list[tuple[Any, ...]]:
    return query(roles_sql(identifiers))


def roles_sql(identifiers: Iterable[int]) -> str:
    """A SELECT of the roles in documents: document, role and person, the first given first."""
    numbers = ",".join(str(int(each)) for each in identifiers) or "0"
    return (
        "SELECT element_id, fk_c_type_contact, fk_socpeople FROM llx_element_contact "
        f"WHERE element_id IN ({numbers}) ORDER BY rowid"
    )

"""Roles of contacts and users in documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core import Account, ApiError, BadRequest, Loader, NotFound, current_caller, profile, query, shown, transaction
from core.for_natives import bump, cached

from ..dictionaries.entries import entries, entry
from ..dictionaries.models import ContactRole
from ..thirdparties.contacts import contacts
from ..thirdparties.known_users import shown_of_users
from ..thirdparties.representatives import note_representative
from ..thirdparties.thirdparties import thirdparties
from .models import DocumentContact
from .shapes import RoleRow

#: IDs below are reserved for Dolibarr's own roles
FIRST_OWN_ID = 10_000
EXTERNAL = "external"
INTERNAL = "internal"


class Roles:
    """The roles of one kind of document: those of the dictionary, and the people who have them.

    Sources are ``external`` (contacts) and ``internal`` (users).

    :param element: name of the kind in the dictionary, such as ``propal``
    :param own: roles of contacts that the kind adds to the dictionary, code → label
    """

    def __init__(self, element: str, own: Mapping[str, str] = MappingProxyType({})) -> None:
        self._element, self._own = element, own

    # The dictionary --------------------------------------------------------------------------------------------------

    def offered(self, source: str = "") -> list[ContactRole]:
        """Return the active roles.

        :param source: empty: of both sources
        """
        return [role for role in self._known() if role.active and source in ("", role.source)]

    def external_ids(self) -> Collection[int]:
        """Return the IDs of the roles that contacts may have, including inactive ones."""
        return _external_ids().get(self._element, ())

    def add_own(self) -> None:
        """Add the kind's own roles to the dictionary; existing ones stay as they are."""
        if not self._own:
            return
        known = {role.code for role in self._known()}
        missing = {code: label for code, label in self._own.items() if code not in known}
        if not missing:
            return
        with transaction():
            number = max([FIRST_OWN_ID, *(int(each) for each in entries(ContactRole))])
            for code, label in missing.items():
                number += 1
                row = {"id": number, "element": self._element, "source": EXTERNAL, "code": code, "label": label}
                # Another worker may be doing the same
                ContactRole.insert(row).on_conflict_ignore().execute()
            bump()

    def find(self, code: str, source: str = "", *, inactive: bool = False) -> list[ContactRole]:
        """Return the roles of a code, that of contacts first; usually it is one.

        :param source: empty: of both sources
        :param inactive: include roles that are no longer offered
        :raises NotFound: there is no such role; the message lists the valid ones
        """
        offered = [role for role in self._known() if (role.active or inactive) and source in ("", role.source)]
        found = [role for role in offered if role.code == code.upper()]
        if not found:
            codes = ", ".join(dict.fromkeys(role.code for role in offered)) or "none"
            raise NotFound(f"unknown contact role {code!r:.40}; expected one of {codes}")
        return sorted(found, key=lambda role: role.source)

    def require(self, code: str) -> None:
        """Reject the code of a role that the kind never had.

        :raises BadRequest: the message lists the valid ones
        """
        codes = {role.code for role in self._known()} | {*self._own}
        if code.upper() not in codes:
            known = ", ".join(sorted(codes))
            reason = f"expected one of {known}; got {shown(code)}" if known else f"unknown contact role {shown(code)}"
            raise BadRequest(errors=[("type", reason)])

    def _known(self) -> list[ContactRole]:
        return [role for role in entries(ContactRole).values() if role.element == self._element]

    # Contacts and users ----------------------------------------------------------------------------------------------

    def rows(self, document: int, code: str = "", source: str = "") -> list[RoleRow]:
        """Return the contacts and users of a document, with names and roles.

        :param code: only those with this role
        :param source: only those of this source
        """
        found = []
        for key, role_id, person in query(
            "SELECT rowid, fk_c_type_contact, fk_socpeople FROM llx_element_contact "
            "WHERE element_id = ? ORDER BY rowid",
            (document,),
        ):
            role = self._own_entry(role_id)
            if role is not None and source in ("", role.source) and code in ("", role.code):
                found.append(_row(key, role, person))
        return found

    def contacts(self, document: int) -> list[tuple[str, int]]:
        """Return code of the role and ID of the contact for each contact of a document, oldest first."""
        found = [(self._own_entry(role_id), int(person)) for _, role_id, person in query(roles_sql([document]))]
        return [(role.code, person) for role, person in found if role is not None and role.source == EXTERNAL]

    def give(self, document: int, person: int, code: str, source: str = "") -> None:
        """Give a contact or a user a role, inside the transaction that has locked the document.

        :param person: ID of the contact or user
        :param source: empty: that of the role; contacts, if both have one of this code
        :raises NotFound: there is no such contact, user or role, or the caller may not see it
        :raises 304: the person has this role already
        """
        role = self.find(code, source)[0]
        if role.source == INTERNAL:
            if not _may_see(Account.get_or_none(Account.id == person)):
                raise NotFound(f"User {person} not found")
        else:
            # A deletion of the contact, which looks for roles, waits
            contacts.load(person, lock=True)
        if DocumentContact.select().where(_is(document, role, person)).exists():
            raise ApiError(f"{_noun(role)} {person} already has the role {role.code}", status=304)
        if role.source == INTERNAL:
            note_representative()
        DocumentContact.create(element_id=document, fk_c_type_contact=role.id, fk_socpeople=person)

    def take(self, document: int, person: int, code: str) -> None:
        """Take a role from a contact or a user.

        :raises NotFound: there is no such role, or the person does not have it
        """
        roles = self.find(code, inactive=True)
        if not any(DocumentContact.delete().where(_is(document, role, person)).execute() for role in roles):
            raise NotFound(f"{_noun(roles[0])} {person} does not have the role {roles[0].code}")

    def copy(self, document: int, target: Roles, target_id: int) -> None:
        """Give the contacts and users of a document the same roles in another one, if its kind offers them."""
        for _, role_id, person in query(roles_sql([document])):
            role = self._own_entry(role_id)
            if role is None:
                continue
            same = next((each for each in target.offered(role.source) if each.code == role.code), None)
            if same is not None:
                DocumentContact.create(element_id=target_id, fk_c_type_contact=same.id, fk_socpeople=person)

    def remove(self, document: int) -> None:
        """Remove all roles in a document that is deleted."""
        known = [role.id for role in self._known()]
        if known:
            mine = (DocumentContact.element_id == document) & DocumentContact.fk_c_type_contact.in_(known)
            DocumentContact.delete().where(mine).execute()

    def _own_entry(self, role_id: Any) -> ContactRole | None:
        """Return a role of the dictionary; None if it is another kind's: documents of other kinds have the same IDs."""
        role = entry(ContactRole, role_id)
        return role if role is not None and role.element == self._element else None


class ContactLoader(Loader):
    """Adds the IDs of contacts to the documents of a list.

    :param roles: the roles of their kind
    """

    def __init__(self, roles: Roles) -> None:
        self._roles = roles

    def sql(self, ids: Sequence[int]) -> tuple[str, Sequence[Any]]:
        """Return the statement that reads roles."""
        return roles_sql(ids), ()

    def apply(self, rows: Sequence[tuple[Any, ...]], records: list[dict[str, Any]]) -> None:
        """Add the IDs of contacts; a list has no links."""
        known = self._roles.external_ids()
        number: Any = str if profile().text_values else int
        found: dict[int, list[Any]] = {int(record["id"]): [] for record in records}
        for document, role, person in rows:
            if role in known:
                found[document].append(number(person))
        for record in records:
            record["contacts_ids"] = found[int(record["id"])]
            record["linkedObjectsIds"] = None


@cached
def _external_ids() -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for role in entries(ContactRole).values():
        if role.source == EXTERNAL:
            found.setdefault(role.element, set()).add(role.id)
    return found


def roles_sql(documents: Iterable[int]) -> str:
    """Return a SELECT of document, role and person for each role in documents, oldest first."""
    numbers = ",".join(str(int(each)) for each in documents) or "0"
    return (
        "SELECT element_id, fk_c_type_contact, fk_socpeople FROM llx_element_contact "
        f"WHERE element_id IN ({numbers}) ORDER BY rowid"
    )


def _noun(role: ContactRole) -> str:
    return "user" if role.source == INTERNAL else "contact"


def _may_see(user: Account | None) -> bool:
    """Return whether a user exists and the caller may learn the name: a role shows it."""
    caller = current_caller()
    if user is None or caller is None:
        return user is not None
    if caller.socid is not None:
        return bool(user.socid == caller.socid)
    return user.socid is None or thirdparties.find(user.socid) is not None


def _is(document: int, role: ContactRole, person: int) -> Any:
    return (
        (DocumentContact.element_id == document)
        & (DocumentContact.fk_c_type_contact == role.id)
        & (DocumentContact.fk_socpeople == person)
    )


def _row(key: int, role: ContactRole, person: int) -> RoleRow:
    number: Any = str if profile().text_values else int
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

"""The people printed on a document: the customer's contacts with a role in it, and the sales representatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from core import query

from ...commercial.roles import INTERNAL, Roles
from ...dictionaries.entries import country_code
from ...thirdparties.contacts import contacts
from ...thirdparties.models import Contact, Thirdparty
from ...thirdparties.representatives import anybody_represents
from ...thirdparties.thirdparties import thirdparties
from .addresses import place_lines, wants_capitals
from .language import Language
from .printed_document import Party

DELIVERY = "SHIPPING"
FOLLOWS_UP = "SALESREPFOLL"

_REPRESENTATIVES = (
    "SELECT 0, e.rowid, u.firstname, u.lastname FROM llx_element_contact e JOIN llx_user u ON u.rowid = e.fk_socpeople "
    "WHERE e.element_id = ? AND e.fk_c_type_contact = ? AND u.statut = 1 "
    "UNION ALL SELECT 1, c.rowid, u.firstname, u.lastname FROM llx_societe_commerciaux c "
    "JOIN llx_user u ON u.rowid = c.fk_user WHERE c.fk_soc = ? AND u.statut = 1 ORDER BY 1, 2"
)


class Person(NamedTuple):
    """A contact with a role in a document."""

    role: str
    contact: Contact


def people_of(element: str, record: Mapping[str, Any]) -> list[Person]:
    """Return the contacts with a role in a document that the caller may see, in the order of assignment.

    :param element: kind of document, such as ``propal``
    """
    if not record.get("contacts_ids"):
        return []
    roles = Roles(element).contacts(int(record["id"]))
    rows = {row.id: row for row in contacts.rows({"id": sorted({person for _, person in roles})})} if roles else {}
    return [Person(role, rows[person]) for role, person in roles if person in rows]


def full_name(person: Any) -> str:
    """Return first and last name."""
    return " ".join(part.strip() for part in (person.firstname, person.lastname) if part and part.strip())


def reach(contact: Contact) -> str:
    """Return name, telephone and email of a contact, each on a line."""
    phone = contact.phone_pro or contact.phone_mobile
    return "\n".join(part for part in (full_name(contact), phone, contact.email) if part)


def representatives(element: str, record: Mapping[str, Any]) -> list[str]:
    """Return the names of the users who follow up a document; if there are none, its third party's representatives.

    No SQL statement is run as long as no representative exists.
    """
    if not anybody_represents():
        return []
    role = next((role.id for role in Roles(element).offered(INTERNAL) if role.code == FOLLOWS_UP), 0)
    rows = query(_REPRESENTATIVES, (int(record["id"]), role, int(record["socid"])))
    found = [
        (rank, " ".join(part.strip() for part in (first, last) if part and part.strip()))
        for rank, _, first, last in rows
    ]
    return list(dict.fromkeys(name for rank, name in found if rank == found[0][0] and name))


class Delivery(NamedTuple):
    """The delivery address of a document.

    :param names: names of the receiving company and of the contact
    :param country: country code; empty if it is not known
    """

    names: list[str]
    contact: Contact
    country: str


def place_of_delivery(people: Sequence[Person], thirdparty: Thirdparty) -> Delivery | None:
    """Return the address of a document's delivery contact; None if it has none or it equals the recipient's address."""
    contact = next((person.contact for person in people if person.role == DELIVERY), None)
    if contact is None or not (contact.address or contact.town or contact.zip):
        return None
    home = country_code(thirdparty.country_id) or ""
    code = country_code(contact.country_id) or home
    if (code, _place(contact, code)) == (home, _place(thirdparty, home)):
        return None
    others = [] if contact.socid in (None, thirdparty.id) else thirdparties.rows({"id": contact.socid})
    owner = next(iter(others), None if others or contact.socid not in (None, thirdparty.id) else thirdparty)
    return Delivery([name for name in (owner.name if owner else "", full_name(contact)) if name], contact, code)


def delivery_of(people: Sequence[Person], thirdparty: Thirdparty, words: Language, home: str) -> Party | None:
    """Return the delivery address as printed: it isn't posted, therefore the country is in the document's language.

    :param home: code of the company's country
    """
    found = place_of_delivery(people, thirdparty)
    if found is None:
        return None
    names, contact, code = found
    lines = [*names, *_place(contact, code, capitals=wants_capitals(code, home))]
    if code and code != home:
        lines.append(words.country(code).upper())
    phone = contact.phone_pro or contact.phone_mobile
    return Party(lines, [f"{words.say('Tel.')} {phone}"] if phone else [])


def _place(row: Any, country: str, *, capitals: bool = True) -> list[str]:
    return place_lines(country, row.address, row.zip, row.town, capitals=capitals)

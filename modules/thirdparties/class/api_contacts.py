"""Contacts over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, ListQuery

from ...answers.deeds import Removed, removed
from ...dictionaries.category_links import in_category
from ..contacts import contacts, of_thirdparties
from ..models import Contact

ContactRecord = Annotated[dict[str, Any], Contact]


class Contacts(Api):
    """People, as a rule of a third party."""

    records = contacts

    def index(
        self, query: ListQuery, thirdparty_ids: str = "", category: int = 0, includecount: int = 0,
        includeroles: int = 0, lang: str = "",
    ) -> list[ContactRecord]:  # fmt: skip
        """List contacts; filters may name the fields of the third party as `s.`, such as (s.nom:like:'A%').

        :param thirdparty_ids: third parties whose contacts are listed, separated by commas {@pattern /^[0-9,]*$/}
        :param category: only those in this category; categories below it are left out {@min 0} {@max 2147483647}
        :param includecount: 1: with the number of documents that name each contact {@min 0} {@max 1}
        :param includeroles: changes nothing: a list always tells the roles {@min 0} {@max 1}
        :param lang: language of what records say in words, such as fr or fr_FR; empty: English {@max 6}
        :permission: contacts.read
        """
        return contacts.speaking(lang).page(query, of_thirdparties(thirdparty_ids) | in_category("contact", category))

    def get(self, id: int, includecount: int = 0, includeroles: int = 0, lang: str = "") -> ContactRecord:
        """Read one contact.

        :param id: row identifier of the contact
        :param includecount: 1: with the number of documents that name the contact {@min 0} {@max 1}
        :param includeroles: 1: with the contact's roles in documents {@min 0} {@max 1}
        :param lang: language of what the record says in words, such as fr or fr_FR; empty: English {@max 6}
        :raises NotFound: there is no such contact, or the caller may not see it
        :permission: contacts.read
        """
        return contacts.speaking(lang).read(id, roles=bool(includeroles))

    def get_by_email(self, email: str, includecount: int = 0, includeroles: int = 0) -> ContactRecord:
        """Read a contact by its e-mail address.

        :url: GET email/{email}
        :param email: e-mail address of the contact {@type email}
        :param includecount: 1: with the number of documents that name the contact {@min 0} {@max 1}
        :param includeroles: 1: with the contact's roles in documents {@min 0} {@max 1}
        :raises NotFound: there is no such contact, or the caller may not see it
        :raises Conflict: the caller may see several contacts with it
        :permission: contacts.read
        """
        return contacts.read(email, "email", roles=bool(includeroles))

    def post(self, request_data: ContactRecord) -> int:
        """Create a contact; answers its identifier.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: contacts.write
        """
        return contacts.create(request_data)

    def put(self, id: int, request_data: ContactRecord) -> ContactRecord:
        """Change a contact: the fields that are sent; `array_options`, when sent, replaces all extra fields.

        :param id: row identifier of the contact
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such contact or third party, or the caller may not see it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: contacts.write
        """
        contacts.change(id, request_data)
        return contacts.read(id)

    def patch(self, id: int, request_data: ContactRecord) -> ContactRecord:
        """Change a contact: the fields that are sent, extra fields one by one.

        :param id: row identifier of the contact
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such contact or third party, or the caller may not see it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: contacts.write
        """
        contacts.change(id, request_data, merge_extras=True)
        return contacts.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a contact that nothing uses.

        :param id: row identifier of the contact
        :raises NotFound: there is no such contact, or the caller may not see it
        :raises Refused: something uses it, such as a user who was made from it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: contacts.delete
        """
        contacts.delete(id)
        return removed("Contact deleted")

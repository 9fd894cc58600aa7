"""Contacts over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Crud, ListQuery

from ...dictionaries.category_links import in_category
from ...setup.email_lookup import read_by_email
from ..contacts import contacts, of_thirdparties
from ..models import Contact

ContactRecord = Annotated[dict[str, Any], Contact]


class Contacts(Crud):
    """Contacts, usually people at a third party."""

    group = "People"

    records = contacts
    refusals = {"delete": "something uses it, such as a user who was made from it"}

    def index(
        self, query: ListQuery, thirdparty_ids: str = "", category: int = 0, includecount: int = 0,
        includeroles: int = 0, lang: str = "",
    ) -> list[ContactRecord]:  # fmt: skip
        """List contacts.

        In filters, `s.` is the third party: `(s.nom:like:'A%')`.

        :param thirdparty_ids: comma-separated IDs {@pattern /^[0-9,]*$/}
        :param category: excludes subcategories {@min 0} {@max 2147483647}
        :param includecount: 1: include numbers of documents {@min 0} {@max 1}
        :param includeroles: no effect {@min 0} {@max 1}
        :param lang: default: English {@max 6}
        """
        return contacts.in_language(lang).page(
            query, of_thirdparties(thirdparty_ids) | in_category("contact", category)
        )

    def get(self, id: int, includecount: int = 0, includeroles: int = 0, lang: str = "") -> ContactRecord:
        """Read a contact.

        :param includecount: 1: include numbers of documents {@min 0} {@max 1}
        :param includeroles: 1: include roles {@min 0} {@max 1}
        :param lang: default: English {@max 6}
        """
        return contacts.in_language(lang).read(id, roles=bool(includeroles))

    def get_by_email(self, email: str, includecount: int = 0, includeroles: int = 0) -> ContactRecord:
        """Read a contact by email.

        :url: GET email/{email}
        :param email: {@type email}
        :param includecount: 1: include numbers of documents {@min 0} {@max 1}
        :param includeroles: 1: include roles {@min 0} {@max 1}
        :raises Conflict: several have it
        :permission: read
        """
        return read_by_email(contacts, email, roles=bool(includeroles))

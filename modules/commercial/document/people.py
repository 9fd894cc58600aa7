"""The people of a document: contacts and users with a role in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import settings, transaction

from ..roles import contact_rows, give_role, known_role, offer_roles, take_role
from ..shapes import RoleRow
from .records import DocumentRecords


class People:
    """Who has which role in the documents of one kind.

    :param documents: the kind
    :param roles: roles of its own that the kind brings, code → label
    """

    def __init__(self, documents: DocumentRecords[Any], roles: Mapping[str, str]) -> None:
        self._documents = documents
        self._roles = roles

    def of(self, identifier: int, code: str = "") -> list[RoleRow]:
        """The contacts and users with a role in a document.

        :param code: only those with this role
        :raises BadRequest: there is no such role, in the profile that says so
        """
        self._documents.load(identifier)
        if code and settings().profile.unknown_words_are_refused:
            known_role(self._documents.element, code, self._roles)
        return contact_rows(self._documents.element, identifier, code)

    def give_role(self, identifier: int, person: int, code: str, source: str = "external") -> None:
        """Give a contact, or a user when the source is ``internal``, a role in a document."""
        with transaction():
            self._documents.load(identifier, lock=True, if_match=True)
            offer_roles(self._documents.element, self._roles)
            give_role(self._documents.element, identifier, person, code, source)

    def take_role(self, identifier: int, person: int, code: str, source: str = "external") -> None:
        """Take a role in a document from a contact or a user."""
        with transaction():
            self._documents.load(identifier, lock=True, if_match=True)
            take_role(self._documents.element, identifier, person, code, source)

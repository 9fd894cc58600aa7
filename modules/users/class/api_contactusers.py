"""Making users from contacts, over HTTP."""

from __future__ import annotations

from core import Api

from ..contact_users import Opening, create_user_of


class ContactUsers(Api):
    """Users created from contacts."""

    def create_user(self, id: int, request_data: Opening) -> int:
        """Create a user from a contact.

        Copies the names and the email address. The user is external if the contact belongs to a third party, and has no
        permissions yet. Returns the user's ID.

        :url: POST ../contacts/{id}/createUser
        :param id: ID of the contact
        :raises BadRequest: login or password is missing or invalid
        :raises NotFound: there is no such contact, or the caller may not see it
        :raises Refused: a user was made from the contact already, or the login or e-mail address is used
        :permission: contacts.read and users.write
        """
        return create_user_of(id, request_data)

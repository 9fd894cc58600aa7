"""Making users from contacts, over HTTP."""

from __future__ import annotations

from core import Api

from ..contact_users import Opening, create_user_of


class ContactUsers(Api):
    """Users who are made from contacts."""

    def create_user(self, id: int, request_data: Opening) -> int:
        """Make a user from a contact, with its names and e-mail address; answers the user's identifier.

        The user is an external one of the contact's third party, an internal one where it has none, and has no rights
        yet.

        :url: POST ../contacts/{id}/createUser
        :param id: row identifier of the contact
        :raises BadRequest: login or password is missing, or does not fit
        :raises NotFound: there is no such contact, or the caller may not see it
        :raises Refused: a user was made from the contact already, or the login or e-mail address is used
        :permission: contacts.read and users.write
        """
        return create_user_of(id, request_data)

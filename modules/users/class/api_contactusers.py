"""Users created from contacts, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from core import Account, Api, BadRequest, Refused, transaction, warn

from ...thirdparties.contacts import contacts
from ..passwords import hashed
from ..users import users

#: fields copied from the contact
TAKEN = ("lastname", "firstname", "civility_code", "email")


class Opening(TypedDict):
    """How the user logs in."""

    login: Annotated[str, "login of the new user"]
    password: Annotated[str, "password, 12 to 1024 characters without spaces at the ends"]


def create_user_of(contact_id: int, body: Mapping[str, Any]) -> int:
    """Make a user of a contact; returns its ID. It sees what its third party may see, and has no rights yet.

    :raises BadRequest: login or password is missing or does not fit
    :raises Refused: a user was made from it already, or the login or e-mail address is used
    """
    contacts.load(contact_id)
    names = [*Opening.__annotations__]
    missing = [BadRequest.missing(name) for name in names if body.get(name) in (None, "")]
    if missing:
        raise BadRequest(errors=missing)
    if others := sorted(map(str, body.keys() - {*names})):
        warn(f"ignored, because only `login` and `password` can be set: {', '.join(others)}")
    secret = hashed(body["password"], "password")
    with transaction():
        contact = contacts.load(contact_id, lock=True)
        if Account.select().where(Account.contact_id == contact_id).exists():
            raise Refused(f"contact {contact_id} already has a user", reason="already_done")
        taken = {name: value for name in TAKEN if (value := getattr(contact, name))}
        place = {"contact_id": contact.id, "socid": contact.socid, "employee": 0}
        return users.create({"login": body["login"], **taken}, pass_crypted=secret, **place)


class ContactUsers(Api):
    """Users created from contacts."""

    def create_user(self, id: int, request_data: Opening) -> int:
        """Create a user from a contact.

        Copies names and email. The user has no permissions, and is external if the contact belongs to a third party.

        :url: POST ../contacts/{id}/createUser
        :raises Refused: it has a user, or the login or email is used
        :permission: contacts.read and users.write
        """
        return create_user_of(id, request_data)

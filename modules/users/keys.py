"""Keys: made, listed and revoked by their user or by an administrator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, TypedDict

from core import (
    NotFound,
    Records,
    Unauthorized,
    current_caller,
    digest_of,
    make_key,
    transaction,
    utc_now,
    wrong_fields,
)

from .guards import require_above, require_administrator, require_rights
from .models import Key
from .rights import require_known
from .users import users


@dataclass(frozen=True)
class AskedKey:
    """A key that is asked for.

    :param label: what the key is for {@max 128}
    :param expires: instant from which the key is refused; null: never
    :param rights: rights the key is restricted to; null: all its user has
    """

    label: str = ""
    expires: datetime | None = None
    rights: list[str] | None = None


class NewKey(TypedDict):
    """A key that has just been made."""

    id: Annotated[int, "row identifier of the key"]
    key: Annotated[str, "the key itself, for the header DOLAPIKEY; shown this once"]
    label: Annotated[str, "what the key is for"]
    expires: Annotated[datetime | None, "Unix seconds from which the key is refused; null: never"]
    rights: Annotated[list[str] | None, "rights the key is restricted to; null: all its user has"]


class Keys(Records[Key]):
    """Keys, without what would let anybody use them."""

    model = Key
    noun = "Key"

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Show the restriction as a list of rights; null: none."""
        for record in records:
            if record["rights"] is not None:
                record["rights"] = record["rights"].split()


keys = Keys()


def new_key(user_id: int, asked: AskedKey) -> NewKey:
    """Make a key for a user, and show it for the only time."""
    if asked.expires is not None and asked.expires <= utc_now():
        raise wrong_fields([("expires", "`expires`: expected an instant to come")])
    if asked.rights is not None:
        require_known(asked.rights)
    user = users.load(user_id)
    given = replace(asked, rights=_within_own_restriction(user_id, asked.rights))
    with transaction():
        key = make_key(user.id, **vars(given))
        identifier = Key.get(Key.digest == digest_of(key)).id
    return {"id": identifier, "key": key, **vars(given)}  # type: ignore[typeddict-item]


def _within_own_restriction(user_id: int, rights: list[str] | None) -> list[str] | None:
    """The rights a new key may be restricted to: a restricted key makes no wider one."""
    caller = current_caller()
    if caller is None:
        return rights
    if caller.id != user_id:
        require_administrator("make a key of another user")
        return rights
    if not (caller.holds("users.self") or caller.holds("users.write")):
        raise Unauthorized("the right users.self is missing")
    if caller.restriction is None:
        return rights
    if rights is None:
        return sorted(caller.restriction)
    require_rights(rights, "make a key for")
    return rights


def revoke_key(user_id: int, key_id: int) -> None:
    """Delete a key of a user; it is refused from then on.

    :raises NotFound: the user has no such key
    """
    with transaction():
        user = users.load(user_id)
        caller = current_caller()
        if caller is not None and caller.id != user.id:
            require_above(user, "revoke a key of an administrator")
        if not Key.delete().where(Key.id == key_id, Key.user == user.id).execute():
            raise NotFound("Key not found")

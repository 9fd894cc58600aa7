"""Keys: their users and administrators create, list, rotate and revoke them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, TypedDict

from core import BadRequest, NotFound, Records, Refused, Unauthorized, current_caller, now, transaction, warn
from core.for_natives import Restriction, digest_of, granted_rights, make_key, read_addresses

from .guards import common_restriction, require_above, require_administrator
from .models import Key
from .rights import require_known
from .users import users

#: maximum addresses that a key may be restricted to
MOST_ADDRESSES = 100


@dataclass(frozen=True)
class AskedKey:
    """The fields of a new key.

    :param label: purpose of the key {@max 128}
    :param expires: expiry; null: never
    :param rights: permissions of the key; null: all of its user
    :param addresses: IP addresses and networks, such as 192.0.2.7 and 10.0.0.0/24; null: all
    :param rate: requests per minute; null: the server's default {@min 1} {@max 1000000}
    """

    label: str = ""
    expires: datetime | None = None
    rights: list[str] | None = None
    addresses: list[str] | None = None
    rate: int | None = None

    def restriction(self) -> Restriction:
        """Return the restriction of the new key.

        :raises BadRequest: a value is invalid; the error lists each wrong address
        """
        if self.expires is not None and self.expires <= now():
            raise BadRequest(
                errors=[("expires", f"expected a time in the future, got {self.expires:%Y-%m-%d %H:%M:%S} UTC")]
            )
        if self.rights is not None:
            require_known(self.rights)
        networks, wrong = read_addresses(self.addresses or ())
        if self.addresses is not None and not 0 < len(self.addresses) <= MOST_ADDRESSES:
            wrong = [f"expected 1 to {MOST_ADDRESSES} addresses, or null for all; got {len(self.addresses)}"]
        if wrong:
            raise BadRequest(errors=[("addresses", each) for each in wrong])
        return Restriction(
            None if self.rights is None else frozenset(self.rights),
            None if self.addresses is None else networks,
            self.expires,
            self.rate,
        )


class NewKey(TypedDict):
    """A key that has just been made."""

    id: Annotated[int, "ID of the key"]
    key: Annotated[str, "key for the header DOLAPIKEY; shown only once"]
    label: Annotated[str, "purpose of the key"]
    expires: Annotated[datetime | None, "Unix time at which the key expires; null: never"]
    rights: Annotated[list[str] | None, "permissions of the key; null: all those of its user"]
    addresses: Annotated[list[str] | None, "IP addresses and networks that may use the key; null: all"]
    rate: Annotated[int | None, "requests per minute; null: the server's default"]


class Keys(Records[Key]):
    """Keys, without the secrets that are needed to use them."""

    model = Key
    noun = "Key"

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Convert rights and addresses to lists; null: no restriction."""
        for record in records:
            for name in ("rights", "addresses"):
                if record[name] is not None:
                    record[name] = record[name].split()


keys = Keys()


def new_key(user_id: int, asked: AskedKey) -> NewKey:
    """Make a key for a user, and return it for the only time. It inherits the caller's restrictions that it omits."""
    wanted = asked.restriction()
    user = users.load(user_id)
    caller = current_caller()
    if caller is not None:
        _require_hand_in(user_id, "create a key for another user")
        wanted = caller.restriction.hand_on(wanted, common_restriction(caller))
    if not user.admin and (lacking := set(asked.rights or ()) - granted_rights(user_id)):
        warn(f"the key has no effect for {', '.join(sorted(lacking))}, because its user doesn't have this permission")
    with transaction():
        return _make(user.id, asked.label, wanted)


def rotate_key(user_id: int, key_id: int, overlap: int) -> NewKey:
    """Replace a key by a new one with the same restriction.

    :param overlap: seconds for which the old key stays valid, unless it expires earlier
    :raises NotFound: the user has no such key
    :raises Refused: the key has expired
    """
    with transaction():
        user = users.load(user_id)
        row = Key.select().where(Key.id == key_id, Key.user == user.id)
        old: Any = (row.for_update() if Key._meta.database.for_update else row).first()
        if old is None:
            raise NotFound(f"Key {key_id} not found")
        caller = current_caller()
        if caller is not None:
            _require_hand_in(user_id, "rotate a key of another user")
            caller.restriction.ensure_covers(old.restriction, "rotate this key", common_restriction(caller))
        end = now() + timedelta(seconds=overlap)
        if old.expires is not None and old.expires <= now():
            raise Refused(f"key {key_id} has expired; create another one", reason="expired")
        # A restricted key doesn't prove the password, even if a login created the old one
        by_login = bool(old.by_login) and (caller is None or not caller.is_restricted)
        made = _make(user.id, old.label, old.restriction, by_login=by_login)
        if not overlap:
            Key.delete().where(Key.id == old.id).execute()
        elif old.expires is None or end < old.expires:
            Key.update(expires=end).where(Key.id == old.id).execute()
    return made


def _require_hand_in(user_id: int, what: str) -> None:
    """Raise unless the caller may make keys of a user: the user with a right to it, else an administrator."""
    caller = current_caller()
    if caller is None:
        return
    if caller.id != user_id:
        require_administrator(what)
    elif not (caller.holds("users.self") or caller.holds("users.write")):
        raise Unauthorized("the permission users.self is required to manage your own keys")


def _make(user_id: int, label: str, restriction: Restriction, *, by_login: bool = False) -> NewKey:
    key = make_key(user_id, label, restriction=restriction, by_login=by_login)
    identifier = Key.get(Key.digest == digest_of(key)).id
    return {"id": identifier, "key": key, "label": label, **restriction.shown()}  # type: ignore[typeddict-item]


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
            raise NotFound(f"Key {key_id} not found")

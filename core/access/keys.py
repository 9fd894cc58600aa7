"""Keys: creation, storage as a digest, and the lookup of a request's caller."""

from __future__ import annotations

import hashlib
import secrets
import time
from datetime import UTC, datetime

import peewee

from ..common.clock import now
from ..common.errors import Unauthorized
from ..common.request_state import client_address
from ..storage.cache_version import CACHE_VERSION, use_version
from ..storage.database import query, transaction
from ..storage.fields import RecordField
from ..storage.model import Model
from .accounts import ACCOUNT_TABLES, Account
from .callers import Caller, current_caller
from .limits import TakenRequests
from .restrictions import DIMENSIONS, UNRESTRICTED, Restriction, is_address_allowed, restriction_of

MINUTE = 60


class Key(Model):
    """A key of a user. Only its SHA-256 is stored; the key itself is shown once."""

    id = peewee.AutoField(column_name="rowid")
    user = RecordField(Account, "User", column_name="fk_user", help_text="ID of the user")
    label = peewee.CharField(max_length=128, default="", help_text="label")
    digest = peewee.CharField(max_length=64, unique=True, help_text="SHA-256 of the key, hexadecimal")
    created = peewee.DateTimeField(default=now, help_text="when the key was created")
    expires = peewee.DateTimeField(null=True, help_text="when the key expires; null: never")
    rights = peewee.TextField(
        null=True, help_text="the permissions the key is restricted to, separated by spaces; null: all of its user's"
    )
    addresses = peewee.TextField(
        null=True, help_text="the addresses and networks the key can be used from, separated by spaces; null: any"
    )
    rate = peewee.IntegerField(null=True, help_text="requests per minute; null: COMPTOIR_RATE applies")
    by_login = peewee.SmallIntegerField(default=0, help_text="1: created by a login with the user's password")
    last_use = peewee.DateTimeField(null=True, help_text="when the key was last used, to the minute")

    class Meta:
        table_name = "comptoir_key"
        part_of = ("user",)
        unaudited = ("last_use",)
        secret = ("digest",)

    @property
    def restriction(self) -> Restriction:
        """The key's restriction."""
        return restriction_of(*(getattr(self, name) for name in DIMENSIONS))


#: every table of this package
ACCESS_TABLES: tuple[type[Model], ...] = (*ACCOUNT_TABLES, Key, TakenRequests)


def make_key(
    user_id: int,
    label: str = "",
    *,
    restriction: Restriction = UNRESTRICTED,
    by_login: bool = False,
    key: str | None = None,
) -> str:
    """Create a key for a user and return it; the key isn't stored and can't be shown again.

    :param label: the purpose of the key
    :param by_login: the caller logged in with the user's password
    :param key: use this key instead of a random one
    """
    key = key or secrets.token_hex(20)
    Key.create(user=user_id, label=label, digest=digest_of(key), by_login=int(by_login), **restriction.columns())
    return key


def set_password(user_id: int, pass_crypted: str) -> int:
    """Set a user's password, and revoke the keys that logins with the old one have made, except the calling one.

    :param pass_crypted: the result of `hash_password`
    :returns: the number of revoked keys
    """
    caller = current_caller()
    made = (Key.user == user_id) & (Key.by_login == 1)
    if caller is not None and caller.key_id is not None:
        made &= Key.id != caller.key_id
    with transaction():
        Account.update(pass_crypted=pass_crypted).where(Account.id == user_id).execute()
        revoked: int = Key.delete().where(made).execute()
    return revoked


def digest_of(key: str) -> str:
    """Return the digest that is stored for a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


_ACTIVE = (
    "u.statut = 1 AND (u.datestartvalidity IS NULL OR u.datestartvalidity <= ?) "
    "AND (u.dateendvalidity IS NULL OR u.dateendvalidity >= ?)"
)
_CALLER = (
    f"SELECT k.rowid, k.label, k.by_login, u.rowid, u.login, u.admin, u.fk_soc, {CACHE_VERSION}, "
    f"{', '.join(f'k.{name}' for name in DIMENSIONS)} "
    "FROM comptoir_key AS k JOIN llx_user AS u ON u.rowid = k.fk_user "
    f"WHERE k.digest = ? AND (k.expires IS NULL OR k.expires > ?) AND {_ACTIVE}"
)


def find_caller(key: str) -> Caller | None:
    """Return the caller of a key, or None; one statement, which also reads the cache version.

    :raises Unauthorized: the key may not be used from the client's address
    """
    if not key or len(key) > 512:
        return None
    moment = now()
    rows = query(_CALLER, (digest_of(key), moment, moment, moment))
    if not rows:
        return None
    key_id, label, by_login, user_id, login, admin, socid, number, *columns = rows[0]
    restriction = restriction_of(*columns)
    if restriction.addresses is not None and not is_address_allowed(client_address(), restriction.addresses):
        text = f"this key can't be used from {client_address() or 'a local socket'}"
        raise Unauthorized(text, reason="invalid_key")
    use_version(number)
    _used[key_id] = time.time()
    return Caller(
        user_id,
        login,
        admin=bool(admin),
        socid=socid or None,
        key_id=key_id,
        key_label=label,
        restriction=restriction,
        by_login=bool(by_login),
    )


def caller_of(user: int) -> Caller | None:
    """Return a user as a caller with an unrestricted key; None if there is no such user, or the user is disabled."""
    moment = now()
    rows = query(
        f"SELECT u.login, u.admin, u.fk_soc FROM llx_user AS u WHERE u.rowid = ? AND {_ACTIVE}", (user, moment, moment)
    )
    return Caller(user, rows[0][0], admin=bool(rows[0][1]), socid=rows[0][2] or None) if rows else None


# Last use ------------------------------------------------------------------------------------------------------------

_used: dict[int, float] = {}
_written: dict[int, float] = {}


def write_last_use() -> None:
    """Write the last use of keys, at most once a minute for each key and outside of requests."""
    for key_id, moment in list(_used.items()):
        if moment - _written.get(key_id, 0.0) < MINUTE:
            continue
        with transaction():
            Key.update(last_use=datetime.fromtimestamp(int(moment), UTC).replace(tzinfo=None)).where(
                Key.id == key_id
            ).execute()
        # After the transaction, so that a failed write is repeated the next time
        _used.pop(key_id, None)
        _written[key_id] = moment

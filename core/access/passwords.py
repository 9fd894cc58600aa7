"""Passwords: whose login it is, what is kept of a password, whether one is right, and how many are checked at once.

A right password must be let through however often others have failed with the same login, so it has to be looked at,
and looking takes 64 MiB and a tenth of a second of a processor. What an attack may cost is therefore bounded here.
"""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from ..common.clock import utc_now
from ..common.errors import TooManyRequests
from .accounts import Account

#: seconds that a password waits at the most
LONGEST = 2

_hasher = PasswordHasher()


def _hash_of_nothing() -> str:
    """What looks like a hash, and takes as long to check, without the tenth of a second that making one takes."""
    costs = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    salt, digest = (
        b64encode(secrets.token_bytes(length)).decode().rstrip("=") for length in (_hasher.salt_len, _hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"


#: checked when no user has the login, so that the answer takes as long as for one who exists
_NOBODY = _hash_of_nothing()


class _Lane:
    """Passwords that a process checks at once.

    :param at_once: how many
    :param waiting: how many more may wait for it, each in a thread of the worker
    """

    def __init__(self, at_once: int, waiting: int) -> None:
        self._admitted = BoundedSemaphore(at_once + waiting)
        self._running = BoundedSemaphore(at_once)

    @contextmanager
    def entered(self) -> Iterator[None]:
        if not self._admitted.acquire(blocking=False):
            raise _busy()
        try:
            if not self._running.acquire(timeout=LONGEST):
                raise _busy()
            try:
                yield
            finally:
                self._running.release()
        finally:
            self._admitted.release()


def _busy() -> TooManyRequests:
    return TooManyRequests("too many logins at this moment, try again", headers={"Retry-After": "1"})


#: Apart from each other, so that an attack does not take the room of others; together fewer than the threads of a
#: worker, which has others to answer. Those who are known cannot be many: ten failures lock them
_LANES = {"known": _Lane(2, 1), "unknown": _Lane(1, 2), "doubtful": _Lane(1, 0)}


@contextmanager
def room_for_password(whose: Literal["known", "unknown", "doubtful"] = "unknown") -> Iterator[None]:
    """Check a password inside of this.

    :param whose: ``known``: the user has logged in from there lately; ``doubtful``: who has failed often
    :raises TooManyRequests: this process checks as many as it may, and as many wait for it
    """
    with _LANES[whose].entered():
        yield


def hash_password(password: str) -> str:
    """The hash of a password that is kept (Argon2)."""
    return _hasher.hash(password)


def find_account(login: str) -> Account | None:
    """The user with this login or e-mail address, compared letter by letter whatever the database does."""
    # Both are asked in any case, for an answer tells how long the database took
    found = [
        user
        for column in (Account.login, Account.email)
        for user in Account.select().where(column == login)
        if getattr(user, column.name) == login
    ]
    return found[0] if found else None


def verify_password(user: Account | None, password: str) -> bool:
    """Whether a password is the user's; takes as long when there is no such user. Disabled users have no password.

    :param user: what `find_account` has answered
    """
    kept = user.pass_crypted if user is not None else None
    try:
        _hasher.verify(kept or _NOBODY, password)
    except (VerificationError, InvalidHashError):
        return False
    return user is not None and bool(kept) and is_valid(user)


def is_valid(user: Account) -> bool:
    """Whether a user is active and today lies within the user's validity."""
    now = utc_now()
    return bool(
        user.statut == 1
        and (user.datestartvalidity is None or user.datestartvalidity <= now)
        and (user.dateendvalidity is None or now <= user.dateendvalidity)
    )

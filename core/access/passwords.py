"""Passwords: whose login it is, what is kept of a password, whether one is right, and how many are checked at once.

A right password must be let through however often others have failed with the same login, so it has to be looked at,
and looking takes 64 MiB and a tenth of a second of a processor. What an attack may cost is therefore bounded here.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ..common.clock import utc_now
from ..common.errors import TooManyRequests
from .accounts import Account

_hasher = PasswordHasher()
#: checked when no user has the login, so that the answer takes as long as for one who exists
_NOBODY = _hasher.hash(secrets.token_hex(8))


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
            raise TooManyRequests("too many logins at this moment, try again", headers={"Retry-After": "1"})
        try:
            with self._running:
                yield
        finally:
            self._admitted.release()


#: apart from each other, so that an attack does not take the room of those who come for the first time; together fewer
#: than the threads of a worker, which has others to answer
_usual, _doubtful = _Lane(2, 3), _Lane(1, 1)


@contextmanager
def room_for_password(*, doubtful: bool = False) -> Iterator[None]:
    """Check a password inside of this.

    :param doubtful: it belongs to a login or comes from an address that has failed often
    :raises TooManyRequests: this process checks as many as it may, and as many wait for it
    """
    with (_doubtful if doubtful else _usual).entered():
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

"""Passwords: the account of a login, the stored hash, the check, and the number of checks at the same time.

The right password must pass even after many failures of the same login, so each password is checked. A check takes
64 MiB and a tenth of a second of a processor. This file bounds what an attack can use of them.
"""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import BoundedSemaphore
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from ..common.clock import now
from ..common.errors import TooManyRequests
from .accounts import Account

#: longest wait of a password check, in seconds
LONGEST = 2

_hasher = PasswordHasher()


def _hash_of_nothing() -> str:
    """Return a string in the form of a hash; checking it takes as long as a real one, making it takes no time."""
    costs = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    salt, digest = (
        b64encode(secrets.token_bytes(length)).decode().rstrip("=") for length in (_hasher.salt_len, _hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"


#: checked if no user has the login, so that the response takes as long as for an existing user
_NOBODY = _hash_of_nothing()


class _Lane:
    """The password checks that a process runs at the same time.

    :param at_once: the number of running checks
    :param waiting: the number of waiting checks, each in a thread of the worker
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
    return TooManyRequests("too many logins are being checked; try again in a second", headers={"Retry-After": "1"})


#: Separate lanes, so that an attack doesn't block other users. Together they use fewer threads than a worker has,
#: which must serve other requests. Known users are few: ten failures lock them
_LANES = {"known": _Lane(2, 1), "unknown": _Lane(1, 2), "doubtful": _Lane(1, 0)}


def room_for_password(whose: Literal["known", "unknown", "doubtful"] = "unknown") -> AbstractContextManager[None]:
    """Reserve a slot; check a password inside this context.

    :param whose: ``known``: the user has logged in from this address lately; ``doubtful``: many logins have failed
    :raises TooManyRequests: every slot of this process is in use and no more checks may wait
    """
    return _LANES[whose].entered()


def hash_password(password: str) -> str:
    """Return the Argon2 hash of a password, for storage."""
    return _hasher.hash(password)


def find_account(login: str) -> Account | None:
    """Return the user with exactly this login or e-mail address; the database's collation doesn't matter."""
    # Always run both queries: the response time would reveal which one matched
    found = [
        user
        for column in (Account.login, Account.email)
        for user in Account.select().where(column == login)
        if getattr(user, column.name) == login
    ]
    return found[0] if found else None


def verify_password(user: Account | None, password: str) -> bool:
    """Return whether a password is the user's, in the same time if there is no user. Disabled users always fail.

    :param user: the result of `find_account`
    """
    kept = user.pass_crypted if user is not None else None
    try:
        _hasher.verify(kept or _NOBODY, password)
    except (VerificationError, InvalidHashError):
        return False
    return user is not None and bool(kept) and is_valid(user)


def is_valid(user: Account) -> bool:
    """Return whether a user is active and within the account's validity period."""
    moment = now()
    return bool(
        user.statut == 1
        and (user.datestartvalidity is None or user.datestartvalidity <= moment)
        and (user.dateendvalidity is None or moment <= user.dateendvalidity)
    )

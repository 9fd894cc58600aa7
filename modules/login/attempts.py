"""Limits on failed logins, counted by all workers together in the database.

The server counts three things for 900 seconds: the failures of a user from one address, of a user from any address,
and of an address with any login. The user is the account with the login or e-mail address that was sent; without an
account it is the exact text that was sent. An IPv6 address counts as its network of 64 bits.

* Ten failures of a user from one address: the server rejects this user from this address, even with the right
  password, until the first failure expires.
* Ten failures of a user from any address, or of an address with any login: each further failure starts a wait of
  1, 2, 4 … 900 seconds. During the wait a wrong password gets 429 and a right one passes. So no caller can lock out
  another user, or an office that shares an address.

An attempt is counted before its password is checked, and taken back if it was right. Otherwise attempts made at the
same moment could pass together. The server never delays a response: a caller who must wait gets an error. If a user
has logged in from an address within thirty days, the password is checked apart from those of other users. A flood of
logins doesn't keep that user out.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from core import Account, ApiError, transaction
from core.for_natives import client_address, network_of, room_for_password

from .models import LoginFailure

#: failures until a user is rejected from an address; failures until a user or an address must wait
FAILURES = 10
#: seconds until a failure expires, and the longest wait
WINDOW = 900
#: seconds for which a login of a user from an address is remembered
REMEMBERED = 30 * 86400
#: failures kept of each user, address, and user at an address: as many as the longest wait needs
KEPT = 20
#: rows that one attempt removes
MOST = 1000

_log = logging.getLogger("comptoir.login")

#: ID and time of failures, the newest first
Failures = list[tuple[int, int]]


class Attempt:
    """One attempt to log in.

    :param login: the text that was sent
    :param user: the account with this login; None: unknown
    """

    def __init__(self, login: str, user: Account | None) -> None:
        self._who = f"user {user.id}" if user is not None else "unknown user"
        self._address = client_address()
        place = network_of(self._address)
        self._user = _name("user", str(user.id)) if user is not None else _name("login", login)
        self._place = _name("address", place)
        self._both = _name("both", f"{self._user} {place}")
        self._known = _name("known", f"{self._user} {place}")
        self._rows: list[int] = []
        #: seconds to wait because of earlier failures, and seconds to wait after this one if it also fails
        self._wait = self._next_wait = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Check the password inside this context: the attempt counts as a failure until it has succeeded.

        :raises 429: the user is locked at this address, or too many passwords are being checked
        """
        counts = self._count()
        self._require_open(counts[self._both], FAILURES)
        self._wait, self._next_wait = self._waits(counts)
        with room_for_password(self._whose(counts)):
            self._begin(counts)
            yield

    def succeeded(self) -> None:
        """Take the attempt back, and delete the failures of this user, from this address and from any other."""
        names = [self._user, self._both, self._known]
        _remove((LoginFailure.name << names) | LoginFailure.id.in_(self._rows))
        with transaction():
            # It expires like a failure at that time
            LoginFailure.create(name=self._known, moment=int(time.time()) + REMEMBERED)

    def failed(self) -> ApiError:
        """Log a failed attempt, and return the error to raise. Every failure is logged here, and only here."""
        _log.info("login failed: %s, from %s", self._who, self._address or "the local machine")
        if self._wait > 0:
            return _too_many(self._next_wait)
        return ApiError("Access denied", reason="login_rejected", status=403)

    def _count(self) -> dict[str, Failures]:
        names = (self._both, self._user, self._place, self._known)
        since = int(time.time()) - WINDOW
        rows = LoginFailure.select().where(LoginFailure.name << names, LoginFailure.moment > since)
        counts: dict[str, Failures] = {name: [] for name in names}
        for row in sorted(rows, key=lambda row: (row.moment, row.id), reverse=True):
            counts[row.name].append((row.id, row.moment))
        return counts

    def _whose(self, counts: dict[str, Failures]) -> Literal["known", "unknown", "doubtful"]:
        """Return the group in which the password is checked; a flood of logins keeps out no known user."""
        if counts[self._known]:
            return "known"
        often = _is_often(counts[self._place]) or (_is_often(counts[self._user]) and bool(counts[self._both]))
        return "doubtful" if often else "unknown"

    def _require_open(self, failures: Failures, limit: int) -> None:
        if len(failures) >= limit:
            _remove(LoginFailure.id.in_(self._rows))
            raise _too_many(failures[FAILURES - 1][1] + WINDOW - int(time.time()))

    def _waits(self, counts: dict[str, Failures]) -> tuple[int, int]:
        now = int(time.time())
        every = [[moment for _, moment in counts[name]] for name in (self._user, self._place)]
        return max(_wait(each, now) for each in every), max(_wait([now, *each], now) for each in every)

    def _begin(self, counts: dict[str, Failures]) -> None:
        """Count the attempt as a failure, and delete expired and surplus ones."""
        now = int(time.time())
        surplus = [identifier for failures in counts.values() for identifier, _ in failures[KEPT:]]
        _remove((LoginFailure.moment <= now - WINDOW) | LoginFailure.id.in_(surplus))
        with transaction():
            names = (self._both, self._user, self._place)
            self._rows = [LoginFailure.create(name=name, moment=now).id for name in names]
        # Query again: attempts made at the same moment now see each other
        self._require_open(self._count()[self._both], FAILURES + 1)


def _is_often(failures: Failures) -> bool:
    return len(failures) >= FAILURES


def _wait(moments: list[int], now: int) -> int:
    """Return the remaining seconds to wait after these failures.

    :param moments: times of the failures, the newest first
    """
    if len(moments) < FAILURES:
        return 0
    return int(moments[0] + min(2 ** min(len(moments) - FAILURES, KEPT), WINDOW) - now)


def _too_many(wait: int) -> ApiError:
    return ApiError(
        f"too many failed logins; try again in {max(wait, 1)} seconds",
        headers={"Retry-After": str(max(wait, 1))},
        status=429,
    )


def _remove(condition: object) -> None:
    # By ID: a range would lock rows that other logins are about to write. One by one, in their order: two requests that
    # delete the same rows at once would otherwise wait for each other. The next attempt deletes the remaining ones
    rows = LoginFailure.select(LoginFailure.id).where(condition).order_by(LoginFailure.id).limit(MOST)
    identifiers = [row.id for row in rows]
    if identifiers:
        with transaction():
            for identifier in identifiers:
                LoginFailure.delete().where(LoginFailure.id == identifier).execute()


def _name(kind: str, value: str) -> str:
    return hashlib.sha256(f"{kind} {value}".encode("utf-8", "surrogatepass")).hexdigest()

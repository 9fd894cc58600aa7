"""How often a login may fail: by the same login, and from the same address.

An attempt is counted before its password is looked at and taken back when it was right, so that attempts made at the
same moment cannot pass together.
"""

from __future__ import annotations

import hashlib
import time
import unicodedata

from core import TooManyRequests, client_address, transaction

from .models import LoginFailure

#: failures after which logins are refused, also with the right password
FAILURES = 10
#: seconds for which a failure counts
WINDOW = 900


class Attempt:
    """One attempt to log in.

    :raises TooManyRequests: there were too many failures
    """

    def __init__(self, login: str) -> None:
        self._login = _name("login", _plain(login))
        self._names = (self._login, _name("address", client_address()))
        self._rows: list[int] = []
        self._refuse(FAILURES)
        _remove(LoginFailure.moment <= int(time.time()) - WINDOW)
        with transaction():
            self._rows = [LoginFailure.create(name=name, moment=int(time.time())).id for name in self._names]
        # Counted again: attempts that came at the same moment now see each other
        self._refuse(FAILURES + 1)

    def succeeded(self) -> None:
        """Take the attempt back, and forget the failures of this login."""
        _remove((LoginFailure.name == self._login) | LoginFailure.id.in_(self._rows))

    def _refuse(self, limit: int) -> None:
        now = int(time.time())
        for name in self._names:
            counted = (LoginFailure.name == name) & (LoginFailure.moment > now - WINDOW)
            rows = LoginFailure.select(LoginFailure.moment).where(counted)
            moments = sorted((row.moment for row in rows), reverse=True)
            if len(moments) >= limit:
                _remove(LoginFailure.id.in_(self._rows))
                wait = max(moments[FAILURES - 1] + WINDOW - now, 1)
                raise TooManyRequests("too many failed logins, try again later", headers={"Retry-After": str(wait)})


def _remove(condition: object) -> None:
    # By identifier: a range would lock what other logins are about to write
    rows = [row.id for row in LoginFailure.select(LoginFailure.id).where(condition)]
    if rows:
        with transaction():
            LoginFailure.delete().where(LoginFailure.id.in_(rows)).execute()


def _plain(login: str) -> str:
    """A login as the most lenient database compares it: é and E are e."""
    decomposed = unicodedata.normalize("NFKD", login.strip().casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _name(kind: str, value: str) -> str:
    return hashlib.sha256(f"{kind} {value}".encode("utf-8", "surrogatepass")).hexdigest()

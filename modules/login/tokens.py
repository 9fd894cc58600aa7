"""Keys that a login answers: labelled `login`, valid for some days, the newest of them only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from core import (
    Account,
    Forbidden,
    Key,
    Restriction,
    find_account,
    make_key,
    settings,
    transaction,
    utc_now,
    verify_password,
)
from modules.setup.constants import constant

from .attempts import Attempt
from .failures import note_failure

LABEL = "login"
#: keys of `/login` that stay valid for each user
KEPT = 10

_SWITCHES = ("API_DISABLE_LOGIN_API", "MAIN_MODULE_API_LOGIN_DISABLED")


@dataclass(frozen=True)
class Token:
    """A key that was made."""

    key: str
    login: str
    expires: datetime


def log_in(login: str, password: str, entity: str, *, reset: bool) -> Token:
    """Make a key for the user with this login and password.

    :param entity: company; there is one
    :param reset: revoke the user's other keys of this kind
    :raises Forbidden: the service is off, or the user, the password or the company is not the right one
    :raises TooManyRequests: there were too many failures; `attempts.py` says of what
    """
    if not settings().login or any(constant(name, "0") not in ("", "0") for name in _SWITCHES):
        raise Forbidden("login over the API is disabled; ask an administrator for a key")
    if entity and not (entity.isascii() and entity.isdigit()):
        theirs = "Bad value for entity, must be the numeric ID of company."
        raise Forbidden(f"`entity`: expected the ID of a company, got {entity!r:.60}", dolibarr=theirs)
    user = find_account(login)
    attempt = Attempt(login, user)
    with attempt.counted():
        # Outside of any transaction: checking a password takes its time
        right = verify_password(user, password) and entity in ("", "0", "1")
    if user is None or not right:
        note_failure(login, user)
        raise attempt.failed()
    attempt.succeeded()
    return _make(user, reset=reset)


def _make(user: Account, *, reset: bool) -> Token:
    expires = utc_now() + timedelta(days=settings().login_days)
    with transaction():
        # First, so that two logins of one user come one behind the other
        Account.update(datelastlogin=utc_now()).where(Account.id == user.id).execute()
        mine = (Key.user == user.id) & (Key.label == LABEL)
        newest = Key.select(Key.id).where(mine).order_by(Key.id.desc()).limit(0 if reset else KEPT - 1)
        kept = [row.id for row in newest]
        Key.delete().where(mine & Key.id.not_in(kept) if kept else mine).execute()
        key = make_key(user.id, LABEL, restriction=Restriction(expires=expires), by_login=True)
    return Token(key, user.login, expires)

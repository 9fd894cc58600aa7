"""Keys created by a login: labelled `login`, valid for a number of days; only the newest are kept."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from core import Account, ApiError, now, shown, transaction
from core.for_natives import Key, Restriction, find_account, make_key, note_event, settings, verify_password
from modules.setup.constants import is_on

from .attempts import Attempt
from .models import LoginSecret

LABEL = "login"
#: keys of `/login` that stay valid for each user
KEPT = 10

_SWITCHES = ("API_DISABLE_LOGIN_API", "MAIN_MODULE_API_LOGIN_DISABLED")


@dataclass(frozen=True)
class Token:
    """The key made by a login."""

    key: str
    login: str
    expires: datetime


def log_in(login: str, password: str, entity: str, *, reset: bool) -> Token:
    """Make a key for the user with this login and password.

    :param entity: company; there is one
    :param reset: revoke the user's other keys of this kind
    :raises 403: the service is off, or the user, the password or the company is not the right one
    :raises 429: there were too many failures; see `attempts.py`
    """
    if not settings().login or is_on(*_SWITCHES):
        raise ApiError(
            "login over the API is disabled; ask an administrator for a key", reason="login_rejected", status=403
        )
    if entity and not (entity.isascii() and entity.isdigit()):
        theirs = "Bad value for entity, must be the numeric ID of company."
        raise ApiError(
            f"`entity`: expected the ID of a company, got {shown(entity)}",
            dolibarr=theirs,
            reason="login_rejected",
            status=403,
        )
    user = find_account(login)
    attempt = Attempt(login, user)
    with attempt.counted():
        # Outside of any transaction, because checking a password is slow
        right = verify_password(user, password) and entity in ("", "0", "1")
    if user is None or not right:
        note_failure(login, user)
        raise attempt.failed()
    attempt.succeeded()
    return _make(user, reset=reset)


def _make(user: Account, *, reset: bool) -> Token:
    expires = now() + timedelta(days=settings().login_days)
    with transaction():
        # First, because this update makes two logins of one user run one after the other
        Account.update(datelastlogin=now()).where(Account.id == user.id).execute()
        if Account.select(Account.pass_crypted).where(Account.id == user.id).scalar() != user.pass_crypted:
            raise ApiError("the password was changed during the login", reason="login_rejected", status=403)
        mine = (Key.user == user.id) & (Key.label == LABEL)
        newest = Key.select(Key.id).where(mine).order_by(Key.id.desc()).limit(0 if reset else KEPT - 1)
        kept = [row.id for row in newest]
        Key.delete().where(mine & Key.id.not_in(kept) if kept else mine).execute()
        key = make_key(user.id, LABEL, restriction=Restriction(expires=expires), by_login=True)
    return Token(key, user.login, expires)


# Failed logins --------------------------------------------------------------------------------------------------------

#: characters of the digest of a login without an account: enough to recognise a repeated one
DIGEST_CHARS = 12


def note_failure(login: str, user: Account | None) -> None:
    """Note a failed login in the audit trail: under the user, or under a digest if the login has no account.

    The login itself is not kept: it may be a password that was typed in the wrong box. The digest can't be
    guessed without the secret of the installation.

    :param user: the account with this login; None: unknown
    """
    # Computed in any case: the response time must not show whether the login has an account
    digest = hmac.digest(_secret(), login.encode("utf-8", "surrogatepass"), "sha256").hex()
    if user is not None:
        note_event("login_failed", Account, user.id)
    else:
        note_event("login_failed", login_digest=digest[:DIGEST_CHARS])


def _secret() -> bytes:
    """Return the secret of the installation; the first worker that needs it creates it."""
    row = LoginSecret.get_or_none(LoginSecret.id == 1)
    if row is None:
        with transaction():
            # If another worker was faster, its secret stays
            LoginSecret.insert(id=1, value=secrets.token_hex(32)).on_conflict_ignore().execute()
        row = LoginSecret.get_by_id(1)
    return bytes.fromhex(row.value)

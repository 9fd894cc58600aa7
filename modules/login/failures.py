"""Failed logins in the audit trail."""

from __future__ import annotations

import hmac
import secrets

from core import Account, note_event, transaction

from .models import LoginSecret

#: characters of the digest of a login that nobody has: enough to see that it was the same one
DIGEST_CHARS = 12


def note_failure(login: str, user: Account | None) -> None:
    """Note a failed login in the audit trail: under the user, or under a digest if nobody has the login.

    The login itself is not kept: it may be a password that was typed in the wrong box. Without the secret of the
    installation nobody can try words until one has the digest.

    :param user: whose login it is; None: nobody's
    """
    # Made in any case: how long an answer takes must not show whether somebody has the login
    digest = hmac.digest(_secret(), login.encode("utf-8", "surrogatepass"), "sha256").hex()
    if user is not None:
        note_event("login_failed", Account, user.id)
    else:
        note_event("login_failed", login_digest=digest[:DIGEST_CHARS])


def _secret() -> bytes:
    """The secret of the installation, made by the first worker that needs it."""
    row = LoginSecret.get_or_none(LoginSecret.id == 1)
    if row is None:
        with transaction():
            # Another worker may be faster: then its secret stays
            LoginSecret.insert(id=1, value=secrets.token_hex(32)).on_conflict_ignore().execute()
        row = LoginSecret.get_by_id(1)
    return bytes.fromhex(row.value)

"""Logins that failed, as the audit trail tells of them."""

from __future__ import annotations

import hashlib

from core import Account, note_event

#: letters of the digest of a login that nobody has: enough to see that it was the same one, too few to find it out by
DIGITS = 12


def note_failure(login: str, user: Account | None) -> None:
    """Tell the audit trail of a login that failed: under the user, or under a digest where there is none.

    What was typed is not kept: it may be a password that was typed in the wrong box.

    :param user: whose login it is; None: nobody's
    """
    if user is not None:
        note_event("login_failed", Account, user.id)
    else:
        digest = hashlib.sha256(login.encode("utf-8", "surrogatepass")).hexdigest()
        note_event("login_failed", login_digest=digest[:DIGITS])

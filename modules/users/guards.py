"""Checks of what one user may do to another. Outside of a request nothing is refused.

Callers can't give themselves more permissions. Opening another account requires the rights of that account, only an
administrator changes an administrator, and an external user reaches no other user. A restricted key can't pass on what
it doesn't open, neither to a key nor by an account; `require_reach` checks this.
"""

from __future__ import annotations

from collections.abc import Collection

from core import Account, Caller, Unauthorized, current_caller
from core.for_natives import UNRESTRICTED, Restriction, granted_rights, settings

#: fields that decide who can log in to an account, and which rights it has
OPENING = frozenset(
    ("login", "email", "pass_crypted", "admin", "socid", "statut", "datestartvalidity", "dateendvalidity", "entity")
)


def acts_as_administrator(caller: Caller | None) -> bool:
    """Return whether a caller may act as an administrator; a restricted key may not."""
    return caller is None or (caller.admin and caller.restriction.rights is None)


def require_administrator(what: str) -> None:
    """Raise unless the caller is an administrator.

    :param what: what only an administrator may do, for the message
    :raises Unauthorized: the caller is not an administrator, or uses a restricted key
    """
    if not acts_as_administrator(current_caller()):
        raise Unauthorized(f"only an administrator with an unrestricted key may {what}")


def require_about(user_id: int, right: str, own: str = "") -> None:
    """Raise unless the caller has a right over a user's account; for the caller's account a lesser one may be enough.

    :param own: the right that is enough for the caller's account; empty: any valid key
    :raises Unauthorized: the caller has neither
    """
    caller = current_caller()
    if caller is None or (caller.id == user_id and (not own or caller.holds(own))):
        return
    caller.require(right)


def require_internal() -> None:
    """Raise unless the caller is an internal user.

    :raises Unauthorized: an external user would access more than their own third party
    """
    caller = current_caller()
    if caller is not None and caller.socid is not None:
        raise Unauthorized("external users can't manage users, groups or permissions")


def require_above(user: Account, what: str = "change an administrator") -> None:
    """Raise unless the caller may change a user: only administrators change administrators.

    :raises Unauthorized: the caller is not an administrator
    """
    if user.admin:
        require_administrator(what)


def require_reach(rights: Collection[str] | None, what: str) -> None:
    """Raise unless the caller has all that an account with these rights has: the rights, from anywhere, for good.

    Opening an account, or giving it a right, gives the caller all that the account has then. An account without rights
    has nothing to give.

    :param rights: those of the account; None: an administrator's
    :param what: the action that needs them, for the message
    :raises Unauthorized: the caller, or the key that is used, has less
    """
    caller = current_caller()
    if caller is not None and (rights is None or rights):
        account = Restriction(rights=None if rights is None else frozenset(rights))
        caller.reach.ensure_covers(account, what, common_restriction(caller))


def common_restriction(caller: Caller) -> Restriction:
    """Return the restriction of keys without their own one; administrators set the limits of keys."""
    return UNRESTRICTED if acts_as_administrator(caller) else Restriction(rate=settings().rate or None)


def require_opening(user: Account, changed: Collection[str]) -> None:
    """Raise unless a restricted key covers the whole account whose login data is changed.

    A key without restrictions is bound only by the rights of its user.

    :param changed: the fields that are changed
    :raises Unauthorized: the key covers less
    """
    caller = current_caller()
    if caller is not None and caller.is_restricted and OPENING & set(changed):
        require_reach(rights_of(user), f"change `{min(OPENING & set(changed))}` of this user")


def rights_of(user: Account) -> frozenset[str] | None:
    """Return the rights of a user; None: all."""
    return None if user.admin else granted_rights(user.id)


def require_password_of(user: Account) -> None:
    """Raise unless the caller may set a user's password, which lets the caller act as that user.

    :raises Unauthorized: the right is missing, or the user has more rights than the caller or the key
    """
    caller = current_caller()
    if caller is None:
        return
    if caller.id == user.id:
        if not any(caller.holds(right) for right in ("users.self", "users.write", "users.password")):
            reason = "the permission users.self, users.write or users.password is required to change your own password"
            raise Unauthorized(reason, dolibarr="You are not allowed to modify your own password")
    elif not caller.holds("users.password"):
        reason = "the permission users.password is required to change the password of another user"
        raise Unauthorized(reason, dolibarr="You are not allowed to modify password of other users")
    require_above(user, "set the password of an administrator")
    require_reach(rights_of(user), "set the password of this user")

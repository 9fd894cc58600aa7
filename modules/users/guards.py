"""Who may do what to whom. Outside of a request nothing is refused.

Nobody gets more than they have: what opens another's account needs the rights of that account, only an administrator
touches an administrator, and an external user reaches nobody else. What a restricted key does not open, it neither
hands on to a key nor reaches by an account: `require_reach` is all there is to that.
"""

from __future__ import annotations

from collections.abc import Collection

from core import UNRESTRICTED, Account, Caller, Restriction, Unauthorized, current_caller, granted_rights, settings

#: what decides who can log in to an account, and what they then have
OPENING = frozenset(
    ("login", "email", "pass_crypted", "admin", "socid", "statut", "datestartvalidity", "dateendvalidity", "entity")
)


def acts_as_administrator(caller: Caller | None) -> bool:
    """Whether a caller may do what only administrators may; a restricted key does not carry that."""
    return caller is None or (caller.admin and caller.restriction.rights is None)


def require_administrator(what: str) -> None:
    """Go on only for an administrator.

    :param what: what only an administrator may do, for the message
    :raises Unauthorized: the caller is none, or uses a restricted key
    """
    if not acts_as_administrator(current_caller()):
        raise Unauthorized(f"only an administrator with an unrestricted key may {what}")


def require_about(user_id: int, right: str, own: str = "") -> None:
    """Go on only with a right over a user's account; for one's own account a lesser right may be enough.

    :param own: the right that is enough for one's own account; empty: any valid key
    :raises Unauthorized: the caller holds neither
    """
    caller = current_caller()
    if caller is None or (caller.id == user_id and (not own or caller.holds(own))):
        return
    caller.require(right)


def require_internal() -> None:
    """Go on only for an internal user.

    :raises Unauthorized: an external one would reach beyond their own third party
    """
    caller = current_caller()
    if caller is not None and caller.socid is not None:
        raise Unauthorized("external users can't manage users, groups or permissions")


def require_above(user: Account, what: str = "change an administrator") -> None:
    """Go on only if a user may be changed: an administrator by administrators alone.

    :raises Unauthorized: the caller is no administrator
    """
    if user.admin:
        require_administrator(what)


def require_reach(rights: Collection[str] | None, what: str) -> None:
    """Go on only if the caller has what an account with these rights has: the rights, from anywhere, for good.

    Whoever opens an account, or gives it a right, has by it all that the account has then. One without rights has
    nothing.

    :param rights: those of the account; None: an administrator's
    :param what: what they are needed for, for the message
    :raises Unauthorized: the caller, or the key that is used, has less
    """
    caller = current_caller()
    if caller is not None and (rights is None or rights):
        account = Restriction(rights=None if rights is None else frozenset(rights))
        caller.reach.ensure_covers(account, what, common_restriction(caller))


def common_restriction(caller: Caller) -> Restriction:
    """What holds for every key that says nothing itself; administrators say what holds for a key."""
    return UNRESTRICTED if acts_as_administrator(caller) else Restriction(rate=settings().rate or None)


def require_opening(user: Account, changed: Collection[str]) -> None:
    """Go on only if a restricted key opens all that the account does whose ways in are changed.

    A key that is not restricted is bound by the rights of its user alone.

    :param changed: the fields that are changed
    :raises Unauthorized: it opens less
    """
    caller = current_caller()
    if caller is not None and caller.is_restricted and OPENING & set(changed):
        require_reach(rights_of(user), f"change `{min(OPENING & set(changed))}` of this user")


def rights_of(user: Account) -> frozenset[str] | None:
    """The rights of a user; None: every one."""
    return None if user.admin else granted_rights(user.id)


def require_password_of(user: Account) -> None:
    """Go on only if the caller may set a user's password, and so act as that user.

    :raises Unauthorized: the right is missing, or the user holds more than the caller, or than the key that is used
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

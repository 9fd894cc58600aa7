"""Who may do what to whom. Outside of a request nothing is refused.

Nobody gets more than they have: what opens another's account needs the rights of that account, only an administrator
touches an administrator, and an external user reaches nobody else.
"""

from __future__ import annotations

from collections.abc import Iterable

from core import Account, Caller, Unauthorized, current_caller, granted_rights


def acts_as_administrator(caller: Caller | None) -> bool:
    """Whether a caller may do what only administrators may; a restricted key does not carry that."""
    return caller is None or (caller.admin and caller.restriction is None)


def require_administrator(what: str) -> None:
    """Go on only for an administrator.

    :param what: what only an administrator may do, for the message
    :raises Unauthorized: the caller is none, or uses a restricted key
    """
    if not acts_as_administrator(current_caller()):
        raise Unauthorized(f"only an administrator, with a key that is not restricted, may {what}")


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
        raise Unauthorized("an external user cannot do this")


def require_above(user: Account, what: str = "change an administrator") -> None:
    """Go on only if a user may be changed: an administrator by administrators alone.

    :raises Unauthorized: the caller is no administrator
    """
    if user.admin:
        require_administrator(what)


def require_rights(rights: Iterable[str], what: str) -> None:
    """Go on only if the caller holds all of these rights.

    :param what: what they are needed for, for the message
    :raises Unauthorized: one is missing
    """
    caller = current_caller()
    missing = sorted(right for right in rights if caller is not None and not caller.holds(right))
    if missing:
        raise Unauthorized(f"you cannot {what} the right {missing[0]}, which you do not hold yourself")


def require_password_of(user: Account) -> None:
    """Go on only if the caller may set a user's password, and so act as that user.

    :raises Unauthorized: the right is missing, or the user holds more rights than the caller
    """
    caller = current_caller()
    if acts_as_administrator(caller) or caller is None:
        return
    if caller.id == user.id and caller.restriction is None:
        if not any(caller.holds(right) for right in ("users.self", "users.write", "users.password")):
            raise Unauthorized("You are not allowed to modify your own password")
        return
    if not caller.holds("users.password"):
        raise Unauthorized("You are not allowed to modify password of other users")
    require_above(user, "set the password of an administrator")
    require_rights(granted_rights(user.id), "set the password of a user who holds")

"""Rights granted to users and to groups."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from core import BadRequest, Caller, profile, transaction, warn
from core.for_natives import Grant, catalogue, granted_rights, seen_rows

from .guards import require_above, require_internal, require_reach
from .recorded_rights import as_recorded
from .users import users


def user_rights(user_id: int) -> list[str]:
    """Return the rights granted to a user directly, without those of groups."""
    return _names(Grant.user == user_id)


def group_rights(group_id: int) -> list[str]:
    """Return the rights granted to a group."""
    return _names(Grant.group == group_id)


def shown_rights(user_id: int) -> list[str] | dict[str, Any]:
    """Return all rights of a user as in the user's record: all for administrators, else including those of groups."""
    rights = catalogue().rights if users.load(user_id).admin else sorted(granted_rights(user_id))
    return as_recorded(rights) if profile().rights_as_object else rights


def grant_user(user_id: int, rights: list[str]) -> None:
    """Replace the rights granted to a user.

    :raises BadRequest: a right does not exist
    :raises Unauthorized: the caller does not have a right that is to be granted
    """
    with transaction():
        require_above(users.load(user_id, lock=True))
        _replace("user", user_id, user_rights(user_id), rights)
    _warn_of_hidden(user_id)


def _warn_of_hidden(user_id: int) -> None:
    """Warn if a user who may read records sees only some of them."""
    row = users.load(user_id)
    caller = Caller(row.id, row.login, admin=bool(row.admin), socid=row.socid, granted=granted_rights(user_id))
    hidden: dict[str, set[str]] = {}
    for each in catalogue().operations:
        is_list = each.verb == "GET" and not each.segments
        if is_list and each.permission and each.shape and caller.may(each.permission):
            hidden.setdefault(seen_rows(each.shape.model, caller), set()).add(each.service)
    for seen in sorted(filter(None, hidden)):
        warn(f"of {', '.join(sorted(hidden[seen]))}, the user sees: {seen}")


def grant_group(group_id: int, rights: list[str]) -> None:
    """Replace the rights granted to a group, like `grant_user`."""
    with transaction():
        _replace("group", group_id, group_rights(group_id), rights)


def require_known(rights: list[str]) -> None:
    """Raise unless all rights exist.

    :raises BadRequest: a right does not exist
    """
    unknown = sorted(set(rights) - set(catalogue().rights))
    if unknown:
        raise BadRequest(errors=[("rights", _unknown(each)) for each in unknown])


def _unknown(name: str) -> str:
    """Return why a permission is refused, with the one whose name is close to it."""
    close = get_close_matches(name[:80], catalogue().rights, 1)
    return f"unknown permission {name!r:.80}" + (f"; did you mean `{close[0]}`?" if close else "")


def _names(condition: Any) -> list[str]:
    return sorted(row.name for row in Grant.select(Grant.name).where(condition))


def _replace(kind: str, identifier: int, old: list[str], new: list[str]) -> None:
    require_internal()
    added = sorted(set(new) - set(old))
    require_known(added)
    require_reach(added, "grant these permissions")
    removed = set(old) - set(new)
    if removed:
        Grant.delete().where(getattr(Grant, kind) == identifier, Grant.name.in_(removed)).execute()
    for name in added:
        Grant.create(**{kind: identifier, "name": name})

"""Who is calling, and what they may do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from ..common.errors import Unauthorized
from ..common.request_state import current_state
from ..storage.database import query
from ..storage.standby import at_primary
from .restrictions import UNRESTRICTED, Restriction

COMMON_VERBS = ("read", "write", "delete", "validate", "close", "pay", "export")

_RIGHT = re.compile(r"[a-z][a-z0-9]*\.[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Permission:
    """An expression over rights: alternatives, each a set of rights that must all be held."""

    text: str
    alternatives: tuple[frozenset[str], ...]

    @classmethod
    def parse(cls, text: str, service: str = "") -> Permission:
        """Read ``a and b or c`` (`and` binds tighter); raises ValueError for anything else.

        :param service: whose right a verb alone is
        """
        if text.strip() == ADMINISTRATORS.text:
            return ADMINISTRATORS
        if service:
            text = re.sub(r"(?<![\w.])(?!and\b|or\b)([a-z]\w*)(?![\w.])", rf"{service}.\1", text)
        alternatives = []
        for part in re.split(r"\s+or\s+", text.strip()):
            rights = frozenset(re.split(r"\s+and\s+", part.strip()))
            for right in rights:
                if not _RIGHT.fullmatch(right):
                    raise ValueError(f"expected rights such as cards.read joined by 'and' or 'or', got {text!r}")
            alternatives.append(rights)
        return cls(text, tuple(alternatives))

    @property
    def rights(self) -> frozenset[str]:
        """Every right the expression names."""
        return frozenset().union(*self.alternatives)

    @property
    def missing(self) -> str:
        """What a caller is told who does not meet it."""
        return "only administrators may call this" if self == ADMINISTRATORS else f"the right {self.text} is missing"


#: what a docstring calls ``administrators``: a right without a service, so it cannot be granted
ADMINISTRATORS = Permission("administrators", (frozenset({"administrator"}),))


class Caller:
    """The user on whose behalf a request is made, and the key that was sent.

    An administrator holds every right, also of modules dropped in later; a key restricted to rights opens no others,
    whoever holds it.
    """

    __slots__ = ("_rights", "admin", "by_login", "id", "key_id", "key_label", "login", "restriction", "socid")

    def __init__(
        self,
        id: int,
        login: str,
        *,
        admin: bool = False,
        socid: int | None = None,
        key_id: int | None = None,
        key_label: str = "",
        restriction: Restriction = UNRESTRICTED,
        by_login: bool = False,
        rights: frozenset[str] | None = None,
    ) -> None:
        self.id = id
        self.login = login
        #: whether the user is an administrator
        self.admin = admin
        #: the third party of an external user, None for an internal one
        self.socid = socid
        self.key_id = key_id
        #: what the key is for, as whoever made it says
        self.key_label = key_label
        #: what the key is restricted to
        self.restriction = restriction
        #: whether whoever got the key had shown the user's password
        self.by_login = by_login
        self._rights = rights

    @property
    def rights(self) -> frozenset[str]:
        """The rights granted to the user and to the user's groups, whatever the key's restriction."""
        if self._rights is None:
            self._rights = granted_rights(self.id)
        return self._rights

    @property
    def is_internal(self) -> bool:
        """Whether the caller is neither external nor anonymous, so that `Meta.internal` hides nothing."""
        return self.socid is None and self.id != 0

    @property
    def oversees(self) -> bool:
        """Whether the caller may see paths and tracebacks of module files: an administrator whose key opens all."""
        return self.admin and self.restriction.rights is None

    @property
    def is_restricted(self) -> bool:
        """Whether the key opens less than the account that it belongs to."""
        return replace(self.restriction, expires=self._end) != UNRESTRICTED

    @property
    def _end(self) -> datetime | None:
        """Who knows the password can log in again: that a key of `/login` ends restricts nobody."""
        return None if self.by_login else self.restriction.expires

    @property
    def reach(self) -> Restriction:
        """What the caller has in hand, to be set against what an account opens to whoever can log in to it."""
        rights = self.restriction.rights
        held: frozenset[str] | None = None if self.admin and rights is None else self.rights
        if rights is not None:
            held = rights if self.admin else rights & self.rights
        return replace(self.restriction, rights=held, expires=self._end)

    def holds(self, right: str) -> bool:
        """Whether the caller has a right."""
        if self.restriction.rights is not None and right not in self.restriction.rights:
            return False
        return self.admin or right in self.rights

    def may(self, permission: Permission) -> bool:
        """Whether the caller meets an expression over rights."""
        return any(all(self.holds(right) for right in rights) for rights in permission.alternatives)

    def require(self, permission: str | Permission) -> None:
        """Go on only if the caller meets an expression over rights.

        :raises Unauthorized: a right is missing
        """
        if isinstance(permission, str):
            permission = Permission.parse(permission)
        if not self.may(permission):
            only = permission.alternatives[0] if len(permission.alternatives) == 1 else frozenset()
            missing = [right for right in sorted(only) if not self.holds(right)]
            some = 0 < len(missing) < len(only)
            raise Unauthorized(f"the right {' and '.join(missing)} is missing" if some else permission.missing)


#: The caller of an operation that needs no key, when none came: sees nothing that a row rule covers.
ANONYMOUS = Caller(0, "", rights=frozenset())


def current_caller() -> Caller | None:
    """Who is calling; None outside of a request, where nothing is hidden."""
    state = current_state()
    caller: Caller | None = state.caller if state else None
    return caller


def is_internal() -> bool:
    """Whether `Meta.internal` hides nothing: outside of a request, within `unhidden`, or from an internal user."""
    state = current_state()
    if state is None or state.caller is None or state.caller.is_internal:
        return True
    state.has_unhidden |= state.is_unhidden
    return state.is_unhidden


@contextmanager
def unhidden() -> Iterator[None]:
    """Read internal fields for any caller: for the server's own handlers, not for a response."""
    state = current_state()
    if state is None or state.is_unhidden:
        yield
        return
    state.is_unhidden, state.has_unhidden = True, False
    try:
        yield
    finally:
        state.is_unhidden = False


def current_user_id() -> int | None:
    """The identifier of the user who is calling; None outside of a request, and where no key came."""
    caller = current_caller()
    return caller.id or None if caller else None


def granted_rights(user_id: int) -> frozenset[str]:
    """The rights granted to a user and to the user's groups."""
    with at_primary():
        rows = query(
            "SELECT name FROM comptoir_grant WHERE fk_user = ? OR fk_usergroup IN "
            "(SELECT fk_usergroup FROM llx_usergroup_user WHERE fk_user = ?)",
            (user_id, user_id),
        )
    return frozenset(name for (name,) in rows)

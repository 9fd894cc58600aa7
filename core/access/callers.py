"""The caller of a request and the caller's permissions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime

from ..common.errors import Unauthorized
from ..common.request_state import current_state
from ..storage.database import query
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

        :param service: the service of a right that is only a verb
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
                    raise ValueError(f"expected permissions such as cards.read, joined by 'and' or 'or', got {text!r}")
            alternatives.append(rights)
        return cls(text, tuple(alternatives))

    @property
    def rights(self) -> frozenset[str]:
        """Every right in the expression."""
        return frozenset().union(*self.alternatives)

    @property
    def missing(self) -> str:
        """Return the message for a caller who doesn't meet the requirement."""
        return (
            "only administrators may call this operation"
            if self == ADMINISTRATORS
            else f"you need the permission{'s' if ' and ' in self.text else ''} {self.text}"
        )


#: what a docstring calls ``administrators``: a right without a service, so it cannot be granted
ADMINISTRATORS = Permission("administrators", (frozenset({"administrator"}),))


@dataclass(eq=False, slots=True)
class Caller:
    """The user on whose behalf a request is made, and the key that was sent.

    An administrator holds every right, including those of modules added later. A key that is restricted to rights opens
    no others, even for an administrator.
    """

    id: int
    login: str
    _: KW_ONLY
    #: whether the user is an administrator
    admin: bool = False
    #: the third party of an external user, None for an internal one
    socid: int | None = None
    key_id: int | None = None
    #: the purpose of the key, as entered when it was created
    key_label: str = ""
    #: what the key is restricted to
    restriction: Restriction = UNRESTRICTED
    #: whether the key was created by a login with the user's password
    by_login: bool = False
    #: the rights granted to the user and the user's groups; None: they are read when they are first needed
    granted: frozenset[str] | None = None

    @property
    def rights(self) -> frozenset[str]:
        """The rights granted to the user and the user's groups, regardless of the key's restriction."""
        if self.granted is None:
            self.granted = granted_rights(self.id)
        return self.granted

    @property
    def is_internal(self) -> bool:
        """True if the caller is neither external nor anonymous, so that `Meta.internal` hides nothing."""
        return self.socid is None and self.id != 0

    @property
    def oversees(self) -> bool:
        """True for an administrator with an unrestricted key, who may see paths and tracebacks of module files."""
        return self.admin and self.restriction.rights is None

    @property
    def is_restricted(self) -> bool:
        """True if the key opens less than its account."""
        return replace(self.restriction, expires=self._end) != UNRESTRICTED

    @property
    def _end(self) -> datetime | None:
        """The key's end, if it restricts the caller: a key of `/login` is renewed by logging in again."""
        return None if self.by_login else self.restriction.expires

    @property
    def reach(self) -> Restriction:
        """The caller's effective restriction, for comparison with the access that a login to an account gives."""
        rights = self.restriction.rights
        held: frozenset[str] | None = None if self.admin and rights is None else self.rights
        if rights is not None:
            held = rights if self.admin else rights & self.rights
        return replace(self.restriction, rights=held, expires=self._end)

    def holds(self, right: str) -> bool:
        """Return whether the caller has a right."""
        if self.restriction.rights is not None and right not in self.restriction.rights:
            return False
        return self.admin or right in self.rights

    def may(self, permission: Permission) -> bool:
        """Return whether the caller meets an expression over rights."""
        return any(all(self.holds(right) for right in rights) for rights in permission.alternatives)

    def require(self, permission: str | Permission) -> None:
        """Raise unless the caller meets an expression over rights.

        :raises Unauthorized: a right is missing
        """
        if isinstance(permission, str):
            permission = Permission.parse(permission)
        if not self.may(permission):
            only = permission.alternatives[0] if len(permission.alternatives) == 1 else frozenset()
            missing = [right for right in sorted(only) if not self.holds(right)]
            some = 0 < len(missing) < len(only)
            plural = "s" if len(missing) > 1 else ""
            raise Unauthorized(
                f"you need the permission{plural} {' and '.join(missing)}" if some else permission.missing
            )


#: the caller of a request without a key: sees no row that a row rule covers
ANONYMOUS = Caller(0, "", granted=frozenset())


def current_caller() -> Caller | None:
    """Return the caller; None outside of a request, which hides nothing."""
    state = current_state()
    caller: Caller | None = state.caller if state else None
    return caller


def is_internal() -> bool:
    """Return whether `Meta.internal` hides nothing: no request, within `unhidden`, or an internal user."""
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
    """Return the ID of the calling user; None outside of a request and for a request without a key."""
    caller = current_caller()
    return caller.id or None if caller else None


def granted_rights(user_id: int) -> frozenset[str]:
    """Return the rights granted to a user and to the user's groups."""
    rows = query(
        "SELECT name FROM comptoir_grant WHERE fk_user = ? OR fk_usergroup IN "
        "(SELECT fk_usergroup FROM llx_usergroup_user WHERE fk_user = ?)",
        (user_id, user_id),
    )
    return frozenset(name for (name,) in rows)

"""Groups of users: checks of reads and writes, and members."""

from __future__ import annotations

from typing import Any

from core import ListQuery, Records, now, transaction
from core.for_natives import Grant, Membership

from ..setup.changed_values import warn_of_changes
from .guards import require_above, require_internal, require_reach
from .models import Group
from .rights import group_rights
from .users import users


class Groups(Records[Group]):
    """Groups of users."""

    model = Group
    noun = "Group"
    empty = "No Group found"
    owned = ((Membership, "group"), (Grant, "group"))

    def prepare(self, values: dict[str, Any], before: Group | None) -> None:
        """Check a write."""
        require_internal()
        if values.get("name") is not None:
            values["name"] = values["name"].strip()
        warn_of_changes(values, {"entity": 1}, ("entity",))
        values["entity"] = 1
        values["datem"] = now()

    def removing(self, row: Group) -> None:
        """Refuse this to external users."""
        require_internal()

    def with_members(self, identifier: int) -> dict[str, Any]:
        """Return a group with those of its users whom the caller may see."""
        record = self.read(identifier)
        members = [row.user for row in Membership.select(Membership.user).where(Membership.group == identifier)]
        return record | {"members": list(users.page(ListQuery(limit=0), {"id": members}))}

    def of_user(self, user_id: int) -> list[dict[str, Any]]:
        """Return the groups of a user."""
        rows = Membership.select(Membership.group).where(Membership.user == user_id)
        return list(self.page(ListQuery(limit=0), {"id": [row.group for row in rows]}))

    def add(self, user_id: int, group_id: int) -> None:
        """Add a user to a group, which gives the user its rights; a second time changes nothing."""
        require_internal()
        with transaction():
            user = users.load(user_id, lock=True)
            group = self.load(group_id)
            require_above(user)
            require_reach(group_rights(group_id), "add a user to this group")
            if not Membership.select().where(Membership.user == user.id, Membership.group == group.id).exists():
                Membership.create(user=user.id, group=group.id)

    def remove(self, user_id: int, group_id: int) -> None:
        """Remove a user from a group."""
        require_internal()
        with transaction():
            require_above(users.load(user_id, lock=True))
            self.load(group_id)
            Membership.delete().where(Membership.user == user_id, Membership.group == group_id).execute()


groups = Groups()

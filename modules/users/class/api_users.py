"""Users, groups, permissions and keys over HTTP."""

from typing import Annotated, Any

from core import Crud, ListQuery
from core.for_natives import Removed, removed

from ...dictionaries.category_links import in_category
from ...setup.email_lookup import read_by_email
from ...setup.responses import ACTION, action_result
from ..groups import groups
from ..guards import require_about
from ..keys import AskedKey, NewKey, keys, new_key, revoke_key, rotate_key
from ..models import Group, Key, User
from ..rights import grant_group, grant_user, group_rights, shown_rights, user_rights
from ..users import users

UserRecord = Annotated[dict[str, Any], User]
GroupRecord = Annotated[dict[str, Any], Group]
KeyRecord = Annotated[dict[str, Any], Key]


class Users(Crud):
    """Users, with their groups, permissions and keys.

    Any valid key may read its own user. An external user sees no other users.

    :rights: password, self
    """

    group = "People"

    records = users

    def index(self, query: ListQuery, user_ids: str = "", category: int = 0) -> list[UserRecord]:
        """List users.

        :param user_ids: comma-separated {@pattern /^[0-9,]*$/}
        :param category: excludes subcategories {@min 0} {@max 2147483647}
        """
        return users.page(query, _only(user_ids) | in_category("user", category))

    def post(self, request_data: UserRecord) -> int:
        """Create a user.

        `pass` sets the password, at least 12 characters. `password` is ignored.

        :raises Unauthorized: only for administrators
        :raises Refused: the login or email is used
        :strict:
        """
        return users.create(request_data)

    def get(self, id: int, includepermissions: int = 0) -> UserRecord:
        """Read a user.

        :param includepermissions: 1: include `rights`
        :raises Unauthorized: other users need users.read
        :access: protected
        """
        require_about(id, "users.read")
        return _with_rights(users.read(id), includepermissions)

    def get_by_login(self, login: str, includepermissions: int = 0) -> UserRecord:
        """Read a user by login.

        :url: GET login/{login}
        :param includepermissions: 1: include `rights`
        :permission: read
        """
        return _with_rights(users.read(login, "login"), includepermissions)

    def get_by_email(self, email: str, includepermissions: int = 0) -> UserRecord:
        """Read a user by email.

        :url: GET email/{email}
        :param email: {@type email}
        :param includepermissions: 1: include `rights`
        :permission: read
        """
        return _with_rights(read_by_email(users, email), includepermissions)

    def get_info(self, includepermissions: int = 0) -> UserRecord:
        """Read my user.

        Returns your key's user, with groups in `user_group_list`.

        :param includepermissions: 1: include `rights`
        :access: protected
        """
        record = _with_rights(users.read(self.user.id), includepermissions)
        return record | {"user_group_list": groups.of_user(self.user.id)}

    def put(self, id: int, request_data: UserRecord) -> UserRecord:
        """Update a user.

        Clears extra fields you don't send. Other users need `users.write`, and `users.password` for the password. Your
        own password and personal fields need `users.self`.

        :raises Unauthorized: a permission is missing, the user is an administrator, or a secret can't be set
        :raises Refused: the login is used, or no active administrator would remain
        :strict:
        :access: protected
        """
        users.change(id, request_data)
        return users.read(id)

    def patch(self, id: int, request_data: UserRecord) -> UserRecord:
        """Change some fields of a user.

        Other users need `users.write`, and `users.password` for the password. Your own password and personal fields
        need `users.self`.

        :raises Refused: the login is used, or no active administrator would remain
        :strict:
        :access: protected
        """
        users.change(id, request_data, merge_extras=True)
        return users.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a user.

        Also deletes the user's keys, permissions, memberships and jobs.

        :raises Refused: it is your own user or the last active administrator, or records refer to it
        """
        users.delete(id)
        return removed("User deleted")

    def put_thirdparty(self, id: int, socid: int | None = None) -> UserRecord:
        """Make a user external or internal.

        An external user sees only one third party's records.

        :url: PUT {id}/thirdparty
        :param socid: third party ID; null: internal
        :raises Unauthorized: only for administrators
        :raises Refused: the user is an administrator
        :strict:
        :unconditional:
        :permission: write
        """
        users.link_thirdparty(id, socid or None)
        return users.read(id)

    # Groups ----------------------------------------------------------------------------------------------------------

    def get_groups(self, query: ListQuery, group_ids: str = "") -> list[GroupRecord]:
        """List groups.

        :param group_ids: comma-separated {@pattern /^[0-9,]*$/}
        :permission: read
        """
        return groups.page(query, _only(group_ids))

    def get_group(self, group: int, load_members: int = 0) -> GroupRecord:
        """Read a group.

        :url: GET groups/{group}
        :param load_members: 1: include `members` {@min 0} {@max 1}
        :permission: read
        """
        return groups.with_members(group) if load_members else groups.read(group)

    def post_groups(self, request_data: GroupRecord) -> int:
        """Create a group.

        :raises Refused: the name is used
        :permission: write
        """
        return groups.create(request_data)

    def put_group(self, group: int, request_data: GroupRecord) -> GroupRecord:
        """Update a group.

        :url: PUT groups/{group}
        :raises Refused: the name is used
        :permission: write
        """
        groups.change(group, request_data)
        return groups.read(group)

    def delete_group(self, group: int) -> Removed:
        """Delete a group.

        Its users stay, but lose the group's permissions.

        :url: DELETE groups/{group}
        :permission: delete
        """
        groups.delete(group)
        return removed("Group deleted")

    def get_groups_of(self, id: int) -> list[GroupRecord]:
        """List the groups of a user.

        :url: GET {id}/groups
        :raises Unauthorized: other users need users.read
        :access: protected
        """
        require_about(id, "users.read")
        return groups.of_user(users.load(id).id)

    def set_group(self, id: int, group: int, entity: int = 1) -> Annotated[UserRecord | int, ACTION]:
        """Add a user to a group.

        This GET changes data, as in Dolibarr.

        :url: GET {id}/setGroup/{group}
        :param entity: no effect {@choice 0,1}
        :raises Unauthorized: you lack a permission of the group
        :permission: write
        """
        groups.add(id, group)
        return action_result(lambda: users.read(id))

    def leave_group(self, id: int, group: int) -> Removed:
        """Remove a user from a group.

        :url: DELETE {id}/groups/{group}
        :unconditional:
        :permission: write
        """
        groups.remove(id, group)
        return removed("User removed from the group")

    # Rights ----------------------------------------------------------------------------------------------------------

    def get_rights(self, id: int) -> list[str]:
        """List the permissions of a user.

        Excludes permissions from groups.

        :url: GET {id}/rights
        :raises Unauthorized: other users need users.read
        :access: protected
        """
        require_about(id, "users.read")
        return user_rights(users.load(id).id)

    def put_rights(self, id: int, rights: list[str]) -> list[str]:
        """Replace the permissions of a user.

        :url: PUT {id}/rights
        :after: users: Set the permissions
        :param rights: such as proposals.read; each operation's page shows the one it requires. Without
            `thirdparties.all`, the user sees documents only of third parties that they represent
        :raises Unauthorized: you lack a permission, or the user is an administrator
        :strict:
        :unconditional:
        :permission: write
        """
        grant_user(id, rights)
        return user_rights(id)

    def get_group_rights(self, group: int) -> list[str]:
        """List the permissions of a group.

        :url: GET groups/{group}/rights
        :permission: read
        """
        return group_rights(groups.load(group).id)

    def put_group_rights(self, group: int, rights: list[str]) -> list[str]:
        """Replace the permissions of a group.

        :url: PUT groups/{group}/rights
        :param rights: such as proposals.read; each operation's page shows the one it requires
        :raises Unauthorized: you lack a permission
        :strict:
        :unconditional:
        :permission: write
        """
        grant_group(groups.load(group).id, rights)
        return group_rights(group)

    # Keys ------------------------------------------------------------------------------------------------------------

    def get_keys(self, query: ListQuery, id: int) -> list[KeyRecord]:
        """List the keys of a user.

        Excludes the keys' values.

        :url: GET {id}/keys
        :raises Unauthorized: other users need users.read
        :access: protected
        """
        require_about(id, "users.read")
        return keys.page(query, {"user": users.load(id).id})

    def post_keys(self, id: int, asked: AskedKey) -> NewKey:
        """Create a key for a user.

        `key` is shown only in this response. Only administrators create keys for other users. A restricted key creates
        keys with at least its own restrictions.

        :url: POST {id}/keys
        :after: users: Create a key
        :idempotency: secret
        :raises Unauthorized: users.self is missing, it is another user's, or the key would be wider
        :strict:
        :unconditional:
        :access: protected
        """
        require_about(id, "users.write", own="users.self")
        return new_key(id, asked)

    def rotate_key(self, id: int, key: int, overlap: int = 3600) -> NewKey:
        """Rotate a key.

        Returns a new key with the same label and restrictions.

        :url: POST {id}/keys/{key}/rotate
        :idempotency: secret
        :param overlap: seconds that the old key stays valid {@min 0} {@max 2592000}
        :raises Unauthorized: users.self is missing, it is another user's, or the key is wider than yours
        :raises Refused: the key has ended
        :strict:
        :unconditional:
        :access: protected
        """
        require_about(id, "users.write", own="users.self")
        return rotate_key(id, key, overlap)

    def delete_key(self, id: int, key: int) -> Removed:
        """Revoke a key.

        :url: DELETE {id}/keys/{key}
        :raises Unauthorized: users.self, or users.write for another user, is missing
        :unconditional:
        :access: protected
        """
        require_about(id, "users.write", own="users.self")
        revoke_key(id, key)
        return removed("Key revoked")


def _only(identifiers: str) -> dict[str, Any]:
    """Return the condition for a parameter that lists record IDs; `0` or empty selects all records."""
    # Longer numbers are left out: databases reject them
    named = [int(each) for each in identifiers.split(",") if 0 < len(each) < 10]
    return {"id": named} if identifiers not in ("", "0") else {}


def _with_rights(record: dict[str, Any], wanted: int) -> dict[str, Any]:
    return record | {"rights": shown_rights(int(record["id"]))} if wanted else record

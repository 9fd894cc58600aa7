"""Users, groups, permissions and keys over HTTP."""

from typing import Annotated, Any

from core import Crud, ListQuery, Removed, removed

from ...answers.responses import ACTION, action_result
from ...dictionaries.category_links import in_category
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

        :param user_ids: comma-separated user IDs {@pattern /^[0-9,]*$/}
        :param category: category ID; excludes subcategories {@min 0} {@max 2147483647}
        """
        return users.page(query, _only(user_ids) | in_category("user", category))

    def post(self, request_data: UserRecord) -> int:
        """Create a user.

        `pass` sets the password, at least 12 characters. `password` is ignored; other unknown fields are rejected.

        :raises BadRequest: the login is missing, or a value is invalid
        :raises Unauthorized: only an administrator may create a user; a secret cannot be set
        :raises Refused: the login or the e-mail address is already used
        :strict: what is misspelt would stay as it is
        """
        return users.create(request_data)

    def get(self, id: int, includepermissions: int = 0) -> UserRecord:
        """Read a user.

        Any valid key may read its own user.

        :param includepermissions: 1: include permissions in `rights`
        :raises Unauthorized: the permission users.read is missing
        :access: protected
        """
        require_about(id, "users.read")
        return _with_rights(users.read(id), includepermissions)

    def get_by_login(self, login: str, includepermissions: int = 0) -> UserRecord:
        """Read a user by login.

        :url: GET login/{login}
        :param login: user login
        :param includepermissions: 1: include permissions in `rights`
        :raises NotFound: no user has this login
        :permission: read
        """
        return _with_rights(users.read(login, "login"), includepermissions)

    def get_by_email(self, email: str, includepermissions: int = 0) -> UserRecord:
        """Read a user by email.

        :url: GET email/{email}
        :param email: email address {@type email}
        :param includepermissions: 1: include permissions in `rights`
        :raises NotFound: no user has this address
        :permission: read
        """
        return _with_rights(users.read(email, "email"), includepermissions)

    def get_info(self, includepermissions: int = 0) -> UserRecord:
        """Read my user.

        Returns the user of your key, with their groups in `user_group_list`.

        :param includepermissions: 1: include permissions in `rights`
        :access: protected
        """
        record = _with_rights(users.read(self.user.id), includepermissions)
        return record | {"user_group_list": groups.of_user(self.user.id)}

    def put(self, id: int, request_data: UserRecord) -> UserRecord:
        """Update a user.

        Fields you don't send stay, but extra fields are cleared. Other users need `users.write`, and `users.password`
        for the password. Your own password and personal fields need `users.self`.

        :raises BadRequest: a value is invalid
        :raises Unauthorized: a permission is missing, the user is an administrator, or a secret cannot be set
        :raises Refused: the login is already used, or no active administrator would remain
        :strict: what is misspelt would stay as it is
        :access: protected
        """
        users.change(id, request_data)
        return users.read(id)

    def patch(self, id: int, request_data: UserRecord) -> UserRecord:
        """Change some fields of a user.

        Other users need `users.write`, and `users.password` for the password. Your own password and personal fields
        need `users.self`.

        :raises Refused: the login is already used, or no active administrator would remain
        :strict: what is misspelt would stay as it is
        :access: protected
        """
        users.change(id, request_data, merge_extras=True)
        return users.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a user.

        Also deletes the user's keys, permissions, memberships, jobs and stored `Idempotency-Key` responses. A running
        job finishes first.

        :raises Refused: it is your own user or the last active administrator, or records refer to the user
        """
        users.delete(id)
        return removed("User deleted")

    def put_thirdparty(self, id: int, socid: int | None = None) -> UserRecord:
        """Make a user external or internal.

        An external user sees only one third party's records. Only administrators may call this.

        :url: PUT {id}/thirdparty
        :param id: user ID
        :param socid: third party ID; null: internal
        :raises Unauthorized: the caller is not an administrator
        :raises NotFound: there is no such user or third party
        :raises Refused: the user is an administrator
        :strict: what is misspelt would stay as it is
        :unconditional: `If-Match` is ignored
        :permission: write
        """
        users.link_thirdparty(id, socid or None)
        return users.read(id)

    # Groups ----------------------------------------------------------------------------------------------------------

    def get_groups(self, query: ListQuery, group_ids: str = "") -> list[GroupRecord]:
        """List groups.

        :param group_ids: comma-separated group IDs {@pattern /^[0-9,]*$/}
        :permission: read
        """
        return groups.page(query, _only(group_ids))

    def get_group(self, group: int, load_members: int = 0) -> GroupRecord:
        """Read a group.

        :url: GET groups/{group}
        :param group: group ID
        :param load_members: 1: include users in `members` {@min 0} {@max 1}
        :raises NotFound: no group has this ID
        :permission: read
        """
        return groups.with_members(group) if load_members else groups.read(group)

    def post_groups(self, request_data: GroupRecord) -> int:
        """Create a group.

        :raises BadRequest: the name is missing
        :raises Refused: the name is already used
        :permission: write
        """
        return groups.create(request_data)

    def put_group(self, group: int, request_data: GroupRecord) -> GroupRecord:
        """Update a group.

        Fields you don't send stay.

        :url: PUT groups/{group}
        :param group: group ID
        :raises NotFound: no group has this ID
        :raises Refused: the name is already used
        :permission: write
        """
        groups.change(group, request_data)
        return groups.read(group)

    def delete_group(self, group: int) -> Removed:
        """Delete a group.

        Its users stay, but lose the group's permissions.

        :url: DELETE groups/{group}
        :param group: group ID
        :raises NotFound: no group has this ID
        :permission: delete
        """
        groups.delete(group)
        return removed("Group deleted")

    def get_groups_of(self, id: int) -> list[GroupRecord]:
        """List the groups of a user.

        Any valid key may list its own user's groups.

        :url: GET {id}/groups
        :param id: user ID
        :raises Unauthorized: the permission users.read is missing
        :access: protected
        """
        require_about(id, "users.read")
        return groups.of_user(users.load(id).id)

    def set_group(self, id: int, group: int, entity: int = 1) -> Annotated[UserRecord | int, ACTION]:
        """Add a user to a group.

        This GET changes data, as in Dolibarr.

        :url: GET {id}/setGroup/{group}
        :param id: user ID
        :param group: group ID
        :param entity: no effect {@choice 0,1}
        :raises Unauthorized: the group gives a permission that the caller does not hold
        :raises NotFound: there is no such user or group
        :permission: write
        """
        groups.add(id, group)
        return action_result(lambda: users.read(id))

    def leave_group(self, id: int, group: int) -> Removed:
        """Remove a user from a group.

        :url: DELETE {id}/groups/{group}
        :param id: user ID
        :param group: group ID
        :raises NotFound: there is no such user or group
        :unconditional: `If-Match` is ignored
        :permission: write
        """
        groups.remove(id, group)
        return removed("User removed from the group")

    # Rights ----------------------------------------------------------------------------------------------------------

    def get_rights(self, id: int) -> list[str]:
        """List the permissions of a user.

        Excludes permissions from groups. Any valid key may list its own user's.

        :url: GET {id}/rights
        :param id: user ID
        :raises Unauthorized: the permission users.read is missing
        :access: protected
        """
        require_about(id, "users.read")
        return user_rights(users.load(id).id)

    def put_rights(self, id: int, rights: list[str]) -> list[str]:
        """Replace the permissions of a user.

        :url: PUT {id}/rights
        :param id: user ID
        :param rights: permissions, such as proposals.read; the body may be the list itself
        :raises BadRequest: there is no such permission
        :raises Unauthorized: you do not hold a permission yourself, or the user is an administrator
        :strict: what is misspelt would stay as it is
        :unconditional: `If-Match` is ignored
        :permission: write
        """
        grant_user(id, rights)
        return user_rights(id)

    def get_group_rights(self, group: int) -> list[str]:
        """List the permissions of a group.

        :url: GET groups/{group}/rights
        :param group: group ID
        :raises NotFound: no group has this ID
        :permission: read
        """
        return group_rights(groups.load(group).id)

    def put_group_rights(self, group: int, rights: list[str]) -> list[str]:
        """Replace the permissions of a group.

        :url: PUT groups/{group}/rights
        :param group: group ID
        :param rights: permissions, such as proposals.read; the body may be the list itself
        :raises BadRequest: there is no such permission
        :raises Unauthorized: you do not hold a permission yourself
        :raises NotFound: no group has this ID
        :strict: what is misspelt would stay as it is
        :unconditional: `If-Match` is ignored
        :permission: write
        """
        grant_group(groups.load(group).id, rights)
        return group_rights(group)

    # Keys ------------------------------------------------------------------------------------------------------------

    def get_keys(self, query: ListQuery, id: int) -> list[KeyRecord]:
        """List the keys of a user.

        Excludes the keys' values. Any valid key may list its own user's keys.

        :url: GET {id}/keys
        :param id: user ID
        :raises Unauthorized: the permission users.read is missing
        :access: protected
        """
        require_about(id, "users.read")
        return keys.page(query, {"user": users.load(id).id})

    def post_keys(self, id: int, asked: AskedKey) -> NewKey:
        """Create a key for a user.

        `key` is shown only in this response. Only administrators create keys for other users. A restricted key creates
        keys with at least its own restrictions, which are the defaults.

        :url: POST {id}/keys
        :idempotency: secret
        :param id: user ID
        :raises BadRequest: a value is invalid, or a field is unknown; the response lists every invalid address
        :raises Unauthorized: the permission users.self is missing, it is another user's account, or the key would be
            wider
        :strict: a misspelt restriction would be none
        :unconditional: `If-Match` is ignored
        :access: protected
        """
        require_about(id, "users.write", own="users.self")
        return new_key(id, asked)

    def rotate_key(self, id: int, key: int, overlap: int = 3600) -> NewKey:
        """Rotate a key.

        Replaces it with a new key with the same label and restrictions. Both are valid during `overlap`.

        :url: POST {id}/keys/{key}/rotate
        :param id: user ID
        :param key: key ID
        :idempotency: secret
        :param overlap: seconds that the old key stays valid, up to its expiry {@min 0} {@max 2592000}
        :raises Unauthorized: the permission users.self is missing, it is another user's account, or the key is wider
            than yours
        :raises NotFound: the user has no such key
        :raises Refused: the key has ended
        :strict: a misspelt restriction would be none
        :unconditional: `If-Match` is ignored
        :access: protected
        """
        require_about(id, "users.write", own="users.self")
        return rotate_key(id, key, overlap)

    def delete_key(self, id: int, key: int) -> Removed:
        """Revoke a key.

        Takes effect immediately.

        :url: DELETE {id}/keys/{key}
        :param id: user ID
        :param key: key ID
        :raises Unauthorized: the permission users.self, or users.write for another user, is missing
        :raises NotFound: the user has no such key
        :unconditional: `If-Match` is ignored
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

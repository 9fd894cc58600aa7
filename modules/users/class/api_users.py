"""Users, their groups, rights and keys over HTTP."""

from typing import Annotated, Any

from core import Api, ListQuery

from ...answers.deeds import ACTION, Removed, acted, removed
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


class Users(Api):
    """Users, with their groups, rights and keys.

    Any valid key may read its own account. An external user sees no other user.

    :rights: password, self
    """

    records = users

    def index(self, query: ListQuery, user_ids: str = "", category: int = 0) -> list[UserRecord]:
        """List users.

        :param user_ids: only the users with these identifiers, separated by commas {@pattern /^[0-9,]*$/}
        :param category: only those in this category; categories below it are left out {@min 0} {@max 2147483647}
        :permission: users.read
        """
        return users.page(query, _only(user_ids) | in_category("user", category))

    def post(self, request_data: UserRecord) -> int:
        """Create a user.

        `pass` sets the password, of at least 12 characters; `password` is ignored, any other unknown key is refused.

        :raises BadRequest: the login is missing, or a value does not fit
        :raises NotFound: a record that is named does not exist
        :raises Unauthorized: only an administrator creates one; a secret cannot be set
        :raises Refused: the login or the e-mail address is already used
        :strict: what is misspelt would stay as it is
        :permission: users.write
        """
        return users.create(request_data)

    def get(self, id: int, includepermissions: int = 0) -> UserRecord:
        """Read one user; one's own account with any valid key.

        :param id: row identifier of the user
        :param includepermissions: 1: answer the names of the user's rights in `rights`
        :raises NotFound: no user has this identifier
        :raises Unauthorized: the right users.read is missing
        :access: protected
        """
        require_about(id, "users.read")
        return _with_rights(users.read(id), includepermissions)

    def get_by_login(self, login: str, includepermissions: int = 0) -> UserRecord:
        """Read one user by login.

        :url: GET login/{login}
        :param login: login of the user
        :param includepermissions: 1: answer the names of the user's rights in `rights`
        :raises NotFound: no user has this login
        :permission: users.read
        """
        return _with_rights(users.read(login, "login"), includepermissions)

    def get_by_email(self, email: str, includepermissions: int = 0) -> UserRecord:
        """Read one user by e-mail address.

        :url: GET email/{email}
        :param email: e-mail address of the user {@type email}
        :param includepermissions: 1: answer the names of the user's rights in `rights`
        :raises NotFound: no user has this address
        :permission: users.read
        """
        return _with_rights(users.read(email, "email"), includepermissions)

    def get_info(self, includepermissions: int = 0) -> UserRecord:
        """Read one's own account, which owns the key, with its groups in `user_group_list`.

        :param includepermissions: 1: answer the names of the user's rights in `rights`
        :access: protected
        """
        record = _with_rights(users.read(self.user.id), includepermissions)
        return record | {"user_group_list": groups.of_user(self.user.id)}

    def put(self, id: int, request_data: UserRecord) -> UserRecord:
        """Change a user: the fields given in the body; extra fields that are not sent are cleared.

        Another's account needs users.write, a password users.password besides. One's own needs users.self, which
        reaches the password and personal fields, or users.write.

        :param id: row identifier of the user
        :raises BadRequest: a value does not fit
        :raises Unauthorized: a right is missing, the user is an administrator, or a secret cannot be set
        :raises NotFound: no user has this identifier
        :raises Refused: the login is already used, or nobody would be left to administer
        :raises PreconditionFailed: `If-Match` names another state of the record
        :strict: what is misspelt would stay as it is
        :access: protected
        """
        users.change(id, request_data)
        return users.read(id)

    def patch(self, id: int, request_data: UserRecord) -> UserRecord:
        """Change a user: the fields given in the body; all others stay, extra fields too. As PUT otherwise.

        :param id: row identifier of the user
        :raises NotFound: no user has this identifier
        :raises Refused: the login is already used, or nobody would be left to administer
        :raises PreconditionFailed: `If-Match` names another state of the record
        :strict: what is misspelt would stay as it is
        :access: protected
        """
        users.change(id, request_data, merge_extras=True)
        return users.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a user with their keys, rights, memberships and jobs.

        A job that is being run ends first. Kept answers of the user's Idempotency-Keys go along.

        :param id: row identifier of the user
        :raises NotFound: no user has this identifier
        :raises Refused: it is oneself or the last active administrator, or records name the user
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: users.delete
        """
        users.delete(id)
        return removed("User deleted")

    def put_thirdparty(self, id: int, socid: int | None = None) -> UserRecord:
        """Make a user external, who sees one third party's records; null: an internal one. Administrators only.

        :url: PUT {id}/thirdparty
        :param id: row identifier of the user
        :param socid: row identifier of the third party, or null
        :raises Unauthorized: the caller is no administrator
        :raises NotFound: there is no such user or third party
        :raises Refused: the user is an administrator
        :strict: what is misspelt would stay as it is
        :permission: users.write
        """
        users.link_thirdparty(id, socid or None)
        return users.read(id)

    # Groups ----------------------------------------------------------------------------------------------------------

    def get_groups(self, query: ListQuery, group_ids: str = "") -> list[GroupRecord]:
        """List groups.

        :param group_ids: only the groups with these identifiers, separated by commas {@pattern /^[0-9,]*$/}
        :permission: users.read
        """
        return groups.page(query, _only(group_ids))

    def get_group(self, group: int, load_members: int = 0) -> GroupRecord:
        """Read one group.

        :url: GET groups/{group}
        :param group: row identifier of the group
        :param load_members: 1: answer the users in it in `members` {@min 0} {@max 1}
        :raises NotFound: no group has this identifier
        :permission: users.read
        """
        return groups.with_members(group) if load_members else groups.read(group)

    def post_groups(self, request_data: GroupRecord) -> int:
        """Create a group.

        :raises BadRequest: the name is missing
        :raises Refused: the name is already used
        :permission: users.write
        """
        return groups.create(request_data)

    def put_group(self, group: int, request_data: GroupRecord) -> GroupRecord:
        """Change a group: the fields that the body gives.

        :url: PUT groups/{group}
        :param group: row identifier of the group
        :raises NotFound: no group has this identifier
        :raises Refused: the name is already used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: users.write
        """
        groups.change(group, request_data)
        return groups.read(group)

    def delete_group(self, group: int) -> Removed:
        """Delete a group; its users stay, without the rights it gave them.

        :url: DELETE groups/{group}
        :param group: row identifier of the group
        :raises NotFound: no group has this identifier
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: users.delete
        """
        groups.delete(group)
        return removed("Group deleted")

    def get_groups_of(self, id: int) -> list[GroupRecord]:
        """List the groups of one user; one's own with any valid key.

        :url: GET {id}/groups
        :param id: row identifier of the user
        :raises NotFound: no user has this identifier
        :raises Unauthorized: the right users.read is missing
        :access: protected
        """
        require_about(id, "users.read")
        return groups.of_user(users.load(id).id)

    def set_group(self, id: int, group: int, entity: int = 1) -> Annotated[UserRecord | int, ACTION]:
        """Put a user into a group; it writes though it is a GET.

        :url: GET {id}/setGroup/{group}
        :param id: row identifier of the user
        :param group: row identifier of the group
        :param entity: company; there is one {@choice 0,1}
        :raises Unauthorized: the group gives a right the caller does not hold
        :raises NotFound: there is no such user or group
        :permission: users.write
        """
        groups.add(id, group)
        return acted(lambda: users.read(id))

    def leave_group(self, id: int, group: int) -> Removed:
        """Take a user out of a group.

        :url: DELETE {id}/groups/{group}
        :param id: row identifier of the user
        :param group: row identifier of the group
        :raises NotFound: there is no such user or group
        :permission: users.write
        """
        groups.remove(id, group)
        return removed("User removed from the group")

    # Rights ----------------------------------------------------------------------------------------------------------

    def get_rights(self, id: int) -> list[str]:
        """List the rights of a user, those granted in person; one's own with any valid key.

        :url: GET {id}/rights
        :param id: row identifier of the user
        :raises NotFound: no user has this identifier
        :raises Unauthorized: the right users.read is missing
        :access: protected
        """
        require_about(id, "users.read")
        return user_rights(users.load(id).id)

    def put_rights(self, id: int, rights: list[str]) -> list[str]:
        """Grant a user exactly these rights.

        :url: PUT {id}/rights
        :param id: row identifier of the user
        :param rights: names such as proposals.read; the body may be the list itself
        :raises BadRequest: there is no such right
        :raises Unauthorized: you do not hold a right yourself, or the user is an administrator
        :raises NotFound: no user has this identifier
        :strict: what is misspelt would stay as it is
        :permission: users.write
        """
        grant_user(id, rights)
        return user_rights(id)

    def get_group_rights(self, group: int) -> list[str]:
        """List the rights of a group.

        :url: GET groups/{group}/rights
        :param group: row identifier of the group
        :raises NotFound: no group has this identifier
        :permission: users.read
        """
        return group_rights(groups.load(group).id)

    def put_group_rights(self, group: int, rights: list[str]) -> list[str]:
        """Grant a group exactly these rights.

        :url: PUT groups/{group}/rights
        :param group: row identifier of the group
        :param rights: names such as proposals.read; the body may be the list itself
        :raises BadRequest: there is no such right
        :raises Unauthorized: you do not hold a right yourself
        :raises NotFound: no group has this identifier
        :strict: what is misspelt would stay as it is
        :permission: users.write
        """
        grant_group(groups.load(group).id, rights)
        return group_rights(group)

    # Keys ------------------------------------------------------------------------------------------------------------

    def get_keys(self, query: ListQuery, id: int) -> list[KeyRecord]:
        """List the keys of a user, never the keys themselves; one's own with any valid key.

        :url: GET {id}/keys
        :param id: row identifier of the user
        :raises NotFound: no user has this identifier
        :raises Unauthorized: the right users.read is missing
        :access: protected
        """
        require_about(id, "users.read")
        return keys.page(query, {"user": users.load(id).id})

    def post_keys(self, id: int, asked: AskedKey) -> NewKey:
        """Make a key of a user. The answer's `key` is shown this once. Others' keys are made by administrators only.

        A restricted key makes none that is wider than itself; what is not asked for is as with that key.

        :url: POST {id}/keys
        :idempotency: secret
        :param id: row identifier of the user
        :raises BadRequest: a value does not fit, each wrong address is named; or a key of the body is unknown
        :raises Unauthorized: the right users.self is missing, it is another's account, or the key would be wider
        :raises NotFound: no user has this identifier
        :strict: a misspelt restriction would be none
        :access: protected
        """
        require_about(id, "users.write", own="users.self")
        return new_key(id, asked)

    def rotate_key(self, id: int, key: int, overlap: int = 3600) -> NewKey:
        """Rotate a key: change it for a new one with the same label and restrictions; both are valid for a while.

        :url: POST {id}/keys/{key}/rotate
        :param id: row identifier of the user
        :param key: row identifier of the key
        :idempotency: secret
        :param overlap: seconds for which the old key stays valid, at the most until its own end; 0: it is revoked at
            once {@min 0} {@max 2592000}
        :raises Unauthorized: the right users.self is missing, it is another's account, or the key is wider than yours
        :raises NotFound: the user has no such key
        :raises Refused: the key has ended
        :strict: a misspelt restriction would be none
        :access: protected
        """
        require_about(id, "users.write", own="users.self")
        return rotate_key(id, key, overlap)

    def delete_key(self, id: int, key: int) -> Removed:
        """Revoke a key: it is refused from the next request on.

        :url: DELETE {id}/keys/{key}
        :param id: row identifier of the user
        :param key: row identifier of the key
        :raises Unauthorized: the right users.self, or users.write for another's, is missing
        :raises NotFound: the user has no such key
        :access: protected
        """
        require_about(id, "users.write", own="users.self")
        revoke_key(id, key)
        return removed("Key revoked")


def _only(identifiers: str) -> dict[str, Any]:
    """The condition of a parameter that names records by their identifiers; `0` and nothing name all."""
    # What no identifier can be is left out: databases refuse larger numbers
    named = [int(each) for each in identifiers.split(",") if 0 < len(each) < 10]
    return {"id": named} if identifiers not in ("", "0") else {}


def _with_rights(record: dict[str, Any], wanted: int) -> dict[str, Any]:
    return record | {"rights": shown_rights(int(record["id"]))} if wanted else record

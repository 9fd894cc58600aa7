"""Users: checks of reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import (
    BadRequest,
    NotFound,
    Refused,
    Unauthorized,
    Values,
    current_caller,
    now,
    profile,
    shown,
    transaction,
    warn,
)
from core.for_natives import Grant, Key, Membership, catalogue, forget_claims_of, forget_jobs_of, is_valid, set_password

from ..dictionaries.codes import CodedRecords, code_cleaners
from ..dictionaries.models import Country
from ..setup.named_records import require_named
from ..setup.trees import is_within, lock_tree
from .guards import (
    acts_as_administrator,
    require_above,
    require_administrator,
    require_internal,
    require_opening,
    require_password_of,
    require_reach,
)
from .models import User
from .passwords import hashed, refuse_secrets
from .recorded_rights import as_recorded

#: fields of their own account that users with only the right `users.self` may change
OWN_FIELDS = frozenset(
    (
        "lastname", "firstname", "civility_code", "gender", "birth", "email", "personal_email", "signature", "address",
        "zip", "town", "country_id", "state_id", "office_phone", "office_fax", "user_mobile", "personal_mobile", "lang",
        "color", "photo", "pass_crypted", "datem",
    )
)  # fmt: skip

_NOT_IN_LOGIN = frozenset(",@<>\"'")


class Users(CodedRecords[User]):
    """Users."""

    model = User
    service = "users"
    folder = "users"
    noun = "User"
    cleaners = code_cleaners(User)
    empty = "No User found"
    owned = ((Membership, "user"), (Key, "user"), (Grant, "user"))
    extra_keys = ("pass", "password")
    codes = {"country_code": ("country_id", Country)}

    # Reading ---------------------------------------------------------------------------------------------------------

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the country's code, and what Dolibarr 16 returns as the rights and the company of a user."""
        super().complete(records)
        if profile().rights_as_object:
            for record in records:
                record["rights"] = as_recorded(())
        if profile().administrator_entity is not None:
            shown = str(profile().administrator_entity)
            for record in records:
                if record["admin"] == "1":
                    record["entity"] = shown

    # Writing ---------------------------------------------------------------------------------------------------------

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a user; `pass` sets the password."""
        require_internal()
        refuse_secrets(body)
        if "pass" in body:
            managed["pass_crypted"] = hashed(body["pass"])
        return super().create(body, **managed)

    def change(self, identifier: Any, body: Mapping[str, Any], *, merge_extras: bool = False, **managed: Any) -> bool:
        """Change a user; `pass` sets the password."""
        refuse_secrets(body)
        self._require_change(identifier, body)
        if "pass" in body:
            require_password_of(self.load(identifier))
            managed["pass_crypted"] = hashed(body["pass"])
        if _changes_only_self(identifier) and "array_options" in body:
            warn("ignored: array_options, because it requires the permission users.write")
            body = {key: value for key, value in body.items() if key != "array_options"}
        body = self.check_body("changed", identifier, body, **managed)
        with transaction():
            if body.get("fk_user"):
                lock_tree(User.fk_user)
            return super().change(identifier, body, merge_extras=merge_extras, checked=True, **managed)

    def _require_change(self, identifier: Any, body: Mapping[str, Any]) -> None:
        caller = current_caller()
        if caller is None or (caller.id == identifier and caller.holds("users.self")):
            return
        caller.require("users.write or users.password" if set(body) == {"pass"} else "users.write")

    def prepare(self, values: Values, before: User | None) -> None:
        """Check a write; `email` may serve as a login, so it must look like one."""
        super().prepare(values, before)
        _check_login(values)
        _check_signs(values, before)
        _check_flags(values)
        if values.get("email") == "":
            values["email"] = None
        if values.get("email") and "@" not in values["email"]:
            raise BadRequest(errors=[("email", f"expected an email address, got {shown(values['email'])}")])
        is_admin = before.admin if before is not None else values.get("admin")
        if is_admin and values.get("entity") == profile().administrator_entity:
            # Sent back as it was read
            values.pop("entity", None)
        if values.get("entity", 1) != (before.entity if before else 1):
            theirs = "Changing entity of a user using the APIs is not possible"
            raise Unauthorized("the API can't change the `entity` of a user", dolibarr=theirs, reason="forbidden")
        self._check_admin_flag(values, before)
        require_named(values, before, fk_warehouse="warehouses")
        values["datem"] = now()
        if before is not None:
            self._check_change(values, before)

    def _check_admin_flag(self, values: Mapping[str, Any], before: User | None) -> None:
        was = before.admin if before else 0
        wanted = values.get("admin", was)
        if was and not wanted:
            theirs = "Reseting the admin status of a user is not possible using the API"
            raise Unauthorized("the API can't revoke administrator status", dolibarr=theirs, reason="forbidden")
        if wanted and not was:
            if not acts_as_administrator(current_caller()):
                theirs = "Only an admin user can modify the admin status of another user"
                raise Unauthorized("only an administrator with an unrestricted key may set `admin`", dolibarr=theirs)
            require_reach(None, "make a user an administrator")
            if before and before.socid is not None:
                raise Refused(
                    f"user {before.login} is an external user and can't be an administrator", reason="wrong_type"
                )

    def _check_change(self, values: dict[str, Any], before: User) -> None:
        changed = {name for name, value in values.items() if value != getattr(before, name)}
        supervisor = values.get("fk_user")
        if "fk_user" in changed and is_within(User.fk_user, supervisor, before.id):
            where = "themselves" if supervisor == before.id else f"user {supervisor}, whom they supervise"
            reason = f"user {before.id} can't be supervised by {where}"
            raise Refused(reason, errors=[("fk_user", reason)], reason="circular")
        caller = current_caller()
        if caller is None or caller.id != before.id or changed & {"statut", "datestartvalidity", "dateendvalidity"}:
            require_above(before)
        require_opening(before, changed)
        if "pass_crypted" in values:
            require_password_of(before)
            set_password(before.id, values.pop("pass_crypted"))
        if _changes_only_self(before.id) and changed - OWN_FIELDS:
            raise Unauthorized(f"the permission users.write is required to change `{min(changed - OWN_FIELDS)}`")
        if before.admin and is_valid(before) and not is_valid(_with(before, values)):
            self._require_other_administrator(before)

    def removing(self, row: User) -> None:
        """Refuse to delete the caller or the last administrator; delete the user's stored responses and jobs."""
        caller = current_caller()
        if caller is not None and caller.id == row.id:
            raise Refused("you can't delete your own account", reason="forbidden")
        require_above(row, "delete an administrator")
        if row.admin and is_valid(row):
            self._require_other_administrator(row)
        forget_claims_of(row.id)
        forget_jobs_of(row.id)

    def _require_other_administrator(self, row: User) -> None:
        others = User.select().where(User.admin == 1, User.id != row.id)
        # Lock the others: two administrators must not remove each other at the same time
        if not any(is_valid(each) for each in (others.for_update() if User._meta.database.for_update else others)):
            raise Refused(f"user {row.login} is the last active administrator and must stay active", reason="last_one")

    def link_thirdparty(self, identifier: int, socid: int | None) -> None:
        """Make a user an external user of a third party, or an internal one (None)."""
        require_administrator("assign a user to a third party")
        values = self.check_event("changed", identifier, {"socid": socid})
        with transaction():
            if socid is not None:
                _require_thirdparty(socid)
            user = self.load(identifier, lock=True)
            require_opening(user, {"socid"})
            if user.admin and socid is not None:
                raise Refused(
                    f"user {user.login} is an administrator and can't be an external user", reason="wrong_type"
                )
            set_too = self.check(values, user, None) if values else {}
            self.write_unchecked(identifier, **{**set_too, "socid": socid, "datem": now()})
            self.notify("changed", identifier, checked=True)


def _changes_only_self(user_id: int) -> bool:
    caller = current_caller()
    return caller is not None and caller.id == user_id and not caller.holds("users.write")


def _check_login(values: Mapping[str, Any]) -> None:
    login = values.get("login")
    if login is not None and (not login.strip() or login != login.strip() or _NOT_IN_LOGIN & set(login)):
        reason = (
            "expected a login without the characters , @ < > \" ' and without spaces at the start or end, "
            f"got {shown(login)}"
        )
        raise BadRequest(errors=[("login", reason)])


def _check_signs(values: Mapping[str, Any], before: User | None) -> None:
    """Reject control and invisible characters in login and e-mail address: two users could look the same."""
    for name in ("login", "email"):
        value = values.get(name)
        if value and not value.isprintable() and (before is None or value != getattr(before, name)):
            raise BadRequest(errors=[(name, f"expected no control or invisible characters, got {shown(value)}")])


def _check_flags(values: Mapping[str, Any]) -> None:
    for name in ("admin", "statut"):
        if values.get(name, 0) not in (0, 1):
            raise BadRequest(errors=[(name, f"expected 0 or 1, got {values[name]}")])


def _with(before: User, values: Mapping[str, Any]) -> User:
    """Return the row after the write, with the fields that decide whether it is valid."""
    names = ("statut", "datestartvalidity", "dateendvalidity")
    return User(**{name: values.get(name, getattr(before, name)) for name in names})


def _require_thirdparty(socid: int) -> None:
    # The module of third parties need not be loaded
    model: Any = catalogue().thirdparties
    if model is None or not model.select().where(model._meta.primary_key == socid).exists():
        raise NotFound(f"Third party {socid} not found", errors=[("socid", "no such record")])


users = Users()

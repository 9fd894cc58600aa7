"""Constants in the form of the API: secrets without their values."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypedDict

from core import ApiError, BadRequest, NotFound, Records, emit, profile, shown, transaction, warn
from core.for_natives import Setting, catalogue, check_event, declared_setting, meant

from .company import FIELDS, NOTE, hides_note
from .constants import constant, set_constant, unset_constant
from .constants import constants as values
from .models import Constant, is_secret, may_show

_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,179}")


class Constants(Records[Constant]):
    """Constants."""

    model = Constant
    noun = "Constant"
    sort = "t.name"

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the values that may be shown, and null for the others."""
        for record in records:
            name = record["name"]
            value = constant(name)
            is_shown = may_show(name, value, int(record["visible"])) and not _is_internal(name)
            record["value"] = value if is_shown else None


constants = Constants()


def _is_internal(name: str) -> bool:
    """Return whether a constant is hidden from the caller: the company's private note from external users."""
    return name == FIELDS[NOTE] and hides_note()


def _require_visible(name: str) -> None:
    if _is_internal(name):
        raise ApiError(f"external users can't read or change {name}", reason="missing_permission", status=403)


def _secret(name: str) -> ApiError:
    theirs = "Forbidden. This parameter cant be read with APIs"
    return ApiError(f"the API can't read the constant {name}, because it may be a secret", dolibarr=theirs, status=403)


def show_constant(name: str) -> str:
    """Return the value of a constant.

    :raises 403: the constant is a secret
    :raises NotFound: the constant is not set
    """
    if is_secret(name):
        raise _secret(name)
    record = constants.find(name, "name")
    if record is None and "." in name and (declared := declared_setting(name)) is not None:
        return declared.write(declared.default)
    if record is None:
        raise NotFound(f"Constant {name} not found", dolibarr="Error Bad or unknown value for constantname")
    if record["value"] is None:
        raise _secret(name)
    return str(record["value"])


def change_constant(name: str, value: str) -> None:
    """Set a constant.

    :raises BadRequest: the name is invalid, or the value is invalid for this constant
    """
    _check_setting(name, value)
    _require_visible(name)
    new = {"name": name, "value": value}
    check_event("setup", "constant_set", {"name": name}, new)
    with transaction():
        # An invalid value would cause errors in all requests that read it
        emit("setup", "constant_set", new, checked=True)
        declared = declared_setting(name)
        if declared is None:
            set_constant(name, value)
        else:
            # Otherwise the value of a secret would be shown once its module is gone
            set_constant(name, declared.in_one_form(value), is_secret=declared.is_secret)


def _check_setting(name: str, value: str) -> None:
    """Check name and value of a setting."""
    if "." not in name and not _NAME.fullmatch(name):
        reason = f"`constantname`: expected a name of capital letters, digits and _, got {shown(name)}"
        raise BadRequest(errors=[("constantname", reason)])
    declared = declared_setting(name)
    if declared is None:
        if profile().unknown_constants_are_stored and "." not in name:
            warn(f"no module declares the constant {name}; it is stored, but has no effect")
            return
        reason = f"unknown setting {shown(name)}{meant(name, catalogue().settings)}"
        raise BadRequest(errors=[("constantname", reason)])
    try:
        declared.verify(name, value)
    except ValueError as error:
        told = f"{error}" if " got " in f"{error}" else f"{error}, got {shown(value)}"
        reason = "the value is invalid" if is_secret(name) else told
        raise BadRequest(errors=[("value", f"{name}: {reason}")]) from None


class SettingRecord(TypedDict):
    """A setting or constant that a module declares."""

    name: Annotated[str, "module and name, or a constant; one with * stands for all constants with such a name"]
    module: Annotated[str, "module that declares it"]
    type: Annotated[str, "text, integer, number, switch or day"]
    value: Annotated[str | None, "present value; null: a secret, or hidden from the caller"]
    default: Annotated[str | None, "value while it isn't set; null: a secret"]
    choices: Annotated[list[str], "the only valid values; empty: any"]
    min: Annotated[str | None, "smallest number"]
    max: Annotated[str | None, "largest number, or number of characters"]
    is_set: Annotated[bool, "whether a value is stored"]
    help: Annotated[str, "its meaning"]


def settings_of_modules() -> list[SettingRecord]:
    """Return the settings that modules declare, each with its value."""
    known = values()

    def shown_value(name: str, value: str) -> str | None:
        return value if may_show(name, value, 1) and not _is_internal(name) else None

    return [
        {
            "name": each.name,
            "module": each.module,
            "type": each.type,
            "value": shown_value(each.name, _present(each, known.get(each.name))),
            "default": shown_value(each.name, each.write(each.default)),
            "choices": [] if is_secret(each.name) else [each.write(choice) for choice in each.choices],
            "min": None if each.least is None else each.write(each.least),
            "max": None if each.most is None else each.write(each.most),
            "is_set": each.name in known,
            "help": each.help,
        }
        for _, each in sorted(catalogue().settings.items())
    ]


def _present(setting: Setting, stored: str | None) -> str:
    return setting.write(setting.default) if stored is None or setting.is_unset_by(stored) else stored


def remove_constant(name: str) -> None:
    """Remove a constant; its default applies again.

    :raises NotFound: the constant is not set
    """
    if constants.find(name, "name") is None:
        raise NotFound(f"Constant {name} not found", dolibarr="Error Bad or unknown value for constantname")
    _require_visible(name)
    unset_constant(name)

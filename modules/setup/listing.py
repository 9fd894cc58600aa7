"""Constants as the interface shows them: secrets without their values."""

from __future__ import annotations

import re
from typing import Any

from core import Forbidden, NotFound, Records, emit, transaction, wrong_fields

from .company import FIELDS, NOTE, hides_note
from .constants import constant, set_constant, unset_constant
from .models import Constant, is_secret, may_show

_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,179}")


class Constants(Records[Constant]):
    """Constants."""

    model = Constant
    noun = "Constant"
    sort = "t.name"

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the values that may be shown; null for the others."""
        for record in records:
            name = record["name"]
            value = constant(name)
            is_shown = may_show(name, value, int(record["visible"])) and not _is_internal(name)
            record["value"] = value if is_shown else None


constants = Constants()


def _is_internal(name: str) -> bool:
    """Whether a constant is hidden from the caller: the company's private note from external users."""
    return name == FIELDS[NOTE] and hides_note()


def _require_visible(name: str) -> None:
    if _is_internal(name):
        raise Forbidden(f"external users can't read or change {name}", reason="missing_permission")


def _secret(name: str) -> Forbidden:
    theirs = "Forbidden. This parameter cant be read with APIs"
    return Forbidden(f"the API can't read the constant {name}, because it may be a secret", dolibarr=theirs)


def show_constant(name: str) -> str:
    """The value of a constant.

    :raises Forbidden: it is a secret
    :raises NotFound: it is not set
    """
    if is_secret(name):
        raise _secret(name)
    record = constants.find(name, "name")
    if record is None:
        raise NotFound(f"Constant {name} not found", dolibarr="Error Bad or unknown value for constantname")
    if record["value"] is None:
        raise _secret(name)
    return str(record["value"])


def change_constant(name: str, value: str) -> None:
    """Set a constant.

    :raises BadRequest: the name cannot be one, or what reads the constant could not use the value
    """
    if not _NAME.fullmatch(name):
        raise wrong_fields(
            [("constantname", f"`constantname`: expected a name of capital letters, digits and _, got {name!r:.60}")]
        )
    _require_visible(name)
    with transaction():
        # A value that fails where it is read would break what everybody does
        emit("setup", "constant_set", {"name": name, "value": value})
        set_constant(name, value)


def remove_constant(name: str) -> None:
    """Remove a constant, so that its default counts again.

    :raises NotFound: it is not set
    """
    if constants.find(name, "name") is None:
        raise NotFound(f"Constant {name} not found", dolibarr="Error Bad or unknown value for constantname")
    _require_visible(name)
    unset_constant(name)

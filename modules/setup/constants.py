"""Constants: read from memory, yet never stale on any worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peewee import IntegrityError

from core import bump, cached, transaction, utc_now, wrong_fields

from .models import Constant


@cached
def constants() -> Mapping[str, str]:
    """The values of all constants that are set."""
    return {row.name: row.value or "" for row in Constant.select(Constant.name, Constant.value)}


def constant(name: str, default: str = "") -> str:
    """The value of a constant; the default when it is not set."""
    return constants().get(name, default)


def set_constant(name: str, value: str) -> None:
    """Set a constant, for every worker at its next request."""
    with transaction():
        try:
            # Asked, not inferred from the rows that an update touched: MariaDB counts only those that it changed
            if not Constant.select().where(Constant.name == name).exists():
                with transaction():
                    Constant.create(name=name, value=value)
        except IntegrityError:  # another worker was faster
            pass
        Constant.update(value=value, tms=utc_now()).where(Constant.name == name).execute()
        bump()


def check_switch(record: Mapping[str, Any], name: str) -> None:
    """Refuse a value of a constant that is neither yes nor no, as ``before_setup_constant_set`` is asked; an empty one
    unsets it.

    :param record: `name` and `value` of the constant that is set
    :param name: the constant that is meant
    :raises BadRequest: it is neither
    """
    if record["name"] == name and record["value"].strip() not in ("", "0", "1"):
        raise wrong_fields([("value", f"{name}: expected 0 or 1, got {record['value']!r:.60}")])


def unset_constant(name: str) -> None:
    """Remove a constant, so that its default counts again."""
    with transaction():
        Constant.delete().where(Constant.name == name).execute()
        bump()

"""Constants, read from memory, and up to date on every worker."""

from __future__ import annotations

from collections.abc import Mapping

from peewee import IntegrityError

from core import now, transaction
from core.for_natives import bump, cached

from .models import Constant


@cached
def constants() -> Mapping[str, str]:
    """Return the values of all constants that are set."""
    return {row.name: row.value or "" for row in Constant.select(Constant.name, Constant.value)}


def constant(name: str, default: str = "") -> str:
    """Return the value of a constant; the default if it is not set."""
    return constants().get(name, default)


def is_on(*names: str) -> bool:
    """Return whether one of these switches is on."""
    return any(constant(name).strip() not in ("", "0") for name in names)


def set_constant(name: str, value: str, *, is_secret: bool = False) -> None:
    """Set a constant, for every worker from its next request.

    :param is_secret: its value is never shown, even if no module declares it later
    """
    shown = {"visible": 0} if is_secret else {}
    with transaction():
        try:
            # A query, because the row count of an update isn't enough: MariaDB counts only changed rows
            if not Constant.select().where(Constant.name == name).exists():
                with transaction():
                    Constant.create(name=name, value=value, **shown)
        except IntegrityError:  # another worker was faster
            pass
        Constant.update(value=value, tms=now(), **shown).where(Constant.name == name).execute()
        bump()


def unset_constant(name: str) -> None:
    """Remove a constant; its default applies again."""
    with transaction():
        Constant.delete().where(Constant.name == name).execute()
        bump()

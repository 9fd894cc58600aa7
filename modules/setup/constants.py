"""Constants: read from memory, yet never stale on any worker."""

from __future__ import annotations

from peewee import IntegrityError

from core import bump, cached, transaction, utc_now

from .models import Constant


@cached
def _constants() -> dict[str, str]:
    return {row.name: row.value or "" for row in Constant.select(Constant.name, Constant.value)}


def constant(name: str, default: str = "") -> str:
    """The value of a constant; the default when it is not set."""
    return _constants().get(name, default)


def set_constant(name: str, value: str, *, note: str | None = None) -> None:
    """Set a constant, for every worker at its next request."""
    with transaction():
        try:
            if not _is_set(name):
                with transaction():
                    Constant.create(name=name, value=value, note=note)
        except IntegrityError:  # another worker was faster
            pass
        Constant.update(value=value, tms=utc_now()).where(Constant.name == name).execute()
        bump()


def _is_set(name: str) -> bool:
    # Asked, not inferred from the rows that an update touched: MariaDB counts only those that it changed
    return Constant.select().where(Constant.name == name).exists()


def unset_constant(name: str) -> None:
    """Remove a constant, so that its default counts again."""
    with transaction():
        Constant.delete().where(Constant.name == name).execute()
        bump()

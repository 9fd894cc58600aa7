"""Who wrote a record, and when: noted whenever one is written."""

from __future__ import annotations

from typing import Any

from core import current_user_id, utc_now


def stamp(
    values: dict[str, Any], *, new: bool, creator: str = "user_creation", changer: str = "user_modification"
) -> None:
    """Note who writes a record and when; what the module itself has set stays.

    :param creator: the field that holds who created it
    :param changer: the field that holds who changed it last
    """
    user, now = current_user_id(), utc_now()
    if new:
        values.setdefault("date_creation", now)
        values.setdefault(creator, user)
    values.setdefault("date_modification", values.get("date_creation", now))
    values.setdefault(changer, user)


def unset_zeros(values: dict[str, Any], *names: str) -> None:
    """Take the identifier 0 for none, as clients send it."""
    for name in names:
        if values.get(name) == 0:
            values[name] = None

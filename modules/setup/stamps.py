"""Author and time of a record, set whenever it is written."""

from __future__ import annotations

from typing import Any

from core import now
from core.for_natives import current_user_id


def stamp(
    values: dict[str, Any], *, new: bool, creator: str = "user_creation", changer: str = "user_modification"
) -> None:
    """Set the author and time of a write; values set by the module stay.

    :param creator: field for the user who created the record
    :param changer: field for the user who changed it last
    """
    user, moment = current_user_id(), now()
    if new:
        values.setdefault("date_creation", moment)
        values.setdefault(creator, user)
    values.setdefault("date_modification", values.get("date_creation", moment))
    values.setdefault(changer, user)


def unset_zeros(values: dict[str, Any], *names: str) -> None:
    """Treat the ID 0 as null, because clients send it."""
    for name in names:
        if values.get(name) == 0:
            values[name] = None

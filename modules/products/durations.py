"""Durations of services: one text such as ``1m`` in the table, a value and a unit in the API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

#: second, minute, hour, day, week, month, year
UNITS = "sihdwmy"
PARTS = ("duration_value", "duration_unit")

_DURATION = re.compile(rf"(\d{{1,5}})(?:\.0+)?([{UNITS}])", re.ASCII)


def clean_duration(text: str) -> str:
    """Return a duration as it is stored; raise ValueError for anything else."""
    text = text.strip()
    found = _DURATION.fullmatch(text)
    if text and found is None:
        raise ValueError(
            "expected a whole number of at most 5 digits in `duration_value`"
            f" and one of {', '.join(UNITS)} in `duration_unit`"
        )
    return f"{int(found[1])}{found[2]}" if found else ""


def split(duration: str | None) -> tuple[int | None, str | None]:
    """Return value and unit of a duration; None and None if it has no value."""
    found = _DURATION.fullmatch(duration or "")
    return (int(found[1]), found[2]) if found else (None, None)


def has_parts(body: Mapping[str, Any]) -> bool:
    """Return whether a body contains a part of the duration."""
    return any(name in body for name in PARTS)


def fill_parts(body: Mapping[str, Any], stored: str) -> Mapping[str, Any]:
    """Return a body with both parts; a part that is missing is taken from the row.

    An empty value also empties the stored unit.
    """
    kept = dict(zip(PARTS, split(stored), strict=True))
    emptied = body.get("duration_value", 0) in (None, "")
    return {**({} if emptied else kept), **body}


def join(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body with the two parts joined; they take precedence over a ``duration`` in it."""
    parts = [body.get(name) for name in PARTS]
    text = "".join("" if part is None else str(part).strip() for part in parts)
    return {name: value for name, value in body.items() if name not in PARTS} | {"duration": text}

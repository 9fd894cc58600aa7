"""The two profiles: one frozen object each, with a field for every point at which they differ.

Other code never compares the profile's name; it reads the point that it needs. Points of `core` are fields here. Points
of a module are in its ``profile.py``, and the loader passes them on. `modules/DOLIBARR.md` documents each point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from .errors import ApiError, NotLoadable, Refused, Unchanged
from .process import ProcessValue
from .readers import choice_of


@dataclass(frozen=True)
class Profile:
    """The values of all points at which the specification and Dolibarr 16 differ."""

    name: str
    #: columns are text, an empty date is "", an empty map is []
    text_values: bool
    #: an empty list fails with 404 and Dolibarr's message
    empty_list_is_missing: bool
    #: the error of an action that has already been done
    repeated_action: type[ApiError]
    #: the key may come in the URL, and GET /login exists
    key_in_url: bool
    #: limit=0 returns all rows; otherwise the largest page
    limit_zero_is_all: bool
    #: business days are sent as midnights in the company's zone; otherwise in UTC
    days_in_zone: bool
    #: errors have Dolibarr's texts, where it has one
    dolibarr_messages: bool
    #: every DELETE returns the success object, instead of a number or a record
    deletions_answer_success: bool
    #: values are also accepted in another form: a date for seconds, a word for a number, true for yes, a code for an ID
    accepts_other_forms: bool
    #: the points of modules
    points: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    #: model → extra keys of all its records (`records/key_tables.py`)
    key_tables: Mapping[type, Any] = field(default_factory=lambda: MappingProxyType({}), compare=False)

    def __getattr__(self, name: str) -> Any:
        """Return a point of a module."""
        if not name.startswith("_") and name in self.points:
            return self.points[name]
        raise UnknownPoint(
            f"the profile has no point {name!r}, or the module's profile.py that defines it can't be loaded"
        )


class UnknownPoint(NotLoadable, AttributeError):
    """The point is unknown. Usually its file can't be loaded, so the response is that of a broken file."""


class Point:
    """A module's point of the profile: ``Point("days of ...", specification=None, dolibarr16=15)``.

    :param meaning: the meaning of its value
    :param values: its value in each profile
    """

    __slots__ = ("meaning", "values")

    def __init__(self, meaning: str, **values: Any) -> None:
        missing, unknown = [name for name in _OWN if name not in values], [name for name in values if name not in _OWN]
        if missing:
            raise ValueError(f"expected a value for each profile; the one for {missing[0]} is missing")
        if unknown:
            raise ValueError(f"unknown profile {unknown[0]}; expected {choice_of(_OWN)}")
        self.meaning = meaning
        self.values: Mapping[str, Any] = MappingProxyType(values)


SPECIFICATION = Profile(
    name="specification",
    text_values=False,
    empty_list_is_missing=False,
    repeated_action=Refused,
    key_in_url=False,
    limit_zero_is_all=False,
    days_in_zone=False,
    dolibarr_messages=False,
    deletions_answer_success=True,
    accepts_other_forms=True,
)

DOLIBARR16 = Profile(
    name="dolibarr16",
    text_values=True,
    empty_list_is_missing=True,
    repeated_action=Unchanged,
    key_in_url=True,
    limit_zero_is_all=True,
    days_in_zone=True,
    dolibarr_messages=True,
    deletions_answer_success=False,
    accepts_other_forms=False,
)

_OWN: Mapping[str, Profile] = {profile.name: profile for profile in (SPECIFICATION, DOLIBARR16)}

PROFILE_NAMES = tuple(_OWN)

#: both profiles, by name, with the points of the modules that are served
current_profiles = ProcessValue(_OWN)

#: names that a module can't give to a point
TAKEN_POINTS = frozenset(each.name for each in fields(Profile))


def read_points(table: Any) -> dict[str, Point]:
    """Return the points of a table `POINTS`.

    :raises ValueError: a point is invalid; the message has its name and the reason
    """
    if not isinstance(table, Mapping):
        raise ValueError("expected a dictionary POINTS that maps names to points")
    for name, point in table.items():
        if not (isinstance(name, str) and name.isidentifier() and name == name.lower() and name[0] != "_"):
            raise ValueError(f"POINTS: expected a name such as validity_days, got {name!r:.80}")
        if name in TAKEN_POINTS:
            raise ValueError(f"POINTS: {name} is reserved by the profile; choose another name")
        if not isinstance(point, Point):
            raise ValueError(f"POINTS: expected a Point for {name}, got {point!r:.80}")
    return dict(table)


def profiles_with(points: Mapping[str, Point], key_tables: Mapping[str, Mapping[type, Any]]) -> Mapping[str, Profile]:
    """Return both profiles, by name, with the points of modules.

    :param key_tables: profile → model → extra keys of all its records
    """
    return {
        name: replace(
            own,
            points=MappingProxyType({each: point.values[name] for each, point in points.items()}),
            key_tables=MappingProxyType(dict(key_tables.get(name, {}))),
        )
        for name, own in _OWN.items()
    }

"""The two profiles: every point at which they differ, in one frozen object each.

Nothing else asks which profile is on; it asks the profile for the point it needs. The points of `core` are written
here, those that speak of business in the ``profile.py`` of the module that they speak of; the loader hands these over.
`modules/BEHAVIOUR.md` tells users of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from .errors import ApiError, NotLoadable, Refused, Unchanged
from .in_force import InForce


@dataclass(frozen=True)
class Profile:
    """How the points behave at which the specification and release 16 part."""

    name: str
    #: column values as text, an empty date as "", an empty map as []
    text_values: bool
    #: an empty list of records is 404 with the reference's message
    empty_list_is_missing: bool
    #: what an action answers that has been done before
    repeated_action: type[ApiError]
    #: the key may come in the URL, and GET /login exists
    key_in_url: bool
    #: limit=0 means all rows; otherwise the largest page
    limit_zero_is_all: bool
    #: business days travel as their midnights in the company's zone; otherwise in UTC
    days_in_zone: bool
    #: the points of modules
    points: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    #: model → what all its records hold besides (`records/key_tables.py`)
    key_tables: Mapping[type, Any] = field(default_factory=lambda: MappingProxyType({}), compare=False)

    def __getattr__(self, name: str) -> Any:
        """A point of a module."""
        if not name.startswith("_") and name in self.points:
            return self.points[name]
        raise UnknownPoint(
            f"the profile has no point {name!r}, or the module's profile.py that holds it cannot be loaded"
        )


class UnknownPoint(NotLoadable, AttributeError):
    """A point that no module has. Most often its file cannot be loaded, and so the answer is that of such a file."""


class Point:
    """A point of the profile that a module has: ``Point("days of ...", specification=None, dolibarr16=15)``.

    :param meaning: what its value says
    :param values: its value in each profile
    """

    __slots__ = ("meaning", "values")

    def __init__(self, meaning: str, **values: Any) -> None:
        missing, unknown = [name for name in _OWN if name not in values], [name for name in values if name not in _OWN]
        if missing:
            raise ValueError(f"there is no value for the profile {missing[0]}")
        if unknown:
            raise ValueError(f"there is no profile {unknown[0]}")
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
)

DOLIBARR16 = Profile(
    name="dolibarr16",
    text_values=True,
    empty_list_is_missing=True,
    repeated_action=Unchanged,
    key_in_url=True,
    limit_zero_is_all=True,
    days_in_zone=True,
)

_OWN: Mapping[str, Profile] = {profile.name: profile for profile in (SPECIFICATION, DOLIBARR16)}

PROFILE_NAMES = tuple(_OWN)

#: what a module cannot call a point of its own
TAKEN_POINTS = frozenset(each.name for each in fields(Profile))

_profiles: InForce[Mapping[str, Profile]] = InForce(_OWN)


def read_points(table: Any) -> dict[str, Point]:
    """The points of a table `POINTS`.

    :raises ValueError: one of them cannot be used; says which, and why
    """
    if not isinstance(table, Mapping):
        raise ValueError("there is no table POINTS of names and points")
    for name, point in table.items():
        if not (isinstance(name, str) and name.isidentifier() and name == name.lower() and name[0] != "_"):
            raise ValueError(f"POINTS: expected a name such as validity_days, got {name!r:.80}")
        if name in TAKEN_POINTS:
            raise ValueError(f"POINTS: {name} is a name of the profile itself")
        if not isinstance(point, Point):
            raise ValueError(f"POINTS: expected a Point for {name}, got {point!r:.80}")
    return dict(table)


def use_points(
    points: Mapping[str, Point], key_tables: Mapping[str, Mapping[type, Any]] = MappingProxyType({})
) -> None:
    """Put the points of a catalogue in force.

    :param key_tables: profile → model → what all its records hold besides
    """
    _profiles.value = {
        name: replace(
            own,
            points=MappingProxyType({each: point.values[name] for each, point in points.items()}),
            key_tables=MappingProxyType(dict(key_tables.get(name, {}))),
        )
        for name, own in _OWN.items()
    }


def profile_named(name: str) -> Profile:
    """A profile with all its points."""
    return _profiles.value[name]

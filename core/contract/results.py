"""What an operation answers where the profile chooses between two answers."""

from __future__ import annotations

from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from ..common.settings import settings
from .api import ByProfile


def in_profile(annotation: Any) -> Any:
    """An annotation in which `ByProfile` has chosen; where its point is unknown, both members stay."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return reduce(or_, (in_profile(each) for each in arguments))
    if origin is not Annotated:
        return annotation
    note = next((each for each in arguments[1:] if isinstance(each, ByProfile)), None)
    holds = getattr(settings().profile, note.point, None) if note else None
    members = get_args(arguments[0])
    if holds is None or len(members) != 2:
        return annotation
    return members[0 if holds else 1]

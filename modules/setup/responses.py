"""Responses to deletions, links and actions, as the profile selects them.

An operation uses a type of this file as its return annotation, and the corresponding function for the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from core import profile
from core.for_natives import ByProfile, Removed, Success, removed, success

__all__ = ["ACTION", "DELETION", "Removed", "Success", "action_result", "removed", "success"]

R = TypeVar("R")
T = TypeVar("T")

#: selects the first or the second type for a deletion, by profile: ``Annotated[Success | CardRecord, DELETION]``
DELETION = ByProfile("deletions_answer_success")
#: the same for an action or a link: ``Annotated[CardRecord | int, ACTION]``
ACTION = ByProfile("actions_answer_record")


@overload
def action_result(record: Callable[[], R]) -> R | int: ...
@overload
def action_result(record: Callable[[], R], otherwise: Callable[[], T]) -> R | T: ...
def action_result(record: Callable[[], Any], otherwise: Callable[[], Any] = lambda: 1) -> Any:
    """Return the response to an action or a link.

    :param record: reads the changed record
    :param otherwise: makes the response if the profile doesn't return the record
    """
    return record() if profile().actions_answer_record else otherwise()

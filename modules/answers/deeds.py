"""What operations of every module answer that the profile chooses: deletions, links and actions.

The types are for return annotations, the functions for what is returned: an operation says both of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypedDict, TypeVar, overload

from core import ByProfile, settings

R = TypeVar("R")
T = TypeVar("T")


class Done(TypedDict):
    """What has been done."""

    code: Annotated[int, "200"]
    message: str


class Success(TypedDict):
    """The answer of an operation that has nothing else to say."""

    success: Done


#: a deletion answers the first of two, or the second: ``Annotated[Success | CardRecord, DELETION]``
DELETION = ByProfile("deletions_answer_success")
#: an action or a link, likewise: ``Annotated[CardRecord | int, ACTION]``
ACTION = ByProfile("actions_answer_record")

#: what most deletions answer: the success object, or 1
Removed = Annotated[Success | int, DELETION]


def success(message: str) -> Success:
    """The answer of an operation that has nothing else to say."""
    return {"success": {"code": 200, "message": message}}


@overload
def removed(message: str) -> Success | int: ...
@overload
def removed(message: str, otherwise: Callable[[], T]) -> Success | T: ...
def removed(message: str, otherwise: Callable[[], Any] = lambda: 1) -> Any:
    """The answer of a deletion.

    :param otherwise: what it answers where the profile has no success object for it
    """
    return success(message) if settings().profile.deletions_answer_success else otherwise()


@overload
def acted(record: Callable[[], R]) -> R | int: ...
@overload
def acted(record: Callable[[], R], otherwise: Callable[[], T]) -> R | T: ...
def acted(record: Callable[[], Any], otherwise: Callable[[], Any] = lambda: 1) -> Any:
    """The answer of an action or a link.

    :param record: reads the record that it was done to
    :param otherwise: what it answers where the profile has no record for it
    """
    return record() if settings().profile.actions_answer_record else otherwise()

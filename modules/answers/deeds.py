"""What operations of every module answer that the profile chooses: deletions, links and actions.

The types are for return annotations, the functions for what is returned: an operation says both of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from core import ByProfile, Removed, Success, removed, settings, success

__all__ = ["ACTION", "DELETION", "Removed", "Success", "acted", "removed", "success"]

R = TypeVar("R")
T = TypeVar("T")

#: a deletion answers the first of two, or the second: ``Annotated[Success | CardRecord, DELETION]``
DELETION = ByProfile("deletions_answer_success")
#: an action or a link, likewise: ``Annotated[CardRecord | int, ACTION]``
ACTION = ByProfile("actions_answer_record")


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

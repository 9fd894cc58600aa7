"""Results of operations: those of deletions, those that the profile selects, and the check of their types."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Literal, TypedDict, TypeVar, Union, get_args, get_origin, is_typeddict, overload

import peewee

from ..common.process import ProcessValue
from ..common.settings import settings
from .api import ByProfile

T = TypeVar("T")

_log = logging.getLogger("comptoir")


class Done(TypedDict):
    """The status and a message."""

    code: Annotated[int, "200"]
    message: Annotated[str, "message for people"]


class Success(TypedDict):
    """The response of an operation that returns no record."""

    success: Done


#: what most deletions return: the success object, or 1
Removed = Annotated[Success | int, ByProfile("deletions_answer_success")]


def success(message: str) -> Success:
    """Return the success object."""
    return {"success": {"code": 200, "message": message}}


@overload
def removed(message: str) -> Success | int: ...
@overload
def removed(message: str, otherwise: Callable[[], T]) -> Success | T: ...
def removed(message: str, otherwise: Callable[[], Any] = lambda: 1) -> Any:
    """Return the result of a deletion.

    :param otherwise: makes the result in a profile without the success object
    """
    return success(message) if settings().profile.deletions_answer_success else otherwise()


def in_profile(annotation: Any) -> Any:
    """Return an annotation with the member that `ByProfile` selects; if its point is unknown, with both."""
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


def types_of(annotation: Any) -> tuple[type, ...]:
    """Return the outermost types of an annotation's values; `object`: any."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return types_of(arguments[0])
    if origin in (Union, UnionType):
        return tuple({each for member in arguments for each in types_of(member)})
    if origin is Literal:
        return tuple({type(each) for each in arguments})
    if annotation in (None, type(None)):
        return (type(None),)
    kind = origin or annotation
    if not isinstance(kind, type) or kind in (Any, inspect.Signature.empty) or getattr(kind, "_is_protocol", False):
        return (object,)
    if is_typeddict(kind):
        return (dict,)
    if kind is dict or issubclass(kind, peewee.Model):
        # A record is returned as a row or as plain data
        return (dict, peewee.Model)
    return (int, float) if kind is float else (kind,)


#: called with the message about a result of the wrong type, so that a test fails; None: it is logged
unfit_result: ProcessValue[Callable[[str], object] | None] = ProcessValue(None)
#: messages that have been logged
_logged: set[str] = set()


def report_unfit(message: str) -> None:
    """Log, once, that a method's result doesn't fit its annotation; with `core.testing`, the test fails."""
    report = unfit_result.value
    if report is not None:
        report(message)
    elif message not in _logged:
        _logged.add(message)
        _log.warning("%s", message)

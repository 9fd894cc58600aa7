"""Where an exception that nobody expected was raised: for the author of a module, who asks as an administrator."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..common.settings import settings
from ..contract.annotations import readable

#: characters of a message that are told
_LONGEST = 2000


class NoJson(TypeError):
    """A result that cannot be JSON.

    :param method: what returned it
    """

    def __init__(self, message: str, method: Callable[..., Any]) -> None:
        super().__init__(message)
        self.method = method


def place_of_method(method: Callable[..., Any]) -> tuple[str, int]:
    """The file of a method, from the module's folder on, and its line."""
    code: Any = method.__code__
    file = Path(code.co_filename)
    folders = (*settings().module_folders, Path(__file__).parents[2])
    within = next((file.relative_to(each) for each in folders if file.is_relative_to(each)), file)
    return readable(str(within)), code.co_firstlineno


def raised(error: BaseException) -> dict[str, Any]:
    """The author's file, from the module's folder on, its line, and the message of the exception."""
    place = place_of_method(error.method) if isinstance(error, NoJson) else _place_of(error)
    message = readable("".join(traceback.format_exception_only(error)).strip())
    return {"file": place[0], "line": place[1], "message": message[:_LONGEST]} if place else {"message": message}


def _place_of(error: BaseException) -> tuple[str, int] | None:
    """The innermost line of a module from outside; else of a native one; else of this server."""
    native, *outside = settings().module_folders
    places = list(_lines_of(error))
    for folders in (outside, [native], [Path(__file__).parents[2]]):
        for file, line in reversed(places):
            for folder in folders:
                if file.is_relative_to(folder):
                    return readable(str(file.relative_to(folder))), line
    return None


def _lines_of(error: BaseException) -> Iterator[tuple[Path, int]]:
    """Every line that was passed; what had gone wrong before comes first."""
    seen: list[BaseException] = []
    each: BaseException | None = error
    while each is not None and each not in seen:
        seen.append(each)
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    for each in reversed(seen):
        for frame, line in traceback.walk_tb(each.__traceback__):
            yield Path(frame.f_code.co_filename), line

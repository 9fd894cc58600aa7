"""Functions that run when they are called: neither coroutines nor generators."""

from __future__ import annotations

import inspect
from typing import Any


def why_not_plain(function: Any) -> str:
    """Return why calling a function doesn't run it, such as ``is async; expected …``; empty if it runs."""
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return "is async; expected a plain function (def)"
    if inspect.isgeneratorfunction(function):
        return "is a generator; expected a plain function (def without yield)"
    return ""


def line_in(function: Any, file: str | None) -> int | None:
    """Return the line on which a function begins; None if it isn't in that file."""
    code = getattr(function, "__code__", None)
    return code.co_firstlineno if code is not None and code.co_filename == file else None

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


def why_not_like(method: Any, base: Any) -> str:
    """Return why a method can't be called as the method that it overrides; empty if it can."""
    expected, signature = inspect.signature(base), inspect.signature(method)
    given = expected.parameters.values()
    try:
        signature.bind(
            *(each.name for each in given if each.kind is each.POSITIONAL_OR_KEYWORD),
            **{each.name: None for each in given if each.kind is each.KEYWORD_ONLY},
        )
    except TypeError:
        names, wanted = ([each for each in one.parameters if each != "self"] for one in (signature, expected))
        return f"(line {method.__code__.co_firstlineno}) takes ({', '.join(names)}); expected ({', '.join(wanted)})"
    return ""

"""Calls of a module's code: each has a decimal context of its own, and fails only with an `Exception`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, DivisionByZero, InvalidOperation, Overflow, localcontext
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: Python's own, whatever a module makes of `decimal.DefaultContext`
DEFAULT_CONTEXT = Context(
    28, ROUND_HALF_EVEN, -999999, 999999, 1, 0, flags=[], traps=[DivisionByZero, InvalidOperation, Overflow]
)


def default_context(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function compute with 28 digits and Python's rounding, whatever decimal context its caller has set.

    A function that a module offers to others needs it if it computes with `Decimal`.
    """

    @wraps(function)
    def compute(*arguments: P.args, **named: P.kwargs) -> T:
        with localcontext(DEFAULT_CONTEXT):
            return function(*arguments, **named)

    return compute


def as_exception(error: BaseException) -> Exception:
    """Return an error of a module's code, or a `RuntimeError` for one that is no `Exception`, such as `SystemExit`.

    A Ctrl-C in the main thread is raised again: it ends a test or a command.
    """
    if isinstance(error, Exception):
        return error
    if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
        raise error
    text = f"raised {type(error).__name__}: {error}".removesuffix(": ")
    made = RuntimeError(f"the method {'called sys.exit()' if isinstance(error, SystemExit) else text}")
    made.__cause__ = error
    return made

"""JSON as it is sent, read within limits: its nesting, its numbers, and the texts in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

from .readers import LARGEST_EXPONENT, is_storable, speakable, storable

#: nesting of lists and objects
DEPTH = 100
#: values, and names of values, in all
MOST_VALUES = 1_000_000
#: characters of a number
LONGEST_NUMBER = 100
#: texts that are named when they cannot be kept; a body may hold millions
_NAMED = 20

#: where a value stands: what it stands in, and its name or place there
_Path = tuple[Any, ...]


class UnfitTexts(ValueError):
    """Texts that cannot be kept.

    :param wrong: where each stands, such as ``lines[2].label``, and what is wrong with it
    """

    def __init__(self, wrong: list[tuple[str, str]]) -> None:
        super().__init__(wrong[0][1])
        self.wrong = wrong


def read_json(content: str | bytes) -> Any:
    """Plain data; numbers with a fraction or an exponent come as `Decimal`.

    :raises UnfitTexts: there are texts in it that cannot be kept
    :raises ValueError: it is no JSON, or beyond a limit; says what and where
    """
    try:
        value = json.loads(content, parse_int=_read_integer, parse_float=_read_number, parse_constant=_refuse_constant)
        check_texts(value)
    except RecursionError:
        raise ValueError(f"more than {DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg}, line {error.lineno} column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    return value


def check_texts(value: Any) -> None:
    """Refuse plain data with texts in it, names of values too, that cannot be kept.

    :raises UnfitTexts: there are some; the first twenty are named
    :raises ValueError: it is nested too deep, or holds too many values
    """
    level, depth, count, fits = [value], 0, 0, True
    while level:
        count += len(level)
        if count > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES} values")
        inner: list[Any] = []
        for each in level:
            if isinstance(each, str):
                fits = fits and is_storable(each)
            elif isinstance(each, (dict, list)):
                if depth == DEPTH:
                    raise ValueError(f"more than {DEPTH} levels")
                inner += each
                if isinstance(each, dict):
                    inner += each.values()
        level, depth = inner, depth + 1
    # Only now does it matter where
    if not fits and (wrong := list(islice(_unfit(value, ()), _NAMED))):
        raise UnfitTexts(wrong)


def _unfit(value: Any, path: _Path) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _unfit(str(key), (path, key))
            yield from _unfit(each, (path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _unfit(each, (path, place))
    elif isinstance(value, str):
        try:
            storable(value)
        except ValueError as error:
            yield _name_of(path), str(error)


def _name_of(path: _Path) -> str:
    """``lines[2].label``; what is long, or cannot be shown, is cut."""
    name = ""
    while path:
        path, key = path
        name = f"[{key}]{name}" if isinstance(key, int) else f".{speakable(key)[:60]}{name}"
    return name.removeprefix(".")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _read_integer(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"a number is longer than {LONGEST_NUMBER} characters")
    return int(text)


def _read_number(text: str) -> Decimal:
    """A number that whoever gets it can write out, round and compare at little cost."""
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"a number is longer than {LONGEST_NUMBER} characters")
    try:
        number = Decimal(text)
    except ArithmeticError:
        # An exponent that even Decimal cannot hold
        number = None
    if number is None or abs(number.adjusted()) > LARGEST_EXPONENT:
        raise ValueError(f"a number is beyond 1e{LARGEST_EXPONENT} or closer to 0 than 1e-{LARGEST_EXPONENT}")
    return number

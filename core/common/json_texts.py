"""Reading JSON with limits on nesting, numbers and texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

from .errors import MAX_NAMES
from .readers import LARGEST_EXPONENT, is_storable, speakable, storable

#: deepest nesting of lists and objects
DEPTH = 100
#: largest number of values and keys together
MOST_VALUES = 1_000_000
#: longest number, in characters
LONGEST_NUMBER = 100

#: the path of a value: the path of its container, and its key or index there
_Path = tuple[Any, ...]


class UnfitTexts(ValueError):
    """Texts that can't be stored.

    :param wrong: the path of each, such as ``lines[2].label``, and its fault
    """

    def __init__(self, wrong: list[tuple[str, str]]) -> None:
        super().__init__(wrong[0][1])
        self.wrong = wrong


def read_json(content: str | bytes) -> Any:
    """Return plain data; a number with a fraction or an exponent is a `Decimal`.

    :raises UnfitTexts: some texts can't be stored
    :raises ValueError: the content isn't JSON or exceeds a limit; the message has the fault and its place
    """
    try:
        value = json.loads(content, parse_int=_read_integer, parse_float=_read_number, parse_constant=_refuse_constant)
        check_texts(value)
    except RecursionError:
        raise ValueError(f"expected at most {DEPTH} levels of nesting, got more") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg}, line {error.lineno} column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None
    return value


def check_texts(value: Any) -> None:
    """Raise if plain data has texts, including keys, that can't be stored.

    :raises UnfitTexts: some texts can't be stored; the error lists the first twenty
    :raises ValueError: the data is nested too deep or has too many values
    """
    level, depth, count, fits = [value], 0, 0, True
    while level:
        count += len(level)
        if count > MOST_VALUES:
            raise ValueError(f"expected at most {MOST_VALUES} values, got more")
        inner: list[Any] = []
        for each in level:
            if isinstance(each, str):
                fits = fits and (each.isprintable() or is_storable(each))
            elif isinstance(each, (dict, list)):
                if depth == DEPTH:
                    raise ValueError(f"expected at most {DEPTH} levels of nesting, got more")
                inner += each
                if isinstance(each, dict):
                    inner += each.values()
        level, depth = inner, depth + 1
    # Paths are computed only if a text is invalid
    if not fits and (wrong := unfit_texts(value)):
        raise UnfitTexts(wrong)


def unfit_texts(value: Any) -> list[tuple[str, str]]:
    """Return the path and the fault of each text in plain data that can't be stored, at most the first twenty."""
    return list(islice(_unfit(value, ()), MAX_NAMES))


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
    """Return a path such as ``lines[2].label``, without unprintable characters and with long keys cut."""
    name = ""
    while path:
        path, key = path
        name = f"[{key}]{name}" if isinstance(key, int) else f".{speakable(key)[:60]}{name}"
    return name.removeprefix(".")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not allowed")


def _read_integer(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"a number is longer than {LONGEST_NUMBER} characters")
    return int(text)


def _read_number(text: str) -> Decimal:
    """Return a number that is cheap to print, round and compare."""
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"a number is longer than {LONGEST_NUMBER} characters")
    try:
        number = Decimal(text)
    except ArithmeticError:
        # The exponent is too large even for Decimal
        number = None
    if number is None or abs(number.adjusted()) > LARGEST_EXPONENT:
        raise ValueError(f"a number is above 1e{LARGEST_EXPONENT} or closer to 0 than 1e-{LARGEST_EXPONENT}")
    return number

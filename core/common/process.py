"""The values that a process serves with: each package keeps its own, and tests replace all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class ProcessValue(Generic[T]):
    """A value that one server has for all of its threads, such as its settings.

    It is read by one attribute access and replaced by one assignment, so a reader gets the complete old or the
    complete new object while another thread replaces it.

    :param first: the value until a server is built
    """

    __slots__ = ("_first", "value")

    def __init__(self, first: T) -> None:
        self._first = self.value = first
        _values.append(self)


_values: list[ProcessValue[Any]] = []


def process_values() -> dict[ProcessValue[Any], Any]:
    """Return the present values, for `use_values`."""
    return {each: each.value for each in _values}


def use_values(values: Mapping[ProcessValue[Any], Any]) -> None:
    """Replace all values; those that aren't given become the first ones."""
    for each in _values:
        each.value = values.get(each, each._first)

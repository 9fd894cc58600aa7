"""Other forms of values that a parameter accepts, if the profile does: a date, a word or a flag.

They are tried only after the parameter's own type has rejected a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

from ..common.days import midnight, read_day
from ..common.readers import EPOCH, SECOND, one_of, plain_word, read_instant, word_of_flag
from ..common.settings import settings
from .annotations import ParameterNote
from .api import CleanedBy

Converter = Callable[[Any], Any]


def with_other_forms(read: Converter, annotation: Any, kind: Any, note: ParameterNote) -> Converter:
    """Return a reader that also accepts the other forms of a parameter; the same one if it has none.

    :param annotation: the annotation of the parameter
    :param kind: its plain type
    """
    clean = _cleaner(annotation)
    other: Converter | None = None
    if clean is not None:
        other = lambda value: clean(value) if isinstance(value, str) else value  # noqa: E731
    elif kind is int and note.kind == "timestamp":
        other = seconds_of
    elif kind is int and note.minimum == 0 and note.maximum == 1:
        words = _word_of(note) if note.meanings else None
        other = lambda value: int(value) if isinstance(value, bool) else words(value) if words else value  # noqa: E731
    elif kind is int and note.meanings:
        other = _word_of(note)
    elif {"yes", "no"} == set(note.choices or (get_args(kind) if get_origin(kind) is Literal else ())):
        other = word_of_flag
    return read if other is None else _reading(read, other)


def _cleaner(annotation: Any) -> Converter | None:
    return next((each.clean for each in get_args(annotation)[1:] if isinstance(each, CleanedBy)), None)


def _word_of(note: ParameterNote) -> Converter:
    numbers = {plain_word(word): number for number, word in note.meanings}

    def convert(value: Any) -> Any:
        if not isinstance(value, str) or value.strip().lstrip("-").isdigit():
            return value
        if plain_word(value) not in numbers:
            raise ValueError(one_of([*numbers.values(), *numbers]))
        return numbers[plain_word(value)]

    return convert


def has_other_form(annotation: Any, note: ParameterNote) -> bool:
    """Return whether a parameter for a number also accepts a text: a date, a word or a code."""
    return _cleaner(annotation) is not None or bool(note.meanings) or note.kind == "timestamp"


def _reading(read: Converter, other: Converter) -> Converter:
    def convert(value: Any) -> Any:
        try:
            return read(value)
        except ValueError:
            if not settings().profile.accepts_other_forms:
                raise
            return read(other(value))

    return convert


def seconds_of(value: Any) -> Any:
    """Return the Unix seconds of an instant, or of a date's midnight in the company's zone; any other value unchanged.

    :raises ValueError: it is a text, but neither
    """
    if not isinstance(value, str):
        return value
    if len(value.strip()) == len("2026-11-21"):
        return midnight(read_day(value), settings().zone)
    return (read_instant(value) - EPOCH) // SECOND

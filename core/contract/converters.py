"""Converters of sent values to the types of a method's parameters; each is made once, when the file is loaded.

A converter takes text (path, query, form) or a JSON value, and raises ValueError with the expected form.
"""

from __future__ import annotations

import ipaddress
import re
import types
import typing
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache, partial
from types import FunctionType, MethodType
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from ..common.days import midnight, read_day
from ..common.json_texts import UnfitTexts, read_json
from ..common.readers import (
    EPOCH,
    READERS,
    SECOND,
    one_of,
    plain_word,
    read_flag,
    read_instant,
    storable,
    word_of_flag,
)
from ..common.settings import settings
from .annotations import ParameterNote
from .api import RawBody, Upload

Converter = Callable[[Any], Any]

#: values in a list
LONGEST_LIST = 10_000


class UnknownType(TypeError):
    """An annotation to which no value of a request can be converted."""


def converter(annotation: Any, note: ParameterNote) -> Converter:
    """Return the converter of one parameter, with its limits."""
    kind = plain_type(annotation)
    # It is the body itself: a list of them, or one in an object, can't be read
    read = _as_it_is if kind is RawBody else _with_other_forms(_reader(kind, note), annotation, kind, note)
    checks = _checks(kind, note)
    if not checks or not note.validate:
        return read

    def convert(value: Any) -> Any:
        result = read(value)
        for check in checks:
            result = check(result)
        return result

    return convert


def plain_type(annotation: Any) -> Any:
    """Return an annotation without ``Annotated`` and ``| None``."""
    if get_origin(annotation) is typing.Annotated:
        return plain_type(get_args(annotation)[0])
    if get_origin(annotation) in (typing.Union, types.UnionType):
        others = [each for each in get_args(annotation) if each is not type(None)]
        if len(others) == 1:
            return plain_type(others[0])
        return others and Any
    return annotation


def allows_none(annotation: Any) -> bool:
    """Return whether an annotation includes None."""
    if get_origin(annotation) is typing.Annotated:
        return allows_none(get_args(annotation)[0])
    return get_origin(annotation) in (typing.Union, types.UnionType) and type(None) in get_args(annotation)


#: types in docstrings, and what PHP calls them
DOCSTRING_TYPES: dict[str, Any] = {
    "int": int, "integer": int, "float": float, "double": float, "number": float, "bool": bool, "boolean": bool,
    "string": str, "str": str, "array": list, "list": list, "object": dict, "dict": dict, "decimal": Decimal,
    "date": date, "datetime": datetime, "mixed": Any, "any": Any, "null": None, "none": None,
}  # fmt: skip
_LIST = re.compile(r"(?:array|list)[<\[](?P<inner>[^<>,]+|.+>)[>\]]|(?P<items>.+)\[\]")


def docstring_type(text: str) -> Any:
    """Return the type of a docstring, such as ``int|null``, ``?int``, ``int[]`` or ``array<int>``.

    :raises ValueError: it isn't understood
    """
    members = re.split(r"\|(?![^<]*>)", text.replace("?", "null|", 1) if text.startswith("?") else text)
    found = [_docstring_member(each.strip(), text) for each in members]
    return Any if Any in found else Union[tuple(found)]  # noqa: UP007 - made of a list


def _docstring_member(text: str, whole: str) -> Any:
    if text in DOCSTRING_TYPES:
        return DOCSTRING_TYPES[text]
    if match := _LIST.fullmatch(text):
        return list[docstring_type(match["inner"] or match["items"])]  # type: ignore[misc]
    known = ", ".join(sorted(DOCSTRING_TYPES))
    raise ValueError(f"the type {whole!r} isn't understood; expected {known}, or one such as int|null or int[]")


def _reader(kind: Any, note: ParameterNote) -> Converter:
    origin = get_origin(kind) or kind
    if origin is Literal:
        return _literal(get_args(kind))
    if origin is list or origin is tuple or origin is set:
        if origin is tuple and get_args(kind)[-1:] not in ((), (Ellipsis,)):
            raise UnknownType(
                f"`{note.name}`: a tuple can't have a fixed length; use tuple[int, ...] or list[int], "
                "with {@min 2} {@max 2}"
            )
        inner = [each for each in get_args(kind) if each is not Ellipsis]
        return _list(origin, _reader(plain_type(inner[0]), ParameterNote(note.name)) if inner else None)
    if origin is dict or typing.is_typeddict(origin):
        return _read_map
    if origin is Upload:
        return _read_upload
    if is_dataclass(origin):
        raise UnknownType(
            f"`{note.name}`: a dataclass can only be the type of a whole parameter, not of list items or optional "
            "values"
        )
    if origin in _READERS:
        return _READERS[origin]
    raise UnknownType(f"`{note.name}`: a value of a request can't be converted to {kind!r}")


def containers_of(annotation: Any) -> tuple[type, ...]:
    """Return the JSON containers, list or object, that a parameter accepts as its value."""
    kind = plain_type(annotation)
    origin = get_origin(kind) or kind
    if origin in (Any, object) or (origin in (list, tuple, set) and not get_args(kind)):
        return (dict, list)
    if origin is dict or typing.is_typeddict(origin):
        return (dict,)
    return (list,) if origin in (list, tuple, set) else ()


def _as_it_is(value: Any) -> Any:
    return value


def _read_text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        raise ValueError("expected text")
    return storable(str(value)).strip()


def _read_upload(value: Any) -> Upload:
    if not isinstance(value, Upload):
        raise ValueError("expected a file in a multipart/form-data body")
    return value


def _read_map(value: Any) -> dict[str, Any]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = read_json(value)
        except UnfitTexts:
            raise
        except ValueError as error:
            raise ValueError(f"expected an object ({error})") from None
    if not isinstance(value, dict):
        raise ValueError("expected an object")
    return value


def _list(make: Callable[[Any], Any], inner: Converter | None) -> Converter:
    def read(value: Any) -> Any:
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",")] if value.strip() else []
        if not isinstance(value, list):
            # In PHP, lists and maps are one type, and clients of Dolibarr send either
            if isinstance(value, dict) and inner is None:
                return value
            raise ValueError("expected a list")
        if len(value) > LONGEST_LIST:
            raise ValueError(f"expected at most {LONGEST_LIST} values, got {len(value)}")
        return make(inner(each) if inner else each for each in value)

    return read


def _literal(choices: tuple[Any, ...]) -> Converter:
    known = {str(choice): choice for choice in choices}

    def read(value: Any) -> Any:
        if isinstance(value, (str, int)) and str(value).strip() in known:
            return known[str(value).strip()]
        raise ValueError(one_of(known))

    return read


_READERS: dict[Any, Converter] = {
    **READERS,
    date: read_day,
    str: _read_text,
    Any: _as_it_is,
    object: _as_it_is,
}

# Limits --------------------------------------------------------------------------------------------------------------

#: types that are compared with a limit; the length of texts and lists is
_MEASURED = (int, float, Decimal, bool)
#: what an author may write for a function in `Annotated`
_CALLED = (FunctionType, MethodType, partial, type(lru_cache(str)))


def _checks(kind: Any, note: ParameterNote) -> list[Converter]:
    origin = get_origin(kind) or kind
    sized = origin in (str, list, tuple, set)
    if not sized and origin not in _MEASURED and (note.minimum is not None or note.maximum is not None):
        raise UnknownType(f"`{note.name}`: {{@min}} and {{@max}} work only on numbers, text and lists")
    checks: list[Converter] = []
    if note.minimum is not None:
        checks.append(_limited(note.minimum, True, sized, note.fix))
    if note.maximum is not None:
        checks.append(_limited(note.maximum, False, sized, note.fix))
    if note.choices:
        checks.append(_one_of(note.choices, note.fix))
    if note.pattern and origin is str:
        checks.append(_matching(re.compile(note.pattern)))
    if note.kind in KINDS:
        checks.append(_of_kind(note.kind))
    return checks


def _limited(limit: Decimal, is_least: bool, sized: bool, fix: bool) -> Converter:
    bound = f"at {'least' if is_least else 'most'} {limit:f}"

    def check(value: Any) -> Any:
        size = len(value) if sized else value
        if size >= limit if is_least else size <= limit:
            return value
        if fix and not sized:
            return type(value)(limit)
        if fix and not is_least and isinstance(value, (str, list, tuple)):
            return value[: int(limit)]
        # A set or a map has no order in which it could be cut
        raise ValueError(_bound(bound, value if sized else None))

    return check


def _bound(bound: str, sized: Any) -> str:
    """Return the expectation for a number, or for the length of a text or a list."""
    if sized is None:
        return f"expected {bound}"
    noun = "character" if isinstance(sized, str) else "value"
    return f"expected {bound} {noun}{'' if bound.endswith(' 1') else 's'}, got {len(sized)}"


def _one_of(choices: tuple[str, ...], fix: bool) -> Converter:
    def check(value: Any) -> Any:
        if str(value) in choices:
            return value
        if fix:
            near = [choice for choice in choices if choice.lower() == str(value).lower()]
            return near[0] if near else choices[0]
        raise ValueError(one_of(choices))

    return check


def _matching(pattern: re.Pattern[str]) -> Converter:
    def check(value: Any) -> Any:
        if pattern.search(value):
            return value
        raise ValueError(f"expected text that matches {pattern.pattern}")

    return check


def _by_pattern(pattern: str) -> Callable[[str], object]:
    compiled = re.compile(pattern)

    def test(text: str) -> object:
        found = compiled.fullmatch(text)
        if found is None:
            raise ValueError(text)
        return found

    return test


#: {@type x} → its name in messages, and a test that raises ValueError
KINDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "email": ("an e-mail address", _by_pattern(r"[^@\s<>\"']{1,64}@[^@\s<>\"']{1,190}\.[^@\s.<>\"']{2,}")),
    "url": ("a URL", _by_pattern(r"(?i)(https?|ftp)://[^\s<>\"']+")),
    "tel": ("a telephone number", _by_pattern(r"\+?[0-9 ().\-/]{3,30}")),
    "color": ("a colour such as #ff8800", _by_pattern(r"#?[0-9a-fA-F]{6}")),
    "alpha": ("ASCII letters", _by_pattern(r"[A-Za-z]*")),
    "alphanumeric": ("ASCII letters and digits", _by_pattern(r"[A-Za-z0-9]*")),
    "hex": ("hexadecimal digits", _by_pattern(r"[0-9a-fA-F]*")),
    "printable": ("printable text", _by_pattern(r"[^\x00-\x1f\x7f]*")),
    "ip": ("an IP address", ipaddress.ip_address),
    "uuid": ("a UUID", UUID),
    "date": ("a date such as 2026-11-21", date.fromisoformat),
    "time": ("a time such as 10:30:00", time.fromisoformat),
    "datetime": ("a date and time such as 2026-11-21 10:30:00", datetime.fromisoformat),
    "timestamp": ("Unix seconds", int),
    "int": ("a whole number", int),
    "float": ("a number", float),
    "bool": ("true or false", read_flag),
}


def _of_kind(name: str) -> Converter:
    expected, test = KINDS[name]

    def check(value: Any) -> Any:
        for each in value if isinstance(value, (list, tuple, set)) else [value]:
            try:
                test(str(each))
            except ValueError:
                raise ValueError(f"expected {expected}") from None
        return value

    return check


# Other forms of values, such as a date, a word or a flag -----------------------------------------------------------


def _with_other_forms(read: Converter, annotation: Any, kind: Any, note: ParameterNote) -> Converter:
    """Return a reader that also accepts the other forms of a parameter; the same one if it has none.

    They are tried only if the profile accepts them, and the parameter's own type has rejected the value.

    :param annotation: the annotation of the parameter
    :param kind: its plain type
    """
    clean = _cleaner(annotation)
    other: Converter | None = None
    if clean is not None:
        other = lambda value: clean(value) if isinstance(value, str) else value  # noqa: E731
    elif kind is int and note.kind == "timestamp":
        other = _seconds_of
    elif kind is int and note.minimum == 0 and note.maximum == 1:
        words = _word_of(note) if note.meanings else None
        other = lambda value: int(value) if isinstance(value, bool) else words(value) if words else value  # noqa: E731
    elif kind is int and note.meanings:
        other = _word_of(note)
    elif {"yes", "no"} == set(note.choices or (get_args(kind) if get_origin(kind) is Literal else ())):
        other = word_of_flag
    if other is None:
        return read
    convert_other = other

    def convert(value: Any) -> Any:
        try:
            return read(value)
        except ValueError:
            if not settings().profile.accepts_other_forms:
                raise
            return read(convert_other(value))

    return convert


def _cleaner(annotation: Any) -> Converter | None:
    """Return the function in ``Annotated[int, function]``: it converts a text that the type rejects, such as a code."""
    return next((each for each in get_args(annotation)[1:] if isinstance(each, _CALLED)), None)


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


def _seconds_of(value: Any) -> Any:
    """Return the Unix seconds of an instant, or of a date's midnight in the company's zone; any other value unchanged.

    :raises ValueError: it is a text, but neither
    """
    if not isinstance(value, str):
        return value
    if len(value.strip()) == len("2026-11-21"):
        return midnight(read_day(value), settings().zone)
    return (read_instant(value) - EPOCH) // SECOND

"""Keys that all records of a model have in one profile even if they are empty, from a table of data for each model.

Release 16 returns dozens of empty keys, and empty text for NULL; programs that were written for it read them.
``<profile>/<model>.tsv`` in a module lists them and is read once, at load. `Records` adds them to completed records.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import peewee

#: the columns of a table; the first two must be there
COLUMNS = ("key", "empty", "instead_of", "about", "always")


@dataclass(frozen=True)
class KnownKey:
    """A key, and its value if the record has none.

    :param name: the key
    :param empty: its value if the record has none, or null
    :param instead_of: further values that it replaces
    :param about: the description of the key, if nothing else describes it
    :param always: whether the key has this value even if the record has another
    """

    name: str
    empty: Any
    instead_of: tuple[Any, ...] = ()
    about: str = ""
    always: bool = False


class KeyTable:
    """The keys that all records of a model have in a profile.

    :param keys: the table
    """

    def __init__(self, keys: Iterable[KnownKey]) -> None:
        self.keys: Mapping[str, KnownKey] = {key.name: key for key in keys}
        self._always = [(key.name, _copier(key.empty)) for key in self.keys.values() if key.always]
        filled = [key for key in self.keys.values() if not key.always]
        #: keys that are null if they are missing
        self._nulls = [key.name for key in filled if key.empty is None and not key.instead_of]
        others = [key for key in filled if key.name not in self._nulls]
        self._plain = [(key.name, key.empty, key.instead_of) for key in others if not _is_container(key.empty)]
        self._containers = [
            (key.name, _copier(key.empty), key.instead_of) for key in others if _is_container(key.empty)
        ]

    def fill(self, records: Iterable[dict[str, Any]]) -> None:
        """Add the empty value of each missing or null key, and the constant values."""
        nulls, plain, containers, always = self._nulls, self._plain, self._containers, self._always
        for record in records:
            for name in nulls:
                if name not in record:
                    record[name] = None
            for name, empty, instead_of in plain:
                value = record.get(name)
                if value is None or value in instead_of:
                    record[name] = empty
            for name, copy, instead_of in containers:
                value = record.get(name)
                if value is None or value in instead_of:
                    record[name] = copy()
            for name, copy in always:
                record[name] = copy()

    def stored(self, name: str, value: Any, field: peewee.Field) -> Any:
        """Return the value that a body sets with the empty value of the table: that of an unset field."""
        key = self.keys[name]
        if not field.null or type(value) is not type(key.empty) or value != key.empty:
            return value
        default = field.default if key.instead_of else None
        return default() if callable(default) else default


@lru_cache(maxsize=256)
def read_key_table(text: str) -> KeyTable:
    """Return the table of a file: a line of names, then a line for each key, with columns separated by tabs.

    :raises ValueError: a line isn't valid; the message contains its number
    """
    lines = text.splitlines()
    head = tuple(lines[0].split("\t")) if lines else ()
    if head[:2] != COLUMNS[:2] or not {*head} <= {*COLUMNS} or len({*head}) < len(head):
        raise ValueError(
            f"line 1: expected the columns {', '.join(COLUMNS)}, separated by tabs; got {' '.join(head)!r:.80}"
        )
    keys: dict[str, KnownKey] = {}
    for number, key in _keys(head, lines[1:]):
        if key.name in keys:
            raise ValueError(f"line {number}: the key {key.name} occurs twice")
        keys[key.name] = key
    return KeyTable(keys.values())


def _keys(head: Collection[str], lines: Iterable[str]) -> Iterator[tuple[int, KnownKey]]:
    for number, line in enumerate(lines, 2):
        cells = dict(zip(head, line.split("\t"), strict=False))
        if line.count("\t") >= len(head) or not cells["key"].isidentifier() or "empty" not in cells:
            raise ValueError(
                f"line {number}: expected a key, a tab and the JSON value of an empty field; got {line!r:.80}"
            )
        values = {name: _json(number, name, cells[name]) for name in ("empty", "instead_of") if cells.get(name)}
        if "empty" not in values:
            raise ValueError(f"line {number}: empty: expected JSON, got nothing")
        instead_of = (values["instead_of"],) if "instead_of" in values else ()
        always = cells.get("always", "")
        if always not in ("", "yes"):
            raise ValueError(f"line {number}: always: expected yes or nothing, got {always!r:.80}")
        yield number, KnownKey(cells["key"], values["empty"], instead_of, cells.get("about", ""), bool(always))


def _json(number: int, column: str, cell: str) -> Any:
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise ValueError(f'line {number}: {column}: expected JSON such as null, "" or []; got {cell!r:.80}') from error
    return value


def _copier(value: Any) -> Callable[[], Any]:
    """Return a function that makes the value: each record gets its own, which may be changed."""
    return partial(deepcopy, value) if value else value.copy if _is_container(value) else lambda: value


def _is_container(value: Any) -> bool:
    return isinstance(value, (list, dict))

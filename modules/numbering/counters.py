"""Counters: the next reference of a mask, without gaps or duplicates, for any number of workers and hosts.

The counter's row is locked from the assignment of a number until the caller's transaction ends. A rollback returns the
number, and no other transaction can take a number of the series in the meantime. `modules/setup/guide.md` lists the
references of each kind of document.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from peewee import Field

from core import query, shown
from core.for_natives import upsert

from .masks import Context, Mask, counted_customer, fill, period, read
from .models import Counter

Existing = Callable[[], Iterable[str]]

LONGEST_NAME = 40


class Column:
    """The references in a column, for `next_number`: all are read when a series begins, later only single ones."""

    def __init__(self, column: Field) -> None:
        self.column: Any = column

    def __call__(self) -> Iterator[str]:
        """Return all references."""
        rows = self.column.model.select(self.column).where(self.column.is_null(False)).tuples()
        return (reference for (reference,) in rows.iterator())

    def __contains__(self, reference: object) -> bool:
        """Return whether a reference exists."""
        meta = self.column.model._meta
        return bool(query(f"SELECT 1 FROM {meta.table_name} WHERE {self.column.column_name} = ? LIMIT 1", (reference,)))


def next_number(series_name: str, mask: Mask, context: Context, existing: Existing, *, capitals: bool = False) -> str:
    """Take the next reference of a mask. Call this last in the transaction that stores the reference.

    :param series_name: name of the series, such as ``orders``; references in one series are unique
    :param existing: source of the existing references. A series begins after the highest one, and none is given twice
        if masks are changed and changed back. Pass a `Column`, which is read once; others are iterated each time
    :param capitals: store and return the reference in upper case
    :raises MaskError: the mask has no number left
    :raises RuntimeError: no transaction is open; without one, a number could be taken twice
    """
    _require_transaction()
    keys = _keys(series_name, mask, period(mask, context.date), counted_customer(mask, context.customer_code))
    taken = {kind: _take(kind, key, mask, existing) for kind, key in keys.items()}
    reference = _fill(mask, context, taken, capitals)
    if _is_there(reference, existing):
        kind, key = next(iter(keys.items()))
        taken[kind] = max(taken[kind], _highest(kind, key, mask, existing))
        while _is_there(reference, existing):
            taken[kind] += 1
            reference = _fill(mask, context, taken, capitals)
        Counter.update(value=taken[kind]).where(Counter.series == key).execute()
    return reference


def step_back(series_name: str, mask: Mask, reference: str) -> bool:
    """Free the number of a deleted reference if it is the last of its series; return whether it was.

    The next number is then the highest remaining one + 1. Call this in the transaction that deletes the reference.

    :param reference: the deleted reference; if it isn't the last of its series, nothing changes
    :raises RuntimeError: there is no transaction
    """
    _require_transaction()
    stepped = 0
    for key, number in numbers_of(series_name, mask, reference).values():
        last = (Counter.series == key) & (Counter.value == number)
        # Query first: deleting a row that doesn't exist makes MariaDB lock the gap.
        # A series without a row begins after the highest remaining reference.
        if Counter.select().where(last).exists():
            stepped += Counter.delete().where(last).execute()
    return stepped > 0


def advance(series_name: str, mask: Mask, reference: str) -> None:
    """Advance the counter past a reference that a user chose. Call this in the transaction that stores it.

    :raises RuntimeError: there is no transaction
    """
    _require_transaction()
    for key, number in numbers_of(series_name, mask, reference).values():
        behind = (Counter.series == key) & (Counter.value < number)
        # A series without a row reads the highest reference when it takes a number
        if Counter.select().where(behind).exists():
            Counter.update(value=number).where(behind).execute()


def numbers_of(name: str, mask: Mask, reference: str) -> dict[str, tuple[str, int]]:
    """Return kind of counter → its key and number in a reference; empty if the reference doesn't match the mask."""
    if (found := read(mask, reference)) is None:
        return {}
    numbers = {"counter": found.number, "customer_counter": found.customer_number}
    return {kind: (key, numbers[kind] or 0) for kind, key in _keys(name, mask, found.period, found.customer).items()}


def _is_there(reference: str, existing: Existing) -> bool:
    return reference in (existing if isinstance(existing, Container) else existing())


def _require_transaction() -> None:
    if not in_transaction():
        raise RuntimeError("numbers can only be taken in a transaction; call this within `with transaction():`")


def in_transaction() -> bool:
    """Return whether a transaction is open, as taking a number requires."""
    meta: Any = Counter._meta
    return bool(meta.database.in_transaction())


def _keys(name: str, mask: Mask, when: str, customer: str) -> dict[str, str]:
    """Return kind of counter → its series. No part contains a slash, so the parts can't be confused."""
    if not name or "/" in name or len(name) > LONGEST_NAME:
        raise ValueError(f"expected a series name of 1 to {LONGEST_NAME} characters without slashes, got {shown(name)}")
    keys = {}
    if mask.has("counter"):
        keys["counter"] = f"{name}/{mask.text}/{when}/"
    if mask.has("customer_counter"):
        keys["customer_counter"] = f"{name}/{mask.text}/{when}/{customer}"
    return keys


def _take(kind: str, key: str, mask: Mask, existing: Existing) -> int:
    """Lock the counter's row, creating it if it is missing, and take the next number."""
    value = _count_on(key)
    if value == 0:
        value = max(_highest(kind, key, mask, existing), mask.offset if kind == "counter" else 0) + 1
        Counter.update(value=value).where(Counter.series == key).execute()
    return value


def _count_on(key: str) -> int:
    """Insert the row of a series with 0, or increment its value; return the value.

    This is one statement: a failed INSERT would leave shared locks that end in deadlocks.
    """
    row = {"series": key, "value": 0}
    return int(upsert("comptoir_counter", row, "series", "value = comptoir_counter.value + 1", "value"))


def _highest(kind: str, key: str, mask: Mask, existing: Existing) -> int:
    """Return the highest number among the existing references of a series."""
    _, _, when, customer = key.split("/")
    highest = 0
    for reference in existing():
        found = read(mask, reference)
        if found is None or found.period != when:
            continue
        if kind == "counter":
            highest = max(highest, found.number or 0)
        elif found.customer == customer:
            highest = max(highest, found.customer_number or 0)
    return highest


def _fill(mask: Mask, context: Context, taken: Mapping[str, int], capitals: bool) -> str:
    reference = fill(mask, context, taken.get("counter", 0), taken.get("customer_counter", 0))
    return reference.upper() if capitals else reference

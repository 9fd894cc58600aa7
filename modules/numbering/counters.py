"""Counters: the next reference of a mask, without gaps or duplicates, for any number of workers and hosts.

The counter's row is locked from the assignment of a number until the caller's transaction ends. A rollback returns the
number, and no other transaction can take a number of the series in the meantime. `modules/setup/guide.md` lists the
references of each kind of document.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from peewee import Field

from core import Refused, query, shown
from core.for_natives import upsert

from ..setup.constants import constant, is_on
from .masks import Context, Mask, MaskError, counted_customer, fill, parse, period, read
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


def company_context(day: date, **more: Any) -> Context:
    """Return the values that fill a mask, including those from the company's constants.

    :param more: further fields of `Context`
    """
    month = constant("SOCIETE_FISCAL_MONTH_START", "1").strip()
    return Context(
        date=day,
        fiscal_month=int(month) if month in map(str, range(1, 13)) else 1,
        short_counters=is_on("MAIN_COUNTER_WITH_LESS_3_DIGITS"),
        **more,
    )


def next_number(
    series_name: str, mask: str, context: Context, existing: Existing, *, grows: bool = False, capitals: bool = False
) -> str:
    """Take the next reference of a mask. Call this last in the transaction that stores the reference.

    :param series_name: name of the series, such as ``orders``; references in one series are unique
    :param existing: source of the existing references. A series begins after the highest one, and none is given twice
        if masks are changed and changed back. Pass a `Column`, which is read once; others are iterated each time
    :param grows: the format is fixed, and its counter may become longer than its digits
    :param capitals: store and return the reference in upper case
    :raises Refused: the mask is invalid, or has no number left; the text begins with Dolibarr's name of the error
    :raises RuntimeError: no transaction is open; without one, a number could be taken twice
    """
    _require_transaction()
    try:
        parsed = _parse(mask, context, grows)
        keys = _keys(series_name, parsed, period(parsed, context.date), counted_customer(parsed, context.customer_code))
        taken = {kind: _take(kind, key, parsed, existing) for kind, key in keys.items()}
        reference = _fill(parsed, context, taken, capitals)
        if _is_there(reference, existing):
            kind, key = next(iter(keys.items()))
            taken[kind] = max(taken[kind], _highest(kind, key, parsed, existing))
            while _is_there(reference, existing):
                taken[kind] += 1
                reference = _fill(parsed, context, taken, capitals)
            Counter.update(value=taken[kind]).where(Counter.series == key).execute()
    except MaskError as error:
        raise Refused(str(error), reason="not_configured") from error
    return reference


def step_back(series_name: str, mask: str, reference: str, context: Context, *, grows: bool = False) -> bool:
    """Free the number of a deleted reference if it is the last of its series; return whether it was.

    The next number is then the highest remaining one + 1. Call this in the transaction that deletes the reference.

    :param reference: the deleted reference; if it isn't the last of its series, nothing changes
    :param context: only the company's fields are used (see `company_context`)
    :raises RuntimeError: there is no transaction
    """
    _require_transaction()
    stepped = 0
    for key, number in _series_of(series_name, mask, reference, context, grows).values():
        last = (Counter.series == key) & (Counter.value == number)
        # Query first: deleting a row that doesn't exist makes MariaDB lock the gap.
        # A series without a row begins after the highest remaining reference.
        if Counter.select().where(last).exists():
            stepped += Counter.delete().where(last).execute()
    return stepped > 0


def count_in(series_name: str, mask: str, reference: str, context: Context, *, grows: bool = False) -> None:
    """Advance the counter past a reference that a user chose. Call this in the transaction that stores it.

    :param context: as in `step_back`
    :raises RuntimeError: there is no transaction
    """
    _require_transaction()
    for key, number in _series_of(series_name, mask, reference, context, grows).values():
        behind = (Counter.series == key) & (Counter.value < number)
        # A series without a row reads the highest reference when it takes a number
        if Counter.select().where(behind).exists():
            Counter.update(value=number).where(behind).execute()


def _series_of(name: str, mask: str, reference: str, context: Context, grows: bool) -> dict[str, tuple[str, int]]:
    """Return kind of counter → series and number of an existing reference; empty if it doesn't match the mask."""
    try:
        parsed = _parse(mask, context, grows)
    except MaskError:
        return {}
    if (said := read(parsed, reference)) is None:
        return {}
    numbers = {"counter": said.number, "customer_counter": said.customer_number}
    return {kind: (key, numbers[kind] or 0) for kind, key in _keys(name, parsed, said.period, said.customer).items()}


def _is_there(reference: str, existing: Existing) -> bool:
    return reference in (existing if isinstance(existing, Container) else existing())


def _require_transaction() -> None:
    if not in_transaction():
        raise RuntimeError("numbers can only be taken in a transaction; call this within `with transaction():`")


def in_transaction() -> bool:
    """Return whether a transaction is open, as taking a number requires."""
    meta: Any = Counter._meta
    return bool(meta.database.in_transaction())


def _parse(mask: str, context: Context, grows: bool) -> Mask:
    return parse(mask, context.fiscal_month, short_counters=context.short_counters, grows=grows)


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
        said = read(mask, reference)
        if said is None or said.period != when:
            continue
        if kind == "counter":
            highest = max(highest, said.number or 0)
        elif said.customer == customer:
            highest = max(highest, said.customer_number or 0)
    return highest


def _fill(mask: Mask, context: Context, taken: Mapping[str, int], capitals: bool) -> str:
    reference = fill(mask, context, taken.get("counter", 0), taken.get("customer_counter", 0))
    return reference.upper() if capitals else reference

"""Counters: the next reference of a mask, without gap and without repeat, whatever the workers and hosts.

The counter's row is locked from the moment a number is taken until the caller's transaction ends: what is rolled back
gives its number back, and nobody else takes one of the same series in between. Which references
there are is told in `modules/BEHAVIOUR.md`, section "Numbering".
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from peewee import Field

from core import Refused, query, upsert

from ..setup.constants import constant
from .masks import Context, Mask, MaskError, counted_customer, fill, parse, period, read
from .models import Counter

Existing = Callable[[], Iterable[str]]

LONGEST_NAME = 40


class Column:
    """The references a column holds, for `next_number`: read when a series begins, later only asked for one of them."""

    def __init__(self, column: Field) -> None:
        self.column: Any = column

    def __call__(self) -> Iterator[str]:
        """Every reference there is."""
        rows = self.column.model.select(self.column).where(self.column.is_null(False)).tuples()
        return (reference for (reference,) in rows.iterator())

    def __contains__(self, reference: object) -> bool:
        """Whether a reference is there."""
        meta = self.column.model._meta
        return bool(query(f"SELECT 1 FROM {meta.table_name} WHERE {self.column.column_name} = ? LIMIT 1", (reference,)))


def company_context(day: date, **more: Any) -> Context:
    """What a mask is filled from, completed by the company's constants.

    :param more: further fields of `Context`
    """
    month = constant("SOCIETE_FISCAL_MONTH_START", "1").strip()
    return Context(
        date=day,
        fiscal_month=int(month) if month in map(str, range(1, 13)) else 1,
        short_counters=constant("MAIN_COUNTER_WITH_LESS_3_DIGITS") not in ("", "0"),
        **more,
    )


def next_number(
    series_name: str, mask: str, context: Context, existing: Existing, *, grows: bool = False, capitals: bool = False
) -> str:
    """Take the next reference of a mask; call it as the last step of the transaction that stores it.

    :param series_name: what is numbered, such as ``orders``: one name for all that must differ from one another
    :param existing: answers the existing references: a series begins behind the highest one, and none is given twice
        when masks are changed to and fro. Give a `Column`, which is read once; anything else is gone through each time
    :param grows: a fixed format, whose counter becomes longer above its digits
    :param capitals: what is stored, and answered, is in capitals
    :raises Refused: the mask cannot be used, or has no number left; the text begins with the reference system's name
        of the error
    :raises RuntimeError: there is no transaction, so nothing would keep the number from being taken twice
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
    """Let the counter step back when the last reference of its series is deleted; answers whether it did.

    The next number is then the highest that is left + 1. Call it in the transaction that deletes the reference.

    :param reference: what is deleted; any other than the last one of its series changes nothing
    :param context: of it only the company's fields count (see `company_context`)
    :raises RuntimeError: there is no transaction
    """
    _require_transaction()
    stepped = 0
    for key, number in _series_of(series_name, mask, reference, context, grows).values():
        last = (Counter.series == key) & (Counter.value == number)
        # Asked first: deleting a row that is not there makes MariaDB lock the gap.
        # A series without a row begins behind the highest reference that is left.
        if Counter.select().where(last).exists():
            stepped += Counter.delete().where(last).execute()
    return stepped > 0


def count_in(series_name: str, mask: str, reference: str, context: Context, *, grows: bool = False) -> None:
    """Let a reference that somebody chose count, in the transaction that stores it: the next number is behind it.

    :param context: as in `step_back`
    :raises RuntimeError: there is no transaction
    """
    _require_transaction()
    for key, number in _series_of(series_name, mask, reference, context, grows).values():
        behind = (Counter.series == key) & (Counter.value < number)
        # A series without a row will look for itself
        if Counter.select().where(behind).exists():
            Counter.update(value=number).where(behind).execute()


def _series_of(name: str, mask: str, reference: str, context: Context, grows: bool) -> dict[str, tuple[str, int]]:
    """Kind of counter → series and number of an existing reference; empty when it is not one of the mask."""
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
    """Whether a transaction is open, so that a number can be taken."""
    meta: Any = Counter._meta
    return bool(meta.database.in_transaction())


def _parse(mask: str, context: Context, grows: bool) -> Mask:
    return parse(mask, context.fiscal_month, short_counters=context.short_counters, grows=grows)


def _keys(name: str, mask: Mask, when: str, customer: str) -> dict[str, str]:
    """Kind of counter → its series. No part of it holds a slash, so they stay apart."""
    if not name or "/" in name or len(name) > LONGEST_NAME:
        raise ValueError(f"expected a series name of 1 to {LONGEST_NAME} characters without slashes, got {name!r}")
    keys = {}
    if mask.has("counter"):
        keys["counter"] = f"{name}/{mask.text}/{when}/"
    if mask.has("customer_counter"):
        keys["customer_counter"] = f"{name}/{mask.text}/{when}/{customer}"
    return keys


def _take(kind: str, key: str, mask: Mask, existing: Existing) -> int:
    """Lock the counter's row, which is made when there is none, and count on."""
    value = _count_on(key)
    if value == 0:
        value = max(_highest(kind, key, mask, existing), mask.offset if kind == "counter" else 0) + 1
        Counter.update(value=value).where(Counter.series == key).execute()
    return value


def _count_on(key: str) -> int:
    """Make the row of a series, with 0, or raise its value by one; answers the value.

    One statement for all of it: a failed INSERT would leave shared locks that end in deadlocks.
    """
    row = {"series": key, "value": 0}
    return int(upsert("comptoir_counter", row, "series", "value = comptoir_counter.value + 1", "value"))


def _highest(kind: str, key: str, mask: Mask, existing: Existing) -> int:
    """The highest number among the existing references of a series."""
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

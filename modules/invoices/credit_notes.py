"""Lines of credit notes: their signs, and the amounts of lines that give back all that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from core.for_natives import default_context

from ..commercial.totals import TITLE, Amounts

ZERO, WHOLE = Decimal(0), Decimal(100)
NOTHING = Amounts(ZERO, ZERO, ZERO, ZERO, ZERO)
#: fields of a line that change their sign with it
SIGNED = (
    *Amounts._fields, "subprice", "subprice_ttc", "multicurrency_subprice", "multicurrency_total_ht",
    "multicurrency_total_tva", "multicurrency_total_ttc",
)  # fmt: skip
#: fields in which a line of a credit note equals the line that it gives back, apart from its text and its quantity
SAME = ("tva_tx", "vat_src_code", "product_type")

LineValues = Mapping[str, Any]
Settle = Callable[[list[LineValues]], list[Amounts]]


# Signs ----------------------------------------------------------------------------------------------------------------


def turn(values: dict[str, Any]) -> None:
    """Change the sign of a line: of its price and its amounts."""
    for name in SIGNED:
        if values.get(name) is not None:
            values[name] = values[name].copy_negate() if values[name] else values[name]


def sign_of(line: LineValues) -> int:
    """Return -1 for a line that gives back, 1 for one in the other direction, 0 for one without a price."""
    product: Decimal = line["qty"] * line["subprice"]
    return int(product > 0) - int(product < 0)


def set_sign(values: dict[str, Any], sign: int) -> None:
    """Give a line a sign; its quantity becomes positive.

    :param sign: 0: the line keeps its own
    """
    own = sign_of(values)
    if values["qty"] < 0:
        values["qty"] = values["qty"].copy_abs()
        for name in ("subprice", "subprice_ttc", "multicurrency_subprice"):
            if values.get(name):
                values[name] = values[name].copy_negate()
    if sign and own == -sign:
        turn(values)


@default_context
def set_signs(lines: Iterable[dict[str, Any]]) -> None:
    """Set the signs of the lines that are sent with a credit note: if they add up to more than 0, each is turned."""
    lines = list(lines)
    # Lines without an amount, such as those with a discount of 100 %, are compared by their prices
    total = sum((each["total_ttc"] for each in _counted(lines)), ZERO) or sum(
        (each["qty"] * each["subprice"] for each in _counted(lines)), ZERO
    )
    for values in lines:
        set_sign(values, 0)
        if total > 0:
            turn(values)


def is_same(line: LineValues, other: LineValues) -> bool:
    """Return whether two lines have the same product or text, the same rate and, whatever its sign, the same price."""
    if abs(line["subprice"]) != abs(other["subprice"]):
        return False
    if any((line.get(name) or 0) != (other.get(name) or 0) for name in SAME):
        return False
    products = line.get("fk_product"), other.get("fk_product")
    return products[0] == products[1] if all(products) else _text(line) == _text(other)


def _text(line: LineValues) -> tuple[str, str]:
    return (line.get("label") or "").strip(), (line.get("desc") or "").strip()


def opposite(source: Iterable[LineValues], line: LineValues) -> int:
    """Return the sign of a line that is added to a credit note: opposite to the line of the source that it gives back.

    :param source: the lines of the invoice that is credited
    :returns: -1 if the source has no such line of the same quantity
    """
    for each in source:
        if is_same(each, line) and abs(each["qty"]) == abs(line["qty"]) and (sign := sign_of(each)):
            return -sign
    return -1


# The rest -------------------------------------------------------------------------------------------------------------


@dataclass
class Part:
    """Equal lines of an invoice, and what credit notes have given back of them.

    :param first: one of the lines
    :param ends: quantity of the first lines → the sum of their amounts, for each number of lines
    :param given: the quantity and the amounts given back; amounts are negative if the line is positive
    """

    first: LineValues
    quantity: Decimal = ZERO
    amounts: Amounts = NOTHING
    ends: dict[Decimal, Amounts] = field(default_factory=dict)
    given_quantity: Decimal = ZERO
    given: Amounts = NOTHING

    def add(self, line: LineValues) -> None:
        """Add a line of the invoice."""
        self.quantity += abs(line["qty"])
        self.amounts = _plus(self.amounts, amounts_of(line))
        self.ends[self.quantity] = self.amounts

    def take(self, line: LineValues, amounts: Amounts) -> None:
        """Note that a line of a credit note gives back amounts."""
        self.given_quantity += abs(line["qty"])
        self.given = _plus(self.given, amounts)

    def settle(self, line: LineValues) -> Amounts | None:
        """Return the amounts of a line that gives back all that is left of one or more lines; None for any other."""
        after, own = self.given_quantity + abs(line["qty"]), amounts_of(line)
        if after in self.ends:
            return _minus(_negative(self.ends[after]), self.given)
        left = _minus(_negative(self.amounts), self.given)
        # The rounding of many small parts may have used up the line before its quantity is
        return left if after < self.quantity and abs(own.total_ttc) > abs(left.total_ttc) else None


def amounts_of(line: LineValues) -> Amounts:
    """Return the amounts of a line."""
    return Amounts(*(line[name] for name in Amounts._fields))


def _plus(first: Amounts, second: Amounts) -> Amounts:
    return Amounts(*(one + other for one, other in zip(first, second, strict=True)))


def _negative(amounts: Amounts) -> Amounts:
    return Amounts(*(-each for each in amounts))


def _minus(first: Amounts, second: Amounts) -> Amounts:
    return _plus(first, _negative(second))


def _parts(source: Iterable[LineValues]) -> list[Part]:
    parts: list[Part] = []
    for line in source:
        if not sign_of(line):
            continue
        part = next((each for each in parts if _is_equal(each.first, line) and _has_sign(each, line, 1)), None)
        if part is None:
            parts.append(part := Part(line))
        part.add(line)
    return parts


def _part_of(parts: Iterable[Part], line: LineValues) -> Part | None:
    """Return the part that a line of a credit note gives back, if any; one with the same text first."""
    found = [each for each in parts if _is_equal(each.first, line) and _has_sign(each, line, -1)]
    return min(found, key=lambda each: _text(each.first) != _text(line), default=None)


def _is_equal(line: LineValues, other: LineValues) -> bool:
    return is_same(line, other) and _shares(line) == _shares(other)


def _shares(line: LineValues) -> tuple[Decimal, Decimal]:
    """Return discount and progress of a line, in percent."""
    progress = line.get("situation_percent")
    return line.get("remise_percent") or ZERO, WHOLE if progress is None else progress


def _has_sign(part: Part, line: LineValues, sign: int) -> bool:
    return sign_of(part.first) * sign == sign_of(line)


@default_context
def give_back(
    source: Sequence[LineValues], credited: Sequence[LineValues], lines: Sequence[LineValues], settle: Settle
) -> list[Amounts]:
    """Return the amounts of the lines of a credit note.

    A line that gives back all that is left of a line has what is left of its amounts. So have the lines of a VAT rate
    together, if their sum gives back all that is left of the rate.

    :param source: the lines of the invoice that is credited, oldest first
    :param credited: the lines of its other credit notes
    :param lines: the lines of the credit note
    :param settle: returns the amounts of the lines that are no such lines
    """
    source, credited = _counted(source), _counted(credited)
    parts = _parts(source)
    for line in credited:
        if part := _part_of(parts, line):
            part.take(line, amounts_of(line))
    found: list[Amounts | None] = []
    for line in lines:
        part = _part_of(parts, line) if _counted([line]) and sign_of(line) else None
        amounts = part.settle(line) if part else None
        if part:
            part.take(line, amounts or amounts_of(line))
        found.append(amounts)
    others = iter(settle([line for line, amounts in zip(lines, found, strict=True) if amounts is None]))
    settled = [next(others) if amounts is None else amounts for amounts in found]
    for rate in {_rate(line) for line in source}:
        _settle_rate(rate, source, credited, lines, settled)
    return settled


def _counted(lines: Iterable[LineValues]) -> list[LineValues]:
    return [line for line in lines if line.get("product_type") != TITLE]


def _rate(line: LineValues) -> tuple[Decimal, str]:
    return line.get("tva_tx") or ZERO, line.get("vat_src_code") or ""


def _settle_rate(
    rate: tuple[Decimal, str],
    source: Sequence[LineValues],
    credited: Sequence[LineValues],
    lines: Sequence[LineValues],
    settled: list[Amounts],
) -> None:
    """Let the last line of a rate take the difference, if the lines give back all that is left of the rate."""
    numbers = [number for number, line in enumerate(lines) if _rate(line) == rate and _counted([line])]
    if not numbers:
        return
    left = NOTHING
    for line in (*source, *credited):
        if _rate(line) == rate:
            left = _minus(left, amounts_of(line))
    own = NOTHING
    for number in numbers:
        own = _plus(own, settled[number])
    if own != left and own.total_ht and (own.total_ht == left.total_ht or own.total_ttc == left.total_ttc):
        settled[numbers[-1]] = _plus(settled[numbers[-1]], _minus(left, own))


# The coin -------------------------------------------------------------------------------------------------------------


@default_context
def coin_of(own: Decimal, rounded: Decimal, left: Decimal, rounded_left: Decimal) -> Decimal:
    """Return the difference to the smallest coin in the total of a credit note.

    A note that gives back all that is left of its invoice has what is left of the difference.

    :param own: the total of the note without the difference, negative
    :param rounded: the same with its own difference
    :param left: what is left of the invoice without the difference, negative
    :param rounded_left: the same with what is left of the difference
    """
    takes_all = own == left or (rounded < rounded_left and left < own)
    return (rounded_left if takes_all else rounded) - own

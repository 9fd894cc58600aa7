"""What a line and a document come to, calculated as the guides and the laws say, on fractions.

It knows nothing of the server's code. A line has an agreed price, without VAT or including it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

CENTS = 2


def exact(value):
    """Return a number of a record or a body as a fraction; an empty value is 0."""
    return Fraction(Decimal(str(value))) if value not in (None, "") else Fraction(0)


def half_up(value, decimals):
    """Round; halves go away from zero."""
    whole = abs(value) * 10**decimals
    rounded = (whole + Fraction(1, 2)).__floor__()
    return Fraction(rounded if value >= 0 else -rounded, 10**decimals)


def to_multiple(value, step):
    """Round to a multiple of the smallest coin."""
    return half_up(value / step, 0) * step


def text(value):
    """Return an amount for messages and bodies, such as ``12.50``."""
    return str((Decimal(value.numerator) / Decimal(value.denominator)).quantize(Decimal("0.00000001")).normalize() + 0)


@dataclass(frozen=True)
class Rounding:
    """How totals are rounded.

    :param per_rate: the VAT of each rate is rounded once (`MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND`)
    :param coin: `MAIN_ROUNDING_RULE_TOT`; 0: none
    """

    per_rate: bool = False
    coin: Fraction = Fraction(0)
    decimals: int = CENTS


@dataclass(frozen=True)
class Agreed:
    """What a line was agreed to be.

    :param price: of one unit
    :param is_gross: the price includes VAT
    :param rate: of VAT, percent
    :param discount: percent
    :param progress: percent of a situation invoice
    :param uncharged: the VAT isn't charged (`info_bits` 1)
    """

    price: Fraction
    is_gross: bool = False
    qty: Fraction = Fraction(1)
    rate: Fraction = Fraction(0)
    discount: Fraction = Fraction(0)
    progress: Fraction = Fraction(100)
    is_title: bool = False
    uncharged: bool = False

    @property
    def amount(self):
        """Return the unrounded amount: net, or gross if the price is."""
        return self.price * self.qty * (1 - self.discount / 100) * self.progress / 100

    @property
    def factor(self):
        """Return what a net amount is multiplied with."""
        return 1 if self.uncharged else 1 + self.rate / 100

    def with_values(self, **values):
        """Return the same with other values."""
        return replace(self, **values)


@dataclass(frozen=True)
class Totals:
    """Net, VAT and gross of a line or a document."""

    net: Fraction
    vat: Fraction
    gross: Fraction

    def __neg__(self):
        return Totals(-self.net, -self.vat, -self.gross)

    def __add__(self, other):
        return Totals(self.net + other.net, self.vat + other.vat, self.gross + other.gross)

    def __sub__(self, other):
        return self + -other

    def __str__(self):
        return f"{text(self.net)} + {text(self.vat)} = {text(self.gross)}"


NOTHING = Totals(Fraction(0), Fraction(0), Fraction(0))


def line_totals(line, decimals=CENTS):
    """Return the totals of a line by itself.

    The VAT is the difference of the rounded totals.
    """
    if line.is_title:
        return NOTHING
    if line.is_gross:
        gross = half_up(line.amount, decimals)
        net = half_up(line.amount / line.factor, decimals)
    else:
        net = half_up(line.amount, decimals)
        gross = half_up(line.amount * line.factor, decimals)
    return Totals(net, gross - net, gross)


def lines_totals(lines, rounding):
    """Return the totals of each line of a document, without a coin.

    With VAT per rate, lines of agreed gross and the others of a rate are settled apart. Sums run in the order of the
    lines: the VAT of net prices so far is round(net so far × rate); the net of gross prices so far is
    round(gross so far ÷ (1 + rate)).
    """
    found = [line_totals(line, rounding.decimals) for line in lines]
    if not rounding.per_rate:
        return found
    running = {}
    for place, line in enumerate(lines):
        if line.is_title:
            continue
        group = (line.rate, line.is_gross, line.uncharged)
        so_far = running.get(group, NOTHING)
        own = found[place]
        if line.is_gross:
            net = half_up((so_far.gross + own.gross) / line.factor, rounding.decimals) - so_far.net
            own = Totals(net, own.gross - net, own.gross)
        else:
            vat = half_up((so_far.net + own.net) * (line.factor - 1), rounding.decimals) - so_far.vat
            own = Totals(own.net, vat, own.net + vat)
        running[group] = so_far + own
        found[place] = own
    return found


def total(parts):
    """Return the sum of totals."""
    found = NOTHING
    for each in parts:
        found = found + each
    return found

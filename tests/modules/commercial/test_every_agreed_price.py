"""Every price from 0.01 to 100.00 including VAT at seven rates, one line and three, both ways of rounding VAT.

Law 3 of each: the total with VAT is price × quantity. By line, each net is round(price ÷ (1 + rate)). Rounded for each
rate, the nets so far are round(sum so far ÷ (1 + rate)), and so is the VAT of the document.
"""

from decimal import Decimal as D
from fractions import Fraction

import pytest

from modules.commercial.totals import LinePrice, Rounding, SummedLine, price_line, sum_lines

RATES = [D(rate) for rate in ("5.5", "7", "8.1", "10", "19", "20", "21")]
ROUNDINGS = (Rounding(), Rounding(per_rate=True))


def cents(amount):
    """Half away from zero, in whole numbers."""
    return (2 * amount.numerator * 100 + amount.denominator) // (2 * amount.denominator)


def check(price, rate, count, rounding):
    """Compute one document; every expected value is in cents."""
    priced = price_line(LinePrice(D(1), D(price).scaleb(-2), rate, with_tax=True), rounding).amounts
    total, lines = sum_lines([SummedLine(rate, 0, priced, with_tax=True)] * count, rounding)
    factor, net_so_far = 1 + Fraction(rate) / 100, 0
    for number, line in enumerate(lines, 1):
        net, vat, gross = (int(line[place].scaleb(2)) for place in (0, 1, 4))
        net_so_far += net
        assert (gross, net + vat) == (price, price)
        assert net_so_far == (
            cents(Fraction(number * price, 100) / factor)
            if rounding.per_rate
            else number * cents(Fraction(price, 100) / factor)
        )
    net, vat, gross = (int(total[place].scaleb(2)) for place in (0, 1, 4))
    assert (gross, net + vat, net) == (count * price, count * price, net_so_far)


@pytest.mark.lasting
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_every_price(rate):
    for price in range(1, 10_001):
        for count in (1, 3):
            for rounding in ROUNDINGS:
                check(price, rate, count, rounding)


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_some_prices(rate):
    """Each 97th, and those around the example of the guide."""
    for price in {*range(1, 10_001, 97), *range(990, 1005)}:
        for count in (1, 3):
            for rounding in ROUNDINGS:
                check(price, rate, count, rounding)

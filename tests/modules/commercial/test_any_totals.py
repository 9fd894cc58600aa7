"""What holds for the amounts of any lines."""

from dataclasses import replace
from decimal import Decimal as D
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from modules.commercial.totals import (
    Amounts,
    LinePrice,
    LocalTax,
    Rounding,
    coin_difference,
    half_up,
    price_line,
    sum_lines,
)
from tests.modules.commercial.amounts import document


def decimals(lowest, highest, places):
    return st.integers(lowest * 10**places, highest * 10**places).map(lambda number: D(number).scaleb(-places))


RATES = st.sampled_from([D(0), D("2.1"), D("5.5"), D(10), D("19.6"), D(20), D(21)])
TAXES = st.builds(LocalTax, decimals(-20, 20, 2), st.sampled_from("0123456"))
LINES = st.builds(
    LinePrice,
    qty=decimals(-1000, 1000, 5),
    subprice=decimals(-10000, 10000, 6),
    tva_tx=RATES,
    remise_percent=st.one_of(st.just(D(0)), decimals(0, 100, 4)),
    situation_percent=st.one_of(st.just(D(100)), decimals(0, 100, 2)),
    with_tax=st.booleans(),
    info_bits=st.sampled_from([0, 2]),
    product_type=st.sampled_from([0, 1]),
    localtax1=TAXES,
    localtax2=TAXES,
)
SMALL = st.builds(
    LinePrice, qty=st.integers(-3, 9).map(D), subprice=decimals(0, 3, 2), tva_tx=RATES,
    product_type=st.sampled_from([0, 1, 9]), with_tax=st.booleans(), localtax1=TAXES,
)  # fmt: skip
ROUNDINGS = st.builds(
    Rounding, total=st.integers(0, 4), step=st.sampled_from([None, D("0.05"), D("0.1"), D("0.25"), D(1)]),
    coin_by_line=st.booleans(),
)  # fmt: skip


def exactly(value, places):
    """Half away from zero, in whole numbers."""
    scaled = abs(value) * 10**places
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(units if value > 0 else -units, 10**places)


@given(LINES, ROUNDINGS)
def test_parts_add_up(line, rounding):
    amounts = price_line(line, rounding).amounts
    assert sum(amounts[:-1]) == amounts.total_ttc
    for amount in amounts:
        assert amount == half_up(amount, rounding.total)


@given(LINES)
def test_exact_to_the_last_digit(line):
    line = replace(line, localtax1=LocalTax(), localtax2=LocalTax())
    amount = Fraction(line.qty) * Fraction(line.subprice) * Fraction(line.situation_percent) / 100
    amount *= 1 - Fraction(line.remise_percent) / 100
    factor = 1 + Fraction(line.tva_tx) / 100
    net, taxed = (amount / factor, amount) if line.with_tax else (amount, amount * factor)
    priced = price_line(line)
    assert Fraction(priced.amounts.total_ht) == exactly(net, 2)
    assert Fraction(priced.amounts.total_ttc) == exactly(taxed, 2)
    price = exactly(Fraction(line.subprice), 5)
    assert priced.subprice_ttc == (D(price.numerator) / price.denominator if line.with_tax else None)
    assert Fraction(priced.subprice) == exactly(Fraction(line.subprice) / (factor if line.with_tax else 1), 5)


@given(LINES, ROUNDINGS)
def test_signs_are_symmetric(line, rounding):
    # taxes of other signs than the amount's may cross zero, where the halves of both sides meet
    line = replace(line, localtax1=replace(line.localtax1, rate=abs(line.localtax1.rate)), localtax2=LocalTax())
    amounts = price_line(line, rounding).amounts
    negated = price_line(replace(line, qty=-line.qty), rounding).amounts
    assert negated == Amounts(*(-amount for amount in amounts))


@given(st.lists(SMALL, max_size=20), st.data())
def test_document_is_the_sum_of_its_lines(lines, data):
    priced = document(*lines)
    total, stored = sum_lines(priced)
    assert stored == [each.amounts for each in priced]
    counted = [each.amounts for each in priced if each.product_type != 9]
    for number, amount in enumerate(total):
        assert amount == sum(amounts[number] for amounts in counted)
    assert sum_lines(data.draw(st.permutations(priced)))[0] == total


@given(st.lists(SMALL, max_size=20), st.integers(0, 3))
def test_taxes_per_rate_are_those_of_their_sum(lines, places):
    rounding = Rounding(total=places, per_rate=True)
    priced = document(*lines, rounding=rounding)
    total, stored = sum_lines(priced, rounding)
    counted = [(line, amounts) for line, amounts in zip(priced, stored, strict=True) if line.product_type != 9]
    for rate, with_tax in {(line.rate, line.with_tax) for line, _ in counted}:
        found = [amounts for line, amounts in counted if (line.rate, line.with_tax) == (rate, with_tax)]
        net, vat = (sum(Fraction(amounts[place]) for amounts in found) for place in (0, 1))
        factor = 1 + Fraction(rate) / 100
        # Of agreed totals the net amount follows, of the others VAT
        assert (
            (net == exactly((net + vat) / factor, places)) if with_tax else (vat == exactly(net * (factor - 1), places))
        )
    for tax in {line.localtax1 for line, _ in counted}:
        due = {"1": (0, 1), "2": (0, 1), "3": (0,), "4": (0,), "5": (1,), "6": (1,)}.get(tax.type, ())
        found = [amounts for line, amounts in counted if line.localtax1 == tax and line.product_type in due]
        base = sum(Fraction(each.total_ht + (each.total_tva if tax.type in "246" else 0)) for each in found)
        assert sum(each.total_localtax1 for each in found) == exactly(base * Fraction(tax.rate) / 100, places)
    for amounts, line in zip(stored, priced, strict=True):
        assert sum(amounts[:-1]) == amounts.total_ttc
        assert line.product_type != 9 or amounts == line.amounts
        assert not line.with_tax or sum(amounts[:2]) == sum(line.amounts[:2])
    for number, amount in enumerate(total):
        assert amount == sum(amounts[number] for _, amounts in counted)
    again = [line._replace(amounts=amounts) for line, amounts in zip(priced, stored, strict=True)]
    assert sum_lines(again, rounding) == (total, stored)


@given(decimals(-1000, 1000, 3), ROUNDINGS)
def test_a_total_is_a_multiple_of_the_coin(total, rounding):
    total = half_up(total, rounding.total)
    difference = coin_difference(total, rounding)
    step = Fraction(rounding.step or D(1).scaleb(-rounding.total))
    assert abs(Fraction(difference)) <= step / 2
    assert (Fraction(total + difference) / step).denominator == 1

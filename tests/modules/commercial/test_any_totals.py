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
    as_credit,
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
    product_type=st.sampled_from([0, 1, 9]), localtax1=TAXES,
)  # fmt: skip
ROUNDINGS = st.builds(
    Rounding, total=st.integers(0, 4), step=st.sampled_from([None, D("0.05"), D("0.1"), D("0.25"), D(1)])
)


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
    assert Fraction(priced.subprice) == exactly(Fraction(line.subprice) / (factor if line.with_tax else 1), 5)


@given(LINES, ROUNDINGS)
def test_signs_are_symmetric(line, rounding):
    # taxes of other signs than the amount's may cross zero, where the halves of both sides meet
    line = replace(line, localtax1=replace(line.localtax1, rate=abs(line.localtax1.rate)), localtax2=LocalTax())
    amounts = price_line(line, rounding).amounts
    negated = price_line(replace(line, qty=-line.qty), rounding).amounts
    assert negated == Amounts(*(-amount for amount in amounts))


@given(LINES)
def test_credit_notes_do_not_depend_on_signs(line):
    credit = price_line(as_credit(line))
    assert credit == price_line(as_credit(replace(line, qty=-line.qty)))
    assert credit == price_line(as_credit(replace(line, subprice=-line.subprice)))
    assert credit.qty >= 0 >= credit.subprice
    assert credit.amounts.total_ht <= 0 >= credit.amounts.total_tva


@given(st.lists(SMALL, max_size=20), st.data())
def test_document_is_the_sum_of_its_lines(lines, data):
    priced = document(*lines)
    total, stored = sum_lines(priced)
    assert stored == [amounts for _, _, amounts in priced]
    counted = [amounts for _, product_type, amounts in priced if product_type != 9]
    for number, amount in enumerate(total):
        assert amount == sum(amounts[number] for amounts in counted)
    assert sum_lines(data.draw(st.permutations(priced)))[0] == total


@given(st.lists(SMALL, max_size=20), st.integers(0, 3))
def test_vat_per_rate_is_that_of_its_sum(lines, places):
    rounding = Rounding(total=places, per_rate=True)
    priced = document(*lines, rounding=rounding)
    total, stored = sum_lines(priced, rounding)
    counted = [
        (rate, amounts) for (rate, product_type, _), amounts in zip(priced, stored, strict=True) if product_type != 9
    ]
    for rate in {rate for rate, _ in counted}:
        net = sum(Fraction(amounts.total_ht) for other, amounts in counted if other == rate)
        vat = sum(Fraction(amounts.total_tva) for other, amounts in counted if other == rate)
        assert vat == exactly(net * Fraction(rate) / 100, places)
    for amounts, (_, product_type, given_amounts) in zip(stored, priced, strict=True):
        assert sum(amounts[:-1]) == amounts.total_ttc
        assert product_type != 9 or amounts == given_amounts
    for number, amount in enumerate(total):
        assert amount == sum(amounts[number] for _, amounts in counted)
    again = [(rate, product_type, amounts) for (rate, product_type, _), amounts in zip(priced, stored, strict=True)]
    assert sum_lines(again, rounding) == (total, stored)

"""Prices before and with VAT: rounding as release 16 does it, its answers for one unit, and arithmetic by hand."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.products.prices import Price, rounded, settle, with_vat, without_vat

D = Decimal
CENT = D("0.01")

amounts = st.decimals("-1000000", "1000000", places=5)
rates = st.decimals("0", "100", places=4)


@pytest.mark.parametrize(
    ("amount", "places", "expected"),
    [
        ("1.005", 2, "1.01"), ("2.675", 2, "2.68"), ("1.115", 2, "1.12"), ("-0.125", 2, "-0.13"),
        ("10.025", 2, "10.03"), ("9.876543215", 8, "9.87654322"), ("2.5", 0, "3"), ("-2.5", 0, "-3"),
    ],
)  # fmt: skip
def test_a_half_goes_away_from_zero(amount, places, expected):
    assert rounded(D(amount), places) == D(expected)


@pytest.mark.parametrize(
    ("net", "rate", "gross"),
    [
        ("100", "20", "120"),
        ("120", "20", "144"),
        # 33.33333 × 1.055 = 35.16666315
        ("33.33333", "5.5", "35.16666"),
        # 0.00005 × 1.1 = 0.000055
        ("0.00005", "10", "0.00006"),
        ("-10", "20", "-12"),
        ("7", "0", "7"),
    ],
)
def test_vat_is_added(net, rate, gross):
    assert with_vat(D(net), D(rate), 5) == D(gross)


@pytest.mark.parametrize(
    ("gross", "rate", "net"),
    [
        # As release 16 answered: 9.99 at 5.5
        ("9.99", "5.5", "9.46919"),
        ("120", "20", "100"),
        # 100 / 1.2 = 83.333…
        ("100", "20", "83.33333"),
        ("-12", "20", "-10"),
    ],
)
def test_vat_is_taken_out(gross, rate, net):
    assert without_vat(D(gross), D(rate), 5) == D(net)


@given(amounts, rates)
def test_there_and_back_is_within_a_cent(amount, rate):
    assert abs(without_vat(with_vat(amount, rate, 5), rate, 5) - amount) < CENT
    assert abs(with_vat(without_vat(amount, rate, 5), rate, 5) - amount) < CENT


@given(amounts, amounts, rates, st.booleans(), st.integers(0, 8))
def test_settling_twice_changes_nothing(net, gross, rate, taxed, places):
    once = settle(net, gross, Price(), rate=rate, taxed=taxed, places=places)
    again = settle(once.net, once.gross, once, rate=rate, taxed=taxed, places=places, same_terms=True)
    assert again == once
    # the side that counts is the one that was sent, whatever the other says
    if D(0) not in (rounded(net, places), rounded(gross, places)):
        kept, sent = (once.gross, gross) if taxed else (once.net, net)
        assert kept == rounded(sent, places)


@given(amounts, rates)
def test_the_gross_price_is_the_larger_one(net, rate):
    assert abs(with_vat(net, rate, 5)) >= abs(rounded(net, 5))
    assert abs(without_vat(net, rate, 5)) <= abs(rounded(net, 5))


STORED = Price(D(100), D(120))


@pytest.mark.parametrize(
    ("net", "gross", "taxed", "rate", "expected"),
    [
        ("50", None, False, "20", ("50", "60")),
        ("50", None, True, "20", ("50", "60")),
        (None, "60", False, "20", ("50", "60")),
        (None, "60", True, "20", ("50", "60")),
        # both changed: the basis counts
        ("50", "90", False, "20", ("50", "60")),
        ("50", "90", True, "20", ("75", "90")),
        # sent back with one of them changed
        ("50", "120", True, "20", ("50", "60")),
        ("100", "60", False, "20", ("50", "60")),
        # another rate: the basis stays
        (None, None, False, "10", ("100", "110")),
        ("100", "120", False, "10", ("100", "110")),
        (None, None, True, "50", ("80", "120")),
        (None, None, True, "20", ("100", "120")),
    ],
)
def test_which_side_counts(net, gross, taxed, rate, expected):
    sent = [None if each is None else D(each) for each in (net, gross)]
    price = settle(*sent, STORED, rate=D(rate), taxed=taxed, places=5)
    assert (price.net, price.gross) == (D(expected[0]), D(expected[1]))

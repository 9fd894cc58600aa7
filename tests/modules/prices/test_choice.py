"""Which price counts, and what it costs us: pure rules. Expected values by hand."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.prices.choice import Break, Whole, cheapest, choose, settle_break

D = Decimal
TWENTY, NONE = D(20), D(0)
amounts = st.decimals("0", "100000", places=5)
quantities = st.decimals("0.00001", "10000", places=5)
breaks = st.lists(st.builds(Break, quantities, amounts, st.decimals("0", "100", places=2)), max_size=6)


@dataclass
class Priced:
    price: Decimal
    price_ttc: Decimal
    price_base_type: str = "HT"
    tva_tx: Decimal = TWENTY
    default_vat_code: str | None = None
    localtax1_tx: Decimal = NONE
    localtax2_tx: Decimal = NONE


OWN, SEGMENT, CUSTOMER = Priced(D(100), D(120)), Priced(D(80), D(96)), Priced(D(75), D(90), "TTC")
TEN, FIFTY = Break(D(10), D(70)), Break(D(50), D(60), D(5))


@pytest.mark.parametrize(
    ("customer", "segment", "broken", "quantity", "expected"),
    [
        (None, None, (), "5", None),
        (None, None, (TEN, FIFTY), "9.99", None),
        (None, None, (TEN, FIFTY), "10", (D(70), False, OWN, D(0))),
        (None, None, (FIFTY, TEN), "49.99999", (D(70), False, OWN, D(0))),
        (None, None, (TEN, FIFTY), "50", (D(60), False, OWN, D(5))),
        # what is taken back is priced as what is sold
        (None, None, (TEN, FIFTY), "-50", (D(60), False, OWN, D(5))),
        (None, SEGMENT, (), "1", (D(80), False, SEGMENT, D(0))),
        (None, SEGMENT, (TEN,), "12", (D(70), False, SEGMENT, D(0))),
        (CUSTOMER, SEGMENT, (TEN,), "12", (D(90), True, CUSTOMER, D(0))),
        (CUSTOMER, None, (), "1", (D(90), True, CUSTOMER, D(0))),
        # a break of a price with VAT is one with VAT
        (None, CUSTOMER, (TEN,), "10", (D(70), True, CUSTOMER, D(0))),
    ],
)
def test_which_price_counts(customer, segment, broken, quantity, expected):
    offer = choose(OWN, customer, segment, broken, D(quantity))
    assert expected == (offer and (offer.amount, offer.taxed, offer.source, offer.discount))


@given(breaks, quantities)
def test_no_break_counts_before_it_is_reached_and_the_largest_that_is_does(broken, quantity):
    offer = choose(OWN, None, None, broken, quantity)
    reached = [each.quantity for each in broken if each.quantity <= quantity]
    assert (offer is None) == (not reached)
    if offer is not None:
        assert offer.amount in [each.unit for each in broken if each.quantity == max(reached)]


@pytest.mark.parametrize(
    ("offers", "quantity", "expected"),
    [
        ((), "1", "0"),
        # 10 less 5 % is 9.50
        ((Break(D(1), D(10), D(5)), Break(D(10), D(8))), "1", "9.5"),
        ((Break(D(1), D(10), D(5)), Break(D(10), D(8))), "10", "8"),
        # none is reached: of the smallest quantity
        ((Break(D(5), D(10)), Break(D(10), D(8)), Break(D(5), D(9))), "1", "9"),
        ((Break(D(5), D(10)), Break(D(10), D(8))), "-10", "8"),
    ],
)
def test_what_one_unit_costs(offers, quantity, expected):
    assert cheapest(offers, D(quantity)) == D(expected)


@given(breaks, quantities)
def test_a_larger_quantity_costs_no_more_once_one_is_reached(offers, quantity):
    if any(each.quantity <= quantity for each in offers):
        assert cheapest(offers, quantity * 2) <= cheapest(offers, quantity)


@pytest.mark.parametrize(
    ("quantity", "price", "unit", "stored", "expected"),
    [
        ("10", None, "7", None, ("70", "7")),
        ("10", "70", None, None, ("70", "7")),
        ("3", "100", None, None, ("100", "33.33333")),
        # of both the whole
        ("10", "60", "7", None, ("60", "6")),
        # nothing is sent: what was there stays, to the last place
        ("3", None, None, ("3", "100", "33.33333"), ("100", "33.33333")),
        ("3", "100", "33.33333", ("3", "100", "33.33333"), ("100", "33.33333")),
        # sent back with one of them changed
        ("3", "100", "30", ("3", "100", "33.33333"), ("90", "30")),
        ("3", "99", "33.33333", ("3", "100", "33.33333"), ("99", "33")),
        # another quantity: one unit costs the same
        ("6", "100", "33.33333", ("3", "100", "33.33333"), ("199.99998", "33.33333")),
    ],
)
def test_the_whole_and_one_unit(quantity, price, unit, stored, expected):
    sent = [None if each is None else D(each) for each in (price, unit)]
    settled = settle_break(D(quantity), *sent, Whole(*map(D, stored)) if stored else None, places=5)
    assert (settled.price, settled.unit) == (D(expected[0]), D(expected[1]))


@given(quantities, st.none() | amounts, st.none() | amounts, st.integers(0, 8))
def test_settling_twice_changes_nothing(quantity, price, unit, places):
    once = settle_break(quantity, price, unit, None, places=places)
    assert settle_break(quantity, once.price, once.unit, once, places=places) == once

"""Which price a line takes that names a product and gives none. Expected values by hand."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from core.testing import constant
from tests.modules.products.products import make

SEGMENTS, CUSTOMERS, QUANTITIES = "PRODUIT_MULTIPRICES", "PRODUIT_CUSTOMER_PRICES", "PRODUIT_CUSTOMER_PRICES_BY_QTY"
ALL = (SEGMENTS, CUSTOMERS, QUANTITIES)
Read = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def switch(admin):
    """Switch kinds of prices on, until the end of the test."""
    with ExitStack() as constants:
        yield lambda *names: [constants.enter_context(constant(admin, name, "1")) for name in names]


@pytest.fixture(scope="module")
def baker(admin):
    """A customer of the segment 2, with a price of its own for the product."""
    return _customer(admin, 2)


@pytest.fixture(scope="module")
def smith(admin):
    """A customer of the segment 2."""
    return _customer(admin, 2)


@pytest.fixture(scope="module")
def passer(admin):
    """A customer of no segment."""
    return _customer(admin, 0)


def _customer(admin, level):
    made = admin.ask("POST", "/thirdparties", {"name": "Customer", "client": 1, "code_client": "auto"})
    if level:
        with constant(admin, SEGMENTS, "1"):
            admin.ask("PUT", f"/thirdparties/{made}/setpricelevel", {"priceLevel": level})
    return made


@pytest.fixture(scope="module")
def lamp(admin, baker):
    """A product of 100; 90 from 10 on; segment 2: 80, 70 less 5 % from 10 on, at 10 %; the baker: 66 with 5.5 % VAT."""
    lamp = make(admin, price=100, tva_tx=20, cost_price=40)
    with ExitStack() as constants:
        for name in ALL:
            constants.enter_context(constant(admin, name, "1"))
        where = f"/products/{lamp}/selling_multiprices"
        admin.ask("POST", f"{where}/per_segment", {"price_level": 1, "price": 1})
        admin.ask(
            "POST", f"{where}/per_segment", {"price_level": 2, "price": 80, "tva_tx": 10, "default_vat_code": "B"}
        )
        admin.ask("POST", f"{where}/per_quantity", {"quantity": 10, "unitprice": 90})
        breaks = {"price_level": 2, "quantity": 10, "unitprice": 70, "remise_percent": 5}
        admin.ask("POST", f"{where}/per_quantity", breaks)
        admin.ask("POST", f"{where}/per_customer", {"fk_soc": baker, "price_ttc": "66", "tva_tx": "5.5"})
    return lamp


@pytest.fixture(params=["proposals", "orders", "invoices"])
def lines_of(request, admin):
    """Make a document of a customer with lines; answer the lines."""
    service = request.param

    def read(customer, *lines):
        made = admin.ask("POST", f"/{service}", {"socid": customer, "date": "2026-11-21", "lines": list(lines)})
        return admin.get(f"/{service}/{made}")["lines"]

    return read


def taken(line):
    """Price, rate, discount and total of a line, without zeros at their ends."""
    names = ("subprice", "tva_tx", "remise_percent", "total_ttc")
    price, rate, discount, total = (f"{line[name]}".rstrip("0").rstrip(".") for name in names)
    return price, rate, discount, total


def test_with_no_mode_on_the_products_own_price_counts(lines_of, lamp, baker):
    (line,) = lines_of(baker, {"fk_product": lamp, "qty": 10})
    assert taken(line) == ("100", "20", "0", "1200")


def test_which_price_counts_when(switch, lines_of, lamp, baker, smith, passer):
    one, ten = {"fk_product": lamp, "qty": 1}, {"fk_product": lamp, "qty": 10}
    switch(QUANTITIES)
    # 10 × 90 × 1.2
    assert [taken(each) for each in lines_of(smith, one, ten)] == [("100", "20", "0", "120"), ("90", "20", "0", "1080")]
    switch(SEGMENTS)
    # 80 × 1.1; 10 × 70 less 5 % is 665, and 10 % of VAT
    segment = [("80", "10", "0", "88"), ("70", "10", "5", "731.5")]
    assert [taken(each) for each in lines_of(smith, one, ten)] == segment
    assert [each["vat_src_code"] for each in lines_of(smith, one)] == ["B"]
    assert [taken(each) for each in lines_of(passer, one, ten)] == [
        ("100", "20", "0", "120"),
        ("90", "20", "0", "1080"),
    ]
    switch(CUSTOMERS)
    # 66 / 1.055 = 62.55924…; what was agreed on is 66 and stays it
    assert [taken(each) for each in lines_of(baker, one, ten)] == [
        ("62.55924", "5.5", "0", "66"),
        ("62.55924", "5.5", "0", "660"),
    ]
    assert [taken(each) for each in lines_of(smith, one, ten)] == segment


def test_quantities_keep_their_price_when_that_of_the_segment_changes(switch, admin, lines_of, smith):
    switch(*ALL)
    product = make(admin, price=100, tva_tx=20)
    where = f"/products/{product}/selling_multiprices"
    admin.ask("POST", f"{where}/per_segment", {"price_level": 2, "price": 80})
    admin.ask("POST", f"{where}/per_quantity", {"price_level": 2, "quantity": 10, "unitprice": 70})
    admin.ask("PUT", f"{where}/per_segment/2", {"price": 78})
    one, ten = {"fk_product": product, "qty": 1}, {"fk_product": product, "qty": 10}
    # 78 × 1.2; 10 × 70 × 1.2
    assert [taken(each) for each in lines_of(smith, one, ten)] == [("78", "20", "0", "93.6"), ("70", "20", "0", "840")]


def test_what_a_line_says_itself_counts(switch, lines_of, lamp, smith):
    switch(*ALL)
    lines = (
        {"fk_product": lamp, "qty": 10, "subprice": 50},
        {"fk_product": lamp, "qty": 10, "tva_tx": 0},
        {"fk_product": lamp, "qty": 10, "remise_percent": 50},
        {"fk_product": lamp, "qty": -10},
    )
    assert [taken(each) for each in lines_of(smith, *lines)] == [
        # whoever names a price has the product's rate
        ("50", "20", "0", "600"),
        ("70", "0", "5", "665"),
        ("70", "10", "50", "385"),
        ("70", "10", "5", "-731.5"),
    ]


def test_a_level_beyond_the_limit_is_no_segment(switch, admin, lines_of, lamp, smith):
    switch(SEGMENTS)
    with constant(admin, "PRODUIT_MULTIPRICES_LIMIT", "1"):
        assert [taken(each) for each in lines_of(smith, {"fk_product": lamp, "qty": 1})] == [("100", "20", "0", "120")]


def test_one_constant_switches_segments_and_quantities_on(switch, lines_of, lamp, smith):
    switch("PRODUIT_CUSTOMER_PRICES_BY_QTY_MULTIPRICES")
    assert [taken(each) for each in lines_of(smith, {"fk_product": lamp, "qty": 10})] == [("70", "10", "5", "731.5")]


def test_a_line_that_is_replaced_takes_its_price_anew(switch, admin, lamp, smith):
    switch(*ALL)
    body = {"socid": smith, "date": "2026-11-21", "lines": [{"fk_product": lamp, "qty": 1}]}
    order = admin.ask("POST", "/orders", body)
    line = admin.get(f"/orders/{order}")["lines"][0]["id"]
    for sent, expected in (
        ({"qty": 10}, ("70", "10", "5", "731.5")),
        ({"qty": "10.0", "remise_percent": 0}, ("70", "10", "0", "770")),
        ({"qty": 2}, ("80", "10", "0", "176")),
        ({"qty": 2, "subprice": 5, "tva_tx": 0}, ("5", "0", "0", "10")),
    ):
        admin.ask("PUT", f"/orders/{order}/lines/{line}", {"fk_product": lamp, **sent})
        assert taken(admin.get(f"/orders/{order}")["lines"][0]) == expected
    admin.refused("PUT", f"/orders/{order}/lines/{line}", {"qty": "many"}, status=400)
    # PATCH changes what is sent, and nothing besides
    admin.ask("PATCH", f"/orders/{order}/lines/{line}", {"qty": 10})
    assert taken(admin.get(f"/orders/{order}")["lines"][0]) == ("5", "0", "0", "50")
    admin.ask("POST", f"/orders/{order}/lines", {"fk_product": lamp, "qty": 10})
    assert taken(admin.get(f"/orders/{order}")["lines"][1]) == ("70", "10", "5", "731.5")


def test_the_price_of_a_replaced_line_is_kept_with_vat_where_it_was_agreed_on_so(switch, admin, lamp, baker):
    switch(CUSTOMERS)
    body = {"socid": baker, "date": "2026-11-21", "lines": [{"fk_product": lamp, "qty": 1}]}
    order = admin.ask("POST", "/orders", body)
    line = admin.get(f"/orders/{order}")["lines"][0]["id"]
    admin.ask("PUT", f"/orders/{order}/lines/{line}", {"qty": 3})
    assert taken(admin.get(f"/orders/{order}")["lines"][0]) == ("62.55924", "5.5", "0", "198")

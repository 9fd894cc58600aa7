"""Orders in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

import pytest

#: midnight UTC of 2026-11-21
DAY = 1795219200
LINES = [
    {"desc": "free line", "qty": 3, "subprice": "19.99", "tva_tx": "20", "remise_percent": 10, "product_type": 0},
    {"desc": "product line", "qty": 2, "subprice": 100, "tva_tx": "5.5", "product_type": 0},
]


@pytest.fixture(scope="module")
def customer(old):
    return old.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})


@pytest.fixture
def make(old, customer):
    def make(*moves, **fields):
        identifier = old.ask("POST", "/orders", {"socid": customer, "date": DAY, "lines": LINES, **fields})
        # A created id is a bare integer in both profiles
        assert isinstance(identifier, int)
        for move in moves:
            old.ask("POST", f"/orders/{identifier}/{move}")
        return identifier

    return make


@pytest.mark.parametrize(
    ("fields", "margins"),
    [
        # 20 of 30, 20 of 50
        ({"subprice": 50, "pa_ht": 30}, (66.6667, 40)),
        ({"subprice": 50}, ("", 100)),
        ({"subprice": 0, "pa_ht": 30}, (-100, "")),
        ({"subprice": 0}, ("", "")),
    ],
)
def test_margins_are_numbers(old, make, fields, margins):
    order = make(lines=[{"desc": "line", "qty": 1, "tva_tx": 20, **fields}])
    (line,) = old.get(f"/orders/{order}/lines")
    assert (line["marge_tx"], line["marque_tx"]) == margins


def test_a_validation_answers_the_reference_before_it(old, make):
    order = make()
    assert old.ask("POST", f"/orders/{order}/validate")["oldref"] == f"(PROV{order})"
    ref = old.ask("POST", f"/orders/{order}/settodraft")["ref"]
    assert old.ask("POST", f"/orders/{order}/validate")["oldref"] == ref
    assert "oldref" not in old.get(f"/orders/{order}")

"""Lists of products."""

import pytest

from tests.modules.products.products import make, refs

#: ref, type, price, VAT, status
LISTED = [
    ("L-delta", 0, "5", "20", 1),
    ("L-alpha", 1, "100.5", "0", 0),
    ("L-beta", 0, "0", "20", 1),
    ("L-eta%", 1, "12.00001", "5.5", 1),
    ("L-gamma", 0, "5", "10", 0),
]
OURS = "(t.ref_ext:=:'listed')"
IN_ORDER = ["L-alpha", "L-beta", "L-delta", "L-eta%", "L-gamma"]


@pytest.fixture(scope="module")
def listed(admin):
    return {
        ref: make(admin, ref, type=type, price=price, tva_tx=rate, status=status, ref_ext="listed")
        for ref, type, price, rate, status in LISTED
    }


class TestLists:
    @pytest.mark.parametrize(
        ("mode", "expected"), [(0, IN_ORDER), (1, ["L-beta", "L-delta", "L-gamma"]), (2, ["L-alpha", "L-eta%"])]
    )
    def test_modes_and_identifiers(self, admin, listed, mode, expected):
        assert refs(admin.get("/products", sqlfilters=OURS, mode=mode)) == expected
        found = admin.get("/products", sqlfilters=OURS, mode=mode, ids_only="true", properties="label")
        assert found == [listed[ref] for ref in expected]

    def test_stock_is_told_where_it_is_asked_for(self, admin):
        make(admin)
        (product,) = admin.get("/products", limit=1, includestockdata=1)
        assert (product["stock_warehouse"], product["stock_theorique"]) == ({}, "0.00000000")
        (product,) = admin.get("/products", limit=1)
        assert not {"stock_warehouse", "stock_theorique"} & product.keys()

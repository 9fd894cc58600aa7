"""Lists of products."""

import pytest

from core.testing import statements
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

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("(t.ref:like:'%eta')", ["L-beta"]),
            ("(t.ref:like:'L-%ta%')", ["L-beta", "L-delta", "L-eta%"]),
            ("(t.price:>:5)", ["L-alpha", "L-eta%"]),
            ("(t.price:=:'5.00000000')", ["L-delta", "L-gamma"]),
            ("(t.price_ttc:=:6)", ["L-delta"]),
            ("(t.tosell:=:0)", ["L-alpha", "L-gamma"]),
            ("(t.status:=:1) and (t.fk_product_type:=:1)", ["L-eta%"]),
            ("(t.tva_tx:in:'20','10')", ["L-beta", "L-delta", "L-gamma"]),
            ("(t.datec:>:'20200101')", IN_ORDER),
            ("(t.barcode:isnot:NULL)", []),
        ],
    )
    @pytest.mark.usefixtures("listed")
    def test_filters(self, admin, condition, expected):
        assert refs(admin.get("/products", sqlfilters=f"{OURS} and ({condition})")) == expected

    def test_stock_is_told_where_it_is_asked_for(self, admin):
        make(admin)
        (product,) = admin.get("/products", limit=1, includestockdata=1)
        assert (product["stock_warehouse"], product["stock_theorique"]) == ({}, "0.00000000")
        (product,) = admin.get("/products", limit=1)
        assert not {"stock_warehouse", "stock_theorique"} & product.keys()

    def test_a_list_needs_few_statements(self, admin):
        for number in range(100):
            make(admin, ref_ext="few", country_id=1, fk_unit=1, price=number, duration="1m")
        # What is kept in memory, such as the countries, is read once
        admin.get("/products", sqlfilters="(t.ref_ext:=:'few')")
        counts = set()
        for limit in (2, 100):
            with statements() as seen:
                assert len(admin.get("/products", sqlfilters="(t.ref_ext:=:'few')", limit=limit)) == limit
            counts.add(len(seen))
        # the caller and the list; the dictionary of countries is kept
        assert counts == {2}

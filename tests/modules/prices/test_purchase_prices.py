"""Purchase prices over HTTP: what suppliers ask for, and what a line costs us by it."""

import pytest

from core.testing import cost
from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.products.products import make


@pytest.fixture(scope="module")
def supplier(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Timber Ltd", "fournisseur": 1, "code_fournisseur": "auto"})


@pytest.fixture(scope="module")
def other(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Planks Ltd", "fournisseur": 1, "code_fournisseur": "auto"})


@pytest.fixture
def product(admin):
    yield make(admin, price=100, tva_tx=20)


def asked(supplier, **more):
    return {
        "qty": 10, "buyprice": "250", "price_base_type": "HT", "fourn_id": supplier, "availability": 1,
        "ref_fourn": "T-1", "tva_tx": 20, **more,
    }  # fmt: skip


def test_a_price_is_noted_read_and_deleted(admin, supplier, product):
    more = {
        "charges": 3, "remise_percent": 5, "delivery_time_days": 4, "supplier_reputation": "FAVORITE",
        "localtaxes_array": ["1", "5.2", "2", "-15"], "newdefaultvatcode": "X", "desc_fourn": "Planks", "barcode": "42",
        "fk_barcode_type": 2, "ref_fourn": f"T-{product}", "newnpr": 1, "remise": 2, "multicurrency_buyprice": "300",
        "multicurrency_tx": "1.2", "multicurrency_code": "USD",
    }  # fmt: skip
    price = admin.ask("POST", f"/products/{product}/purchase_prices", asked(supplier, **more))
    (record,) = admin.get(f"/products/{product}/purchase_prices")
    expected = {
        "id": product, "product_fourn_price_id": price, "product_id": product, "fourn_id": supplier,
        "fourn_name": "Timber Ltd", "ref_supplier": f"T-{product}", "fourn_ref": f"T-{product}", "fk_availability": 1,
        "fourn_qty": "10.00000000", "fourn_price": "250.00000000", "fourn_unitprice": "25.00000000",
        # 25 less 5 %
        "fourn_unitprice_with_discount": "23.75000000", "fourn_remise_percent": "5.0000", "fourn_tva_tx": "20.0000",
        "fourn_charges": "3.00000000", "delivery_time_days": 4, "supplier_reputation": "FAVORITE", "fourn_tva_npr": 1,
        "localtax1_type": "1", "localtax1_tx": "5.2000", "localtax2_tx": "-15.0000", "default_vat_code": "X",
        "desc_supplier": "Planks", "supplier_barcode": "42", "fourn_multicurrency_unitprice": "30.00000000",
    }  # fmt: skip
    assert {name: record[name] for name in expected} == expected
    assert admin.ask("DELETE", f"/products/{product}/purchase_prices/{price}")["success"]["code"] == 200
    assert admin.get(f"/products/{product}/purchase_prices") == []
    assert admin.refused("DELETE", f"/products/{product}/purchase_prices/{price}", status=404)


def test_the_same_supplier_reference_and_quantity_are_one_price(admin, supplier, product):
    path, ref = f"/products/{product}/purchase_prices", f"T-{product}"
    first = admin.ask("POST", path, asked(supplier, ref_fourn=ref))
    # With VAT: 240 / 1.2 = 200
    assert admin.ask("POST", path, asked(supplier, ref_fourn=ref, buyprice="240", price_base_type="TTC")) == first
    assert admin.ask("POST", path, asked(supplier, ref_fourn=ref, qty="0.5")) != first
    found = {each["fourn_qty"]: each["fourn_unitprice"] for each in admin.get(path)}
    # 250 / 0.5 = 500
    assert found == {"10.00000000": "20.00000000", "0.50000000": "500.00000000"}


def test_a_product_is_named_in_four_ways(admin, supplier):
    product = make(admin, "NAMED", ref_ext="NAMED-X", barcode="NAMED-B")
    admin.ask("POST", f"/products/{product}/purchase_prices", asked(supplier, ref_fourn="NAMED"))
    for query in ({"ref": "NAMED"}, {"ref_ext": "NAMED-X"}, {"barcode": "NAMED-B"}):
        assert admin.get("/products/0/purchase_prices", **query)[0]["product_id"] == product
    message = admin.refused("GET", "/products/0/purchase_prices", status=400)
    assert "expected one of `id`, `ref`, `ref_ext` or `barcode`, got none" in message
    admin.refused("GET", "/products/0/purchase_prices?ref=nobody", status=404)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"qty": 0}, 400, "qty"), ({"qty": "many"}, 400, "qty"), ({"buyprice": -1}, 400, "buyprice"),
        ({"price_base_type": "NET"}, 400, "price_base_type"), ({"availability": 999}, 400, "availability"),
        ({"ref_fourn": ""}, 400, "ref_fourn"), ({"ref_fourn": "x" * 129}, 400, "ref_fourn"),
        ({"tva_tx": 101}, 400, "tva_tx"), ({"remise_percent": 101}, 400, "remise_percent"),
        ({"supplier_reputation": "GOOD"}, 400, "supplier_reputation"),
        ({"localtaxes_array": ["1", "much"]}, 400, "localtaxes_array"), ({"buyprice": "1e30"}, 400, ""),
        ({"fourn_id": 999999}, 404, ""),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(admin, supplier, body, status, field):
    product = make(admin)
    path = f"/products/{product}/purchase_prices"
    answer = admin.ask("POST", path, asked(supplier) | {"ref_fourn": "Q"} | body, status=status)
    if field:
        assert field in {each["field"] for each in answer["error"]["errors"]}
    assert admin.get(path) == []


def test_who_is_no_supplier_or_whose_reference_is_taken_is_refused(admin, supplier, product):
    path, ref = f"/products/{product}/purchase_prices", f"T-{product}"
    customer = admin.ask("POST", "/thirdparties", {"name": "Buyer"})
    assert "is not a supplier" in admin.refused("POST", path, asked(customer), status=405)
    admin.ask("POST", path, asked(supplier, ref_fourn=ref))
    second = make(admin)
    assert ref in admin.refused(
        "POST", f"/products/{second}/purchase_prices", asked(supplier, ref_fourn=ref), status=405
    )
    price = admin.get(path)[0]["product_fourn_price_id"]
    admin.refused("DELETE", f"/products/{second}/purchase_prices/{price}", status=404)


def test_all_prices_are_listed_by_product(admin, supplier, other):
    board, work = make(admin, "LIST-B"), make(admin, "LIST-A", type=1)
    for product, of, quantity in ((board, supplier, 1), (board, other, 1), (board, other, 5), (work, other, 1)):
        body = asked(of, ref_fourn=f"L-{product}", qty=quantity)
        admin.ask("POST", f"/products/{product}/purchase_prices", body)
    query = {"sqlfilters": "(t.ref:like:'LIST-%')"}
    found = admin.get("/products/purchase_prices", **query)
    # by reference of the product
    assert [(int(key), len(prices)) for key, prices in found.items()] == [(work, 1), (board, 3)]
    assert [
        each["fourn_id"] for each in admin.get("/products/purchase_prices", supplier=supplier, **query)[str(board)]
    ] == [supplier]
    assert list(admin.get("/products/purchase_prices", mode=2, **query)) == [str(work)]
    assert list(admin.get("/products/purchase_prices", mode=1, **query)) == [str(board)]
    assert list(admin.get("/products/purchase_prices", limit=1, page=1, **query)) == [str(board)]
    assert list(admin.get("/products/purchase_prices", sortorder="DESC", **query)) == [str(board), str(work)]
    assert admin.get("/products/purchase_prices", sqlfilters="(t.ref:=:'nothing')") == {}
    boards = admin.ask("POST", "/categories", {"label": "Boards", "type": 0})
    admin.ask("POST", f"/products/{board}/categories/{boards}", {})
    assert list(admin.get("/products/purchase_prices", category=boards, **query)) == [str(board)]
    admin.refused("GET", "/products/purchase_prices?category=many", status=400)
    admin.refused("GET", "/products/purchase_prices?sqlfilters=(t.nothing:=:1)", status=400)
    costs = [cost(lambda size=size: admin.get("/products/purchase_prices", limit=size, **query)) for size in (1, 2)]
    assert costs[0] == costs[1]


def test_an_external_user_sees_what_its_own_company_asks_for(server, admin, supplier, other, product):
    path = f"/products/{product}/purchase_prices"
    for of in (supplier, other):
        admin.ask("POST", path, asked(of, ref_fourn=f"E-{product}"))
    external = server.user("products.read", "products.write", "products.delete", socid=supplier)
    assert {each["fourn_id"] for each in external.get(path)} == {supplier}
    assert {each["fourn_id"] for prices in external.get("/products/purchase_prices").values() for each in prices} == {
        supplier
    }
    assert str(product) in external.get("/products/purchase_prices", supplier=supplier)
    message = external.refused("GET", f"/products/purchase_prices?supplier={other}", status=401)
    assert f"set `supplier` to {supplier}" in message
    external.refused("POST", path, asked(other, ref_fourn="no"), status=404)
    (theirs,) = [each for each in admin.get(path) if each["fourn_id"] == other]
    external.refused("DELETE", f"{path}/{theirs['product_fourn_price_id']}", status=404)


def test_prices_go_with_their_product_and_their_supplier(admin, product):
    passing = admin.ask("POST", "/thirdparties", {"name": "Passing", "fournisseur": 1, "code_fournisseur": "auto"})
    path = f"/products/{product}/purchase_prices"
    admin.ask("POST", path, asked(passing, ref_fourn="gone"))
    admin.ask("DELETE", f"/thirdparties/{passing}")
    assert admin.get(path) == []
    passing = admin.ask("POST", "/thirdparties", {"name": "Passing", "fournisseur": 1, "code_fournisseur": "auto"})
    admin.ask("POST", path, asked(passing, ref_fourn="gone"))
    admin.ask("DELETE", f"/products/{product}")
    assert admin.get("/products/purchase_prices", supplier=passing) == {}


def test_a_line_costs_what_the_best_supplier_asks_for(admin, supplier, other, product):
    path = f"/products/{product}/purchase_prices"
    # 24 of one unit from 10 on; 30 less 10 % is 27 from 1 on
    admin.ask("POST", path, asked(supplier, ref_fourn=f"C-{product}", buyprice=240))
    admin.ask("POST", path, asked(other, ref_fourn=f"C-{product}", buyprice=30, qty=1, remise_percent=10))
    lines = [{"fk_product": product, "qty": 2}, {"fk_product": product, "qty": 10},
             {"fk_product": product, "qty": 10, "pa_ht": 5}]  # fmt: skip
    body = {"socid": supplier, "date": "2026-11-21", "lines": lines}
    record = admin.get(f"/orders/{admin.ask('POST', '/orders', body)}")
    assert [line["pa_ht"] for line in record["lines"]] == ["27.00000000", "24.00000000", "5.00000000"]
    # What the product itself says counts first
    admin.ask("PUT", f"/products/{product}", {"cost_price": 20})
    record = admin.get(f"/orders/{admin.ask('POST', '/orders', body)}")
    assert [line["pa_ht"] for line in record["lines"]] == ["20.00000000", "20.00000000", "5.00000000"]


def test_of_several_who_note_one_price_at_once_none_makes_a_second(admin, supplier, product):
    path = f"/products/{product}/purchase_prices"
    body = asked(supplier, ref_fourn=f"S-{product}")
    made = at_once([lambda price=price: admin.ask("POST", path, body | {"buyprice": price}) for price in range(1, 7)])
    assert len(set(made)) == 1
    (record,) = admin.get(path)
    assert record["fourn_price"] in {f"{price}.00000000" for price in range(1, 7)}

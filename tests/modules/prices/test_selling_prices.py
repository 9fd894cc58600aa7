"""Selling prices over HTTP: by segment, by customer, by quantity, and the segment of a third party."""

import re

import pytest

from core.testing import constant, cost
from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.products.products import make

#: the constants that switch the kinds on
SEGMENTS, CUSTOMERS, QUANTITIES = "PRODUIT_MULTIPRICES", "PRODUIT_CUSTOMER_PRICES", "PRODUIT_CUSTOMER_PRICES_BY_QTY"
PRICES = {"per_segment": SEGMENTS, "per_customer": CUSTOMERS, "per_quantity": QUANTITIES}


@pytest.fixture
def on(admin):
    """All three kinds are in use."""
    with constant(admin, SEGMENTS, "1"), constant(admin, CUSTOMERS, "1"), constant(admin, QUANTITIES, "1"):
        yield


@pytest.fixture
def product(admin):
    return make(admin, price=100, tva_tx=20, default_vat_code="STD")


@pytest.fixture(scope="module")
def customer(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Baker Ltd", "client": 1, "code_client": "auto"})


def path(product, kind, *more):
    return "/".join([f"/products/{product}/selling_multiprices/{kind}", *map(str, more)])


# Off ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRICES)
def test_a_kind_that_is_off_is_400(admin, product, name):
    for verb, where in (("GET", path(product, name)), ("POST", path(product, name)), ("PUT", path(product, name, 1)),
                        ("PATCH", path(product, name, 1)), ("DELETE", path(product, name, 1))):  # fmt: skip
        body = {"price_level": 1, "price": 1, "fk_soc": 1, "quantity": 1} if verb in ("POST", "PUT", "PATCH") else None
        message = admin.refused(verb, where, body, status=400)
        assert re.search(
            r"prices of this kind are disabled; set the constant (PRODUIT_\w+) to 1: `PUT /setup/conf/\1`$", message
        )
    assert "multiprices" not in admin.get(f"/products/{product}")


@pytest.mark.usefixtures("on")
@pytest.mark.parametrize("name", PRICES)
def test_an_unknown_product_is_404(admin, name, customer):
    body = {"price_level": 1, "price": 1, "fk_soc": customer, "quantity": 1}
    admin.refused("GET", path(999999, name), status=404)
    admin.refused("POST", path(999999, name), body, status=404)
    for verb in ("PUT", "PATCH", "DELETE"):
        admin.refused(verb, path(999999, name, 1), {"price": 2} if verb != "DELETE" else None, status=404)


# By segment -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("on")
def test_a_segment_has_a_price_with_a_history(admin, product):
    where = path(product, "per_segment")
    none = dict.fromkeys("12345")
    assert admin.get(where)["multiprices"] == none
    assert admin.ask("POST", where, {"price_level": 2, "price": "80"}) > 0
    assert "has a price" in admin.refused("POST", where, {"price_level": 2, "price": "70"}, status=405)
    assert admin.get(where) == {
        "multiprices": none | {"2": "80.00000000"}, "multiprices_inc_tax": none | {"2": "96.00000000"},
        "multiprices_min": none | {"2": "0.00000000"}, "multiprices_min_inc_tax": none | {"2": "0.00000000"},
        "multiprices_vat": none | {"2": "20.0000"}, "multiprices_base_type": none | {"2": "HT"},
    }  # fmt: skip
    # 63.30 / 1.055 = 60
    body = {"price_ttc": "63.30", "price_base_type": "TTC", "tva_tx": "5.5"}
    changed = admin.ask("PUT", f"{where}/2", body)
    assert (changed["multiprices"]["2"], changed["multiprices_inc_tax"]["2"]) == ("60.00000000", "63.30000000")
    history = admin.get(f"{where}/2")
    assert [row["price"] for row in history] == ["60.00000000", "80.00000000"]
    # the same once more is no change
    admin.ask("PATCH", f"{where}/2", {"price_ttc": "63.30"})
    assert admin.get(f"{where}/2") == history
    record = admin.get(f"/products/{product}")
    assert record["multiprices"] == none | {"2": "60.00000000"}
    assert record["multiprices_ttc"]["2"] == "63.30000000"
    assert record["multiprices_tva_tx"]["2"] == "5.5000"
    assert record["multiprices_default_vat_code"] == none | {"2": "STD"}
    assert record["price"] == "100.00000000"
    assert admin.ask("DELETE", f"{where}/2")["success"]["code"] == 200
    assert admin.get(where)["multiprices"] == none
    admin.refused("DELETE", f"{where}/2", status=404)
    admin.refused("PUT", f"{where}/2", {"price": 1}, status=404)


@pytest.mark.usefixtures("on")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"price": 1}, "price_level"), ({"price_level": 6, "price": 1}, "price_level"),
        ({"price_level": 0, "price": 1}, "price_level"), ({"price_level": 1}, "price"),
        ({"price_level": 1, "price": "much"}, "price"), ({"price_level": 1, "price": 1, "tva_tx": -1}, "tva_tx"),
        ({"price_level": 1, "price": 1, "price_min": 2}, "price_min"),
        ({"price_level": 1, "price": 1, "price_base_type": "NET"}, "price_base_type"),
        ({"price_level": 1, "price": "92233720368"}, "price"),
    ],
)  # fmt: skip
def test_a_price_of_a_segment_that_does_not_fit_is_400(admin, product, body, field):
    answer = admin.ask("POST", path(product, "per_segment"), body, status=400)
    assert field in {each["field"] for each in answer["error"]["errors"]}
    admin.refused("GET", path(product, "per_segment", 6), status=400)


def test_there_are_as_many_segments_as_the_constant_says(admin, product, constant):
    constant(SEGMENTS, "1")
    constant("PRODUIT_MULTIPRICES_LIMIT", "7")
    admin.ask("POST", path(product, "per_segment"), {"price_level": 7, "price": 1})
    assert list(admin.get(path(product, "per_segment"))["multiprices"]) == list("1234567")
    constant("PRODUIT_MULTIPRICES_LIMIT", "2")
    assert list(admin.get(f"/products/{product}")["multiprices"]) == ["1", "2"]
    for value in ("0", "51", "many", "1.5"):
        admin.refused("PUT", "/setup/conf/PRODUIT_MULTIPRICES_LIMIT", {"value": value}, status=400)


@pytest.mark.usefixtures("on")
def test_a_list_of_products_shows_prices_of_segments_with_one_statement(admin):
    for number in range(4):
        one = make(admin, f"MANY-{number}")
        for price in (1, 2):
            admin.ask("POST", path(one, "per_segment"), {"price_level": price, "price": price + number})
    query = {"sqlfilters": "(t.ref:like:'MANY-%')"}
    assert [row["multiprices"]["2"] for row in admin.get("/products", **query)] == [
        f"{n + 2}.00000000" for n in range(4)
    ]
    costs = [cost(lambda size=size: admin.get("/products", limit=size, **query)) for size in (1, 4)]
    assert costs[0] == costs[1]


# By customer ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("on")
def test_a_customer_has_a_price(admin, product, customer):
    where = path(product, "per_customer")
    assert admin.get(where) == []
    body = {"fk_soc": customer, "price_ttc": "90", "price_min": 70, "ref_customer": "OURS"}
    price = admin.ask("POST", where, body)
    (record,) = admin.get(where)
    expected = {
        "id": price, "fk_product": product, "fk_soc": customer, "socname": "Baker Ltd", "price": "75.00000000",
        "price_ttc": "90.00000000", "price_min": "70.00000000", "price_min_ttc": "84.00000000", "tva_tx": "20.0000",
        "price_base_type": "TTC", "default_vat_code": "STD", "ref_customer": "OURS",
    }  # fmt: skip
    assert {name: record[name] for name in expected} == expected
    assert "already used" in admin.refused("POST", where, {"fk_soc": customer, "price": 1}, status=405)
    assert admin.ask("PUT", f"{where}/{price}", {"price": 80})["price_ttc"] == "96.00000000"
    second = admin.ask("POST", "/thirdparties", {"name": "Second Ltd"})
    admin.ask("POST", where, {"fk_soc": second, "price": 1})
    assert [row["id"] for row in admin.get(where, thirdparty_id=f"{customer},")] == [price]
    assert len(admin.get(where, thirdparty_id=f"{customer},{second}")) == 2
    admin.refused("GET", f"{where}?thirdparty_id=x", status=400)
    assert admin.ask("DELETE", f"{where}/{price}")["success"]["code"] == 200
    admin.refused("DELETE", f"{where}/{price}", status=404)
    admin.refused("PUT", f"{where}/{price}", {"price": 1}, status=404)
    # a third party goes with its prices
    admin.ask("DELETE", f"/thirdparties/{second}")
    assert admin.get(where) == []


@pytest.mark.usefixtures("on")
@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"price": 1}, 400, "fk_soc"), ({"fk_soc": 1}, 400, "price"), ({"fk_soc": 999999, "price": 1}, 404, "fk_soc"),
        ({"fk_soc": 1, "price": 1, "price_min": 2}, 400, "price_min"),
    ],
)  # fmt: skip
def test_a_price_of_a_customer_that_does_not_fit_is_refused(admin, product, customer, body, status, field):
    assert customer
    answer = admin.ask("POST", path(product, "per_customer"), body, status=status)
    assert field in {each["field"] for each in answer["error"]["errors"]}
    other = make(admin)
    price = admin.ask("POST", path(other, "per_customer"), {"fk_soc": customer, "price": 1})
    admin.refused("PUT", path(product, "per_customer", price), {"price": 2}, status=404)
    admin.refused("DELETE", path(product, "per_customer", price), status=404)


@pytest.mark.usefixtures("on")
def test_an_external_user_sees_its_own_price(server, admin, product, customer):
    second = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    for each in (customer, second):
        admin.ask("POST", path(product, "per_customer"), {"fk_soc": each, "price": each})
    external = server.user("products.read", socid=customer)
    where = path(product, "per_customer")
    assert [row["fk_soc"] for row in external.get(where, thirdparty_id=customer)] == [customer]
    assert "external users can read only their own prices" in external.refused("GET", where, status=401)
    external.refused("GET", f"{where}?thirdparty_id={second}", status=401)
    external.refused("GET", f"{where}?thirdparty_id={customer},{second}", status=401)


# By quantity ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("on")
def test_a_quantity_has_a_price(admin, product):
    where = path(product, "per_quantity")
    assert admin.get(where) == {"prices_by_qty": 0, "prices_by_qty_list": []}
    ten = admin.ask("POST", where, {"quantity": 10, "unitprice": 90})
    # 255 / 3 = 85
    three = admin.ask("POST", where, {"quantity": 3, "price": 255, "remise_percent": 2})
    assert "already used" in admin.refused("POST", where, {"quantity": 10, "unitprice": 1}, status=405)
    found = admin.get(where)
    assert found["prices_by_qty"] == 1
    assert [(row["id"], row["rowid"], row["price_level"], row["quantity"], row["unitprice"], row["price"], row["remise_percent"])
            for row in found["prices_by_qty_list"]] == [
        (three, three, 0, "3.00000000", "85.00000000", "255.00000000", "2.0000"),
        (ten, ten, 0, "10.00000000", "90.00000000", "900.00000000", "0.0000"),
    ]  # fmt: skip
    assert admin.ask("PUT", f"{where}/{three}", {"unitprice": 80})["price"] == "240.00000000"
    assert admin.ask("PATCH", f"{where}/{three}", {"quantity": 4})["price"] == "320.00000000"
    admin.refused("PUT", f"{where}/{three}", {"quantity": 10}, status=405)
    # what a product costs by quantity is nothing that a segment has
    assert set(admin.get(path(product, "per_segment"))["multiprices"].values()) == {None}
    assert admin.ask("DELETE", f"{where}/{three}")["success"]["code"] == 200
    admin.refused("DELETE", f"{where}/{three}", status=404)
    admin.refused("PUT", path(make(admin), "per_quantity", ten), {"unitprice": 1}, status=404)
    admin.ask("DELETE", f"/products/{product}")


@pytest.mark.usefixtures("on")
def test_a_segments_price_is_broken_by_quantity_through_all_its_history(admin, product):
    where = path(product, "per_quantity")
    admin.refused("POST", where, {"quantity": 5, "unitprice": 70, "price_level": 2}, status=404)
    admin.ask("POST", path(product, "per_segment"), {"price_level": 2, "price": 80})
    admin.ask("POST", where, {"quantity": 5, "unitprice": 70, "price_level": 2})
    admin.ask("PUT", path(product, "per_segment", 2), {"price": 78})
    (row,) = admin.get(where)["prices_by_qty_list"]
    assert (row["price_level"], row["unitprice"]) == (2, "70.00000000")
    admin.ask("DELETE", path(product, "per_segment", 2))
    assert admin.get(where)["prices_by_qty_list"] == []


@pytest.mark.usefixtures("on")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"unitprice": 1}, "quantity"), ({"quantity": 0, "unitprice": 1}, "quantity"), ({"quantity": 2}, "unitprice"),
        ({"quantity": 2, "unitprice": 1, "remise_percent": 101}, "remise_percent"),
        ({"quantity": 2, "unitprice": 1, "price_level": "x"}, "price_level"),
        ({"quantity": 2, "unitprice": 1, "price_level": 9}, "price_level"),
        ({"quantity": "90000000000", "unitprice": "90000000000"}, "unitprice"),
        ({"quantity": "0.00000001", "price": "90000000000"}, "unitprice"),
    ],
)  # fmt: skip
def test_a_price_of_a_quantity_that_does_not_fit_is_400(admin, product, body, field):
    answer = admin.ask("POST", path(product, "per_quantity"), body, status=400)
    assert field in {each["field"] for each in answer["error"]["errors"]}


@pytest.mark.every_database
@pytest.mark.usefixtures("on")
@pytest.mark.parametrize("name", PRICES)
def test_of_several_who_make_one_price_at_once_one_is_first(admin, product, customer, name):
    body = {
        "price": 1,
        "unitprice": 1,
        "price_level": 1 if name == "per_segment" else 0,
        "fk_soc": customer,
        "quantity": 2,
    }
    answers = at_once([lambda: admin.simulate_post(path(product, name), json=body).status_code] * 4)
    assert sorted(answers) == [200, 405, 405, 405]
    if name == "per_segment":
        where = path(product, name, 1)
        at_once([lambda each=each: admin.ask("PUT", where, {"price": each}) for each in range(10, 14)])
        assert len(admin.get(where)) == 5


# The segment of a third party -----------------------------------------------------------------------------------------


def test_a_third_party_belongs_to_a_segment(server, admin, customer, constant):
    where = f"/thirdparties/{customer}/setpricelevel"
    assert "set the constant PRODUIT_MULTIPRICES to 1" in admin.refused("PUT", where, {"priceLevel": 1}, status=405)
    constant(SEGMENTS, "1")
    assert admin.ask("PUT", where, {"priceLevel": 3})["price_level"] == 3
    assert admin.get(f"/thirdparties/{customer}")["price_level"] == 3
    for level in (0, 6, -1):
        message = admin.refused("PUT", where, {"priceLevel": level}, status=400)
        assert "`priceLevel`: expected a segment from 1 to 5, got " in message
    admin.refused("PUT", where, {}, status=400)
    admin.refused("PUT", "/thirdparties/999999/setpricelevel", {"priceLevel": 1}, status=404)
    other = admin.ask("POST", "/thirdparties", {"name": "Foreign Ltd"})
    server.user("thirdparties.write", socid=other).refused("PUT", where, {"priceLevel": 1}, status=404)

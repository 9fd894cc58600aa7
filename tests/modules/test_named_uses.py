"""What is in use can't be deleted; only callers who may read all records that use it learn their kind and number."""

from itertools import count

import pytest

DAY = "2026-11-28"
_numbers = count(1)
HIDDEN = "it is used by other records"
#: deletes and cancels, and reads none of the records that use what it deletes
DELETES = (
    "products.delete",
    "warehouses.delete",
    "categories.delete",
    "orders.delete",
    "orders.close",
    "dictionaries.delete",
)


@pytest.fixture(scope="module")
def customer(admin):
    return int(admin.ask("POST", "/thirdparties", {"name": "Uses", "client": 3}))


@pytest.fixture(scope="module")
def product(admin, customer):
    """A product in a line of an order and in one of a proposal."""
    made = int(admin.ask("POST", "/products", {"ref": "USED", "label": "Used"}))
    for service in ("orders", "proposals"):
        line = {"fk_product": made, "qty": 1, "subprice": 5}
        admin.ask("POST", f"/{service}", {"socid": customer, "date": DAY, "lines": [line]})
    return made


def refusal(client, verb, path, body=None):
    error = client.ask(verb, path, body, status=405)["error"]
    assert error["reason"] == "in_use"
    return error["message"].partition("because ")[2] or error["message"].partition(": ")[2].partition(": ")[2]


@pytest.mark.parametrize(
    ("rights", "sees_all", "told"),
    [
        ((), True, HIDDEN),
        (("orders.read", "proposals.read"), True, "it is used by 1 proposal line, 1 order line"),
        (("orders.read",), True, "it is used by 1 order line, other records"),
        (("orders.read", "proposals.read"), False, HIDDEN),
    ],
)
def test_uses_that_the_caller_may_not_read_are_not_counted(server, product, rights, sees_all, told):
    clerk = server.user("products.read", *DELETES, *rights, *(["thirdparties.all"] if sees_all else []))
    assert refusal(clerk, "DELETE", f"/products/{product}") == told


def test_an_administrator_learns_all_and_an_external_user_nothing(server, admin, customer, product):
    assert refusal(admin, "DELETE", f"/products/{product}") == "it is used by 1 proposal line, 1 order line"
    external = server.user("products.read", *DELETES, "orders.read", "proposals.read", socid=customer)
    assert refusal(external, "DELETE", f"/products/{product}") == HIDDEN
    restricted = server.user(admin=True, only=["products.delete", "orders.read", "thirdparties.all"])
    assert refusal(restricted, "DELETE", f"/products/{product}") == "it is used by 1 order line, other records"


def test_warehouses_and_categories_and_dictionaries(server, admin, customer):
    clerk, reader = server.user(*DELETES), server.user(*DELETES, "orders.read", "categories.read", "thirdparties.all")
    warehouse = admin.ask("POST", "/warehouses", {"label": f"Used {next(_numbers)}"})
    admin.ask("POST", "/orders", {"socid": customer, "date": DAY, "warehouse_id": warehouse})
    assert refusal(clerk, "DELETE", f"/warehouses/{warehouse}").endswith("is used by other records")
    assert refusal(reader, "DELETE", f"/warehouses/{warehouse}").endswith("is used by orders (1)")
    category = admin.ask("POST", "/categories", {"label": "Above", "type": "customer"})
    admin.ask("POST", "/categories", {"label": "Below", "type": "customer", "fk_parent": category})
    assert refusal(clerk, "DELETE", f"/categories/{category}").endswith("is used by other records")
    assert refusal(reader, "DELETE", f"/categories/{category}").endswith("is used by 1 subcategory")
    origin = admin.ask("POST", "/setup/dictionary/ordering_origins", {"code": "SHELL", "label": "Shell"})
    admin.ask("POST", "/orders", {"socid": customer, "date": DAY, "demand_reason_id": origin})
    path = f"/setup/dictionary/ordering_origins/{origin}"
    assert clerk.ask("DELETE", path)["used_by"] == ["other records"]
    assert reader.ask("DELETE", path)["used_by"] == ["commande (1)"]


def test_the_shipments_of_an_order(server, admin, customer):
    goods = admin.ask("POST", "/products", {"ref": f"SHIP{next(_numbers)}", "label": "Shipped"})
    order = admin.ask(
        "POST", "/orders", {"socid": customer, "date": DAY, "lines": [{"fk_product": goods, "qty": 1, "subprice": 5}]}
    )
    admin.ask("POST", f"/orders/{order}/validate")
    (line,) = admin.get(f"/orders/{order}/lines")
    warehouse = admin.ask("POST", "/warehouses", {"label": f"Used {next(_numbers)}"})
    lines = [{"origin_line_id": line["id"], "qty": 1, "entrepot_id": warehouse}]
    made = admin.ask("POST", "/shipments", {"origin_id": order, "lines": lines})
    clerk, reader = (server.user(*DELETES, "thirdparties.all", *rights) for rights in ((), ("shipments.read",)))
    assert refusal(clerk, "DELETE", f"/orders/{order}").endswith("is used by other records")
    assert refusal(reader, "DELETE", f"/orders/{order}").endswith(f"is used by shipments ((PROV{made}))")

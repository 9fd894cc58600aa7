"""Warehouses over HTTP, apart from the fields that `services` lists."""

import pytest

from tests.modules.stock.goods import held, move, product, warehouse


def test_refused_bodies(admin):
    label = admin.get(f"/warehouses/{warehouse(admin)}")["label"]
    assert "already used" in admin.refused("POST", "/warehouses", {"label": label}, status=405)
    assert admin.refused("POST", "/warehouses", {"label": "x", "fk_parent": 99999}, status=404).endswith(
        "Warehouse 99999 not found"
    )
    admin.get("/warehouses", status=400, sqlfilters="(t.nothing:=:1)")


def test_the_label_is_filtered_by_its_second_name(admin):
    identifier = warehouse(admin, label="Quay 4", fk_parent=warehouse(admin))
    assert [each["id"] for each in admin.get("/warehouses", sqlfilters="(t.ref:like:'Quay%')")] == [identifier]
    assert admin.ask("PATCH", f"/warehouses/{identifier}", {"fk_parent": 0})["fk_parent"] is None


def test_what_is_used_is_not_deleted(admin):
    parent = warehouse(admin)
    child = warehouse(admin, fk_parent=parent)
    assert "is used by" in admin.refused("DELETE", f"/warehouses/{parent}", status=405)
    goods = product(admin, fk_default_warehouse=child)
    customer = admin.ask("POST", "/thirdparties", {"name": "Customer"})
    order = admin.ask("POST", "/orders", {"socid": customer, "date": "2026-11-22", "warehouse_id": child})
    assert admin.refused("DELETE", f"/warehouses/{child}", status=405).endswith(
        f"({child}): it is used by products (1), orders (1)"
    )
    admin.ask("PUT", f"/products/{goods}", {"fk_default_warehouse": 0})
    admin.ask("DELETE", f"/orders/{order}")
    moved = move(admin, goods, child, 1)
    admin.refused("DELETE", f"/warehouses/{child}", status=405)
    admin.ask("POST", f"/stockmovements/{moved}/undo")
    # Nothing lies there, but something has
    assert "is used by" in admin.refused("DELETE", f"/warehouses/{child}", status=405)
    admin.refused("DELETE", f"/products/{goods}", status=405)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/products", {"ref": "NAMES", "label": "x"}, "fk_default_warehouse"),
        ("/orders", {"socid": 1, "date": "2026-11-22"}, "warehouse_id"),
        ("/proposals", {"socid": 1, "date": "2026-11-22"}, "warehouse_id"),
        ("/users", {"login": "keeper"}, "fk_warehouse"),
    ],
)
def test_an_unknown_warehouse_cannot_be_named(admin, path, body, field):
    if "socid" in body:
        body = body | {"socid": admin.ask("POST", "/thirdparties", {"name": "Customer"})}
    answer = admin.ask("POST", path, body | {field: 99999}, status=404)["error"]
    assert answer["message"] == "Not Found: Warehouse 99999 not found"
    assert answer["errors"][0]["field"] == field
    place = warehouse(admin)
    identifier = admin.ask("POST", path, body | {field: place})
    assert admin.get(f"{path}/{identifier}")[field] == place
    admin.refused("PATCH", f"{path}/{identifier}", {field: 99999}, status=404)
    assert admin.ask("PATCH", f"{path}/{identifier}", {field: None})[field] is None


def test_the_products_of_a_warehouse(admin):
    place, goods, other = warehouse(admin), product(admin, label="Lantern"), product(admin)
    move(admin, goods, place, "2.5")
    move(admin, other, place, 4)
    rows = admin.get(f"/warehouses/{place}/products", sqlfilters="(p.label:=:'Lantern')")
    assert [(row["product_id"], row["reel"], row["product_label"]) for row in rows] == [
        (goods, "2.50000000", "Lantern")
    ]
    assert len(admin.get(f"/warehouses/{place}/products")) == 2


def test_the_stock_of_a_product(admin, server):
    one, two, goods = warehouse(admin), warehouse(admin), product(admin)
    assert admin.get(f"/products/{goods}/stock") == {"stock_warehouses": {}}
    move(admin, goods, one, 3)
    move(admin, goods, two, "0.5")
    assert {name: str(value) for name, value in held(admin, goods).items()} == {one: "3.00000000", two: "0.50000000"}
    chosen = admin.get(f"/products/{goods}/stock", selected_warehouse_id=two)["stock_warehouses"]
    assert list(chosen) == [str(two)]
    server.user("products.read", "warehouses.read").get(f"/products/{goods}/stock")

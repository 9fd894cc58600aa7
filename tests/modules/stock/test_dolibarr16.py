"""Stock in the profile `dolibarr16`: numbers as text, nothing is 404."""

from tests.modules.stock.goods import move, product, warehouse


def test_empty_lists_are_missing(old):
    nowhere = "(t.rowid:=:99999)"
    message = old.refused("GET", "/warehouses", status=404, params={"sqlfilters": nowhere})
    assert message == "Not Found: No warehouse found"
    message = old.refused("GET", "/stockmovements", status=404, params={"sqlfilters": nowhere})
    assert message == "Not Found: No stock movement found"
    assert old.refused("GET", f"/products/{product(old)}/stock", status=404) == "Not Found: No stock found"


def test_values_are_text(old):
    place, goods = warehouse(old, country_id=1), product(old)
    moved = move(old, goods, place, "2.50", price=3)
    record = old.get(f"/stockmovements/{moved}")
    expected = {
        "id": str(moved), "product_id": str(goods), "warehouse_id": str(place), "qty": "2.5", "type": "3",
        "price": "3.00000000", "undone_by": None,
    }  # fmt: skip
    assert {name: record[name] for name in expected} == expected
    record = old.get(f"/warehouses/{place}")
    assert (record["id"], record["statut"], record["country_code"], record["array_options"]) == (
        str(place), "1", "FR", [],
    )  # fmt: skip
    record = old.get(f"/products/{goods}", includestockdata=1)
    assert (record["stock_reel"], record["stock_theorique"]) == ("2.5", "2.5")
    places = old.get(f"/products/{goods}/stock")["stock_warehouses"]
    assert {name: each["real"] for name, each in places.items()} == {str(place): "2.5"}
    assert record["stock_warehouse"] == places
    assert old.get(f"/products/{product(old)}", includestockdata=1)["stock_warehouse"] == []
    # What was read can be sent back
    assert old.ask("PUT", f"/products/{goods}", record)["stock_reel"] == "2.5"
    old.refused("GET", f"/products/{goods}/stock", status=404, params={"selected_warehouse_id": 99999})

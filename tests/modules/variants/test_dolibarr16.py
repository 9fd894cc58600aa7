"""Attributes, variants and components as clients of release 16 know them."""


def test_values_are_text_and_an_empty_list_is_missing(old_server):
    admin = old_server.client()
    path = "/products/attributes"
    assert "No product attribute found" in admin.refused("GET", path, status=404)
    attribute = admin.ask("POST", path, {"ref": "COLOUR", "label": "Colour"})
    assert admin.get(f"{path}/{attribute}") == {
        "id": str(attribute), "ref": "COLOUR", "ref_ext": None, "label": "Colour", "position": "0", "entity": "1",
        "is_used_by_products": 0,
    }  # fmt: skip
    assert admin.get(f"{path}/{attribute}/values") == []
    value = admin.ask("POST", f"{path}/{attribute}/values", {"ref": "RED", "value": "red"})
    assert admin.get(f"{path}/values/{value}")["fk_product_attribute"] == str(attribute)
    parent = admin.ask("POST", "/products", {"ref": "CUP", "label": "Cup", "price": 10})
    assert admin.get(f"/products/{parent}/variants") == []
    body = {"weight_impact": 0, "price_impact": 5, "price_impact_is_percent": True, "features": {attribute: value}}
    variant = admin.ask("POST", f"/products/{parent}/variants", body)
    (record,) = admin.get(f"/products/{parent}/variants")
    assert (record["id"], record["variation_price_percentage"]) == (str(variant), "1")
    assert [each["fk_prod_attr_val"] for each in record["attributes"]] == [str(value)]
    product = admin.get(f"/products/{record['fk_product_child']}")
    assert (product["ref"], product["price"], product["fk_parent"]) == ("CUP_RED", "10.50000000", str(parent))
    assert [each["ref"] for each in admin.get("/products", variant_filter=3)] == ["CUP_RED"]
    assert admin.get(f"/products/{parent}/subproducts") == []
    add = {"subproduct_id": record["fk_product_child"], "qty": 2, "incdec": "1"}
    assert admin.ask("POST", f"/products/{parent}/subproducts/add", add) == 1
    (part,) = admin.get(f"/products/{parent}/subproducts")
    assert (part["rowid"], part["qty"], part["incdec"]) == (record["fk_product_child"], "2", "1")

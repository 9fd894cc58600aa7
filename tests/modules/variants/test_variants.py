"""Variants over HTTP: attributes, values, and products that differ from a parent."""

import itertools

import pytest

from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.products.products import make

numbers = itertools.count(1)


def attribute(client, *values, ref=""):
    """A new attribute with values, of which each is called like its reference in small letters."""
    made = client.ask("POST", "/products/attributes", {"ref": ref or f"A{next(numbers)}", "label": "Something"})
    path = f"/products/attributes/{made}/values"
    return made, [client.ask("POST", path, {"ref": value, "value": value.lower()}) for value in values]


def new(*features, price=0, weight=0, percent=False, **more):
    return {
        "weight_impact": weight, "price_impact": price, "price_impact_is_percent": percent,
        "features": {str(attribute): value for attribute, value in features}, **more,
    }  # fmt: skip


def add(client, parent, *features, **more):
    """A new variant, as it is listed."""
    identifier = client.ask("POST", f"/products/{parent}/variants", new(*features, **more))
    found = [each for each in client.get(f"/products/{parent}/variants") if each["id"] == identifier]
    assert len(found) == 1
    return found[0]


def child(client, variant):
    return client.get(f"/products/{variant['fk_product_child']}")


@pytest.fixture(scope="module")
def colour(admin):
    return attribute(admin, "RED", "BLUE", "GREEN", ref="COLOUR")


@pytest.fixture(scope="module")
def size(admin):
    return attribute(admin, "S", "L", ref="SIZE")


class TestAttributes:
    def test_written_and_read_by_each_name(self, admin):
        path = "/products/attributes"
        body = {"ref": "CLOTH", "label": "Cloth", "ref_ext": "X/1", "position": 3}
        identifier = admin.ask("POST", path, body)
        record = {**body, "id": identifier, "entity": 1, "is_used_by_products": 0}
        assert admin.get(f"{path}/{identifier}") == record
        assert admin.get(f"{path}/ref/CLOTH") == record
        admin.ask("PUT", f"{path}/{identifier}", {"ref_ext": "X1", "label": "Fabric"})
        record |= {"ref_ext": "X1", "label": "Fabric"}
        assert admin.get(f"{path}/ref_ext/X1") == record
        assert admin.ask("PATCH", f"{path}/{identifier}", {"position": 0})["position"] == 0
        assert admin.ask("DELETE", f"{path}/{identifier}")["success"]["code"] == 200
        admin.refused("GET", f"{path}/{identifier}", status=404)
        admin.refused("GET", f"{path}/ref/CLOTH", status=404)
        admin.refused("GET", f"{path}/ref_ext/X1", status=404)

    def test_listed_with_filters(self, admin):
        for ref in ("LIST-B", "LIST-A"):
            attribute(admin, ref=ref)
        found = admin.get("/products/attributes", sqlfilters="(t.ref:like:'LIST-%')")
        assert [each["ref"] for each in found] == ["LIST-A", "LIST-B"]
        found = admin.get("/products/attributes", sqlfilters="(t.ref:like:'LIST-%')", sortorder="DESC", limit=1)
        assert [each["ref"] for each in found] == ["LIST-B"]
        admin.refused("GET", "/products/attributes?sqlfilters=(t.nothing:=:1)", status=400)

    def test_what_is_refused(self, admin):
        path = "/products/attributes"
        taken, _ = attribute(admin, ref="TAKEN")
        assert "already used" in admin.refused("POST", path, {"ref": "TAKEN", "label": "Again"}, status=405)
        admin.refused("POST", path, {"ref": "NO-LABEL"}, status=400)
        other, _ = attribute(admin)
        admin.refused("PUT", f"{path}/{other}", {"ref": "TAKEN"}, status=405)
        admin.refused("PUT", f"{path}/{taken}", {"label": ""}, status=400)

    def test_values(self, admin):
        path = "/products/attributes"
        identifier, (red, blue) = attribute(admin, "RED", "BLUE", ref="HUE")
        listed = admin.get(f"{path}/{identifier}/values")
        assert [(each["id"], each["ref"], each["value"]) for each in listed] == [
            (blue, "BLUE", "blue"),
            (red, "RED", "red"),
        ]
        assert admin.get(f"{path}/ref/HUE/values") == listed
        record = {"id": red, "fk_product_attribute": identifier, "ref": "RED", "value": "red", "entity": 1}
        assert admin.get(f"{path}/values/{red}") == record
        assert admin.get(f"{path}/{identifier}/values/ref/RED") == record
        assert admin.ask("PUT", f"{path}/values/{red}", {"value": "deep red"}) == record | {"value": "deep red"}
        admin.refused("POST", f"{path}/{identifier}/values", {"ref": "RED", "value": "x"}, status=405)
        admin.refused("POST", f"{path}/{identifier}/values", {"ref": "GREEN"}, status=400)
        admin.refused("PUT", f"{path}/values/{red}", {"ref": "BLUE"}, status=405)
        assert admin.ask("DELETE", f"{path}/values/{red}")["success"]["code"] == 200
        assert admin.ask("DELETE", f"{path}/{identifier}/values/ref/BLUE")["success"]["code"] == 200
        assert admin.get(f"{path}/{identifier}/values") == []
        for verb, below in (
            ("GET", "999999/values"), ("GET", "ref/nothing/values"), ("GET", f"values/{red}"), ("PUT", f"values/{red}"),
            ("GET", f"{identifier}/values/ref/RED"), ("GET", "999999/values/ref/RED"), ("DELETE", f"values/{red}"),
            ("DELETE", f"{identifier}/values/ref/RED"),
        ):  # fmt: skip
            admin.refused(verb, f"{path}/{below}", {} if verb == "PUT" else None, status=404)

    def test_what_a_variant_uses_stays(self, admin):
        identifier, (one, two) = attribute(admin, "ONE", "TWO", ref="COUNTED")
        made = add(admin, make(admin), (identifier, one))
        path = "/products/attributes"
        assert admin.get(f"{path}/{identifier}")["is_used_by_products"] == 1
        for used in (f"{path}/{identifier}", f"{path}/values/{one}", f"{path}/{identifier}/values/ref/ONE"):
            assert "is used by" in admin.refused("DELETE", used, status=405)
        assert len(admin.get(f"{path}/{identifier}/values")) == 2
        admin.ask("DELETE", f"{path}/values/{two}")
        admin.ask("DELETE", f"/products/variants/{made['id']}")
        admin.ask("DELETE", f"{path}/{identifier}")
        admin.refused("GET", f"{path}/values/{one}", status=404)


class TestMaking:
    def test_a_variant_is_a_product_of_its_own(self, admin, colour, size):
        fields = {
            "type": 1,
            "status": 0,
            "status_buy": 1,
            "fk_unit": 2,
            "weight": 2,
            "weight_units": -3,
            "customcode": "8306",
        }
        parent = make(admin, "SHIRT", label="Shirt", price=100, tva_tx=20, price_min=80, barcode="0815", **fields)
        (colours, (red, _, _)), (sizes, (_, large)) = colour, size
        features = ((sizes, large), (colours, red))
        made = add(admin, parent, *features, price="12.5", weight="0.25", ref_ext="W-1")
        assert {key: made[key] for key in made if key not in ("id", "fk_product_child", "attributes")} == {
            "fk_product_parent": parent, "variation_price": "12.50000000", "variation_price_percentage": 0,
            "variation_weight": "0.25000000", "variation_ref_ext": "W-1", "entity": 1,
        }  # fmt: skip
        assert [(each["fk_prod_attr"], each["fk_prod_attr_val"]) for each in made["attributes"]] == [*features]
        assert admin.get(f"/products/variants/{made['id']}") == made
        assert admin.get("/products/ref/SHIRT/variants") == [made]
        product = child(admin, made)
        expected = {
            "ref": "SHIRT_L_RED", "label": "Shirt l red", "ref_ext": "W-1", "price": "112.50000000",
            # 112.5 × 1.2
            "price_ttc": "135.00000000", "price_min": "80.00000000", "tva_tx": "20.0000", "type": 1, "status": 0,
            "status_buy": 1, "fk_unit": 2, "weight": "2.25000000", "weight_units": -3, "customcode": "8306",
            "barcode": None, "fk_parent": parent, "variant_role": 2,
        }  # fmt: skip
        assert {key: product[key] for key in expected} == expected
        assert admin.get(f"/products/{parent}")["variant_role"] == 1

    def test_an_impact_in_percent_and_a_price_with_vat(self, admin, colour):
        attribute, (red, blue, _) = colour
        parent = make(admin, price_ttc=60, price_base_type="TTC", tva_tx=20, price_min_ttc=58)
        dearer = child(admin, add(admin, parent, (attribute, red), price=10, percent=True))
        # 60 × 1.1; 66 ÷ 1.2
        assert (dearer["price_ttc"], dearer["price"], dearer["weight"]) == ("66.00000000", "55.00000000", None)
        cheaper = child(admin, add(admin, parent, (attribute, blue), price="-10", percent=1))
        # 60 × 0.9; the lowest price is not above it
        assert (cheaper["price_ttc"], cheaper["price_min_ttc"]) == ("54.00000000", "54.00000000")

    def test_a_reference_of_ones_own(self, admin, colour):
        attribute, (red, blue, _) = colour
        parent = make(admin, "MUG")
        assert child(admin, add(admin, parent, (attribute, red), reference="CUP-R"))["ref"] == "CUP-R"
        body = new((attribute, blue), reference="CUP-R")
        assert "CUP-R is already used" in admin.refused("POST", f"/products/{parent}/variants", body, status=405)
        identifier = admin.ask("POST", "/products/ref/MUG/variants", new((attribute, blue)))
        assert [each["id"] for each in admin.get("/products/ref/MUG/variants")][1:] == [identifier]

    def test_the_parents_extra_fields_come_along(self, admin, colour, extrafield):
        extrafield("product", "shelf", type="varchar", size="8", required=1)
        attribute, (red, _, _) = colour
        parent = make(admin, array_options={"options_shelf": "A4"})
        made = add(admin, parent, (attribute, red))
        assert child(admin, made)["array_options"] == {"options_shelf": "A4"}
        admin.ask("DELETE", f"/products/variants/{made['id']}")
        admin.ask("DELETE", f"/products/{parent}")

    def test_what_is_refused(self, admin, colour, size):
        (colours, (red, blue, _)), (sizes, (small, large)) = colour, size
        parent = make(admin, "HAT", tva_tx=20)
        first = add(admin, parent, (colours, red), (sizes, small))
        path = f"/products/{parent}/variants"
        for body, status, words in (
            (new((sizes, small), (colours, red)), 405, f"has variant {first['id']} with the same features"),
            (new((colours, small)), 404, f"Attribute value {small} of attribute {colours} not found"),
            (new((999999, small)), 404, "Product attribute 999999 not found"),
            (new((colours, 999999)), 404, "Attribute value 999999"),
            (new(), 400, "of at least one attribute"),
            ({**new(), "features": {"x": red}}, 400, "expected the IDs of an attribute"),
            ({**new(), "features": {str(colours): [red]}}, 400, "expected the IDs of an attribute"),
            ({**new(), "features": {str(colours): True, "9" * 5000: 2**31}}, 400, "expected the IDs of an attribute"),
            ({**new(), "features": "red"}, 400, "features"),
            (new((colours, blue), price="1e30"), 400, "price_impact"),
            (new((colours, blue), weight="-92233720369"), 400, "weight_impact"),
            (new((colours, blue), price="92233720300"), 400, "price"),
            ({"features": {}}, 400, "weight_impact"),
        ):  # fmt: skip
            assert words in admin.refused("POST", path, body, status=status)
        below = f"/products/{first['fk_product_child']}/variants"
        assert "is a variant" in admin.refused("POST", below, new((colours, red)), status=405)
        # Fewer or other features are another variant
        assert add(admin, parent, (colours, red))["id"] != add(admin, parent, (sizes, small))["id"]
        add(admin, parent, (colours, red), (sizes, large))
        assert len(admin.get(path)) == 4
        assert admin.get("/products", sqlfilters=f"(t.fk_parent:=:{parent})", ids_only=1, variant_filter=1) == []

    def test_the_same_variant_made_at_once_is_there_once(self, admin, colour):
        attribute, (red, _, _) = colour
        parent = make(admin)
        bodies = [new((attribute, red), reference=f"AT-ONCE-{number}") for number in range(4)]
        path = f"/products/{parent}/variants"
        answers = at_once([lambda body=body: admin.simulate_post(path, json=body).status_code for body in bodies])
        assert sorted(answers) == [200, 405, 405, 405]
        assert len(admin.get(path)) == 1


class TestFollowing:
    def test_an_impact_that_is_changed_changes_the_price(self, admin, colour):
        attribute, (red, _, _) = colour
        made = add(admin, make(admin, price=50, tva_tx=20, weight=1), (attribute, red), price=5)
        path = f"/products/variants/{made['id']}"
        body = {"variation_price": "7.25", "variation_weight": 2, "fk_product_child": 1}
        assert admin.ask("PUT", path, body)["variation_price"] == "7.25000000"
        product = child(admin, made)
        assert (product["price"], product["price_ttc"], product["weight"]) == (
            "57.25000000",
            "68.70000000",
            "3.00000000",
        )
        admin.ask("PATCH", path, {"variation_price": 20, "variation_price_percentage": True})
        assert child(admin, made)["price"] == "60.00000000"
        assert admin.get(path)["fk_product_child"] == made["fk_product_child"]
        admin.refused("PUT", path, {"variation_price": "much"}, status=400)
        assert child(admin, made)["price"] == "60.00000000"

    def test_a_parent_that_is_changed_takes_its_variants_along(self, admin, colour):
        attribute, (red, blue, _) = colour
        parent = make(admin, price=50, tva_tx=20, weight=1)
        one = add(admin, parent, (attribute, red), price=5, weight=1)
        two = add(admin, parent, (attribute, blue), price=-10, percent=True)
        admin.ask("PATCH", f"/products/{two['fk_product_child']}", {"label": "Its own", "status": 0})
        admin.ask("PUT", f"/products/{parent}", {"price": 80, "tva_tx": "5.5", "weight": 3, "status": 1})
        first, second = child(admin, one), child(admin, two)
        # 85 × 1.055; 80 × 0.9; 72 × 1.055
        assert (first["price"], first["price_ttc"], first["weight"]) == ("85.00000000", "89.67500000", "4.00000000")
        assert (second["price"], second["price_ttc"], second["weight"]) == ("72.00000000", "75.96000000", "3.00000000")
        assert (second["label"], second["status"]) == ("Its own", 0)
        admin.ask("PATCH", f"/products/{parent}", {"price_base_type": "TTC", "price_ttc": 211})
        # 211 + 5; 211 × 0.9
        assert [child(admin, each)["price_ttc"] for each in (one, two)] == ["216.00000000", "189.90000000"]

    def test_a_price_that_a_variant_cannot_have_changes_nothing(self, admin, colour):
        attribute, (red, _, _) = colour
        parent = make(admin, price=1)
        made = add(admin, parent, (attribute, red), price=900, percent=True)
        admin.refused("PUT", f"/products/{parent}", {"price": "90000000000"}, status=400)
        assert admin.get(f"/products/{parent}")["price"] == "1.00000000"
        assert child(admin, made)["price"] == "10.00000000"

    def test_parents_and_impacts_changed_at_once(self, admin, colour):
        attribute, values = colour
        parent = make(admin, price=10)
        made = [add(admin, parent, (attribute, value), price=1) for value in values]

        def price(amount):
            admin.ask("PATCH", f"/products/{parent}", {"price": amount})

        def impact(variant):
            admin.ask("PUT", f"/products/variants/{variant['id']}", {"variation_price": 2})

        at_once([*(lambda each=each: impact(each) for each in made), *(lambda n=n: price(n) for n in (20, 30, 40))])
        wanted = float(admin.get(f"/products/{parent}")["price"]) + 2
        assert [float(child(admin, each)["price"]) for each in made] == [wanted] * 3


class TestDeleting:
    def test_a_variant_goes_with_its_product(self, admin, colour):
        attribute, (red, blue, _) = colour
        parent = make(admin)
        one, two = add(admin, parent, (attribute, red)), add(admin, parent, (attribute, blue))
        assert "is used by" in admin.refused("DELETE", f"/products/{parent}", status=405)
        assert "is used by" in admin.refused("DELETE", f"/products/{one['fk_product_child']}", status=405)
        assert admin.ask("DELETE", f"/products/variants/{one['id']}")["success"]["code"] == 200
        admin.refused("GET", f"/products/{one['fk_product_child']}", status=404)
        assert admin.get(f"/products/{parent}/variants") == [two]
        assert admin.get(f"/products/{parent}")["variant_role"] == 1
        admin.ask("DELETE", f"/products/variants/{two['id']}")
        assert admin.get(f"/products/{parent}")["variant_role"] == 0
        admin.refused("DELETE", f"/products/variants/{two['id']}", status=404)
        admin.refused("GET", f"/products/variants/{two['id']}", status=404)
        admin.ask("DELETE", f"/products/{parent}")

    def test_a_variant_that_is_sold_stays(self, admin, colour):
        attribute, (red, _, _) = colour
        parent = make(admin)
        made = add(admin, parent, (attribute, red))
        socid = admin.ask("POST", "/thirdparties", {"name": "Acme"})
        line = {"qty": 1, "fk_product": made["fk_product_child"]}
        admin.ask("POST", "/orders", {"socid": socid, "date": "2026-11-22", "lines": [line]})
        assert "is used by" in admin.refused("DELETE", f"/products/variants/{made['id']}", status=405)
        assert admin.get(f"/products/{parent}/variants") == [made]
        assert child(admin, made)["variant_role"] == 2


def test_products_are_listed_by_what_they_are(admin, colour):
    attribute, (red, blue, _) = colour
    alone, parent = make(admin, "V-ALONE", ref_ext="vf"), make(admin, "V-PARENT", ref_ext="vf")
    for value in (red, blue):
        add(admin, parent, (attribute, value), ref_ext="vf")
    refs = ["V-ALONE", "V-PARENT", "V-PARENT_BLUE", "V-PARENT_RED"]
    for number, expected in ((0, refs), (1, refs[:1]), (2, refs[1:2]), (3, refs[2:])):
        rows = admin.get("/products", sqlfilters="(t.ref_ext:=:'vf')", variant_filter=number)
        assert [each["ref"] for each in rows] == expected
    pages = [
        admin.get("/products", sqlfilters="(t.ref_ext:=:'vf')", variant_filter=3, limit=1, page=page, pagination_data=1)
        for page in range(2)
    ]
    assert [page["data"][0]["ref"] for page in pages] == refs[2:]
    assert pages[0]["pagination"]["total"] == 2
    assert admin.get("/products", sqlfilters="(t.ref_ext:=:'vf')", variant_filter=1, mode=1, ids_only=1) == [alone]
    admin.refused("GET", "/products?variant_filter=4", status=400)


def test_a_product_is_read_with_its_components_and_its_parent(admin, colour):
    attribute, (red, _, _) = colour
    parent = make(admin, "V-WITH", ref_ext="v-with", barcode="v-with")
    made = add(admin, parent, (attribute, red))
    variant = made["fk_product_child"]
    admin.ask("POST", f"/products/{parent}/subproducts/add", {"subproduct_id": variant, "qty": 3})
    plain = admin.get(f"/products/{parent}")
    assert not {"sousprods", "fk_product_parent"} & {*plain}
    for path in (f"{parent}", "ref/V-WITH", "ref_ext/v-with", "barcode/v-with"):
        record = admin.get(f"/products/{path}", includesubproducts="true", includeparentid=1)
        parts = admin.get(f"/products/{parent}/subproducts")
        assert [each["rowid"] for each in parts] == [variant]
        assert record == plain | {"sousprods": parts, "fk_product_parent": None}
    record = admin.get(f"/products/{variant}", includesubproducts=1, includeparentid=1)
    assert (record["sousprods"], record["fk_product_parent"]) == ([], parent)

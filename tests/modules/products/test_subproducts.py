"""Components of products: kits, of which circles are refused, also of several who write at the same time."""

from itertools import pairwise

import pytest

from core.storage.database import database
from modules.products.models import Association
from modules.products.subproducts import components
from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.products.products import make


def add(client, product, component, qty=1, **more):
    return client.ask("POST", f"/products/{product}/subproducts/add", {"subproduct_id": component, "qty": qty, **more})


def parts(client, product):
    return [(each["rowid"], each["qty"], each["incdec"]) for each in client.get(f"/products/{product}/subproducts")]


def test_a_kit_lists_its_components(admin):
    kit, rope, bell = make(admin, "KIT"), make(admin, "ROPE", label="Rope"), make(admin, "BELL", type=1)
    assert admin.get(f"/products/{kit}/subproducts") == []
    assert add(admin, kit, rope, "2.5")["id"] == kit
    assert add(admin, kit, bell, 1, incdec=0)["id"] == kit
    first, second = admin.get(f"/products/{kit}/subproducts")
    assert {**first, "fk_association": 0} == {
        "rowid": rope, "ref": "ROPE", "label": "Rope", "fk_product_type": 0, "qty": "2.50000000", "incdec": 1,
        "fk_association": 0, "rang": 1, "fk_product_pere": kit, "fk_product_fils": rope,
    }  # fmt: skip
    assert (second["rowid"], second["fk_product_type"], second["incdec"], second["rang"]) == (bell, 1, 0, 2)
    # Added again it is there once, with the new quantity, at its place
    assert add(admin, kit, rope, 4, incdec=0)["id"] == kit
    assert parts(admin, kit) == [(rope, "4.00000000", 0), (bell, "1.00000000", 0)]
    assert admin.ask("DELETE", f"/products/{kit}/subproducts/remove/{rope}")["success"]["code"] == 200
    assert parts(admin, kit) == [(bell, "1.00000000", 0)]
    message = admin.refused("DELETE", f"/products/{kit}/subproducts/remove/{rope}", status=404)
    assert message == f"Not Found: product {rope} is not a component of product {kit}"


def test_a_component_cannot_be_deleted_and_its_kit_can(admin):
    kit, part = make(admin), make(admin)
    add(admin, kit, part)
    assert "is used by" in admin.refused("DELETE", f"/products/{part}", status=405)
    admin.ask("DELETE", f"/products/{kit}")
    admin.ask("DELETE", f"/products/{part}")


def test_what_cannot_be_a_component_is_refused(admin):
    kit, part = make(admin), make(admin)
    path = f"/products/{kit}/subproducts/add"
    for qty in (0, -1, "0.000000001", "much", "1e30"):
        error = admin.ask("POST", path, {"subproduct_id": part, "qty": qty}, status=400)["error"]
        assert [each["field"] for each in error["errors"]] == ["qty"], qty
    admin.refused("POST", path, {}, status=400)
    admin.refused("POST", path, {"subproduct_id": part, "qty": 1, "incdec": 2}, status=400)
    admin.refused("POST", path, {"subproduct_id": 0, "qty": 1}, status=404)
    assert "Product 999999 not found" in admin.refused("POST", path, {"subproduct_id": 999999, "qty": 1}, status=404)
    assert parts(admin, kit) == []


def test_no_product_is_made_of_itself(admin):
    a, b, c, d = (make(admin) for _ in range(4))
    for product, component in ((a, b), (b, c), (a, c), (c, d)):
        add(admin, product, component)
    for product, component in ((a, a), (b, a), (d, a), (d, b)):
        path = f"/products/{product}/subproducts/add"
        words = "can't be a component of itself" if product == component else "which is one of its own components"
        assert words in admin.refused("POST", path, {"subproduct_id": component, "qty": 1}, status=405)
    assert parts(admin, d) == []


def test_several_who_write_at_once_close_no_circle(admin):
    """Four products in a ring, each edge by another client, three times over: one edge is refused at least."""
    for _ in range(3):
        ring = [make(admin) for _ in range(4)]

        def link(place, ring=ring):
            body = {"subproduct_id": ring[(place + 1) % 4], "qty": 1}
            return admin.simulate_post(f"/products/{ring[place]}/subproducts/add", json=body).status_code

        answers = at_once([lambda place=place: link(place) for place in range(4)])
        assert set(answers) <= {200, 405, 503}
        assert answers.count(200) <= 3
        assert sum(len(parts(admin, each)) for each in ring) == answers.count(200)


def test_the_same_component_added_at_once_is_there_once(admin):
    kit, part = make(admin), make(admin)
    assert [each["id"] for each in at_once([lambda: add(admin, kit, part, 3)] * 4)] == [kit] * 4
    assert parts(admin, kit) == [(part, "3.00000000", 1)]


def test_many_ways_to_one_component_are_summed_not_walked(admin):
    """Of 30 levels with two products each there are 2^29 ways to the last."""
    levels = [[make(admin), make(admin)] for _ in range(30)]
    with database.atomic():
        for upper, lower in pairwise(levels):
            for product in upper:
                for component in lower:
                    Association.create(fk_product_pere=product, fk_product_fils=component, qty=1)
    sums = dict(components([levels[0][0]])[levels[0][0]])
    assert sums[levels[-1][0]] == 2**28
    Association.create(fk_product_pere=levels[-1][0], fk_product_fils=levels[0][0], qty=1)
    with pytest.raises(Exception, match="contains itself as a component"):
        components([levels[0][0]])
    assert "which is one of its own components" in admin.refused(
        "POST", f"/products/{levels[5][0]}/subproducts/add", {"subproduct_id": levels[3][0], "qty": 1}, status=405
    )


def test_products_nest_in_a_limited_number_of_levels(admin):
    chain = [make(admin, f"NEST-{number}") for number in range(43)]
    for outer, inner in pairwise(chain[:41]):
        add(admin, outer, inner)
    body = {"subproduct_id": chain[41], "qty": 1}
    message = admin.refused("POST", f"/products/{chain[40]}/subproducts/add", body, status=405)
    assert "at most 40 levels" in message
    assert parts(admin, chain[40]) == []
    add(admin, chain[41], chain[42])

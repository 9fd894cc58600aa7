"""Categories over HTTP: fields, the tree, and what is refused."""

from core.testing import extra_field
from tests.modules.categories.categories import CUSTOMER, ids, make


def reasons(client, verb, path, body, status):
    error = client.ask(verb, path, body, status=status)["error"]
    return {each["field"]: each["message"] for each in error["errors"]}


def test_the_type_is_a_word_or_a_number_and_stays(admin):
    for word, number in (("product", 0), ("supplier", 1), ("customer", 2), ("contact", 4), ("user", 7)):
        by_word, by_number = make(admin, word), make(admin, number)
        assert [admin.get(f"/categories/{each}")["type"] for each in (by_word, by_number)] == [number, number]
    answer = admin.simulate_put(f"/categories/{by_word}", json={"type": 2})
    assert answer.json["type"] == 7
    assert "type" in answer.headers["warning"]


def test_extra_fields(admin):
    with extra_field(admin, "categorie", "shelf", type="varchar", size="8"):
        identifier = make(admin, array_options={"options_shelf": "A4"})
        assert admin.get(f"/categories/{identifier}")["array_options"] == {"options_shelf": "A4"}
        assert ids(admin.get("/categories", sqlfilters="(ef.shelf:=:'A4')")) == [identifier]


def test_lists_by_kind(admin):
    made = [make(admin, kind, ref_ext="listed") for kind in ("product", "customer", "customer")]
    ours = "(t.ref_ext:=:'listed')"
    assert ids(admin.get("/categories", sqlfilters=ours)) == made
    assert ids(admin.get("/categories", sqlfilters=ours, type="customer")) == made[1:]
    assert ids(admin.get("/categories", sqlfilters=ours, type="2", limit=1, page=1)) == made[2:]
    assert admin.get("/categories", sqlfilters=ours, type="user") == []
    assert "expected one of product, supplier, customer, contact, user; got" in admin.refused(
        "GET", "/categories?type=member", status=400
    )


def test_what_does_not_fit_is_named(admin):
    wrong = reasons(admin, "POST", "/categories", {"type": "robot", "color": "red", "visible": 7}, 400)
    assert wrong.keys() == {"label", "type", "color", "visible"}


def test_a_category_leaves_its_parent_and_loses_its_color(admin):
    identifier = make(admin, fk_parent=make(admin), color="20f040")
    record = admin.ask("PATCH", f"/categories/{identifier}", {"fk_parent": None, "color": ""})
    assert (record["fk_parent"], record["color"]) == (0, None)


def test_a_label_is_used_once_below_one_parent(admin):
    top = make(admin, "customer", label="Twice")
    assert reasons(admin, "POST", "/categories", {"label": "Twice", "type": 2}, 405).keys() >= {"label"}
    make(admin, "supplier", label="Twice")
    below = make(admin, "customer", label="Twice", fk_parent=top)
    assert reasons(admin, "POST", "/categories", {"label": "Twice", "type": 2, "fk_parent": top}, 405)
    assert reasons(admin, "PUT", f"/categories/{below}", {"fk_parent": 0}, 405)
    assert admin.get(f"/categories/{below}")["fk_parent"] == top


def test_a_parent_is_there_and_of_the_same_type(admin):
    products, identifier = make(admin, "product"), make(admin, "customer")
    for verb, path in (("POST", "/categories"), ("PUT", f"/categories/{identifier}")):
        body = {"label": "Below nothing", "type": 2, "fk_parent": 999999}
        assert reasons(admin, verb, path, body, 404) == {"fk_parent": "no such record"}
        assert "has a different type" in admin.refused(verb, path, body | {"fk_parent": products}, status=405)


def test_the_tree_has_no_cycle(admin):
    top = make(admin)
    middle = make(admin, fk_parent=top)
    bottom = make(admin, fk_parent=middle)
    for verb in ("PUT", "PATCH"):
        assert "under itself" in admin.refused(verb, f"/categories/{top}", {"fk_parent": top}, status=405)
        for below in (middle, bottom):
            message = admin.refused(verb, f"/categories/{top}", {"fk_parent": below}, status=405)
            assert f"under category {below}, which is one of its subcategories" in message
    # Sideways and up is no cycle
    assert admin.ask("PUT", f"/categories/{bottom}", {"fk_parent": top})["fk_parent"] == top
    assert admin.ask("PUT", f"/categories/{middle}", {"fk_parent": bottom})["fk_parent"] == bottom


def test_a_category_with_others_below_it_is_not_deleted(admin):
    top = make(admin)
    below = make(admin, fk_parent=top)
    assert "is used by 1 subcategory" in admin.refused("DELETE", f"/categories/{top}", status=405)
    customer = CUSTOMER.make(admin)
    admin.ask("POST", CUSTOMER.below(customer, below))
    assert admin.ask("DELETE", f"/categories/{below}")["success"]["code"] == 200
    assert admin.ask("DELETE", f"/categories/{top}")["success"]["code"] == 200
    assert admin.get(CUSTOMER.below(customer)) == []

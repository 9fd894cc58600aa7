"""Orders with their third parties and their lines' products: what it costs, on each database."""

from __future__ import annotations

from core.testing import Client, cost

NUMBER = 100


def test_a_hundred_orders_are_expanded_in_three_statements(admin: Client) -> None:
    customers = [admin.ask("POST", "/thirdparties", {"name": f"Mill {each}", "client": 1}) for each in range(7)]
    products = [
        admin.ask("POST", "/products", {"ref": f"MILL{each}", "label": f"Stone {each}", "price": each})
        for each in range(5)
    ]
    for number in range(NUMBER):
        lines = [{"fk_product": products[(number + each) % 5], "qty": each + 1} for each in range(3)]
        body = {"socid": customers[number % 7], "date": "2026-11-21", "lines": [*lines, {"desc": "Care", "qty": 1}]}
        admin.ask("POST", "/orders", body)
    expand = "thirdparty,lines.product"
    asked = {"sqlfilters": f"(t.fk_soc:in:{','.join(map(str, customers))})", "limit": NUMBER, "sortfield": "t.rowid"}
    plain = cost(lambda: admin.get("/orders", **asked))
    assert cost(lambda: admin.get("/orders", expand=expand, **asked)) <= plain + 3
    properties = "ref,thirdparty.name,lines.qty,lines.product.ref"
    assert cost(lambda: admin.get("/orders", properties=properties, **asked)) <= plain + 3
    whole = admin.get("/orders", expand=expand, **asked)
    assert len(whole) == NUMBER
    for number, (order, part) in enumerate(
        zip(whole, admin.get("/orders", properties=properties, **asked), strict=True)
    ):
        assert order["thirdparty"]["name"] == f"Mill {number % 7}"
        stones = [each["product"] and each["product"]["label"] for each in order["lines"]]
        assert stones == [*(f"Stone {(number + each) % 5}" for each in range(3)), None]
        assert part == {
            "ref": order["ref"],
            "thirdparty": {"name": f"Mill {number % 7}"},
            "lines": [
                {"qty": each["qty"], "product": each["product"] and {"ref": each["product"]["ref"]}}
                for each in order["lines"]
            ],
        }
    # A change takes the tag of what was read with it
    first = whole[0]["id"]
    tag = admin.simulate_get(f"/orders/{first}", params={"expand": expand}).headers["ETag"]
    for status in (200, 412):
        changed = admin.simulate_patch(f"/orders/{first}", json={"note_public": "x"}, headers={"If-Match": tag})
        assert changed.status_code == status

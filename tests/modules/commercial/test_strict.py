"""Misspelt fields: a hint in the warning, an error on request, and no line that says nothing."""

import pytest

STRICT = {"Prefer": "handling=strict"}


def order(customer, *lines, **more):
    return {"socid": customer, "date": "2026-11-24", "lines": list(lines), **more}


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_a_line_without_text_product_and_price_is_rejected(admin, customer, service):
    error = admin.ask("POST", f"/{service}", order(customer, {"desc": "Desk"}, {"product": 1, "qty": 2}), status=400)
    (wrong,) = error["error"]["errors"]
    assert wrong["field"] == "lines[1].desc"
    for name in ("desc", "fk_product", "subprice"):
        assert f"`{name}`" in wrong["message"]
    made = admin.ask("POST", f"/{service}", order(customer))
    assert [
        each["field"] for each in admin.ask("POST", f"/{service}/{made}/lines", {}, status=400)["error"]["errors"]
    ] == ["desc"]
    for line in ({"label": "Desk"}, {"subprice": 0}, {"desc": "Desk"}):
        assert admin.ask("POST", f"/{service}/{made}/lines", line) > 0


@pytest.mark.parametrize(
    ("sent", "meant"),
    [("product_id", "fk_product"), ("product", "fk_product"), ("qtty", "qty"), ("sub_price", "subprice")],
)
def test_a_warning_contains_the_field_that_was_probably_meant(admin, customer, sent, meant):
    answer = admin.simulate_post("/orders", json=order(customer, {"desc": "Desk", sent: 1}))
    assert answer.status_code == 200, answer.text
    assert f"ignored: {sent} (did you mean {meant}?)" in answer.headers["warning"]


def test_a_warning_suggests_fields_of_contacts_and_parameters(admin):
    answer = admin.simulate_post("/contacts", json={"lastname": "Lenoir", "phonepro": "0102030405", "zzzz": 1})
    assert "ignored: phonepro (did you mean phone_pro?), zzzz" in answer.headers["warning"]
    assert "zzzz (" not in answer.headers["warning"]
    listed = admin.simulate_get("/contacts", params={"limits": "5", "limit": "1"})
    assert listed.status_code == 200 and "limits (did you mean limit?)" in listed.headers["warning"]


def test_a_strict_request_lists_all_unknown_names(admin, customer):
    body = order(customer, {"desc": "Desk", "product_id": 1}, lable="x", coloured=1)
    answer = admin.simulate_post("/orders", json=body, headers=STRICT)
    assert answer.status_code == 400 and answer.headers["preference-applied"] == "handling=strict"
    assert {each["field"] for each in answer.json["error"]["errors"]} == {"lable", "coloured", "lines[0].product_id"}
    reasons = {each["field"]: each["message"] for each in answer.json["error"]["errors"]}
    assert "Did you mean `fk_product`?" in reasons["lines[0].product_id"]
    query = admin.simulate_get("/contacts", params={"email": "x", "per_page": "5"}, headers=STRICT)
    assert query.status_code == 400 and [each["field"] for each in query.json["error"]["errors"]] == [
        "email",
        "per_page",
    ]
    action = admin.simulate_post("/orders/1/validate", json={"notriger": 1}, headers=STRICT)
    assert action.status_code == 400 and "Did you mean `notrigger`?" in action.text


def test_a_strict_batch_rejects_entries_with_unknown_names(admin):
    entries = [
        {"method": "POST", "body": {"lastname": "A", "phone": "1"}},
        {"method": "POST", "body": {"lastname": "B"}},
    ]
    body = {"entries": entries, "atomic": False}
    results = admin.simulate_post("/contacts/batch", json=body, headers=STRICT).json["results"]
    assert results[0]["error"]["code"] == 400 and "Did you mean `phone_pro`?" in str(results[0])
    assert "result" in results[1]
    assert "error" not in admin.ask("POST", "/contacts/batch", body)["results"][0]


def test_other_preferences_change_nothing(admin):
    answer = admin.simulate_post(
        "/contacts", json={"lastname": "Lenoir", "phone": "1"}, headers={"Prefer": "respond-async, handling=lenient"}
    )
    assert answer.status_code == 200 and "preference-applied" not in answer.headers


def test_the_operator_can_demand_it(server, admin, monkeypatch):
    from dataclasses import replace

    from core.common.runtime import active

    monkeypatch.setattr(active.runtime, "settings", replace(active.runtime.settings, strict=True))
    assert admin.simulate_get("/contacts", params={"email": "x"}).status_code == 400
    answer = admin.simulate_post("/contacts", json={"lastname": "Lenoir", "phone": "1"})
    assert answer.status_code == 400 and "preference-applied" not in answer.headers

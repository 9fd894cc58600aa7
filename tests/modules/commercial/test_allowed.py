"""Refusals because of a state that more than the state decides: permissions, payments, locked fields, batches."""

import pytest

from tests.modules.commercial.moves import DAY, INVOICES, ORDERS, PAYMENT, Office


@pytest.fixture(scope="module")
def office(admin):
    return Office(admin)


def test_fewer_permissions_allow_fewer_operations(office, server):
    order = office.make(ORDERS, "validated")
    clerk = server.user("orders.read", "orders.write", "orders.validate", "thirdparties.all", "thirdparties.read")
    error = clerk.ask("POST", f"/orders/{order}/validate", status=405)["error"]
    assert [each["operation"] for each in error["allowed"]] == ["POST /orders/{id}/settodraft"]
    reader = server.user("orders.validate", "thirdparties.all", "thirdparties.read")
    assert reader.ask("POST", f"/orders/{order}/validate", status=405)["error"]["allowed"] == []
    error = reader.ask("DELETE", f"/orders/{order}", status=401)["error"]
    assert (error["reason"], "allowed" in error) == ("missing_permission", False)


def test_payments_keep_an_invoice(office):
    client, paid = office.client, office.make(INVOICES, "validated")
    body = {"arrayofamounts": {str(paid): "5"}, **PAYMENT}
    client.ask("POST", "/invoices/paymentsdistributed", body)
    error = client.ask("POST", f"/invoices/{paid}/validate", status=405)["error"]
    assert [each["operation"] for each in error["allowed"]] == [
        "POST /invoices/{id}/settopaid",
        "POST /invoices/{id}/payments",
        "POST /invoices/{id}/usecreditnote/{discountid}",
    ]
    error = client.ask("POST", f"/invoices/{paid}/settodraft", status=405)["error"]
    assert (error["reason"], error["state"]) == ("has_payments", "validated")
    assert error["allowed"][-1]["operation"] == "DELETE /invoices/payments/{id}"


def test_a_billed_order_is_billed_once(office):
    order = office.make(ORDERS, "closed")
    office.client.ask("POST", f"/orders/{order}/setinvoiced")
    error = office.client.ask("POST", f"/orders/{order}/setinvoiced", status=405)["error"]
    assert (error["reason"], error["state"]) == ("already_done", "closed")
    assert "POST /orders/{id}/setinvoiced" not in [each["operation"] for each in error["allowed"]]


def test_fields_that_a_state_locks(office):
    order, invoice = office.make(ORDERS, "closed"), office.make(INVOICES, "validated")
    error = office.client.ask("PATCH", f"/orders/{order}", {"date": "2026-11-20"}, status=405)["error"]
    assert (error["reason"], error["state"], error["errors"][0]["field"]) == ("locked", "closed", "date")
    error = office.client.ask("PATCH", f"/invoices/{invoice}", {"date": "2026-11-20"}, status=405)["error"]
    assert (error["reason"], error["state"], error["errors"][0]["field"]) == ("not_draft", "validated", "date")


def test_an_entry_of_a_batch_is_refused_alike(office):
    order = office.make(ORDERS, "closed")
    body = {"entries": [{"method": "DELETE", "id": order}], "atomic": False}
    (result,) = office.client.ask("POST", "/orders/batch", body)["results"]
    whole = office.client.ask("POST", "/orders/batch", body | {"atomic": True}, status=405)["error"]
    for error in (result["error"], whole):
        assert (error["reason"], error["state"]) == ("wrong_state", "closed")
        assert error["allowed"][0]["path"] == f"/orders/{order}/reopen"


def test_closed_accounts_and_warehouses(office):
    client = office.client
    body = {"ref": "TILL", "label": "Till", "type": 2, "country_id": 1, "date_solde": DAY, "currency_code": "EUR"}
    account = client.ask("POST", "/bankaccounts", body)
    client.ask("PATCH", f"/bankaccounts/{account}", {"status": 1})
    line = {"date": DAY, "type": "LIQ", "label": "Sale", "amount": 10}
    error = client.ask("POST", f"/bankaccounts/{account}/lines", line, status=405)["error"]
    assert (error["reason"], error["state"]) == ("closed", "closed")
    assert [each["path"] for each in error["allowed"]] == [f"/bankaccounts/{account}"]
    place = client.ask("POST", "/warehouses", {"label": "Shut", "statut": 0})
    lamp = client.ask("POST", "/products", {"ref": "LAMP", "label": "Lamp"})
    moved = {"product_id": lamp, "warehouse_id": place, "qty": 1}
    error = client.ask("POST", "/stockmovements", moved, status=405)["error"]
    assert (error["reason"], error["state"]) == ("closed", "closed")
    client.ask("PATCH", error["allowed"][0]["path"], {"statut": 1})
    client.ask("POST", "/stockmovements", moved)

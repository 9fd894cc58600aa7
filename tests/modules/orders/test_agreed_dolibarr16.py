"""The same as the reference: what is agreed on may be deleted, unless what was made of it is no draft."""

DAY = 1795219200
LINE = {"desc": "Care", "qty": 1, "subprice": "10", "tva_tx": 20}


def test_deletions(old_server):
    old = old_server.client()
    customer = old.ask("POST", "/thirdparties", {"name": "Old"})
    body = {"socid": customer, "date": DAY, "lines": [LINE]}
    signed, order = old.ask("POST", "/proposals", body), old.ask("POST", "/orders", body)
    assert old.get(f"/proposals/{signed}")["duree_validite"] is None
    old.ask("POST", f"/proposals/{signed}/validate")
    old.ask("POST", f"/proposals/{signed}/close", {"status": 2})
    assert "agreed to the document" in old.refused("PUT", f"/proposals/{signed}", {"date": DAY + 86400}, status=405)
    heir = old.ask("POST", f"/orders/createfromproposal/{signed}")["id"]
    old.ask("POST", f"/orders/{heir}/validate")
    assert "is no longer a draft" in old.refused("DELETE", f"/proposals/{signed}", status=405)
    old.ask("DELETE", f"/orders/{heir}")
    assert old.ask("DELETE", f"/proposals/{signed}")["success"]["code"] == 200
    assert old.ask("POST", f"/orders/{order}/lines", [LINE, LINE]) == 2
    for step in ("validate", "close"):
        old.ask("POST", f"/orders/{order}/{step}")
    assert "agreed to the document" in old.refused("PUT", f"/orders/{order}", {"date": DAY + 86400}, status=405)
    assert old.ask("POST", f"/orders/{order}/reopen") == 1
    for step in ("close", "setinvoiced"):
        old.ask("POST", f"/orders/{order}/{step}")
    assert old.ask("DELETE", f"/orders/{order}")["success"]["message"] == "Order deleted"

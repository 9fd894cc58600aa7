"""In the profile `dolibarr16`, names that a line doesn't have are ignored, as Dolibarr 16 ignores them."""


def test_dolibarr_ignores_such_names(old_server):
    client = old_server.client()
    socid = client.ask("POST", "/thirdparties", {"name": "Acme", "client": 1})
    line = {"desc": "Desk", "qty": 1, "subprice": "100", "vat": "20", "product_type": 0}
    made = client.ask("POST", "/orders", {"socid": socid, "date": 1795219200, "lines": [line]})
    assert client.get(f"/orders/{made}")["total_ttc"] == "100.00000000"

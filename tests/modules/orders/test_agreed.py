"""What both sides have agreed on: it is not deleted, third party and day stay, and what was made of it keeps it."""

DAY = "2026-11-21"
LINE = {"desc": "Care", "qty": 1, "subprice": "10", "tva_tx": 20}


def test_agreed_orders_stay_as_they_are(admin):
    first, second = (admin.ask("POST", "/thirdparties", {"name": name}) for name in ("One", "Two"))
    ways = {("close",): "closed", ("setinvoiced",): "billed", ("close", "setinvoiced"): "billed"}
    for steps, word in ways.items():
        order = admin.ask("POST", "/orders", {"socid": first, "date": DAY, "lines": [LINE]})
        path = f"/orders/{order}"
        for step in ("validate", *steps):
            admin.ask("POST", f"{path}/{step}")
        assert f"can't delete order {admin.get(path)['ref']}: it is {word}" in admin.refused("DELETE", path, status=405)
        for field, body in (("socid", {"socid": second}), ("date", {"date": "2026-11-22"})):
            for verb in ("PATCH", "PUT"):
                kept = {"socid": first, "date": DAY}
                message = admin.refused(verb, path, kept | body if verb == "PUT" else body, status=405)
                assert f"can't change `{field}` of order" in message
        # As it was read it can be sent back, and what is not agreed on changes
        assert admin.ask("PUT", path, admin.get(path))["socid"] == first
        assert admin.ask("PATCH", path, {"note_public": "new", "date": DAY})["note_public"] == "new"
        admin.ask("POST", f"{path}/reopen") if "close" in steps else None
    # Open again it is as any other that is validated
    order = admin.ask("POST", "/orders", {"socid": first, "date": DAY, "lines": [LINE]})
    for step in ("validate", "close", "reopen"):
        admin.ask("POST", f"/orders/{order}/{step}")
    assert admin.ask("PATCH", f"/orders/{order}", {"socid": second, "date": "2026-11-22"})["socid"] == second
    admin.ask("DELETE", f"/orders/{order}")


def test_what_others_were_made_of_stays(admin):
    customer = admin.ask("POST", "/thirdparties", {"name": "Heirs"})
    proposal = admin.ask("POST", "/proposals", {"socid": customer, "date": DAY, "lines": [LINE]})
    order = admin.ask("POST", f"/orders/createfromproposal/{proposal}")["id"]
    invoice = admin.ask("POST", f"/invoices/createfromorder/{order}")["id"]
    admin.ask("POST", f"/invoices/{invoice}/validate")
    # The order is a draft; what was made of it is none
    for path in (f"/proposals/{proposal}", f"/orders/{order}"):
        assert "is no longer a draft" in admin.refused("DELETE", path, status=405)
    admin.ask("DELETE", f"/invoices/{invoice}")
    admin.ask("POST", f"/orders/{order}/validate")
    assert "(commande)" in admin.refused("DELETE", f"/proposals/{proposal}", status=405)
    admin.ask("DELETE", f"/orders/{order}")
    admin.ask("DELETE", f"/proposals/{proposal}")

"""What the tests of credits say to the server."""

TERMS = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no"}
LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 20}


def read(admin, identifier):
    return admin.get(f"/invoices/{identifier}")


def act(admin, identifier, action, body=None, *, status=200):
    return admin.ask("POST", f"/invoices/{identifier}/{action}", body, status=status)


def refuse(admin, identifier, action, *, status=405):
    return str(act(admin, identifier, action, status=status)["error"]["message"])


def distribute(admin, amounts, **more):
    body = TERMS | {"arrayofamounts": {str(key): value for key, value in amounts.items()}} | more
    return admin.ask("POST", "/invoices/paymentsdistributed", body)


def listed(admin, customer, **params):
    return admin.ask("GET", f"/thirdparties/{customer}/fixedamountdiscounts", params=params)


def absolute(admin, customer):
    record = admin.get(f"/thirdparties/{customer}")
    shown = record["absolute_discount"], record["absolute_creditnote"]
    assert all(len(each.partition(".")[2]) == 8 for each in shown)
    return tuple(each.rstrip("0").rstrip(".") for each in shown)

"""What the tests of invoices say to the server."""

#: 2026-11-21, midnight UTC
DAY = 1795219200
DAYS = 86400
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}
#: when a payment comes in: 2026-11-21 01:53:20
PAID = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no"}


def read(admin, identifier):
    return admin.get(f"/invoices/{identifier}")


def act(admin, identifier, action, body=None):
    return admin.ask("POST", f"/invoices/{identifier}/{action}", body)


def pay(admin, identifier, amount):
    body = {"arrayofamounts": {str(identifier): amount}, **PAID}
    return admin.ask("POST", "/invoices/paymentsdistributed", body)


def number(reference):
    return int(reference.rpartition("-")[2])


CODE = {"close_code": "badcustomer", "close_note": "n"}

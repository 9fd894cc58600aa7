"""What the tests of invoices say to the server."""

from collections.abc import Callable

#: 2026-11-21, midnight UTC
DAY = 1795219200
DAYS = 86400
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}
#: when a payment comes in: 2026-11-21 01:53:20
PAID = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no"}
#: every field that a client can write, a value to send and what is read back
KEPT = {
    "ref_ext": ("EXT-1", "EXT-1"),
    "ref_client": ("CUST-REF", "CUST-REF"),
    "type": ("3", 3),
    "date": ("2025-01-15", 1736899200),
    "date_lim_reglement": (DAY + 3600, DAY),
    "date_pointoftax": ("2026-10-31", DAY - 21 * DAYS),
    "remise_percent": ("2.5", "2.5000"),
    "remise_absolue": ("1.25", "1.25000000"),
    "cond_reglement_id": (2, 2),
    "mode_reglement_id": ("2", 2),
    "fk_account": (3, 3),
    "fk_project": ("7", 7),
    "note_public": ("<b>public</b>", "<b>public</b>"),
    "note_private": ("private\nnote", "private\nnote"),
    "model_pdf": ("sponge", "sponge"),
    "fk_incoterms": (1, 1),
    "location_incoterms": ("Lyon", "Lyon"),
    "situation_cycle_ref": (4, 4),
    "situation_counter": ("2", 2),
    "situation_final": (1, 1),
    "retained_warranty": ("5", "5.00000000"),
    "retained_warranty_date_limit": ("2027-11-21", DAY + 365 * DAYS),
    "retained_warranty_fk_cond_reglement": (2, 2),
    "revenuestamp": ("1.6", "1.60000000"),
}
Make = Callable[..., int]


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

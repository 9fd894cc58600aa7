"""From an offer to a payment: the flow of the specification, every figure worked out by hand.

line 1: 3 × 19.99 = 59.97, less 10 % = 53.973 → 53.97 before tax; 53.973 × 1.20 = 64.7676 → 64.77; VAT 64.77 − 53.97 = 10.80
line 2: 2 × 100 = 200.00; 200 × 1.055 = 211.00; VAT 11.00. Together 253.97, 21.80, 275.77
"""

import pytest

from core.common.clock import as_if

pytestmark = pytest.mark.every_database

DAY = "2026-11-21"
#: midnight UTC of 2026-11-21, and of 2026-12-21, thirty days behind it
MIDNIGHT, LATER = 1795219200, 1797811200
TOTALS = ("253.97000000", "21.80000000", "275.77000000")
LINES = [
    {"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10},
    {"desc": "Delivery", "qty": 2, "subprice": 100, "tva_tx": "5.5", "product_type": 1},
]
EACH = [("53.97000000", "10.80000000", "64.77000000"), ("200.00000000", "11.00000000", "211.00000000")]


@pytest.fixture(autouse=True)
def _same_month():
    """Some references name the month in which they are made: all happens a month behind the offer's day."""
    with as_if(LATER + 3600):
        yield


def totals(record):
    return tuple(record[name] for name in ("total_ht", "total_tva", "total_ttc"))


def test_from_an_offer_to_a_payment(server, admin):
    customer = admin.ask("POST", "/thirdparties", {"name": "Atelier Vasseur", "client": 2})
    for element in ("propal", "commande", "facture"):
        admin.ask("POST", f"/setup/extrafields/{element}/site", {"label": "Site", "type": "varchar", "size": "20"})

    proposal = admin.ask(
        "POST",
        "/proposals",
        {"socid": customer, "date": DAY, "duree_validite": 30, "cond_reglement_id": 2, "mode_reglement_id": 2,
         "ref_client": "V-7", "note_public": "Thank you", "array_options": {"options_site": "Lyon"}, "lines": LINES},
    )  # fmt: skip
    draft = admin.get(f"/proposals/ref/(PROV{proposal})")
    assert (draft["id"], draft["statut"], draft["fin_validite"]) == (proposal, 0, LATER)
    assert totals(draft) == TOTALS
    assert [totals(line) for line in draft["lines"]] == EACH

    offered = admin.ask("POST", f"/proposals/{proposal}/validate", {})
    assert (offered["ref"], offered["statut"]) == ("PR2612-0001", 1)
    assert admin.refused("POST", f"/invoices/createfromproposal/{proposal}", {}, status=404)
    signed = admin.ask("POST", f"/proposals/{proposal}/close", {"status": 2})
    assert (signed["statut"], admin.get(f"/thirdparties/{customer}")["client"]) == (2, 3)

    order = admin.ask("POST", f"/orders/createfromproposal/{proposal}", {})
    assert (order["ref"], order["statut"], order["ref_client"]) == (f"(PROV{order['id']})", 0, "V-7")
    assert order["array_options"] == {"options_site": "Lyon"}
    assert totals(order) == TOTALS
    assert [totals(line) for line in order["lines"]] == EACH
    assert list(order["linkedObjectsIds"]["propal"].values()) == [proposal]
    ordered = admin.ask("POST", f"/orders/{order['id']}/validate", {})
    assert (ordered["ref"], ordered["statut"]) == ("CO2612-0001", 1)
    assert admin.get(f"/proposals/{proposal}")["statut"] == 2

    invoice = admin.ask("POST", f"/invoices/createfromorder/{order['id']}", {})
    assert (invoice["ref"], invoice["statut"], totals(invoice)) == (f"(PROV{invoice['id']})", 0, TOTALS)
    assert invoice["array_options"] == {"options_site": "Lyon"}
    assert list(invoice["linkedObjectsIds"]["commande"].values()) == [order["id"]]
    # 30 days
    assert invoice["date_lim_reglement"] - invoice["date"] == 30 * 86400
    billed = admin.ask("POST", f"/invoices/{invoice['id']}/validate", {})
    assert (billed["ref"], billed["statut"], billed["paye"]) == ("FA2612-0001", 1, 0)
    assert (totals(billed), billed["remaintopay"]) == (TOTALS, "275.77000000")

    # 100.00 now, the remaining 175.77 later
    part = {"arrayofamounts": {str(invoice["id"]): {"amount": "100", "multicurrency_amount": ""}}}
    terms = {"datepaye": MIDNIGHT, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1}
    admin.ask("POST", "/invoices/paymentsdistributed", part | terms)
    halfway = admin.get(f"/invoices/{invoice['id']}")
    assert (halfway["statut"], halfway["remaintopay"]) == (1, "175.77000000")
    admin.ask("POST", f"/invoices/{invoice['id']}/payments", terms)
    paid = admin.get(f"/invoices/{invoice['id']}")
    assert (paid["statut"], paid["paye"], paid["remaintopay"]) == (2, 1, "0.00000000")
    payments = admin.get(f"/invoices/{invoice['id']}/payments")
    assert [(row["amount"], row["type"], row["ref"]) for row in payments] == [
        ("100.00000000", "VIR", "PAY2611-0001"),
        ("175.77000000", "VIR", "PAY2611-0002"),
    ]
    assert admin.ask("POST", f"/orders/{order['id']}/setinvoiced", {})["billed"] == 1
    assert admin.ask("POST", f"/proposals/{proposal}/setinvoiced", {})["statut"] == 4

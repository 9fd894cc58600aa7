"""Invoices in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

import pytest

#: 2026-11-21, midnight UTC, and 01:53:20 of that day
DAY, MOMENT = 1795219200, 1795226000
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}


@pytest.fixture(scope="module")
def customer(old):
    return old.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})


@pytest.fixture
def make(old, customer):
    def make(*, validated=False, **fields):
        body = {"socid": customer, "date": MOMENT, "lines": [LINE], **fields}
        identifier = old.ask("POST", "/invoices", body)
        assert isinstance(identifier, int)
        if validated:
            act(old, identifier, "validate")
        return identifier

    return make


def act(old, identifier, action):
    return old.ask("POST", f"/invoices/{identifier}/{action}")


def test_put_merges(old, make):
    identifier = make(note_private="private", ref_client="C1")
    record = old.ask("PUT", f"/invoices/{identifier}", {"note_public": "inv note", "cond_reglement_id": 2})
    shown = ("note_public", "note_private", "ref_client", "cond_reglement_id", "date_lim_reglement")
    assert [record[name] for name in shown] == ["inv note", "private", "C1", "2", DAY + 30 * 86400]
    # A record in text can be sent back, also when it is validated
    act(old, identifier, "validate")
    before = old.get(f"/invoices/{identifier}")
    assert old.ask("PUT", f"/invoices/{identifier}", before)["total_ttc"] == before["total_ttc"]
    old.refused("PUT", f"/invoices/{identifier}", before | {"ref_client": "C2"}, status=405)


def test_a_payment_pays_its_amount_and_refuses_unknown_names(old, make):
    # 3 at 20 with 20 % VAT: 72
    identifier = make(validated=True)
    path = f"/invoices/{identifier}/payments"
    body = {"datepaye": MOMENT, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1}
    old.refused("POST", path, body | {"amout": "10"}, status=400)
    old.ask("POST", path, body | {"amount": "10"})
    record = old.get(f"/invoices/{identifier}")
    assert (record["statut"], record["remaintopay"]) == ("1", "62")
    # Dolibarr's key may be in the URL
    old.ask("POST", path, body, params={"api_key": "x"})
    assert old.get(f"/invoices/{identifier}")["statut"] == "2"

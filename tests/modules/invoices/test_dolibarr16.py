"""Invoices in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.testing import Client, Served

#: 2026-11-21, midnight UTC, and 01:53:20 of that day
DAY, MOMENT = 1795219200, 1795226000
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}
TERMS = {"datepaye": MOMENT, "paymentid": 2, "closepaidinvoices": "no", "accountid": 3}
CODE = {"close_code": "badcustomer", "close_note": "n"}

Make = Callable[..., int]


@pytest.fixture(scope="module")
def old(old_server: Served) -> Client:
    return old_server.client()


@pytest.fixture(scope="module")
def customer(old: Client) -> int:
    return old.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture
def make(old: Client, customer: int) -> Make:
    def make(*lines: dict[str, Any], state: int = 0, **fields: Any) -> int:
        body = {"socid": customer, "date": MOMENT, "lines": list(lines or (LINE,)), **fields}
        identifier: int = old.ask("POST", "/invoices", body)
        assert isinstance(identifier, int)
        for action, sent in (("validate", {}), ("settopaid", CODE if state == 3 else {}))[: min(state, 2)]:
            act(old, identifier, action, sent)
        return identifier

    return make


def act(old: Client, identifier: int, action: str, body: Any = None, *, status: int = 200) -> Any:
    return old.ask("POST", f"/invoices/{identifier}/{action}", body, status=status)


def test_an_empty_list_is_missing(old: Client) -> None:
    message = old.refused("GET", "/invoices", status=404, params={"sqlfilters": "(t.rowid:=:-5)"})
    assert message == "Not Found: No invoice found"


def test_the_recorded_invoice(old: Client, old_server: Served, customer: int) -> None:
    order = old.ask(
        "POST",
        "/orders",
        {"socid": customer, "date": DAY, "cond_reglement_id": 2, "mode_reglement_id": 2, "ref_client": "CUST-REF",
         "note_public": "new public", "note_private": "private note", "lines": [
             {"desc": "free line", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10},
             {"desc": "product line", "qty": 2, "subprice": 100, "tva_tx": "5.5"},
             {"desc": "order line", "qty": 2, "subprice": "12.5", "tva_tx": 20}]},
    )  # fmt: skip
    made = old.ask("POST", f"/invoices/createfromorder/{order}")
    assert (made["origin"], made["origin_id"]) == ("commande", str(order))
    record = old.get(f"/invoices/{made['id']}")
    # Of the recorded answer what does not depend on the day it was made
    recorded = {
        "entity": "1", "import_key": None, "array_options": [], "contacts_ids": [], "fk_project": None,
        "fk_projet": None, "ref_ext": None, "statut": "0", "status": "0", "mode_reglement_id": "2",
        "cond_reglement_id": "2", "model_pdf": None, "last_main_doc": None, "fk_account": None,
        "note_public": "new public", "note_private": "private note", "total_ht": "278.97000000",
        "total_tva": "26.80000000", "total_localtax1": "0.00000000", "total_localtax2": "0.00000000",
        "total_ttc": "305.77000000", "date_validation": "", "user_valid": None, "user_modification": None,
        "totalpaid": None, "totaldeposits": None, "totalcreditnotes": None, "remaintopay": "305.77",
        "fk_incoterms": "0", "brouillon": 1, "socid": str(customer), "fk_user_valid": None, "fk_user_modif": None,
        "ref_client": "CUST-REF", "ref_customer": "CUST-REF", "type": "0", "remise_absolue": None,
        "remise_percent": None, "revenuestamp": "0.00000000", "close_code": None, "close_note": None, "paye": "0",
        "module_source": None, "pos_source": None, "fk_fac_rec_source": None, "fk_facture_source": None,
        "cond_reglement_code": "30D", "mode_reglement_code": "VIR", "date_pointoftax": "", "fk_multicurrency": "0",
        "multicurrency_code": "EUR", "multicurrency_tx": "1.00000000", "multicurrency_total_ht": "278.97000000",
        "multicurrency_total_tva": "26.80000000", "multicurrency_total_ttc": "305.77000000",
        "situation_cycle_ref": None, "situation_counter": None, "situation_final": "0", "retained_warranty": "0",
        "retained_warranty_date_limit": "", "retained_warranty_fk_cond_reglement": "0",
        "cond_reglement_doc": "Due in 30 days",
    }  # fmt: skip
    assert {name: record[name] for name in recorded} == recorded
    assert record["ref"] == f"(PROV{record['id']})"
    assert record["user_author"] == record["fk_user_author"] == str(old_server.administrator.id)
    assert list(record["linkedObjectsIds"]["commande"].values()) == [str(order)]
    assert record["date_lim_reglement"] - record["date"] == 30 * 86400
    line = {
        "ref_ext": "", "total_ht": "53.97000000", "total_tva": "10.80000000", "total_ttc": "64.77000000",
        "fk_unit": None, "product_type": "0", "fk_product": None, "desc": "free line", "product_ref": None,
        "qty": "3", "remise_percent": "10", "info_bits": "0", "special_code": "0", "label": None, "libelle": None,
        "subprice": "19.99000000", "price": None, "vat_src_code": "", "tva_tx": "20.0000", "localtax1_tx": "0.0000",
        "localtax2_tx": "0.0000", "localtax1_type": "0", "localtax2_type": "0", "remise": None,
        "pa_ht": "0.00000000", "marge_tx": "", "marque_tx": 100, "multicurrency_subprice": "19.99000000",
        "multicurrency_total_ht": "53.97000000", "multicurrency_total_tva": "10.80000000",
        "multicurrency_total_ttc": "64.77000000", "fk_facture": record["id"], "fk_parent_line": None,
        "fk_remise_except": None, "fk_fournprice": None, "fk_code_ventilation": 0, "date_start": "", "date_end": "",
        "situation_percent": "100", "fk_prev_id": None, "description": "free line",
    }  # fmt: skip
    assert {name: record["lines"][0][name] for name in line} == line


def test_the_recorded_validation(old: Client, old_server: Served, make: Make) -> None:
    identifier = make()
    record = act(old, identifier, "validate", {"idwarehouse": 0, "notrigger": 0})
    assert (record["ref"][:7], record["statut"], record["paye"]) == ("FA2611-", "1", "0")
    assert record["user_valid"] == str(old_server.administrator.id)
    assert (record["date"], record["date_lim_reglement"]) == (DAY, DAY)
    assert record["date_validation"] % 86400 == 0
    assert act(old, identifier, "validate", {}, status=304) is None


def test_put_merges(old: Client, make: Make) -> None:
    identifier = make(note_private="private", ref_client="C1")
    record = old.ask("PUT", f"/invoices/{identifier}", {"note_public": "inv note", "cond_reglement_id": 2})
    shown = ("note_public", "note_private", "ref_client", "cond_reglement_id", "date_lim_reglement")
    assert [record[name] for name in shown] == ["inv note", "private", "C1", "2", DAY + 30 * 86400]
    # A record in text can be sent back, also when it is validated
    act(old, identifier, "validate")
    before = old.get(f"/invoices/{identifier}")
    assert old.ask("PUT", f"/invoices/{identifier}", before)["total_ttc"] == before["total_ttc"]
    old.refused("PUT", f"/invoices/{identifier}", before | {"ref_client": "C2"}, status=405)


def test_put_of_a_line_replaces_it(old: Client, make: Make) -> None:
    identifier = make()
    line = old.get(f"/invoices/{identifier}")["lines"][0]["id"]
    record = old.ask("PUT", f"/invoices/{identifier}/lines/{line}", {"qty": 1})
    assert [record["lines"][0][name] for name in ("qty", "subprice", "desc", "situation_percent")] == [
        "1", "0.00000000", "", "100",
    ]  # fmt: skip


@pytest.mark.parametrize("state", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("move", "body", "answers"),
    [
        ("validate", None, {0: 200, 1: 304, 2: 405, 3: 405}), ("settodraft", None, {0: 304, 1: 200, 2: 405, 3: 405}),
        ("settopaid", None, {0: 405, 1: 200, 2: 304, 3: 405}), ("settopaid", CODE, {0: 405, 1: 200, 2: 304, 3: 304}),
        ("settounpaid", None, {0: 405, 1: 304, 2: 200, 3: 200}),
    ],
    ids=["validate", "settodraft", "settopaid", "abandon", "settounpaid"],
)  # fmt: skip
def test_moves(old: Client, make: Make, move: str, body: Any, answers: dict[int, int], state: int) -> None:
    """The moves are those of the other profile; what is repeated is 304."""
    identifier = make(state=state)
    assert old.get(f"/invoices/{identifier}")["statut"] == str(state)
    act(old, identifier, move, body, status=answers[state])


def test_the_recorded_payments(old: Client, make: Make) -> None:
    identifier = make(state=1)
    assert old.get(f"/invoices/{identifier}/payments") == []
    amounts = {str(identifier): {"amount": "10", "multicurrency_amount": ""}}
    more = {"num_payment": "P1", "comment": "partial"}
    assert isinstance(old.ask("POST", "/invoices/paymentsdistributed", TERMS | more | {"arrayofamounts": amounts}), int)
    record = old.get(f"/invoices/{identifier}?contact_list=-1")
    shown = ("totalpaid", "remaintopay", "paye", "statut", "contacts_ids")
    assert [record[name] for name in shown] == ["10.00000000", "62", "0", "1", None]
    act(old, identifier, "payments", TERMS | {"num_payment": "NUM1"})
    rows = old.get(f"/invoices/{identifier}/payments")
    assert [row.pop("ref")[:8] for row in rows] == ["PAY2611-", "PAY2611-"]
    assert rows == [
        {"amount": "10.00000000", "type": "VIR", "date": "2026-11-21 01:53:20", "num": "P1", "ref_ext": ""},
        {"amount": "62.00000000", "type": "VIR", "date": "2026-11-21 01:53:20", "num": "NUM1", "ref_ext": ""},
    ]
    record = act(old, identifier, "settopaid", {})
    assert (record["statut"], record["paye"], record["close_code"]) == ("2", "1", None)
    act(old, identifier, "settounpaid", {})
    record = act(old, identifier, "settopaid", {"close_code": "discount_vat", "close_note": "small discount"})
    assert [record[name] for name in ("paye", "statut", "close_code", "close_note")] == [
        "0", "2", "discount_vat", "small discount",
    ]  # fmt: skip
    assert old.refused("GET", f"/invoices/{identifier}/discount", status=404) == "Not Found: Discount not found"


def test_the_recorded_discount(old: Client, old_server: Served, make: Make, customer: int) -> None:
    assert old.get(f"/thirdparties/{customer}/fixedamountdiscounts") == []
    credit = {"desc": "credit", "qty": 1, "subprice": "-10", "tva_tx": 20, "product_type": 0}
    identifier = make(credit, type=2, state=1)
    record = act(old, identifier, "markAsCreditAvailable", {})
    assert (record["total_ht"], record["total_tva"], record["total_ttc"]) == (
        "-10.00000000", "-2.00000000", "-12.00000000",
    )  # fmt: skip
    discount = old.get(f"/invoices/{identifier}/discount")
    recorded = {
        "fk_soc": str(customer), "discount_type": "0", "total_ht": "10.00000000", "total_tva": "2.00000000",
        "total_ttc": "12.00000000", "amount_ht": "10.00000000", "amount_tva": "2.00000000",
        "amount_ttc": "12.00000000", "multicurrency_amount_ttc": "12.00000000", "tva_tx": "20.0000",
        "vat_src_code": "", "fk_user": str(old_server.administrator.id), "description": "(CREDIT_NOTE)",
        "fk_facture_source": str(identifier), "ref_facture_source": record["ref"], "type_facture_source": "2",
        "multicurrency_subprice": "10.00000000", "fk_invoice_supplier": None,
    }  # fmt: skip
    assert {name: discount[name] for name in recorded} == recorded
    assert isinstance(discount["datec"], int)
    assert old.get(f"/thirdparties/{customer}/fixedamountdiscounts") == [discount]
    assert old.get(f"/thirdparties/{customer}")["absolute_creditnote"] == "12"
    target = make(state=1)
    assert act(old, target, f"usecreditnote/{discount['id']}") == 1
    record = old.get(f"/invoices/{target}")
    assert [record[name] for name in ("totalpaid", "totalcreditnotes", "totaldeposits", "remaintopay")] == [
        None, "12.00000000", None, "60",
    ]  # fmt: skip
    row = old.get(f"/invoices/{target}/payments")[0]
    assert (row["amount"], row["type"]) == ("12.00000000", "CREDIT_NOTE")
    assert len(row["date"]) == len("2026-11-21 01:53:20")
    old.get(f"/thirdparties/{customer}/fixedamountdiscounts?filter=available")


def test_an_invoice_without_lines(old: Client, customer: int) -> None:
    identifier = old.ask("POST", "/invoices", {"socid": customer, "lines": []})
    assert "must have lines" in old.refused("POST", f"/invoices/{identifier}/validate", {}, status=405)
    answer = old.ask("DELETE", f"/invoices/{identifier}")
    assert answer == {"success": {"code": 200, "message": "Invoice deleted"}}

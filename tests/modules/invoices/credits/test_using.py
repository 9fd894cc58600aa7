"""What a discount can pay, and what it can be a line of."""

import pytest

from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.invoices.credits.credits import TERMS, absolute, act, distribute, listed, read, refuse


def test_a_credit_pays_an_invoice(admin, make, credit, deposit, customer):
    note, first = credit()
    prepaid, second = deposit()
    identifier = make()
    distribute(admin, {identifier: "10"})
    assert act(admin, identifier, f"usecreditnote/{first}")["id"] == identifier
    assert act(admin, identifier, f"usecreditnote/{second}", {})["id"] == identifier
    record = read(admin, identifier)
    money = ("totalpaid", "totalcreditnotes", "totaldeposits", "remaintopay", "statut")
    # 120 − 10 − 12 − 36
    assert [record[name] for name in money] == ["10.00000000", "12.00000000", "36.00000000", "62.00000000", 1]
    row = admin.get("/invoices", sqlfilters=f"(t.rowid:=:{identifier})")[0]
    assert [row[name] for name in money] == [record[name] for name in money]
    rows = admin.get(f"/invoices/{identifier}/payments")
    assert [(each["amount"], each["type"], each["num"]) for each in rows] == [
        ("10.00000000", "VIR", ""), ("12.00000000", "CREDIT_NOTE", ""), ("36.00000000", "DEPOSIT", ""),
    ]  # fmt: skip
    assert [each["ref"] for each in rows[1:]] == [read(admin, each)["ref"] for each in (note, prepaid)]
    assert all(isinstance(each["date"], int) for each in rows)
    assert absolute(admin, customer) == ("0", "0")
    assert admin.get(f"/invoices/{note}/discount")["fk_facture"] == identifier
    act(admin, identifier, "payments", TERMS | {"closepaidinvoices": "yes"})
    record = read(admin, identifier)
    assert (record["statut"], record["totalpaid"], record["remaintopay"]) == (2, "72.00000000", "0.00000000")


def test_a_credit_that_cannot_pay(admin, make, credit, customer):
    _, discount = credit()
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    small, paid, gone = make({"qty": 1, "subprice": 9, "tva_tx": 20}), make(), make()
    act(admin, paid, "settopaid")
    act(admin, gone, "settopaid", {"close_code": "abandon"})
    for identifier, reason in (
        (make(draft=True), "draft"), (paid, "paid"), (gone, "abandoned"), (small, "10.8 remains"),
        (make(socid=other), "another third party"), (make(type=2), "can't use"),
    ):  # fmt: skip
        assert reason in refuse(admin, identifier, f"usecreditnote/{discount}")
    assert listed(admin, customer, filter="available")
    target = make()
    assert refuse(admin, target, "usecreditnote/999999", status=404) == "Not Found: Credit 999999 not found"
    refuse(admin, target, "usecreditnote/0", status=400)
    act(admin, target, f"usecreditnote/{discount}")
    # Once
    for identifier in (target, make()):
        assert "already" in refuse(admin, identifier, f"usecreditnote/{discount}")
    assert "already" in refuse(admin, make(draft=True), f"usediscount/{discount}")


@pytest.mark.every_database
def test_of_several_who_pay_with_one_credit_at_once_one_does(admin, make, credit):
    for _ in range(3):
        _, discount = credit()
        invoices = [make() for _ in range(4)]
        paths = [f"/invoices/{each}/usecreditnote/{discount}" for each in invoices]
        answers = at_once([lambda path=path: admin.simulate_post(path).status_code for path in paths])
        assert sorted(answers) == [200, 405, 405, 405]


def test_a_discount_is_a_line_of_a_draft(admin, make, deposit, customer):
    _, discount = deposit()
    identifier = make(draft=True)
    line = act(admin, identifier, f"usediscount/{discount}")["lines"][-1]["id"]
    record = read(admin, identifier)
    # 120 − 36
    assert (record["total_ht"], record["total_tva"], record["total_ttc"]) == (
        "70.00000000", "14.00000000", "84.00000000",
    )  # fmt: skip
    kept = record["lines"][1]
    shown = ("id", "fk_remise_except", "info_bits", "desc", "qty", "subprice", "tva_tx", "total_ttc", "rang")
    assert [kept[name] for name in shown] == [
        line, discount, 2, "(DEPOSIT)", "1.00000000", "-30.00000000", "20.0000", "-36.00000000", 2,
    ]  # fmt: skip
    # No payment: it is part of the total
    assert (record["totaldeposits"], record["remaintopay"]) == ("0.00000000", "84.00000000")
    assert absolute(admin, customer) == ("0", "0")
    path = f"/invoices/{identifier}/lines/{line}"
    for verb, body in (("PUT", {"qty": 1}), ("PATCH", {"qty": 2}), ("PATCH", {"subprice": 1}), ("PUT", {})):
        assert "discount" in admin.refused(verb, path, body, status=405)
    assert admin.ask("PATCH", path, {"desc": "paid before", "rang": 1})["lines"][0]["desc"] == "paid before"
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    assert "socid" in admin.refused("PATCH", f"/invoices/{identifier}", {"socid": other}, status=405)
    assert "already" in refuse(admin, make(draft=True), f"usediscount/{discount}")
    assert "already" in refuse(admin, make(), f"usecreditnote/{discount}")
    # Free again with the line, and with the draft
    admin.ask("DELETE", path)
    assert admin.get(f"/invoices/{identifier}")["total_ttc"] == "120.00000000"
    assert absolute(admin, customer) == ("36", "0")
    act(admin, identifier, f"usediscount/{discount}")
    admin.ask("DELETE", f"/invoices/{identifier}")
    assert absolute(admin, customer) == ("36", "0")


def test_a_discount_that_cannot_be_a_line(admin, make, credit):
    _, discount = credit()
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    for identifier, reason in (
        (make(), "but must be a draft"), (make(draft=True, socid=other), "another third party"),
        (make(draft=True, type=2), "can't use"),
    ):  # fmt: skip
        before = read(admin, identifier)
        assert reason in refuse(admin, identifier, f"usediscount/{discount}")
        assert read(admin, identifier) == before
    assert refuse(admin, make(draft=True), "usediscount/999999", status=404) == "Not Found: Discount 999999 not found"


def test_a_discount_of_several_cents_keeps_them(admin, make):
    """Ten lines of 0.33: VAT 0.70, where 20 percent of 3.30 are 0.66. The discount takes away what was paid."""
    prepaid = make(*[{"qty": 1, "subprice": "0.33", "tva_tx": 20}] * 10, type=3)
    act(admin, prepaid, "payments", TERMS)
    act(admin, prepaid, "markAsCreditAvailable")
    discount = admin.get(f"/invoices/{prepaid}/discount")
    assert (discount["amount_ht"], discount["amount_tva"]) == ("3.30000000", "0.70000000")
    identifier = make(draft=True)
    act(admin, identifier, f"usediscount/{discount['id']}")
    assert read(admin, identifier)["total_ttc"] == "116.00000000"
    assert act(admin, identifier, "validate")["total_ttc"] == "116.00000000"

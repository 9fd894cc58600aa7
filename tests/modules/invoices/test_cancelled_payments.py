"""What was paid by mistake is undone: payments are cancelled, and discounts taken back."""

import pytest

from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.invoices.invoices import PAID, act, number, read

LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 20}


@pytest.fixture(scope="module")
def account(admin):
    body = {
        "ref": "BANK",
        "label": "Bank",
        "type": 1,
        "currency_code": "EUR",
        "country_id": 1,
        "date_solde": 1795219200,
    }
    return admin.ask("POST", "/bankaccounts", body)


@pytest.fixture
def make(admin, customer):
    """A validated invoice of 120.00."""

    def make(**fields):
        made = admin.ask("POST", "/invoices", {"socid": customer, "date": "2026-11-21", "lines": [LINE], **fields})
        act(admin, made, "validate")
        return made

    return make


@pytest.fixture
def pay(admin, account):
    def pay(amounts, *, closes="yes", **more):
        body = PAID | {"arrayofamounts": amounts, "accountid": account, "closepaidinvoices": closes} | more
        return admin.ask("POST", "/invoices/paymentsdistributed", body)

    return pay


def cancel(admin, payment, *, status=200):
    return admin.ask("DELETE", f"/invoices/payments/{payment}", status=status)


def money(admin, *invoices):
    names = ("statut", "paye", "totalpaid", "remaintopay")
    return [tuple(read(admin, each)[name] for name in names) for each in invoices]


OPEN = (1, 0, "0.00000000", "120.00000000")


@pytest.mark.every_database
def test_a_cancelled_payment_counts_nowhere_and_its_number_stays(admin, make, pay, customer, account):
    first, second = make(), make()
    balance = admin.get(f"/bankaccounts/{account}")["balance"]
    owed = admin.get(f"/thirdparties/{customer}/outstandinginvoices")["opened"]
    payment = pay({str(first): "remain", str(second): "20"}, num_payment="4711")
    (listed,) = admin.get(f"/invoices/{first}/payments")
    assert (listed["id"], listed["amount"]) == (payment, "120.00000000")

    assert cancel(admin, payment) == {"success": {"code": 200, "message": "Payment cancelled"}}

    assert money(admin, first, second) == [OPEN, OPEN]
    assert read(admin, first)["date_closing"] is None
    assert admin.get(f"/bankaccounts/{account}")["balance"] == balance
    assert admin.get(f"/thirdparties/{customer}/outstandinginvoices")["opened"] == owed
    assert admin.get(f"/invoices/{first}/payments") == []
    user = admin.get("/users/info")["id"]
    for invoice, amount in ((first, "120.00000000"), (second, "20.00000000")):
        (gone,) = admin.get(f"/invoices/{invoice}/payments", cancelled=1)
        assert {name: gone[name] for name in listed if name != "amount"} == {
            name: listed[name] for name in listed if name != "amount"
        }
        assert (gone["amount"], gone["num"], gone["cancelled_by"]) == (amount, "4711", user)
        assert isinstance(gone["cancelled"], int)
    # The numbers have no gap
    pay({str(first): "remain"})
    (again,) = admin.get(f"/invoices/{first}/payments")
    assert number(again["ref"]) == number(listed["ref"]) + 1
    assert money(admin, first) == [(2, 1, "120.00000000", "0.00000000")]
    assert cancel(admin, payment, status=405)["error"]["reason"] == "already_done"
    assert money(admin, first) == [(2, 1, "120.00000000", "0.00000000")]


def test_a_refusal_for_a_payment_leads_to_its_cancellation(admin, make, pay):
    invoice = make()
    payments = [pay({str(invoice): "20"}), pay({str(invoice): "30"})]
    for verb, path in (("POST", f"/invoices/{invoice}/settodraft"), ("DELETE", f"/invoices/{invoice}")):
        error = admin.ask(verb, path, status=405)["error"]
        assert error["reason"] == "has_payments"
        ways = [each["path"] for each in error["allowed"] if each["operation"] == "DELETE /invoices/payments/{id}"]
        assert ways == [f"/invoices/payments/{each}" for each in payments]
    for way in ways:
        admin.ask("DELETE", way)
    assert act(admin, invoice, "settodraft")["statut"] == 0
    admin.ask("DELETE", f"/invoices/{invoice}")
    assert cancel(admin, payments[0], status=404)


def test_the_line_of_a_statement_stays(admin, make, pay, account):
    invoice = make()
    payment = pay({str(invoice): "remain"})
    line = admin.get(f"/bankaccounts/{account}/lines", sortfield="t.rowid", sortorder="DESC", limit=1)[0]["id"]
    path = f"/bankaccounts/{account}/lines/{line}"
    admin.ask("PUT", path, {"rappro": 1, "num_releve": "2611"})
    error = cancel(admin, payment, status=405)["error"]
    assert error["reason"] == "locked"
    assert [each["path"] for each in error["allowed"]] == [path]
    assert money(admin, invoice)[0][0] == 2
    admin.ask("PUT", path, {"rappro": 0})
    cancel(admin, payment)
    assert admin.ask("PUT", path, {"label": "gone"}, status=404)


def test_discounts_made_of_it_go_and_a_used_one_holds_it(admin, make, pay):
    deposit, invoice = make(type=3), make()
    payment = pay({str(deposit): "remain"})
    act(admin, deposit, "markAsCreditAvailable")
    discount = admin.get(f"/invoices/{deposit}/discount")["id"]
    act(admin, invoice, f"usecreditnote/{discount}")
    error = cancel(admin, payment, status=405)["error"]
    assert error["reason"] == "in_use"
    (way,) = error["allowed"]
    assert (way["method"], way["path"]) == ("DELETE", f"/invoices/{invoice}/usecreditnote/{discount}")
    assert money(admin, deposit)[0][0] == 2
    admin.ask(way["method"], way["path"])
    assert money(admin, invoice) == [OPEN]
    cancel(admin, payment)
    assert money(admin, deposit) == [OPEN]
    admin.ask("GET", f"/invoices/{deposit}/discount", status=404)


@pytest.mark.parametrize("is_validated", [False, True])
def test_the_way_to_free_a_discount_that_a_line_deducts(admin, make, pay, customer, is_validated):
    deposit = make(type=3)
    payment = pay({str(deposit): "remain"})
    act(admin, deposit, "markAsCreditAvailable")
    discount = admin.get(f"/invoices/{deposit}/discount")["id"]
    lines = [LINE | {"subprice": "300"}]
    invoice = admin.ask("POST", "/invoices", {"socid": customer, "date": "2026-11-21", "lines": lines})
    act(admin, invoice, f"usediscount/{discount}")
    line = read(admin, invoice)["lines"][-1]["id"]
    if is_validated:
        act(admin, invoice, "validate")
        (way,) = cancel(admin, payment, status=405)["error"]["allowed"]
        assert (way["method"], way["path"]) == ("POST", f"/invoices/{invoice}/settodraft")
        admin.ask(way["method"], way["path"])
    (way,) = cancel(admin, payment, status=405)["error"]["allowed"]
    assert (way["method"], way["path"]) == ("DELETE", f"/invoices/{invoice}/lines/{line}")
    admin.ask(way["method"], way["path"])
    cancel(admin, payment)
    assert money(admin, deposit) == [OPEN]


def test_a_refund_is_cancelled(admin, make, pay, account):
    note = make(type=2)
    balance = admin.get(f"/bankaccounts/{account}")["balance"]
    payment = pay({str(note): "120"})
    cancel(admin, payment)
    assert money(admin, note) == [(1, 0, "0.00000000", "-120.00000000")]
    assert admin.get(f"/bankaccounts/{account}")["balance"] == balance


def test_only_a_caller_who_sees_all_its_invoices_cancels_a_payment(admin, server, make, pay, customer):
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd", "client": 1})
    mine, hidden = make(), make(socid=other)
    payment = pay({str(mine): "10", str(hidden): "10"})
    user = server.user("invoices.read", "invoices.pay", socid=customer)
    assert user.ask("GET", f"/invoices/{mine}")["totalpaid"] == "10.00000000"
    seen = user.ask("DELETE", f"/invoices/payments/{payment}", status=404)
    assert seen["error"]["message"] == f"Not Found: Payment {payment} not found"
    assert [each[2] for each in money(admin, mine, hidden)] == ["10.00000000"] * 2


@pytest.mark.every_database
def test_of_several_who_cancel_a_payment_at_once_one_does(admin, make, pay):
    for _ in range(3):
        invoice = make()
        path = f"/invoices/payments/{pay({str(invoice): 'remain'})}"
        answers = at_once([lambda path=path: admin.simulate_delete(path).status_code for _ in range(4)])
        assert sorted(answers) == [200, 405, 405, 405]
        assert money(admin, invoice) == [OPEN]

"""Payments of invoices write a line on the account that they name."""

import pytest

from tests.modules.banks.banks import DAY, opened
from tests.modules.commercial.documents.test_at_once import at_once

#: 2026-11-21 01:53:20
TERMS = {"datepaye": DAY + 6800, "paymentid": 2, "closepaidinvoices": "no"}


@pytest.fixture(scope="module")
def early(admin, customer):
    """A payment from the time before there was an account; it names one."""
    return pay(admin, invoice(admin, customer), accountid=777)


@pytest.fixture(scope="module")
def account(admin, early):
    return opened(admin)


def invoice(admin, customer, **more):
    """One of 120.00 that is validated."""
    lines = [{"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 20}]
    made = admin.ask("POST", "/invoices", {"socid": customer, "date": "2026-11-21", "lines": lines, **more})
    admin.ask("POST", f"/invoices/{made}/validate")
    return made


def pay(admin, identifier, *, status=200, **more):
    return admin.ask("POST", f"/invoices/{identifier}/payments", TERMS | more, status=status)


def distribute(admin, amounts, *, status=200, **more):
    body = TERMS | {"arrayofamounts": {str(key): value for key, value in amounts.items()}} | more
    return admin.ask("POST", "/invoices/paymentsdistributed", body, status=status)


def last(admin, account):
    return admin.get(f"/bankaccounts/{account}/lines", sortfield="t.rowid", sortorder="DESC", limit=1)[0]


def test_a_payment_writes_its_line(admin, customer, account):
    payment = pay(
        admin,
        invoice(admin, customer),
        accountid=account,
        paymentid=7,
        num_payment="C1",
        chqemetteur="Acme",
        chqbank="Bank",
    )
    line = last(admin, account)
    expected = {
        "amount": "120.00000000", "dateo": DAY, "datev": DAY, "fk_type": "CHQ", "num_chq": "C1", "emetteur": "Acme",
        "banque": "Bank", "rappro": 0,
    }  # fmt: skip
    assert {name: line[name] for name in expected} == expected
    links = admin.get(f"/bankaccounts/{account}/lines/{line['id']}/links")
    assert {(each["type"], each["url_id"]) for each in links} == {("payment", payment), ("company", customer)}
    admin.ask("PUT", f"/invoices/payments/{payment}", {"num_payment": "C2"})
    assert last(admin, account)["num_chq"] == "C2"
    path = f"/bankaccounts/{account}/lines/{line['id']}"
    assert "payment" in admin.refused("DELETE", path, status=405)
    assert admin.ask("PUT", path, {"label": "Mine"})["label"] == "Mine"


def test_one_line_for_several_invoices(admin, customer, account):
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd", "client": 1})
    one, two = invoice(admin, customer), invoice(admin, other)
    distribute(admin, {one: "100", two: "20.5"}, accountid=account)
    line = last(admin, account)
    assert line["amount"] == "120.50000000"
    links = admin.get(f"/bankaccounts/{account}/lines/{line['id']}/links")
    assert sorted(each["url_id"] for each in links if each["type"] == "company") == [customer, other]


def test_what_is_paid_back_goes_out(admin, customer, account):
    pay(admin, invoice(admin, customer, type=2), accountid=account)
    assert last(admin, account)["amount"] == "-120.00000000"
    distribute(admin, {invoice(admin, customer): "120", invoice(admin, customer, type=2): "50"}, accountid=account)
    assert last(admin, account)["amount"] == "70.00000000"


def test_accounts_that_take_no_payment(admin, customer, account):
    identifier, dollars, closed = invoice(admin, customer), opened(admin, currency_code="USD"), opened(admin, status=1)
    before = len(admin.get(f"/bankaccounts/{account}/lines", limit=500))
    assert "accountid" in str(pay(admin, identifier, status=400))
    assert "accountid" in str(pay(admin, identifier, accountid=999999, status=404))
    assert "closed" in str(pay(admin, identifier, accountid=closed, status=405))
    assert "USD" in str(pay(admin, identifier, accountid=dollars, status=405))
    distribute(admin, {identifier: "1"}, status=400)
    # A payment that is refused for another reason writes no line
    distribute(admin, {identifier: "1000"}, accountid=account, status=400)
    assert admin.get(f"/invoices/{identifier}")["remaintopay"] == "120.00000000"
    assert len(admin.get(f"/bankaccounts/{account}/lines", limit=500)) == before


def test_payments_from_before_stay(admin, early, account):
    admin.ask("PUT", f"/invoices/payments/{early}", {"num_payment": "P"})
    assert "777" not in str(admin.get("/bankaccounts", limit=500, properties="id"))


def test_where_all_accounts_are_closed_none_is_needed(admin, customer, account):
    opened_ones = [each["id"] for each in admin.get("/bankaccounts", limit=500) if not each["status"]]
    for each in opened_ones:
        admin.ask("PUT", f"/bankaccounts/{each}", {"status": 1})
    pay(admin, invoice(admin, customer))
    pay(admin, invoice(admin, customer), accountid=account, status=405)
    for each in opened_ones:
        admin.ask("PUT", f"/bankaccounts/{each}", {"status": 0})
    pay(admin, invoice(admin, customer), status=400)


def test_an_account_that_a_payment_names_stays(admin, customer, account):
    pay(admin, invoice(admin, customer), accountid=account)
    assert "a payment uses it" in admin.refused("DELETE", f"/bankaccounts/{account}", status=405)


def test_many_pay_at_once(admin, customer, account):
    before = admin.get(f"/bankaccounts/{account}")["balance"]
    ids = [invoice(admin, customer) for _ in range(4)]

    def one(number):
        codes = []
        for identifier in ids if number % 2 else ids[::-1]:
            body = TERMS | {"accountid": account}
            codes.append(int(admin.simulate_post(f"/invoices/{identifier}/payments", json=body).status_code))
        return codes

    codes = at_once([lambda number=number: one(number) for number in range(4)])
    assert sorted(code for some in codes for code in some) == [200] * 4 + [400] * 12
    after = admin.get(f"/bankaccounts/{account}")["balance"]
    # Each of four invoices of 120.00 is paid once, and each payment has one line
    assert float(after) - float(before) == pytest.approx(480)

"""Two who do the same with one invoice at once: one of them succeeds, and the laws hold afterwards."""

import pytest

from tests.laws.goods import Business
from tests.laws.ledger import CREDIT_NOTE, DEPOSIT, DRAFT, PAID, VALIDATED
from tests.laws.trade import TIME
from tests.modules.commercial.documents.test_at_once import at_once

pytestmark = pytest.mark.every_database("postgresql", "mysql")

#: 2 × 60.00 and 1 × 9.99 including 20 %: 129.99 + 24.00
LINES = [
    {"price": "60", "qty": "2", "rate": "20", "discount": "0", "gross": False, "special": 0, "taxes": "charged"},
    {"price": "9.99", "qty": "1", "rate": "20", "discount": "0", "gross": True, "special": 0, "taxes": "charged"},
]


@pytest.fixture
def trade(server):
    """The machine's books and checks, without its search."""
    business = type("Machine", (Business,), {"client": server.client(), "settings_now": {}})()
    yield business
    business.teardown()


def both(trade, path, body=None, times=2):
    """Make a call several times at once; return the statuses."""
    calls = [lambda: trade.journal.client.simulate_post(path, json=body or {}).status_code] * times
    statuses = sorted(at_once(calls))
    trade.journal.note(f"{times} at once: POST {path} {body or ''} -> {statuses}")
    assert max(statuses) < 500, statuses
    return statuses.count(200)


def refresh(trade, *documents):
    for document in documents:
        document.state = int(trade.journal.get(document.path)["statut"])
        trade.look(document, changed=True)


def test_an_invoice_is_paid_once(trade):
    invoice = trade.sell_lines(LINES, 0)
    body = {
        "datepaye": TIME,
        "paymentid": 2,
        "closepaidinvoices": "yes",
        "accountid": trade.account,
        "amount": "100.00",
    }
    assert both(trade, f"{invoice.path}/payments", body) == 1
    trade.enter_payment(0, (invoice, 100))
    assert both(trade, f"{invoice.path}/payments", body | {"amount": "remain"}, 3) == 1
    trade.enter_payment(0, (invoice, trade.remains(invoice)))
    assert invoice.state == PAID


def test_an_invoice_is_validated_once(trade):
    sent = [trade.sent(line) for line in LINES]
    invoice = trade.make("invoices", [body for body, _ in sent], [agreed for _, agreed in sent])
    assert both(trade, f"{invoice.path}/validate", times=3) == 1
    refresh(trade, invoice)
    assert invoice.state == VALIDATED


def test_an_invoice_is_credited_once(trade):
    trade.sell_lines(LINES, 0)
    for _ in range(2):
        trade.credit(0, "whole", 0, is_validated=False)
    notes = trade.those("invoices", types=(CREDIT_NOTE,))
    calls = [lambda n=n: trade.journal.client.simulate_post(f"{n.path}/validate", json={}).status_code for n in notes]
    assert sorted(at_once(calls)) == [200, 405]
    refresh(trade, *notes)
    assert sorted(note.state for note in notes) == [DRAFT, VALIDATED]


def test_an_invoice_becomes_discounts_once(trade):
    deposit = trade.sell_lines(LINES, DEPOSIT)
    trade.pay_one(deposit, "remain", "yes")
    assert both(trade, f"{deposit.path}/markAsCreditAvailable", times=3) == 1
    rows = trade.journal.get(f"/thirdparties/{trade.customer}/fixedamountdiscounts")
    # 144.00 and 9.99, of one rate
    assert [row["amount_ttc"] for row in rows] == ["153.99000000"]
    trade.adopt_discounts(deposit)
    refresh(trade, deposit)


@pytest.mark.parametrize("as_line", [True, False])
def test_a_discount_is_used_once(trade, as_line):
    trade.take_deposit(lines=LINES)
    (discount,) = trade.discounts
    action = "usediscount" if as_line else "usecreditnote"
    invoices = []
    for _ in range(2):
        sent = [trade.sent(line) for line in LINES]
        invoices.append(trade.make("invoices", [body for body, _ in sent], [agreed for _, agreed in sent]))
        if not as_line:
            trade.validate_one(invoices[-1])
    calls = [
        lambda path=f"{each.path}/{action}/{discount.id}": trade.journal.client.simulate_post(path, json={}).status_code
        for each in [*invoices, invoices[0]]
    ]
    assert sorted(at_once(calls)) == [200, 405, 405]
    (row,) = trade.journal.get(f"/thirdparties/{trade.customer}/fixedamountdiscounts")
    for each in invoices:
        each.state = int(trade.journal.get(each.path)["statut"])
        if as_line:
            new = [line for line in trade.journal.get(each.path)["lines"] if line["fk_remise_except"]]
            if new:
                trade.use(each, discount, as_line=True)
        elif int(row["fk_facture"] or 0) == each.id:
            discount.use = each
        trade.look(each, changed=True)
    assert discount.use is not None


def test_a_movement_is_reversed_once(trade):
    product, place = trade.product(0), trade.places[0]
    body = {"product_id": product.id, "warehouse_id": place, "qty": "5"}
    made = trade.post("/stockmovements", body).made
    assert both(trade, f"/stockmovements/{made}/undo", times=3) == 1
    trade.check_goods()

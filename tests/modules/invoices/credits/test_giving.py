"""What gives a discount: credit notes, deposits, excess payments; and what becomes of them then."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from core import Records, transaction
from core.storage.database import backend, close, database, ensure_connected
from core.testing import cost
from modules.thirdparties.models import Discount
from tests.modules.invoices.credits.credits import LINE, TERMS, absolute, act, distribute, listed, read, refuse

# Credit notes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "amounts"),
    [
        # Positive quantity, negative price and totals, whatever the signs sent
        ({"qty": 1, "subprice": "-10", "tva_tx": 20}, ("1", "-10", "-10", "-2", "-12")),
        ({"qty": -1, "subprice": "10", "tva_tx": 20}, ("1", "-10", "-10", "-2", "-12")),
        ({"qty": -3, "subprice": "-0.333", "tva_tx": 20}, ("3", "-0.333", "-1", "-0.2", "-1.2")),
        ({"qty": 1, "subprice": "1.005", "tva_tx": 20}, ("1", "-1.005", "-1.01", "-0.2", "-1.21")),
        ({"qty": 1, "subprice": 10, "tva_tx": 20, "remise_percent": 100}, ("1", "-10", "0", "0", "0")),
    ],
)
def test_a_credit_note_is_negative(admin, make, line, amounts):
    record = read(admin, make(line, draft=True, type=2))
    kept = record["lines"][0]
    shown = [kept[name] for name in ("qty", "subprice", "total_ht", "total_tva", "total_ttc")]
    assert [text.rstrip("0").rstrip(".") for text in shown] == [*amounts]
    assert record["total_ttc"] == kept["total_ttc"]
    path = f"/invoices/{record['id']}/lines/{kept['id']}"
    assert admin.ask("PATCH", path, {"subprice": 5, "qty": 2, "remise_percent": 0})["total_ht"] == "-10.00000000"


def test_a_discount_for_each_rate(admin, make, customer):
    lines = [
        LINE, LINE | {"subprice": 50, "qty": 2}, {"qty": 1, "subprice": 200, "tva_tx": "5.5"},
        {"qty": 1, "subprice": 10, "tva_tx": "20 (X)"}, {"desc": "title", "product_type": 9, "qty": 1, "subprice": 5},
    ]  # fmt: skip
    act(admin, make(*lines, type=2), "markAsCreditAvailable")
    shown = [
        (row["tva_tx"], row["vat_src_code"], row["amount_ht"], row["amount_tva"], row["amount_ttc"])
        for row in listed(admin, customer)
    ]
    assert shown == [
        ("20.0000", "", "200.00000000", "40.00000000", "240.00000000"),
        ("5.5000", "", "200.00000000", "11.00000000", "211.00000000"),
        ("20.0000", "X", "10.00000000", "2.00000000", "12.00000000"),
    ]
    assert absolute(admin, customer) == ("0", "463")


def test_deposits_and_excess_payments(admin, make, deposit, customer):
    identifier, discount = deposit()
    rows = listed(admin, customer)
    assert [(row["id"], row["description"], row["amount_ttc"], row["type_facture_source"]) for row in rows] == [
        (discount, "(DEPOSIT)", "36.00000000", 3)
    ]
    assert (absolute(admin, customer), read(admin, identifier)["ref"][:2]) == (("36", "0"), "AC")
    # Paid, and not closed: closed thereby
    paid = make(LINE, type=3)
    act(admin, paid, "payments", TERMS)
    record = act(admin, paid, "markAsCreditAvailable")
    assert (record["statut"], record["paye"], absolute(admin, customer)) == (2, 1, ("156", "0"))
    for state in (1, 2):
        invoice = make()
        distribute(admin, {invoice: "150.5"}, accepthigherpayment=True, closepaidinvoices="yes" if state == 2 else "no")
        assert read(admin, invoice)["statut"] == state
        assert act(admin, invoice, "markAsCreditAvailable")["statut"] == 2
        row = admin.get(f"/invoices/{invoice}/discount")
        assert [row[name] for name in ("description", "amount_ht", "amount_tva", "amount_ttc", "tva_tx")] == [
            "(EXCESS RECEIVED)", "30.50000000", "0.00000000", "30.50000000", "0.0000",
        ]  # fmt: skip
        assert "already" in refuse(admin, invoice, "markAsCreditAvailable")
    assert absolute(admin, customer) == ("156", "61")


def test_what_gives_no_credit(admin, make, customer):
    unpaid, part, given_up = make(type=3), make(type=3), make(type=3)
    for each in (part, given_up):
        distribute(admin, {each: "1"})
    act(admin, given_up, "settopaid", {"close_code": "abandon"})
    closed, back = make(type=2), make(type=2)
    act(admin, closed, "settopaid")
    distribute(admin, {back: "1"})
    exact = make()
    act(admin, exact, "payments", TERMS)
    nothing = make({"qty": 1, "subprice": 0}, type=2)
    below = make(LINE | {"subprice": 5}, {"qty": -1, "subprice": 10, "tva_tx": 10}, type=3)
    only_closed = make(type=3)
    act(admin, only_closed, "settopaid")
    for identifier in (
        unpaid, part, given_up, closed, back, exact, nothing, below, only_closed, make(), make(type=4), make(type=2, draft=True),
        make(type=3, draft=True), make(draft=True),
    ):  # fmt: skip
        before = read(admin, identifier)
        assert refuse(admin, identifier, "markAsCreditAvailable")
        assert read(admin, identifier) == before
    assert listed(admin, customer) == []


# What has given a discount --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["usecreditnote", "usediscount"])
@pytest.mark.parametrize("giver", ["credit", "deposit"])
def test_what_gave_a_used_discount_stays(admin, make, request, giver, way):
    source, discount = request.getfixturevalue(giver)()
    act(admin, make(draft=way == "usediscount"), f"{way}/{discount}")
    before = read(admin, source)
    assert "used" in refuse(admin, source, "settounpaid")
    assert refuse(admin, source, "settodraft")
    assert admin.refused("DELETE", f"/invoices/{source}", status=405)
    assert read(admin, source) == before


def test_a_credit_that_is_not_used_is_taken_back(admin, make, credit, customer):
    source, discount = credit()
    assert "discount" in admin.refused("DELETE", f"/invoices/{source}", status=405)
    record = act(admin, source, "settounpaid")
    assert (record["statut"], record["paye"], listed(admin, customer)) == (1, 0, [])
    assert refuse(admin, make(), f"usecreditnote/{discount}", status=404)
    # And can be made available again, or deleted
    act(admin, source, "markAsCreditAvailable")
    assert absolute(admin, customer) == ("0", "12")
    act(admin, source, "settounpaid")
    act(admin, source, "settodraft")
    admin.ask("DELETE", f"/invoices/{source}")


def test_a_credit_that_is_being_used_is_not_taken_back(server, admin, make, credit, monkeypatch):
    source, discount = credit()
    invoice = make()
    ensure_connected()

    # Where one transaction writes at a time, the request waits before it reads
    waits, name = (database.obj, "begin") if backend().one_writer else (Records, "load")
    begun, original = Event(), getattr(waits, name)

    def noted(*arguments, **more):
        begun.set()
        return original(*arguments, **more)

    def take_back():
        try:
            return server.client().simulate_post(f"/invoices/{source}/settounpaid").status_code
        finally:
            close()

    with ThreadPoolExecutor(1) as pool:
        with transaction():
            monkeypatch.setattr(waits, name, noted)
            # What pays an invoice with it has written and is about to commit
            Discount.update(fk_facture=invoice).where(Discount.id == discount).execute()
            waiting = pool.submit(take_back)
            assert begun.wait(60)
        assert waiting.result() == 405
    assert (read(admin, invoice)["totalcreditnotes"], read(admin, source)["statut"]) == ("12.00000000", 2)


def test_the_list_of_discounts(admin, make, credit, deposit):
    note, first = credit()
    _, second = deposit()
    customer = read(admin, note)["socid"]
    _, third = credit()
    act(admin, make(), f"usecreditnote/{first}")
    act(admin, make(draft=True), f"usediscount/{second}")

    def ids(**params):
        return [row["id"] for row in listed(admin, customer, **params)]

    assert ids() == ids(filter="none") == [first, third, second]
    assert (ids(filter="available"), ids(filter="used")) == ([third], [first, second])
    assert ids(sortorder="DESC") == [second, first, third]
    assert ids(sortfield="t.amount_ttc,t.rowid", sortorder="DESC,ASC") == [second, first, third]
    assert ids(sortfield="rowid", sortorder="desc") == [third, second, first]
    assert ids(sortfield="f.ref") == [second, first, third]
    for params in ({"filter": "all"}, {"sortfield": "t.password"}, {"sortorder": "up"}):
        path = f"/thirdparties/{customer}/fixedamountdiscounts"
        admin.refused("GET", path, status=400, params=params)
    # Who has discounts stays
    admin.refused("DELETE", f"/thirdparties/{customer}", status=405)


def test_the_list_costs_no_more_for_more(admin, make, credit, customer):
    credit()

    few = cost(lambda: listed(admin, customer))
    for _ in range(5):
        credit()
    assert cost(lambda: listed(admin, customer)) == few <= 6


def test_vat_that_is_not_charged_makes_a_discount_without_vat(admin, make, customer):
    line = {"desc": "Rum", "qty": 1, "subprice": 100, "tva_tx": 20, "info_bits": 1}
    act(admin, make(line, LINE | {"subprice": 50}, type=2), "markAsCreditAvailable")
    names = ("tva_tx", "amount_ht", "amount_tva", "amount_ttc")
    found = sorted(tuple(float(each[name]) for name in names) for each in listed(admin, customer))
    assert found == [(0, 100, 0, 100), (20, 50, 10, 60)]
    # Deducted, it is the same: 1000.00 + 200.00, less 150.00 and 10.00
    other = make(LINE | {"subprice": 1000}, draft=True)
    for each in listed(admin, customer):
        act(admin, other, f"usediscount/{each['id']}")
    record = read(admin, other)
    amounts = [float(record[name]) for name in ("total_ht", "total_tva", "total_ttc")]
    assert amounts == [850, 190, 1040]

"""The arithmetic of the laws gives what the reference observed, and the laws see what is wrong."""

from fractions import Fraction

import pytest

from tests.laws import laws
from tests.laws.amounts import Agreed, Rounding, Totals, exact, half_up, line_totals, lines_totals, to_multiple, total
from tests.laws.goods import Product
from tests.laws.ledger import VALIDATED, Discount, Document, Row
from tests.laws.printed import Printed

PER_RATE = Rounding(per_rate=True)


def totals(*parts):
    return Totals(*(exact(part) for part in parts))


@pytest.mark.parametrize(
    ("qty", "price", "rate", "discount", "net", "vat", "gross"),
    [
        ("3", "0.333", "20", "0", "1.00", "0.20", "1.20"),
        ("1", "1.005", "20", "0", "1.01", "0.20", "1.21"),
        ("1.23456789", "9.87654321", "19.6", "12.3456", "10.69", "2.09", "12.78"),
        ("3", "19.99", "20", "33.333", "39.98", "8.00", "47.98"),
        ("1", "10.025", "20", "0", "10.03", "2.00", "12.03"),
        ("-1", "0.125", "0", "0", "-0.13", "0", "-0.13"),
    ],
)
def test_a_net_line_has_the_totals_that_dolibarr_has(qty, price, rate, discount, net, vat, gross):
    line = Agreed(exact(price), False, exact(qty), exact(rate), exact(discount))
    assert line_totals(line) == totals(net, vat, gross)


def test_a_gross_line_keeps_its_price():
    line = Agreed(exact("9.99"), True, Fraction(3), exact("5.5"))
    assert line_totals(line) == totals("28.41", "1.56", "29.97")


def test_vat_per_rate_settles_net_and_gross_prices_apart():
    net, gross = Agreed(exact("0.33"), rate=Fraction(20)), Agreed(exact("9.99"), True, rate=Fraction(20))
    assert [str(line.vat) for line in lines_totals([net] * 3, PER_RATE)] == ["7/100", "3/50", "7/100"]
    assert [line.net for line in lines_totals([gross] * 3, PER_RATE)] == [exact("8.33"), exact("8.32"), exact("8.33")]
    mixed = lines_totals([net, gross, net, gross, net, gross], PER_RATE)
    assert total(mixed) == totals("25.97", "5.19", "31.16")


def test_halves_go_away_from_zero_and_totals_to_the_coin():
    assert [half_up(exact(each), 2) for each in ("2.675", "-0.125")] == [exact("2.68"), exact("-0.13")]
    assert to_multiple(exact("62.68"), exact("0.05")) == exact("62.70")


def line(identifier, net, vat, gross, **more):
    values = {"id": identifier, "total_ht": net, "total_tva": vat, "total_ttc": gross, "qty": "1", "tva_tx": "20"}
    return values | {"total_localtax1": "0", "total_localtax2": "0", "product_type": 0} | more


def invoice(*lines, type=0, **more):
    found = Document(
        "invoices", 1, [Row(each["id"], None, source=each["id"]) for each in lines], {Rounding()}, type=type
    )
    sums = {name: str(sum(float(each[name]) for each in lines)) for name in ("total_ht", "total_tva", "total_ttc")}
    found.seen = {
        **sums,
        "total_localtax1": "0",
        "total_localtax2": "0",
        "lines": list(lines),
        "remaintopay": "0",
        **more,
    }
    return found


def test_each_law_sees_what_breaks_it():
    good = invoice(line(1, "100", "20", "120"))
    assert laws.sums(good.seen) == []
    assert laws.sums({**good.seen, "total_tva": "20.01"})
    assert laws.sums(invoice(line(1, "100", "20", "121")).seen)
    good.roundings = {Rounding(coin=exact("0.05"))}
    assert laws.coin(good) == []
    assert laws.coin(invoice(line(1, "100", "20.01", "120.01"), type=0)) == []
    good.seen["total_ttc"] = "120.01"
    assert laws.coin(good)


def test_notes_that_give_back_too_much_or_not_all_are_seen():
    source = invoice(line(1, "100", "20", "120"))
    whole = invoice(line(1, "-100", "-20", "-120"), type=2)
    assert laws.given_back(source, [whole]) == []
    assert laws.opposite(whole, source) == []
    assert laws.given_back(source, [whole, whole])
    assert laws.given_back(source, [invoice(line(1, "-100", "-19.99", "-119.99"), type=2)])


def test_a_stamp_duty_is_given_back_or_left():
    source = invoice(line(1, "100", "20", "120"), total_ttc="121.60")
    source.stamp = exact("1.6")
    note = invoice(line(1, "-100", "-20", "-120"), type=2)
    assert laws.given_back(source, [note]) == []
    note.seen["total_ttc"] = "-121.60"
    assert laws.given_back(source, [note])
    note.stamp = exact("-1.6")
    assert laws.given_back(source, [note]) == []


def test_the_vat_of_the_discounts_of_what_is_left_is_that_of_their_rate():
    deposit = invoice(line(1, "100", "20", "120"), line(2, "50", "10", "60"), type=3)
    note = invoice(line(2, "-50", "-10", "-60"), type=2)
    whole = {"id": 7, "amount_ttc": "120", "amount_tva": "20", "tva_tx": "20"}
    assert laws.rates(deposit, [note], [whole]) == []
    assert laws.rates(deposit, [note], [whole | {"amount_tva": "30"}])


def test_money_that_is_missing_is_seen():
    source = invoice(line(1, "100", "20", "120"), remaintopay="20")
    source.paid = [Fraction(100)]
    assert laws.balance(source, Fraction(0), [Fraction(100)]) == []
    assert laws.balance(source, Fraction(10), [Fraction(100)])
    deposit = invoice(line(1, "100", "20", "120"), type=3)
    deposit.paid = [Fraction(10)]
    assert laws.made_once(deposit, Fraction(120), [], Fraction(109))
    assert laws.made_once(deposit, Fraction(120), [], Fraction(110)) == []
    book = Discount(7, deposit, Fraction(120))
    free = {"id": 7, "amount_ttc": "120", "fk_facture_line": None, "fk_facture": None}
    assert laws.discounts([book], [free]) == []
    assert laws.discounts([book], [free | {"fk_facture": 1}])
    assert laws.discounts([book], [])
    assert laws.outstanding([], [book], Fraction(-120))


def test_an_amount_due_that_is_not_what_remains_is_seen():
    open_ = invoice(line(1, "100", "20", "120"), remaintopay="20")
    open_.state, open_.fixed = VALIDATED, {"total_ttc": Fraction(120)}
    twenty, whole = Fraction(20), Fraction(120)
    assert laws.owed(open_, twenty, Printed(twenty, twenty)) == []
    assert laws.owed(open_, whole, Printed(whole, whole))
    for wrong in (Printed(whole, twenty), Printed(twenty, whole), Printed(twenty), Printed(twenty, twenty, whole)):
        assert len(laws.owed(open_, twenty, wrong)) == 1
    assert laws.issued(open_, Printed(whole, whole, whole)) == []
    assert laws.issued(open_, Printed(twenty, twenty, whole))
    assert laws.issued(open_, Printed(whole, whole, twenty))
    note = invoice(line(1, "-100", "-20", "-120"), type=2, remaintopay="-120")
    note.state = VALIDATED
    assert laws.owed(note, -whole, Printed(-whole, None, whole)) == []


def test_an_average_price_that_is_not_by_hand_is_seen():
    bought = Product(1, "100", "20", average=exact("10.5"))
    assert laws.average(bought, {"pmp": "10.50000000"}) == []
    assert laws.average(bought, {"pmp": "7.5"})
    assert laws.average(Product(2, "100", "20"), {"pmp": "7.5"})


def test_stock_and_bank_are_sums():
    five = {1: Fraction(5)}
    assert laws.stock(five, five, five) == []
    assert laws.stock(five, five, {1: Fraction(4)})
    assert laws.bank(Fraction(5), [{"amount": "5"}], Fraction(5)) == []
    assert laws.bank(Fraction(5), [{"amount": "4"}], Fraction(5))

"""Credit notes: the signs of their lines, what is left of their invoice, and its rounding."""

import pytest

from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.invoices.credits.credits import LINE, TERMS, act, read
from tests.modules.invoices.credits.office import minus, open_office, opposite, short

PER_RATE, COIN = "MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "MAIN_ROUNDING_RULE_TOT"
DESK = {"desc": "Desk", "qty": 1, "subprice": 200, "tva_tx": 20}
REBATE = {"desc": "Rebate", "qty": 1, "subprice": -50, "tva_tx": 20}


@pytest.fixture
def office(server):
    return open_office(server)


# Signs ----------------------------------------------------------------------------------------------------------------


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("lines", "total"),
    [
        ([DESK, REBATE], "-180.00"),
        ([DESK, DESK | {"desc": "Back", "qty": -1, "subprice": 100}], "-120.00"),
        ([DESK | {"subprice": 100}, REBATE | {"subprice": -10, "tva_tx": 0}], "-110.00"),
        # 120 − 12, prices including VAT
        ([DESK | {"subprice": 120, "price_base_type": "TTC"}, REBATE | {"subprice": -12, "price_base_type": "TTC"}], "-108.00"),
        # 200 × 50 % × 1.2, less 19.78
        ([DESK | {"product_type": 1, "remise_percent": 50}, REBATE | {"subprice": "-16.48"}], "-100.22"),
        ([{"desc": "Title", "product_type": 9, "qty": 1, "subprice": 7}, DESK, REBATE | {"subprice": "-117.5"}], "-99.00"),
        # A service that is free, and one that is given away
        ([DESK, DESK | {"desc": "Lamp", "remise_percent": 100}, REBATE], "-180.00"),
    ],
)  # fmt: skip
def test_a_note_of_the_same_lines_is_the_opposite_of_its_invoice(office, lines, total):
    source = office.make(*lines)
    expected = opposite(office.amounts(source))
    assert expected[0][2] == total
    # As they were sent, as they are read, and already turned
    assert office.amounts(office.credit(source, *lines, validated=False)) == expected
    turned = [line | {"subprice": str(-float(line["subprice"]))} for line in lines]
    assert office.amounts(office.credit(source, *turned, validated=False)) == expected
    note = office.credit(source)
    assert office.amounts(note) == expected
    assert all(float(line["qty"]) > 0 for line in read(office.client, note)["lines"])


def test_a_note_of_an_invoice_that_deducts_a_deposit(office):
    # Ten lines of 0.33 at 20 %: 3.30 + 0.70
    deposit = office.make(*[{"desc": "Deposit", "qty": 1, "subprice": "0.33", "tva_tx": 20}] * 10, type=3)
    act(office.client, deposit, "payments", TERMS)
    act(office.client, deposit, "markAsCreditAvailable")
    source = office.make(DESK, validated=False)
    act(office.client, source, f"usediscount/{office.client.get(f'/invoices/{deposit}/discount')['id']}")
    act(office.client, source, "validate")
    assert office.total(source) == "236.00"
    note = office.credit(source)
    assert office.amounts(note) == [
        ("-196.70", "-39.30", "-236.00"),
        ("-200.00", "-40.00", "-240.00"),
        ("3.30", "0.70", "4.00"),
    ]


def test_a_note_of_a_situation_invoice_has_its_progress(office):
    line = {"desc": "Works", "qty": 3, "subprice": "33.35", "tva_tx": 20, "situation_percent": 25}
    source = office.make(line, line | {"desc": "Less", "qty": 1, "subprice": -10}, type=5)
    # 3 × 33.35 × 25 % is 25.0125, less 2.50
    assert office.amounts(source)[0] == ("22.51", "4.51", "27.02")
    assert office.amounts(office.credit(source)) == opposite(office.amounts(source))


def test_a_line_that_is_added_later_is_the_opposite_of_the_sources(office):
    source = office.make(DESK, REBATE)
    note = office.make(validated=False, type=2, fk_facture_source=source)
    path = f"/invoices/{note}/lines"
    # Whatever the sign that is sent; of another quantity or price, it isn't the source's
    for line, total in (
        (DESK, "-240.00"), (REBATE, "-180.00"), (REBATE | {"qty": 2, "subprice": 5}, "-192.00"), (REBATE | {"qty": 2}, "-312.00"),
        (REBATE | {"subprice": 50}, "-252.00"), ({"desc": "Lamp", "qty": -1, "subprice": -5, "tva_tx": 20}, "-258.00"),
    ):  # fmt: skip
        office.client.ask("POST", path, line)
        assert office.total(note) == total
    alone = office.make(validated=False, type=2)
    office.client.ask("POST", f"/invoices/{alone}/lines", REBATE)
    assert office.total(alone) == "-60.00"


def test_a_line_of_a_note_keeps_its_sign(office):
    note = office.credit(office.make(DESK, REBATE), validated=False)
    for line, sign in zip(read(office.client, note)["lines"], ("-", ""), strict=True):
        path = f"/invoices/{note}/lines/{line['id']}"
        # Sent back as it was read
        for verb in ("PUT", "PATCH"):
            office.client.ask(verb, path, line)
            assert office.total(note) == "-180.00"
        for body, net in (({"subprice": 10}, "10.00"), ({"qty": -3}, "30.00"), ({"subprice": -20}, "60.00")):
            office.client.ask("PATCH", path, body)
            assert short(_line(office, note, line["id"])["total_ht"]) == f"{sign}{net}"
        office.client.ask("PATCH", path, {"qty": line["qty"], "subprice": line["subprice"]})
    assert office.amounts(note)[0] == ("-150.00", "-30.00", "-180.00")


def _line(office, invoice, identifier):
    return next(line for line in read(office.client, invoice)["lines"] if line["id"] == identifier)


def test_lines_that_add_up_to_0_stay_as_sent(office):
    note = office.make(DESK, REBATE | {"subprice": -200}, validated=False, type=2)
    assert office.amounts(note) == [
        ("0.00", "0.00", "0.00"),
        ("200.00", "40.00", "240.00"),
        ("-200.00", "-40.00", "-240.00"),
    ]


def test_a_note_gives_money_back(office):
    note = office.credit(office.make(DESK, REBATE), validated=False)
    desk = read(office.client, note)["lines"][0]["id"]
    office.client.ask("DELETE", f"/invoices/{note}/lines/{desk}")
    assert "at most 0, got 60" in office.refused(note)


# What is left ---------------------------------------------------------------------------------------------------------


def test_notes_never_exceed_their_invoice(office):
    source = office.make(LINE)
    office.credit(source, LINE | {"subprice": 60})
    more = office.credit(source, LINE | {"subprice": "40.01"}, validated=False)
    assert "the invoice has 120.00, credited so far 72.00" in office.refused(more)
    assert read(office.client, more)["ref"].startswith("(PROV")
    act(office.client, office.credit(source, LINE | {"subprice": 40}, validated=False), "validate")
    assert "credited in full" in office.refused(more)


def test_an_invoice_never_falls_below_its_notes(office):
    source = office.make(LINE)
    note = office.credit(source)
    act(office.client, source, "settodraft")
    line = read(office.client, source)["lines"][0]["id"]
    office.client.ask("PATCH", f"/invoices/{source}/lines/{line}", {"subprice": 10})
    assert "the invoice has 12.00, credited so far 120.00" in office.refused(source)
    # Neither does one whose note is reopened
    act(office.client, note, "settopaid", {"close_code": "other"})
    act(office.client, source, "validate")
    assert "the invoice has 12.00" in office.refused(note, "settounpaid")
    assert office.total(office.credit(source)) == "-12.00"


@pytest.mark.parametrize(
    ("line", "pieces", "total"),
    [
        # 1.015 is 1.02; six times 0.15 are 0.90
        ({"desc": "Screw", "qty": 7, "subprice": "0.145"}, ["-0.15"] * 6 + ["-0.12"], "-1.02"),
        # 0.015 is 0.02, which two of them have used up
        ({"desc": "Screw", "qty": 3, "subprice": "0.005"}, ["-0.01", "-0.01"], "-0.02"),
        # 0.0525 is 0.05; the third of them would be 0.02, before the quantity is given back
        ({"desc": "Screw", "qty": "3.5", "subprice": "0.015"}, ["-0.02", "-0.02", "-0.01"], "-0.05"),
        # 3 × 0.33 × 1.2 is 1.188, each 0.40
        ({"desc": "Screw", "qty": 3, "subprice": "0.33", "tva_tx": 20}, ["-0.40", "-0.40", "-0.39"], "-1.19"),
        # An agreed price including VAT: 8.33 + 1.66 each, 24.97 + 5.00 in all
        ({"desc": "Screw", "qty": 3, "subprice": "9.99", "price_base_type": "TTC", "tva_tx": 20}, ["-9.99"] * 3, "-29.97"),
        # 33.333 % of 0.10
        ({"desc": "Screw", "qty": 3, "subprice": "0.1", "remise_percent": "33.333"}, ["-0.07", "-0.07", "-0.06"], "-0.20"),
    ],
)  # fmt: skip
def test_the_last_note_settles_exactly(office, line, pieces, total):
    source = office.make(line)
    notes = [office.credit(source, line | {"qty": 1}) for _ in pieces]
    assert [office.total(each) for each in notes] == pieces
    amounts = office.amounts(source)
    given = [sum(float(office.amounts(each)[0][place]) for each in notes) for place in range(3)]
    assert given == pytest.approx([-float(each) for each in amounts[0]], abs=1e-9)
    assert minus(amounts[0][2]) == total
    assert "credited in full" in office.refused(office.credit(source, line | {"qty": 1}, validated=False))


def test_a_note_that_gives_back_all_that_is_left_of_a_rate(office):
    # 3.30 + 0.70, and 10.00 + 0.55
    cents = [{"desc": f"Screw {number}", "qty": 1, "subprice": "0.33", "tva_tx": 20} for number in range(10)]
    source = office.make(*cents, {"desc": "Book", "qty": 1, "subprice": 10, "tva_tx": "5.5"})
    assert office.amounts(source)[0] == ("13.30", "1.25", "14.55")
    first = office.credit(source, {"desc": "Refund", "qty": 1, "subprice": "1.30", "tva_tx": 20})
    assert office.amounts(first)[0] == ("-1.30", "-0.26", "-1.56")
    # 2.00 of the rate are left: its VAT is 0.44, not 0.40
    second = office.credit(source, {"desc": "Refund", "qty": 1, "subprice": "2", "tva_tx": 20})
    assert office.amounts(second)[0] == ("-2.00", "-0.44", "-2.44")
    # 10.55 of the invoice are left, agreed including VAT
    last = {"desc": "Refund", "qty": 1, "subprice": "10.55", "price_base_type": "TTC", "tva_tx": "5.5"}
    assert office.amounts(office.credit(source, last))[0] == ("-10.00", "-0.55", "-10.55")
    assert "credited in full" in office.refused(office.credit(source, LINE, validated=False))


def test_what_is_left_is_decided_when_a_note_is_validated(office):
    line = {"desc": "Screw", "qty": 2, "subprice": "0.145"}
    # 0.29: the draft of one piece is 0.15; after another was validated, 0.14 are left
    source = office.make(line)
    drafts = [office.credit(source, line | {"qty": 1}, validated=False) for _ in range(2)]
    assert [office.total(each) for each in drafts] == ["-0.15", "-0.15"]
    for draft in drafts:
        act(office.client, draft, "validate")
    assert [office.total(each) for each in drafts] == ["-0.15", "-0.14"]


@pytest.mark.every_database
def test_of_several_notes_at_once_those_pass_that_the_invoice_has(office):
    source = office.make(LINE)
    notes = [office.credit(source, LINE | {"subprice": 40}, validated=False) for _ in range(4)]
    paths = [f"/invoices/{each}/validate" for each in notes]
    answers = at_once([lambda path=path: office.client.simulate_post(path).status_code for path in paths])
    assert sorted(answers) == [200, 200, 405, 405]


# Rounding -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def settings(office):
    yield office.set
    for name in (PER_RATE, COIN, "MAIN_MAX_DECIMALS_UNIT", "MAIN_MAX_DECIMALS_TOT"):
        office.client.simulate_delete(f"/setup/conf/{name}")


CENTS = [{"desc": f"Screw {number}", "qty": 1, "subprice": "0.33", "tva_tx": 20} for number in range(10)]
CHF = [
    {"desc": "Chair", "qty": 1, "subprice": "33.35", "tva_tx": "8.1"},
    {"desc": "Bread", "qty": 1, "subprice": "17.15", "tva_tx": "2.6"},
    {"desc": "Milk", "qty": 2, "subprice": "4.40", "tva_tx": "2.6"},
]


@pytest.mark.parametrize("way", ["whole", "by line"])
@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({PER_RATE: "1"}, {PER_RATE: "0"}, CENTS),
        ({PER_RATE: "0"}, {PER_RATE: "1"}, CENTS),
        # Equal lines, whose VAT is 0.07 or 0.06
        ({PER_RATE: "1"}, {PER_RATE: "0"}, [CENTS[0]] * 10),
        ({COIN: "0.05"}, {COIN: "0"}, CHF),
        ({COIN: "0.05", PER_RATE: "1"}, {COIN: "0.5", PER_RATE: "0"}, CHF),
        ({COIN: "0"}, {COIN: "1"}, CHF),
        ({"MAIN_MAX_DECIMALS_TOT": "3"}, {"MAIN_MAX_DECIMALS_TOT": "2"}, [DESK | {"subprice": "0.1234"}]),
    ],
)
def test_a_note_has_the_rounding_of_its_invoice(office, settings, before, after, lines, way):
    for name, value in before.items():
        settings(name, value)
    source = office.make(*lines)
    amounts = office.amounts(source)
    for name, value in after.items():
        settings(name, value)
    if way == "whole":
        assert office.amounts(office.credit(source)) == opposite(amounts)
    else:
        notes = [office.credit(source, line) for line in lines]
        totals = [sum(float(office.amounts(each)[0][place]) for each in notes) for place in range(3)]
        assert totals == pytest.approx([-float(each) for each in amounts[0]], abs=1e-9)
    # What was validated stays
    assert office.amounts(source) == amounts


def test_notes_rounded_to_the_coin_never_exceed_their_invoice(office, settings):
    settings(COIN, "0.05")
    lines = [
        {"desc": f"Screw {number}", "qty": 1, "subprice": price} for number, price in enumerate(["0.08"] * 4 + ["0.01"])
    ]
    source = office.make(*lines)
    if office.is_old:
        # By line: four times 0.10, and 0.00
        assert office.total(source) == "0.40"
        assert [office.total(office.credit(source, line)) for line in lines[:4]] == ["-0.10"] * 4
        return
    # 0.33 is 0.35; three notes of 0.10 leave 0.05
    assert office.total(source) == "0.35"
    assert [office.total(office.credit(source, line)) for line in lines[:4]] == ["-0.10", "-0.10", "-0.10", "-0.05"]


# 100.01 with a stamp duty of 0.02 is 100.05; by line, 100.00 with it is 100.00
@pytest.mark.parametrize(
    ("stamp", "total", "by_line"),
    [("0", "-100.00", "-100.00"), ("-0.02", "-100.05", "-100.00")],
    ids=["kept", "given back"],
)
def test_a_note_is_a_multiple_of_the_coin_with_and_without_the_stamp_duty(office, settings, stamp, total, by_line):
    settings(COIN, "0.05")
    line = {"desc": "Screw", "qty": 1, "subprice": "100.01"}
    source = office.make(line, revenuestamp="0.02")
    assert office.total(source) == ("100.00" if office.is_old else "100.05")
    note = office.make(line, type=2, fk_facture_source=source, revenuestamp=stamp)
    assert office.total(note) == (by_line if office.is_old else total)


def test_a_replacement_has_the_rounding_of_its_invoice(office, settings):
    settings(PER_RATE, "1")
    source = office.make(*CENTS)
    assert office.amounts(source)[0] == ("3.30", "0.66", "3.96")
    settings(PER_RATE, "0")
    replacement = office.make(*CENTS, type=1, fk_facture_source=source)
    assert office.amounts(replacement) == office.amounts(source)
    # Its own credit note, too
    assert office.total(office.credit(replacement)) == "-3.96"


# Discounts of a source --------------------------------------------------------------------------------------------------


def test_discounts_add_up_to_their_source(office, settings):
    settings(COIN, "0.05")
    deposit = office.make(*CHF, type=3)
    total = office.total(deposit)
    act(office.client, deposit, "payments", TERMS)
    settings(COIN, "0")
    act(office.client, deposit, "markAsCreditAvailable")
    rows = office.discounts(deposit)
    assert sum(float(row[3]) for row in rows) == pytest.approx(float(total), abs=1e-9)
    assert all(float(row[1]) + float(row[2]) == pytest.approx(float(row[3]), abs=1e-9) for row in rows)
    if not office.is_old:
        # 36.05 + 26.63 = 62.68; what rounds it to the coin, 0.02, is in the larger one
        assert (total, rows) == ("62.70", [("8.10", "33.37", "2.70", "36.07"), ("2.60", "25.95", "0.68", "26.63")])


@pytest.mark.parametrize("type_", [2, 3], ids=["note", "deposit"])
def test_a_rate_in_the_other_direction_lowers_the_largest(office, type_):
    lines = LINE, {"desc": "Fee", "qty": 1, "subprice": 10, "tva_tx": 0}, REBATE | {"subprice": -20, "tva_tx": 10}
    source = office.make(*lines, type=type_)
    if type_ == 3:
        act(office.client, source, "payments", TERMS)
    act(office.client, source, "markAsCreditAvailable")
    # 120 + 10 − 22: 98.00 are 81.67 and 16.33 at 20 %
    assert office.discounts(source) == [("20.00", "81.67", "16.33", "98.00"), ("0.00", "10.00", "0.00", "10.00")]

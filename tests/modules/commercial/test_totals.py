"""Amounts of lines and documents: a table of them, and figures worked by hand."""

from dataclasses import replace
from decimal import Decimal as D
from decimal import localcontext

import pytest

from core import BadRequest
from modules.commercial.totals import (
    Amounts,
    LocalTax,
    Rounding,
    SummedLine,
    half_up,
    price_line,
    sum_lines,
)
from tests.modules.commercial.amounts import document, line

PER_RATE = Rounding(per_rate=True)


def texts(amounts):
    return tuple(str(amount) for amount in amounts)


def main(amounts):
    """Without tax, VAT, with tax."""
    assert texts(amounts)[2:4] == ("0.00", "0.00")
    return str(amounts.total_ht), str(amounts.total_tva), str(amounts.total_ttc)


# Rounding -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "places", "rounded"),
    [
        ("1.005", 2, "1.01"),
        ("2.675", 2, "2.68"),
        ("1.115", 2, "1.12"),
        ("-0.125", 2, "-0.13"),
        ("10.025", 2, "10.03"),
        ("0.004999", 2, "0.00"),
        ("-0.004", 2, "0.00"),
        ("-0", 2, "0.00"),
        ("7", 5, "7.00000"),
        ("0.5", 0, "1"),
        ("-1.5", 0, "-2"),
        ("9999999999999999.99999999", 8, "9999999999999999.99999999"),
        ("9999999999999999.995", 2, "10000000000000000.00"),
    ],
)
def test_half_goes_away_from_zero(value, places, rounded):
    assert str(half_up(D(value), places)) == rounded


# The table ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "ht", "tva", "ttc"),
    [
        (("3", "0.333", "20"), "1.00", "0.20", "1.20"),
        (("1", "1.005", "20"), "1.01", "0.20", "1.21"),
        (("1.23456789", "9.87654321", "19.6", "12.3456"), "10.69", "2.09", "12.78"),
        (("3", "19.99", "20", "33.333"), "39.98", "8.00", "47.98"),
        (("3", "19.99", "20", "10"), "53.97", "10.80", "64.77"),
        (("1", "10.025", "20"), "10.03", "2.00", "12.03"),
        (("-1", "0.125", "0"), "-0.13", "0.00", "-0.13"),
        (("1", "10", "20", "150"), "-5.00", "-1.00", "-6.00"),
    ],
)
def test_table_of_lines(asked, ht, tva, ttc):
    priced = price_line(line(*asked))
    assert main(priced.amounts) == (ht, tva, ttc)
    assert main(sum_lines([SummedLine(D(asked[2]), 0, priced.amounts)])[0]) == (ht, tva, ttc)


@pytest.mark.parametrize(
    ("count", "asked", "plain", "per_rate"),
    [
        (10, ("1", "0.33", "20"), ("3.30", "0.70", "4.00"), ("3.30", "0.66", "3.96")),
        (3, ("1", "0.05", "5.5"), ("0.15", "0.00", "0.15"), ("0.15", "0.01", "0.16")),
    ],
)
def test_table_of_documents(count, asked, plain, per_rate):
    lines = document(*[line(*asked)] * count)
    assert main(sum_lines(lines)[0]) == plain
    assert main(sum_lines(lines, PER_RATE)[0]) == per_rate


# Lines ----------------------------------------------------------------------------------------------------------------


def test_stored_values_are_rounded():
    priced = price_line(line("1.23456789", "9.87654321", "19.6", "12.3456"))
    assert (str(priced.qty), str(priced.subprice), str(priced.remise_percent)) == ("1.23457", "9.87654", "12.346")
    priced = price_line(line("1.25", "9.876"), Rounding(unit=2, stock=1))
    assert (str(priced.qty), str(priced.subprice)) == ("1.3", "9.88")


@pytest.mark.parametrize(
    ("asked", "ht"),
    [
        (("1000000", "0.000004"), "4.00"),
        (("0.000004", "1000000"), "4.00"),
        # 12.346 would give 87654.00
        (("1", "100000", "0", "12.3456"), "87654.40"),
    ],
)
def test_what_was_asked_enters_unrounded(asked, ht):
    assert main(price_line(line(*asked)).amounts) == (ht, "0.00", ht)


def test_decimals_of_totals():
    amounts = price_line(line("1", "1.5", "20"), Rounding(total=0)).amounts
    assert texts(amounts) == ("2", "0", "0", "0", "2")
    # 0.999 and 1.1988
    amounts = price_line(line("3", "0.333", "20"), Rounding(total=3)).amounts
    assert texts(amounts) == ("0.999", "0.200", "0.000", "0.000", "1.199")


def test_progress():
    # 2 x 100, 30 % of it: 60, less 10 %: 54
    amounts = price_line(line("2", "100", "20", "10", situation_percent=D(30))).amounts
    assert main(amounts) == ("54.00", "10.80", "64.80")
    assert main(price_line(line("2", "100", "20", situation_percent=D(0))).amounts) == ("0.00", "0.00", "0.00")


def test_vat_that_is_not_charged():
    assert main(price_line(line("1", "100", "8.5", info_bits=1)).amounts) == ("100.00", "0.00", "100.00")
    assert main(price_line(line("1", "100", "8.5", info_bits=3)).amounts) == ("100.00", "0.00", "100.00")
    assert main(price_line(line("1", "100", "8.5", info_bits=2)).amounts) == ("100.00", "8.50", "108.50")


@pytest.mark.parametrize(
    ("asked", "more", "expected", "subprice"),
    [
        (("3", "9.99", "5.5"), {}, ("28.41", "1.56", "29.97"), "9.46919"),
        (("2", "12", "20", "25"), {}, ("15.00", "3.00", "18.00"), "10.00000"),
        (("1", "120", "20"), {"situation_percent": D(50)}, ("50.00", "10.00", "60.00"), "100.00000"),
        (("1", "1", "200"), {}, ("0.33", "0.67", "1.00"), "0.33333"),
        (("-1", "1.005", "0"), {}, ("-1.01", "0.00", "-1.01"), "1.00500"),
        (("1", "108.5", "8.5"), {"info_bits": 1}, ("108.50", "0.00", "108.50"), "108.50000"),
    ],
)
def test_price_with_tax(asked, more, expected, subprice):
    priced = price_line(line(*asked, with_tax=True, **more))
    assert main(priced.amounts) == expected
    assert str(priced.subprice) == subprice


def test_price_with_tax_at_minus_100():
    with pytest.raises(BadRequest, match="rate of -100"):
        price_line(line("1", "10", "-100", with_tax=True))
    assert main(price_line(line("1", "10", "-100")).amounts) == ("10.00", "-10.00", "0.00")


def test_long_numbers_stay_exact():
    longest = "9999999999999999.99999999"
    # (10^24 - 1)^2 / 10^16 = 10^32 - 2 * 10^8 + 10^-16
    assert price_line(line(longest, longest)).amounts.total_ht == D(10) ** 32 - 200000000
    # ends in .005 only if all 48 digits count
    assert str(price_line(line("1000000000000001", "10000000000000.00000005")).amounts.total_ht) == (
        "10000000000000010000050000000.00"
    )
    with localcontext() as context:
        context.prec = 3
        priced = price_line(line("12345.67891", "-1", "20"))
        total, _ = sum_lines([SummedLine(D(20), 0, priced.amounts)] * 2)
    assert main(priced.amounts) == ("-12345.68", "-2469.13", "-14814.81")
    assert main(total) == ("-24691.36", "-4938.26", "-29629.62")
    assert str(priced.qty) == "12345.67891"


# Local taxes ----------------------------------------------------------------------------------------------------------
RECARGO = LocalTax(D("5.2"), "1")
IRPF = LocalTax(D(-15), "1")


@pytest.mark.parametrize(
    ("asked", "taxes", "expected"),
    [
        (("1", "100", "21"), (RECARGO, LocalTax()), ("100.00", "21.00", "5.20", "0.00", "126.20")),
        (("1", "100", "21"), (RECARGO, IRPF), ("100.00", "21.00", "5.20", "-15.00", "111.20")),
        (("-1", "100", "21"), (RECARGO, IRPF), ("-100.00", "-21.00", "-5.20", "15.00", "-111.20")),
        # on 120
        (("1", "100", "20"), (LocalTax(D(10), "2"), LocalTax()), ("100.00", "20.00", "12.00", "0.00", "132.00")),
        (("1", "100", "20"), (LocalTax(D(10), "2"), RECARGO), ("100.00", "20.00", "12.00", "5.20", "137.20")),
        (
            ("1", "100", "20"),
            (LocalTax(D(10), "2"), LocalTax(D(5), "2")),
            ("100.00", "20.00", "12.00", "6.00", "138.00"),
        ),
        # 0.999: 0.05 on it; with VAT 1.1988: 0.05994, rounded to 0.06 first, then 1.2588
        (("3", "0.333", "20"), (LocalTax(D(5), "1"), LocalTax()), ("1.00", "0.20", "0.05", "0.00", "1.25")),
        (("3", "0.333", "20"), (LocalTax(D(5), "2"), LocalTax()), ("1.00", "0.20", "0.06", "0.00", "1.26")),
        (("1", "100", "20", "50"), (RECARGO, LocalTax(D(10), "2")), ("50.00", "10.00", "2.60", "6.00", "68.60")),
        (("1", "100", "20"), (LocalTax(D(5), "0"), LocalTax(D(0), "1")), ("100.00", "20.00", "0.00", "0.00", "120.00")),
    ],
)
def test_local_taxes(asked, taxes, expected):
    assert texts(price_line(line(*asked, localtax1=taxes[0], localtax2=taxes[1])).amounts) == expected


@pytest.mark.parametrize(
    ("type", "product", "service"),
    [
        ("0", "0.00", "0.00"),
        ("1", "10.00", "10.00"),
        ("2", "12.00", "12.00"),
        ("3", "10.00", "0.00"),
        ("4", "12.00", "0.00"),
        ("5", "0.00", "10.00"),
        ("6", "0.00", "12.00"),
    ],
)
def test_types_of_local_taxes(type, product, service):
    tax = LocalTax(D(10), type)
    for product_type, due in enumerate((product, service)):
        asked = line("1", "100", "20", product_type=product_type)
        assert texts(price_line(replace(asked, localtax1=tax)).amounts) == (
            "100.00", "20.00", due, "0.00", str(120 + D(due)),
        )  # fmt: skip
        assert texts(price_line(replace(asked, localtax2=tax)).amounts) == (
            "100.00", "20.00", "0.00", due, str(120 + D(due)),
        )  # fmt: skip


def test_local_taxes_come_on_top_of_a_price_with_tax():
    asked = line("1", "121", "21", with_tax=True)
    assert texts(price_line(replace(asked, localtax1=RECARGO)).amounts) == (
        "100.00", "21.00", "5.20", "0.00", "126.20",
    )  # fmt: skip
    assert texts(price_line(replace(asked, localtax1=LocalTax(D(10), "2"))).amounts) == (
        "100.00", "21.00", "12.10", "0.00", "133.10",
    )  # fmt: skip


def test_local_taxes_where_vat_is_not_charged():
    taxes = {"localtax1": LocalTax(D(10), "2"), "localtax2": RECARGO}
    assert texts(price_line(line("1", "100", "20", info_bits=1, **taxes)).amounts) == (
        "100.00", "0.00", "12.00", "5.20", "117.20",
    )  # fmt: skip


# Steps ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "step", "expected"),
    [
        # 10.02, 0.77 and 10.79 before
        (("1", "10.02", "7.7"), "0.05", ("10.00", "0.75", "10.75")),
        (("1", "1.03", "0"), "0.05", ("1.05", "0.00", "1.05")),
        (("1", "10.05", "0"), "0.10", ("10.10", "0.00", "10.10")),
        (("-1", "10.05", "0"), "0.10", ("-10.10", "0.00", "-10.10")),
        # 12.30 with tax would round to 12.50
        (("1", "10.25", "20"), "0.5", ("10.50", "2.00", "12.50")),
        (("1", "10.20", "20"), "0.5", ("10.00", "2.00", "12.00")),
        (("1", "10.02", "20"), "0", ("10.02", "2.00", "12.02")),
    ],
)
def test_step(asked, step, expected):
    assert main(price_line(line(*asked), Rounding(step=D(step), coin_by_line=True)).amounts) == expected


def test_step_rounds_local_taxes():
    # 5.20 and -15.02 before
    taxes = {"localtax1": RECARGO, "localtax2": LocalTax(D("-15.02"), "1")}
    assert texts(price_line(line("1", "100", "21", **taxes), Rounding(step=D("0.5"), coin_by_line=True)).amounts) == (
        "100.00", "21.00", "5.00", "-15.00", "111.00",
    )  # fmt: skip


# Documents ------------------------------------------------------------------------------------------------------------


def test_titles_do_not_count():
    lines = document(line("1", "10", "20"), line("1", "99", "20", product_type=9), line("2", "5", "10", product_type=1))
    for rounding in (Rounding(), PER_RATE):
        total, stored = sum_lines(lines, rounding)
        assert main(total) == ("20.00", "3.00", "23.00")
        assert stored == [each.amounts for each in lines]


def test_document_without_lines():
    for rounding in (Rounding(), PER_RATE):
        assert sum_lines([], rounding) == (Amounts(*[D(0)] * 5), [])
    assert texts(sum_lines([])[0]) == ("0.00",) * 5


def test_local_taxes_are_summed():
    taxes = {"localtax1": RECARGO, "localtax2": IRPF}
    total, _ = sum_lines(document(line("1", "100", "21", **taxes), line("3", "100", "21", localtax1=RECARGO)))
    assert texts(total) == ("400.00", "84.00", "20.80", "-15.00", "489.80")


def test_vat_per_rate_is_settled_line_by_line():
    # at 20 %: 0.33 -> 0.066, 0.66 -> 0.132, 0.99 -> 0.198; at 5.5 %: 0.05 -> 0.00275, 0.10 -> 0.0055
    a, b = line("1", "0.33", "20"), line("1", "0.05", "5.5")
    lines = document(a, b, replace(a, tva_tx=D("20.0000")), b, a)
    total, stored = sum_lines(lines, PER_RATE)
    assert [main(amounts) for amounts in stored] == [
        ("0.33", "0.07", "0.40"),
        ("0.05", "0.00", "0.05"),
        ("0.33", "0.06", "0.39"),
        ("0.05", "0.01", "0.06"),
        ("0.33", "0.07", "0.40"),
    ]
    assert main(total) == ("1.09", "0.21", "1.30")
    assert sum_lines(lines)[1] == [each.amounts for each in lines]

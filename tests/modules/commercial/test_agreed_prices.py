"""What was agreed stays: prices including VAT, totals of what was sent, the smallest coin. Expected values by hand."""

from contextlib import ExitStack
from decimal import Decimal as D

import pytest

from core.testing import constant as set_until_end
from core.testing import serving

pytestmark = pytest.mark.slow

KINDS = ("proposals", "orders", "invoices", "invoices/templates")
PER_RATE, COIN = "MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "MAIN_ROUNDING_RULE_TOT"
DAY = "2026-11-21"
TOTALS = ("total_ht", "total_tva", "total_ttc")


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def profile(request):
    return request.param


@pytest.fixture(scope="module")
def admin(profile, kind, tmp_path_factory):
    with serving(tmp_path_factory.mktemp(kind), kind, profile_name=profile) as served:
        yield served.client()


class Desk:
    """Documents of one kind."""

    number = 0

    def __init__(self, admin, kind, customer):
        self.admin, self.kind, self.customer = admin, kind, customer

    def body(self, *lines):
        Desk.number += 1
        own = {"title": f"Template {Desk.number}"} if "templates" in self.kind else {"date": DAY}
        return {"socid": self.customer, "lines": list(lines), **own}

    def make(self, *lines):
        made = self.admin.simulate_post(f"/{self.kind}", json=self.body(*lines))
        assert made.status_code == 200, made.text
        self.warning = made.headers.get("warning", "")
        return f"/{self.kind}/{int(made.json)}"

    def read(self, path):
        return self.admin.get(path)


# Proposals and invoices price their lines as orders do
@pytest.fixture(params=["orders", "invoices/templates"])
def desk(request, admin, customer):
    return Desk(admin, request.param, customer)


@pytest.fixture
def orders(admin, customer):
    return Desk(admin, "orders", customer)


def gross(price, rate, qty=1, **more):
    return {"desc": "x", "qty": qty, "subprice": price, "price_base_type": "TTC", "tva_tx": rate, **more}


def net(price, rate, qty=1, **more):
    return {"desc": "x", "qty": qty, "subprice": price, "tva_tx": rate, **more}


def short(text):
    return None if text in (None, "") else f"{D(text):.2f}"


def sums(record):
    return tuple(short(record[name]) for name in TOTALS)


def prices(line):
    return tuple(None if line[name] in (None, "") else f"{D(line[name]):f}".rstrip("0").rstrip(".") for name in PRICES)


PRICES = ("subprice", "subprice_ttc")

SENT = [
    # 10,000 × 1.00, 10,000 × 0.07, 10,111 × 13.33 = 134,779.63, 680 × 3.35 = 2278.00
    (gross("1", "5.5", 10000), ("9478.67", "521.33", "10000.00")),
    (gross("0.07", "20", 10000), ("583.33", "116.67", "700.00")),
    (gross("13.33", "20", 10111), ("112316.36", "22463.27", "134779.63")),
    (gross("3.35", "20", 680), ("1898.33", "379.67", "2278.00")),
    # 9,999.99999; 123,456.789; 20,000.00001: the decimals that are not stored count
    (net("30000", "19", "0.333333333"), ("10000.00", "1900.00", "11900.00")),
    (net("0.123456789", "19", 1000000), ("123456.79", "23456.79", "146913.58")),
    (net("30000", "19", remise_percent="33.3333333"), ("20000.00", "3800.00", "23800.00")),
    # Including VAT: 0.123456789 × 1,000,000 / 1.19 = 103,745.201
    (gross("0.123456789", "19", 1000000), ("103745.20", "19711.59", "123456.79")),
]


@pytest.mark.parametrize(("line", "expected"), SENT)
def test_a_line_that_is_sent_back_as_it_was_read_changes_nothing(desk, line, expected):
    """The same for each of its values by itself, and for the document."""
    path = desk.make(line)
    before = desk.read(path)
    (read,) = before["lines"]
    assert sums(before) == sums(read) == expected
    for verb in ("PUT", "PATCH"):
        desk.admin.ask(verb, f"{path}/lines/{read['id']}", read)
        assert (desk.read(path)["lines"], sums(desk.read(path))) == ([read], expected)
    for name, value in read.items():
        if name != "array_options":
            desk.admin.ask("PATCH", f"{path}/lines/{read['id']}", {name: value})
    desk.admin.ask("PUT", path, before)
    desk.admin.ask("PATCH", path, before)
    assert (desk.read(path)["lines"], sums(desk.read(path))) == ([read], expected)


@pytest.mark.every_database
def test_settings_that_change_meanwhile_change_no_line_that_is_sent_back(desk, constant):
    path = desk.make(*[gross("9.99", 20)] * 3, *[net("0.33", 20)] * 3)
    before = desk.read(path)
    for name, value in ((PER_RATE, "1"), (COIN, "0.05"), ("MAIN_MAX_DECIMALS_UNIT", "2")):
        constant(name, value)
        for line in before["lines"]:
            desk.admin.ask("PUT", f"{path}/lines/{line['id']}", line)
        assert (desk.read(path)["lines"], sums(desk.read(path))) == (before["lines"], sums(before))


def test_a_new_document_of_lines_as_read_has_their_amounts(desk):
    path = desk.make(gross("0.07", 20, 10000), gross("9.99", "5.5", 3, remise_percent=10), net("19.99", 20, 3))
    lines = desk.read(path)["lines"]
    again = desk.read(desk.make(*lines))
    assert [sums(line) for line in again["lines"]] == [sums(line) for line in lines]
    # 9.99 × 3 × 0.9 = 26.973
    assert [short(line["total_ttc"]) for line in lines] == ["700.00", "26.97", "71.96"]
    assert [prices(line) for line in again["lines"]] == [("0.05833", "0.07"), ("9.46919", "9.99"), ("19.99", None)]


# What was sent with more decimals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        (
            net("0.000004", 0, 1000000),
            "1,000,000 x 0.00000 is 0.00, not 4.00; `MAIN_MAX_DECIMALS_UNIT` keeps up to 8",
        ),
        (
            net("30000", 0, "0.333333333"),
            "0.33333 x 30000.00000 is 9999.90, not 10000.00; `MAIN_MAX_DECIMALS_STOCK` keeps up to 8",
        ),
        (
            gross("0.123456789", 20, 1000000),
            "1,000,000 x 0.12346 is 123460.00, not 123456.79; `MAIN_MAX_DECIMALS_UNIT` keeps up to 8",
        ),
        # 100,000.1234567 × 0.123456789 = 12,345.69414; the decimals of the quantity make no difference
        (
            net("0.123456789", 0, "100000.1234567"),
            "100,000.12346 x 0.12346 is 12346.02, not 12345.69; `MAIN_MAX_DECIMALS_UNIT` keeps up to 8",
        ),
        # No setting keeps more than 3 decimals of a discount
        (net("30000", 0, remise_percent="33.3333333"), "1 x 30000.00000 less 33.333 % is 20000.10, not 20000.00"),
        (net("0.1234567890123", 0, 10**9), "1,000,000,000 x 0.12346 is 123460000.00, not 123456789.01"),
    ],
)
def test_the_warning_has_both_amounts(desk, line, warning):
    desk.make(line)
    assert warning in desk.warning
    assert ("MAIN_" in desk.warning) == ("MAIN_" in warning)
    answer = desk.admin.simulate_post(f"{desk.make()}/lines", json=line)
    assert (answer.status_code, warning in answer.headers["warning"]) == (200, True)


def test_no_warning_if_the_decimals_are_kept(desk, constant):
    constant("MAIN_MAX_DECIMALS_UNIT", "8")
    path = desk.make(net("0.000004", 0, 1000000), net("0.00000412", 20, "0.5"))
    assert desk.warning == ""
    assert [prices(line)[0] for line in desk.read(path)["lines"]] == ["0.000004", "0.00000412"]


def test_another_rate_keeps_the_amount_of_what_was_sent(desk, profile):
    """Not where each line may have been rounded to a coin: then its rounded price applies."""
    path = desk.make(net("0.000004", 20, 1000000))
    (line,) = desk.read(path)["lines"]
    assert sums(line) == ("4.00", "0.80", "4.80")
    desk.admin.ask("PATCH", f"{path}/lines/{line['id']}", {"tva_tx": 10})
    kept = ("0.00", "0.00", "0.00") if profile == "dolibarr16" else ("4.00", "0.40", "4.40")
    assert sums(desk.read(path)) == kept
    # 900 × 0.0000051 is 0.00459, of the stored price 0.009
    other = desk.make(net("0.0000051", 20, 900))
    desk.admin.ask("PATCH", f"{other}/lines/{desk.read(other)['lines'][0]['id']}", {"tva_tx": 10})
    assert sums(desk.read(other))[0] == ("0.01" if profile == "dolibarr16" else "0.00")
    # Another quantity is one of the stored price
    desk.admin.ask("PATCH", f"{path}/lines/{line['id']}", {"qty": 2000000})
    assert sums(desk.read(path)) == ("0.00", "0.00", "0.00")


# Which price counts --------------------------------------------------------------------------------------------------


def test_the_price_with_vat_counts_in_a_new_line(desk):
    path = desk.make(
        net("5", 20, subprice_ttc="9.99"), {"desc": "x", "qty": 1, "subprice_ttc": "9.99", "tva_tx": 20},
        net("5", 20, subprice_ttc=None), gross("9.99", 20, subprice_ttc="9.99"),
    )  # fmt: skip
    lines = desk.read(path)["lines"]
    agreed = (("8.33", "1.66", "9.99"), ("8.325", "9.99"))
    assert [(sums(line), prices(line)) for line in lines] == [
        agreed, agreed, (("5.00", "1.00", "6.00"), ("5", None)), agreed,
    ]  # fmt: skip
    body = desk.body(gross("9.99", 20, subprice_ttc="8"))
    refusal = desk.admin.refused("POST", f"/{desk.kind}", body, status=400)
    assert "lines[0].subprice_ttc" in refusal and "9.99" in refusal and "got 8" in refusal


@pytest.mark.parametrize(
    ("sent", "expected", "stored"),
    [
        # Of one that differs the other follows: 12 / 1.2, 10 × 1.2
        ({"subprice_ttc": "12"}, ("10.00", "2.00", "12.00"), ("10", "12")),
        ({"subprice_ttc": "12", "subprice": "8.325"}, ("10.00", "2.00", "12.00"), ("10", "12")),
        ({"subprice_ttc": "12", "subprice": "10"}, ("10.00", "2.00", "12.00"), ("10", "12")),
        ({"subprice": "12", "price_base_type": "TTC"}, ("10.00", "2.00", "12.00"), ("10", "12")),
        (
            {"subprice": "12", "subprice_ttc": "9.990", "price_base_type": "TTC"},
            ("10.00", "2.00", "12.00"),
            ("10", "12"),
        ),
        ({"subprice": "10", "subprice_ttc": "9.99"}, ("10.00", "2.00", "12.00"), ("10", None)),
        ({"subprice": "10"}, ("10.00", "2.00", "12.00"), ("10", None)),
        ({"subprice_ttc": None}, ("8.33", "1.66", "9.99"), ("8.325", None)),
        ({"subprice_ttc": None, "subprice": "10"}, ("10.00", "2.00", "12.00"), ("10", None)),
        # A rate keeps the agreed price: 9.99 / 1.055 = 9.46919, 9.99 × 2 / 1.2 = 16.65
        ({"tva_tx": "5.5"}, ("9.47", "0.52", "9.99"), ("9.46919", "9.99")),
        ({"tva_tx": "5.5", "subprice": "8.325"}, ("9.47", "0.52", "9.99"), ("9.46919", "9.99")),
        ({"tva_tx": "0"}, ("9.99", "0.00", "9.99"), ("9.99", "9.99")),
        ({"qty": 2}, ("16.65", "3.33", "19.98"), ("8.325", "9.99")),
        ({"qty": 2, "price_base_type": "TTC"}, ("16.65", "3.33", "19.98"), ("8.325", "9.99")),
        # 9.99 × 0.9 = 8.991, / 1.2 = 7.4925
        ({"remise_percent": 10}, ("7.49", "1.50", "8.99"), ("8.325", "9.99")),
        ({"desc": "y"}, ("8.33", "1.66", "9.99"), ("8.325", "9.99")),
    ],
)
def test_of_a_stored_line_the_price_that_differs_counts(desk, sent, expected, stored):
    path = desk.make(gross("9.99", 20))
    (line,) = desk.read(path)["lines"]
    desk.admin.ask("PATCH", f"{path}/lines/{line['id']}", sent)
    record = desk.read(path)
    assert (sums(record), prices(record["lines"][0])) == (expected, stored)


def test_a_line_that_is_replaced_has_the_price_that_is_sent(desk):
    path = desk.make(gross("9.99", 20))
    where = f"{path}/lines/{desk.read(path)['lines'][0]['id']}"
    replacing = {"desc": "x", "qty": 2, "tva_tx": 20}
    for sent, expected, stored in (
        ({"subprice_ttc": "12"}, ("20.00", "4.00", "24.00"), ("10", "12")),
        ({"subprice": "12", "price_base_type": "TTC"}, ("20.00", "4.00", "24.00"), ("10", "12")),
        ({"subprice": "20"}, ("40.00", "8.00", "48.00"), ("20", None)),
        ({"subprice": "9.99", "price_base_type": "TTC"}, ("16.65", "3.33", "19.98"), ("8.325", "9.99")),
    ):
        desk.admin.ask("PUT", where, replacing | sent)
        record = desk.read(path)
        assert (sums(record), prices(record["lines"][0])) == (expected, stored)


def test_two_prices_that_disagree_are_rejected(desk):
    path = desk.make(gross("9.99", 20))
    (line,) = desk.read(path)["lines"]
    where = f"{path}/lines/{line['id']}"
    for sent in ({"subprice": "9", "subprice_ttc": "12"}, {"subprice": "10", "subprice_ttc": "12", "tva_tx": 10}):
        refusal = desk.admin.refused("PATCH", where, sent, status=400)
        assert "`subprice`" in refusal and "the same price as `subprice_ttc` 12 less" in refusal
    assert desk.read(path)["lines"] == [line]


def test_a_rate_that_is_sent_back_keeps_its_code(desk):
    path = desk.make(net("10", "20 (ABC)"))
    (line,) = desk.read(path)["lines"]
    for rate, code in (("20", "ABC"), ("10", "")):
        desk.admin.ask("PATCH", f"{path}/lines/{line['id']}", {"tva_tx": rate})
        assert (desk.read(path)["lines"][0]["vat_src_code"] or "") == code


@pytest.mark.every_database
def test_copies_have_the_agreed_price(admin, customer):
    """Proposal, order, invoice, template and its invoice: 10,000 × 0.07 = 700.00, and at 10 % as well."""
    made = Desk(admin, "proposals", customer).make(gross("0.07", 20, 10000))
    found = [made]
    admin.ask("POST", f"{made}/validate")
    admin.ask("POST", f"{made}/close", {"status": 2})
    for way, kind in (
        ("orders/createfromproposal", "orders"), ("invoices/createfromorder", "invoices"),
        ("invoices/templates/createfrominvoice", "invoices/templates"), (None, "invoices"),
    ):  # fmt: skip
        number = found[-1].rpartition("/")[2]
        if kind == "orders":
            record = admin.ask("POST", f"/{way}/{number}")
        elif way is None:
            record = admin.ask("POST", f"{found[-1]}/createinvoice")
        else:
            body = {"title": "copied"} if "templates" in kind else None
            record = admin.ask("POST", f"/{way}/{number}", body)
        found.append(f"/{kind}/{int(record['id'] if isinstance(record, dict) else record)}")
    for path in found[1:]:
        record = admin.get(path)
        assert (sums(record), prices(record["lines"][0])) == (("583.33", "116.67", "700.00"), ("0.05833", "0.07"))
        admin.ask("PATCH", f"{path}/lines/{record['lines'][0]['id']}", {"tva_tx": 10})
        assert sums(admin.get(path)) == ("636.36", "63.64", "700.00")


def test_the_agreed_price_of_a_customer_stays(admin, orders, constant):
    """10,000 × 0.07 including VAT; PUT and PATCH of the line as read, and a larger quantity."""
    constant("PRODUIT_CUSTOMER_PRICES", "1")
    body = {"ref": f"P{Desk.number}", "label": "Screw", "price": "1", "tva_tx": 20}
    product = int(admin.ask("POST", "/products", body))
    price = {"fk_soc": orders.customer, "price_ttc": "0.07", "price_base_type": "TTC", "tva_tx": 20}
    admin.ask("POST", f"/products/{product}/selling_multiprices/per_customer", price)
    for kind in KINDS:
        desk = Desk(admin, kind, orders.customer)
        path = desk.make({"fk_product": product, "qty": 10000})
        (line,) = desk.read(path)["lines"]
        assert (sums(line), prices(line)) == (("583.33", "116.67", "700.00"), ("0.05833", "0.07"))
        for verb, sent in (("PUT", line), ("PATCH", {"qty": 10000}), ("PATCH", {"qty": 20000})):
            admin.ask(verb, f"{path}/lines/{line['id']}", sent)
        assert sums(desk.read(path)) == ("1166.67", "233.33", "1400.00")


# VAT rounded for each rate -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "total", "nets"),
    [
        ([gross("9.99", 20)], ("8.33", "1.66", "9.99"), ["8.33"]),
        ([gross("9.99", 19)], ("8.39", "1.60", "9.99"), ["8.39"]),
        # 9.99 / 1.2 = 8.325, 19.98 / 1.2 = 16.65, 29.97 / 1.2 = 24.975
        ([gross("9.99", 20)] * 3, ("24.98", "4.99", "29.97"), ["8.33", "8.32", "8.33"]),
        # Those of the net prices apart: 0.33, 0.66, 0.99 at 20 %: 0.07, 0.06, 0.07
        (
            [net("0.33", 20), gross("9.99", 20), net("0.33", 20), gross("9.99", 20), net("0.33", 20)],
            ("17.64", "3.53", "21.17"),
            ["0.33", "8.33", "0.33", "8.32", "0.33"],
        ),
        # -2 × 9.99 = -19.98; so far -9.99: -8.325
        ([gross("9.99", 20), gross("9.99", 20, -2)], ("-8.33", "-1.66", "-9.99"), ["8.33", "-16.66"]),
    ],
)
def test_vat_per_rate_leaves_the_agreed_total(desk, constant, lines, total, nets):
    constant(PER_RATE, "1")
    at_once, one_by_one = desk.make(*lines), desk.make()
    for line in lines:
        desk.admin.ask("POST", f"{one_by_one}/lines", line)
    for path in (at_once, one_by_one):
        record = desk.read(path)
        assert (sums(record), [short(line["total_ht"]) for line in record["lines"]]) == (total, nets)
        agreed = [line for line in record["lines"] if prices(line)[1]]
        assert all(D(line["total_ttc"]) == D("9.99") * D(line["qty"]) for line in agreed if D(line["tva_tx"]) == 20)


@pytest.mark.every_database
def test_a_used_deposit_deducts_its_total(admin, customer, constant):
    """A deposit of 5.02 at 19 % is 5.97; 10.08 at 19 % is 12.00: both invoices together are 12.00."""
    constant(PER_RATE, "1")
    invoices = Desk(admin, "invoices", customer)
    deposit = f"/invoices/{int(admin.ask('POST', '/invoices', invoices.body(net('5.02', 19)) | {'type': 3}))}"
    admin.ask("POST", f"{deposit}/validate")
    payment = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "yes"}
    admin.ask("POST", f"{deposit}/payments", payment)
    admin.ask("POST", f"{deposit}/markAsCreditAvailable")
    discount = admin.get(f"{deposit}/discount")
    path = invoices.make(net("10.08", 19))
    admin.ask("POST", f"{path}/usediscount/{discount['id']}")
    record = admin.get(path)
    deducted = record["lines"][-1]
    assert (sums(admin.get(deposit)), sums(deducted)) == (("5.02", "0.95", "5.97"), ("-5.02", "-0.95", "-5.97"))
    assert (sums(record), prices(deducted)[1]) == (("5.06", "0.97", "6.03"), "-5.97")
    # It is sent back, and its text may change
    for sent in (deducted, {"desc": "Deposit"}, {"qty": 1, "tva_tx": "19"}):
        admin.ask("PATCH", f"{path}/lines/{deducted['id']}", sent)
    admin.ask("PUT", f"{path}/lines/{deducted['id']}", deducted)
    assert (admin.get(path)["lines"][-1], sums(admin.get(path))) == (deducted, sums(record))
    assert "uses a discount" in admin.refused("PATCH", f"{path}/lines/{deducted['id']}", {"qty": 2}, status=405)


@pytest.mark.parametrize(("per_rate", "total"), [("0", "-15.10"), ("1", "-15.08")])
def test_local_taxes_per_rate(admin, profile, kind, tmp_path_factory, desk, constant, per_rate, total):
    """IRPF of 15 %: 10 × -1.51, or 15 % of 100.50 = 15.075."""
    constant(PER_RATE, per_rate)
    constant("MAIN_INFO_SOCIETE_COUNTRY", "4:ES:Spain")
    buyer = int(admin.ask("POST", "/thirdparties", {"name": "Comprador", "country_id": 4}))
    line = net("10.05", 21, product_type=1, localtax2_tx="-15")
    there = Desk(admin, desk.kind, buyer)
    record = there.read(there.make(*[line] * 10))
    assert short(record["total_localtax2"]) == total
    whole = there.read(there.make(line | {"qty": 10}))
    assert short(whole["total_localtax2"]) == "-15.08"
    # 100.50 + 21 % of it, in each line 2.11
    vat = D("21.10" if per_rate == "0" else "21.11")
    assert sums(record)[1:] == (f"{vat}", f"{D('100.50') + vat + D(total)}")


# The smallest coin ---------------------------------------------------------------------------------------------------

SWISS = [net("33.35", "8.1"), net("17.15", "2.6"), net("4.40", "2.6", 2)]


@pytest.mark.parametrize(
    ("per_rate", "lines", "expected", "as_dolibarr"),
    [
        # 36.05 + 17.60 + 9.03 = 62.68. As Dolibarr 16 each part of a line is rounded: 9.03 = 8.80 + 0.23 is 8.80 + 0.25
        ("0", SWISS, ("62.70", "0.02"), ("62.70", "0.00")),
        # 59.30 + 2.70 + 25.95 × 2.6 % = 0.67
        ("1", SWISS, ("62.65", "-0.02"), ("62.70", "0.00")),
        # 3 × 10.83 = 32.49; 30.06 + 2.43 = 32.49. By line 10.00 + 0.80
        ("0", [net("10.02", "8.1")] * 3, ("32.50", "0.01"), ("32.40", "0.00")),
        ("1", [net("10.02", "8.1")] * 3, ("32.50", "0.01"), ("32.40", "0.00")),
        # 9.95 + 3 × 12.95 = 48.80. By line 9.20 + 0.75 and, of 35.94 + 2.91, 35.95 + 2.90
        ("1", [gross("9.95", "8.1"), gross("12.95", "8.1", 3)], ("48.80", "0.00"), ("48.80", "0.00")),
        # Below half a coin
        ("0", [net("0.02", "0")], ("0.00", "-0.02"), ("0.00", "0.00")),
        ("0", [net("-10.03", "0")], ("-10.05", "-0.02"), ("-10.05", "0.00")),
    ],
)
def test_the_total_is_a_multiple_of_the_coin(desk, profile, constant, per_rate, lines, expected, as_dolibarr):
    constant(PER_RATE, per_rate)
    constant(COIN, "0.05")
    by_line = profile == "dolibarr16"
    at_once, one_by_one = desk.make(*lines), desk.make()
    for line in lines:
        desk.admin.ask("POST", f"{one_by_one}/lines", line)
    for path in (at_once, one_by_one):
        record = desk.read(path)
        assert (sums(record)[2], short(record["rounding_amount"])) == (as_dolibarr if by_line else expected)
        for place, name in enumerate(TOTALS[:2]):
            assert D(sums(record)[place]) == sum(D(line[name]) for line in record["lines"])
        assert sum(D(record[name]) for name in (*TOTALS[:2], "rounding_amount")) == D(record["total_ttc"])
        if not by_line:
            for line, sent in zip(record["lines"], lines, strict=True):
                assert sums(line)[2 if prices(line)[1] else 0] == f"{D(sent['subprice']) * D(sent['qty']):.2f}"


def test_a_coin_that_is_gone_leaves_no_trace_in_an_agreed_price(desk):
    """1,754.5 × 255.24 = 447,818.58, at any rate; 5 × 255.24 / 1.07 = 1192.71."""
    with set_until_end(desk.admin, COIN, "0.1"):
        path = desk.make(gross("255.24", 21, "1754.5"))
    where = f"{path}/lines/{desk.read(path)['lines'][0]['id']}"
    desk.admin.ask("PATCH", where, {"tva_tx": 7})
    assert sums(desk.read(path))[2] == "447818.58"
    desk.admin.ask("PATCH", where, {"qty": 5})
    assert sums(desk.read(path)) == ("1192.71", "83.49", "1276.20")


def test_without_a_coin_there_is_no_difference(desk):
    assert short(desk.read(desk.make(*SWISS))["rounding_amount"]) == "0.00"
    assert short(desk.read(desk.make())["rounding_amount"]) == "0.00"


def test_the_coin_counts_the_stamp_duty(admin, profile, customer, constant):
    """62.68 + 0.03 = 62.71; as Dolibarr 16 62.70 + 0.03."""
    constant(COIN, "0.05")
    invoices = Desk(admin, "invoices", customer)
    path = f"/invoices/{int(admin.ask('POST', '/invoices', invoices.body(*SWISS) | {'revenuestamp': '0.03'}))}"
    expected = ("62.75", "0.02") if profile == "dolibarr16" else ("62.70", "-0.01")
    assert (sums(admin.get(path))[2], short(admin.get(path)["rounding_amount"])) == expected
    admin.ask("PATCH", path, {"revenuestamp": "0.00"})
    assert sums(admin.get(path))[2] == "62.70"


@pytest.mark.every_database
def test_the_difference_is_of_the_document_and_stays(admin, profile, orders, constant):
    """Copies are rounded. Existing documents keep the difference without the constant. The field can't be set."""
    with ExitStack() as until:
        until.enter_context(set_until_end(admin, COIN, "0.05"))
        path = orders.make(*SWISS)
        difference = "0.00" if profile == "dolibarr16" else "0.02"
        admin.ask("POST", f"{path}/validate")
        record = admin.ask("POST", f"/invoices/createfromorder/{path.rpartition('/')[2]}")
        assert (sums(record)[2], short(record["rounding_amount"])) == ("62.70", difference)
    admin.ask("PATCH", path, {"rounding_amount": "1"})
    assert (sums(admin.get(path))[2], short(admin.get(path)["rounding_amount"])) == ("62.70", difference)

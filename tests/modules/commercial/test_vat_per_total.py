"""VAT rounded once for each rate of a document: the example of `modules/setup/guide.md`, worked out by hand, over HTTP.

Three lines of 1 × 0.33 at 20 %. A line has 0.33 × 1.20 = 0.396, so 0.40 with VAT and 0.07 of VAT. Per line that is 0.21.
Per rate: 0.33 × 20 % = 0.066 → 0.07, 0.66 × 20 % = 0.132 → 0.13, 0.99 × 20 % = 0.198 → 0.20; so the second line gives way.
"""

import pytest

SETTING = "MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND"
LINE = {"desc": "Nail", "qty": 1, "subprice": "0.33", "tva_tx": 20}

PER_LINE = ("0.99", "0.21", "1.20", ["0.07", "0.07", "0.07"])
PER_RATE = ("0.99", "0.20", "1.19", ["0.07", "0.06", "0.07"])


@pytest.fixture
def per_rate(admin, constant):
    """Set the constant; it is gone at the end of the test."""
    constant(SETTING, "0")
    return lambda value: admin.ask("PUT", f"/setup/conf/{SETTING}", {"value": value})


@pytest.fixture(params=["proposals", "orders", "invoices"])
def service(request):
    """A kind of document."""
    return request.param


@pytest.fixture
def make(admin, service):
    """Make a draft of three lines; answers its path."""
    customer = admin.ask("POST", "/thirdparties", {"name": "Ironmonger", "client": 1})

    def create():
        body = {"socid": customer, "date": "2026-11-21", "lines": [LINE] * 3}
        return f"/{service}/{admin.ask('POST', f'/{service}', body)}"

    return create


def sums(admin, path):
    record = admin.get(path)
    totals = [record[name] for name in ("total_ht", "total_tva", "total_ttc")]
    short = [each.removesuffix("000000") for each in (*totals, *(line["total_tva"] for line in record["lines"]))]
    return (*short[:3], short[3:])


def test_the_example(admin, per_rate, make):
    admin.ask("DELETE", f"/setup/conf/{SETTING}")
    assert sums(admin, make()) == PER_LINE
    per_rate("0")
    assert sums(admin, make()) == PER_LINE
    per_rate("1")
    assert sums(admin, make()) == PER_RATE


def test_what_exists_stays_until_a_line_of_it_changes(admin, per_rate, make):
    draft, validated = make(), make()
    admin.ask("POST", f"{validated}/validate")
    per_rate("1")
    admin.ask("PATCH", draft, {"note_private": "read again"})
    assert sums(admin, draft) == sums(admin, validated) == PER_LINE
    line = admin.get(draft)["lines"][0]
    admin.ask("PUT", f"{draft}/lines/{line['id']}", line)
    assert sums(admin, draft) == PER_LINE
    admin.ask("PUT", f"{draft}/lines/{line['id']}", line | {"desc": "Another nail"})
    assert sums(admin, draft) == PER_RATE
    late = make()
    per_rate("0")
    admin.ask("POST", f"{late}/validate")
    assert sums(admin, late) == PER_RATE


def test_a_line_that_gave_way_keeps_its_vat_until_it_is_priced_anew(admin, per_rate, make):
    per_rate("1")
    draft = make()
    per_rate("0")
    admin.ask("POST", f"{draft}/lines", LINE)
    assert sums(admin, draft) == ("1.32", "0.27", "1.59", ["0.07", "0.06", "0.07", "0.07"])
    second = admin.get(draft)["lines"][1]["id"]
    admin.ask("PUT", f"{draft}/lines/{second}", LINE)
    assert sums(admin, draft)[:3] == ("1.32", "0.27", "1.59")
    for qty in (2, 1):
        admin.ask("PATCH", f"{draft}/lines/{second}", {"qty": qty})
    assert sums(admin, draft) == ("1.32", "0.28", "1.60", ["0.07", "0.07", "0.07", "0.07"])


def test_each_rate_is_rounded_for_itself(admin, per_rate, make):
    """Three lines of 0.05 at 5.5 %: 0.00 each; 0.05 → 0.00, 0.10 × 5.5 % = 0.0055 → 0.01, 0.15 × 5.5 % = 0.00825 → 0.01."""
    per_rate("1")
    path = make()
    for _ in range(3):
        admin.ask("POST", f"{path}/lines", LINE | {"subprice": "0.05", "tva_tx": "5.5"})
    assert sums(admin, path) == ("1.14", "0.21", "1.35", ["0.07", "0.06", "0.07", "0.00", "0.01", "0.00"])

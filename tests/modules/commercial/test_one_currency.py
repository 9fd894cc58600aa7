"""All amounts are in the company's currency: a value in another one is rejected, never read as the company's."""

from decimal import Decimal
from itertools import count

import pytest

from core.testing import constant, serving

NUMBERS = count(1)
LINE = {"desc": "Desk", "qty": 2, "subprice": "125", "tva_tx": 20}
PATHS = ("invoices", "orders", "proposals", "invoices/templates")
#: values that no record in euros has, with the field that each names
FOREIGN = (
    ({"multicurrency_code": "USD", "multicurrency_tx": "1.25"}, {"multicurrency_code", "multicurrency_tx"}),
    ({"multicurrency_code": "USD"}, {"multicurrency_code"}),
    ({"multicurrency_tx": "1.25"}, {"multicurrency_tx"}),
    ({"multicurrency_tx": "NaN"}, {"multicurrency_tx"}),
    ({"multicurrency_code": ["USD"]}, {"multicurrency_code"}),
)
#: what means nothing, or the company's currency; totals are ignored as those without `multicurrency_`
PASSING = (
    {"multicurrency_code": "", "multicurrency_tx": 0, "multicurrency_total_ht": "0.00000000"},
    {"multicurrency_code": None, "multicurrency_tx": None},
    {"multicurrency_code": "EUR", "multicurrency_tx": "1.00000000", "multicurrency_total_ttc": 999},
    {"multicurrency_code": "EUR", "multicurrency_tx": 1},
)


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def shop(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("currency"), profile_name=request.param) as served:
        yield served.client()


@pytest.fixture(scope="module")
def customer(shop):
    return shop.ask("POST", "/thirdparties", {"name": "Customer", "client": 1})


def body(customer, **more):
    return {"socid": customer, "date": "2026-11-21", "title": f"Care {next(NUMBERS)}", "lines": [LINE], **more}


def fields(client, verb, path, sent):
    """The fields that a 400 names."""
    error = client.ask(verb, path, sent, status=400)["error"]
    return {each["field"] for each in error["errors"]}


def totals(client, path):
    record = client.get(path)
    return tuple(Decimal(str(record[name])) for name in ("total_ht", "total_ttc", "multicurrency_total_ttc"))


@pytest.mark.parametrize("path", PATHS)
def test_documents(shop, customer, path):
    made = shop.ask("POST", f"/{path}", body(customer))
    before = totals(shop, f"/{path}/{made}")
    assert before == (250, 300, 300)
    for foreign, names in FOREIGN:
        assert fields(shop, "POST", f"/{path}", body(customer, **foreign)) == names
        for verb in ("PUT", "PATCH"):
            assert fields(shop, verb, f"/{path}/{made}", {"socid": customer, "date": "2026-11-21", **foreign}) == names
    for passing in PASSING:
        other = shop.ask("POST", f"/{path}", body(customer, **passing))
        assert totals(shop, f"/{path}/{other}") == (250, 300, 300)
        for verb in ("PUT", "PATCH"):
            shop.ask(verb, f"/{path}/{made}", body(customer, **passing))
    assert totals(shop, f"/{path}/{made}") == before
    # Everything that is wrong at once
    wrong = body(customer, multicurrency_code="USD", note_public=["x"])
    assert fields(shop, "POST", f"/{path}", wrong) == {"multicurrency_code", "note_public"}


@pytest.mark.parametrize("path", PATHS)
def test_lines(shop, customer, path):
    made = shop.ask("POST", f"/{path}", body(customer))
    (line,) = shop.get(f"/{path}/{made}")["lines"]
    lines = f"/{path}/{made}/lines"
    for foreign, names in (*FOREIGN, ({"multicurrency_subprice": 99}, {"multicurrency_subprice"})):
        assert fields(shop, "POST", lines, LINE | foreign) == names
        wrong = body(customer, lines=[LINE, LINE | foreign])
        assert fields(shop, "POST", f"/{path}", wrong) == {f"lines[1].{name}" for name in names}
        for verb in ("PUT", "PATCH"):
            assert fields(shop, verb, f"{lines}/{line['id']}", LINE | foreign) == names
    # Only a price in another currency: not a line without a price
    no_price = {"desc": "Desk", "qty": 2, "multicurrency_subprice": 125}
    assert fields(shop, "POST", lines, no_price) == {"multicurrency_subprice"}
    for passing in (*PASSING, {"multicurrency_subprice": "0"}, {"multicurrency_subprice": "125.00"}):
        added = shop.ask("POST", lines, LINE | passing)
        shop.ask("PATCH", f"{lines}/{added}", passing)
        shop.ask("DELETE", f"{lines}/{added}")
    # A client that changes the price may leave the other, or change both
    for sent in ({"subprice": 50}, {"subprice": 50, "multicurrency_subprice": 125}):
        shop.ask("PATCH", f"{lines}/{line['id']}", LINE | sent)
        assert totals(shop, f"/{path}/{made}") == (100, 120, 120)
        shop.ask("PATCH", f"{lines}/{line['id']}", LINE)
    shop.ask("PATCH", f"{lines}/{line['id']}", {"subprice": 50, "multicurrency_subprice": 50})
    assert totals(shop, f"/{path}/{made}") == (100, 120, 120)
    taxed = LINE | {"subprice": 150, "price_base_type": "TTC"}
    for price in (150, 125):
        added = shop.ask("POST", lines, taxed | {"multicurrency_subprice": price})
        shop.ask("DELETE", f"{lines}/{added}")
    assert fields(shop, "POST", lines, taxed | {"multicurrency_subprice": 180}) == {"multicurrency_subprice"}


def test_what_is_stored_stays_when_the_company_has_another_currency(shop, customer):
    made = shop.ask("POST", "/orders", body(customer))
    record = shop.get(f"/orders/{made}")
    with constant(shop, "MAIN_MONNAIE", "CHF"):
        # It is still one in euros
        shop.ask("PUT", f"/orders/{made}", record)
        assert fields(shop, "PATCH", f"/orders/{made}", {"multicurrency_code": "CHF"}) == {"multicurrency_code"}
        # A new one isn't
        assert fields(shop, "POST", "/orders", body(customer, multicurrency_code="EUR")) == {"multicurrency_code"}
        other = shop.ask("POST", "/orders", body(customer, multicurrency_code="CHF"))
        assert shop.get(f"/orders/{other}")["multicurrency_code"] == "CHF"


def test_third_parties(shop):
    made = shop.ask("POST", "/thirdparties", {"name": "Local", "multicurrency_code": "EUR"})
    dollars = {"multicurrency_code": "USD"}
    assert fields(shop, "POST", "/thirdparties", {"name": "Abroad", **dollars}) == {"multicurrency_code"}
    wrong = {"name": "Abroad", "email": "not an address", **dollars}
    assert fields(shop, "POST", "/thirdparties", wrong) == {"multicurrency_code", "email"}
    for verb in ("PUT", "PATCH"):
        assert fields(shop, verb, f"/thirdparties/{made}", dollars) == {"multicurrency_code"}
        shop.ask(verb, f"/thirdparties/{made}", shop.get(f"/thirdparties/{made}"))
    entries = {"entries": [{"method": "POST", "body": {"name": "Abroad", **dollars}}], "atomic": False}
    (result,) = shop.simulate_post("/thirdparties/batch", json=entries).json["results"]
    assert "multicurrency_code" in str(result["error"])


def test_payments(shop, customer):
    made = shop.ask("POST", "/invoices", body(customer))
    shop.ask("POST", f"/invoices/{made}/validate")

    def terms(share):
        return {
            "arrayofamounts": {str(made): share}, "datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "no",
            "accountid": 1,
        }  # fmt: skip

    path, name = "/invoices/paymentsdistributed", f"arrayofamounts.{made}.multicurrency_amount"
    for share in (
        {"amount": "", "multicurrency_amount": "10"}, {"multicurrency_amount": 10},
        {"amount": "10", "multicurrency_amount": "12.50"}, {"amount": "10", "multicurrency_amount": "x"},
    ):  # fmt: skip
        assert fields(shop, "POST", path, terms(share)) == {name}
    for empty in ("", None, 0, "0.00"):
        shop.ask("POST", path, terms({"amount": "10", "multicurrency_amount": empty}))
    shop.ask("POST", path, terms({"amount": "", "multicurrency_amount": "remain"}))
    assert Decimal(shop.get(f"/invoices/{made}")["remaintopay"]) == 0
    one = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "no", "accountid": 1}
    assert fields(shop, "POST", f"/invoices/{made}/payments", one | {"multicurrency_amount": 10}) == {
        "multicurrency_amount"
    }

"""Business days over HTTP in the profile `dolibarr16`: midnights of the company's zone, in and out; no day moves."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.common.clock import as_if
from core.testing import serving

#: around both changes of the clock in Europe, North America and New Zealand, and midnights that there are not
DAYS = [
    date.fromisoformat(text)
    for text in (
        "2026-03-28", "2026-03-29", "2026-03-30", "2026-10-24", "2026-10-25", "2026-10-26", "2026-03-07", "2026-03-08",
        "2026-03-09", "2026-10-31", "2026-11-01", "2026-11-02", "2026-04-04", "2026-04-05", "2026-04-06", "2026-09-26",
        "2026-09-27", "2026-09-28", "2018-11-03", "2018-11-04", "2018-11-05", "2023-04-27", "2023-04-28", "2023-04-29",
    )
]  # fmt: skip


def at(day, zone):
    """What a client in a zone makes of a day, as its own calendar has it: the first second of it."""
    where = ZoneInfo(zone)
    second = int((datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=16)).timestamp())
    while datetime.fromtimestamp(second, where).date() < day:
        second += 900
    return second


@pytest.fixture(scope="module")
def paris(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp(kind)
    with serving(folder, kind, profile_name="dolibarr16", timezone="Europe/Paris") as served:
        yield served


@pytest.fixture(scope="module")
def client(paris):
    return paris.client()


@pytest.fixture(scope="module")
def customer(client):
    return int(client.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1}))


def stays(client, zone):
    """Write and read each day, in a body and in a filter, and send it back."""
    customer = client.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})
    for day in DAYS:
        seconds = at(day, zone)
        made = client.ask("POST", "/invoices", {"socid": customer, "date": seconds, "ref_client": str(day)})
        record = client.get(f"/invoices/{made}")
        assert (record["date"], record["ref_client"]) == (seconds, str(day))
        again = client.ask("PUT", f"/invoices/{made}", {"date": record["date"]})
        assert again["date"] == seconds
        for value in (str(seconds), f"'{day}'", f"{day:%Y%m%d}", str(seconds + 3600 * 3)):
            found = client.get("/invoices", sqlfilters=f"(t.datef:=:{value})", thirdparty_ids=customer)
            assert [each["id"] for each in found] == [str(made)], value
    own = {"sortfield": "t.datef", "thirdparty_ids": customer}
    listed = client.get("/invoices", **own, limit=100)
    assert [each["ref_client"] for each in listed] == sorted(str(day) for day in DAYS)
    seen, after = [], ""
    while True:
        page = client.get("/invoices", **own, limit=7, **({"after": after} if after else {"count": "1"}))
        seen += [each["ref_client"] for each in page]
        if len(page) < 7:
            break
        after = cursor(client, own, after)
    assert seen == sorted(str(day) for day in DAYS)


def cursor(client, own, after):
    options = {**own, "limit": "7", **({"after": after} if after else {})}
    return str(client.simulate_get("/invoices", params=options).headers["x-next-cursor"])


def test_a_client_in_paris_loses_no_day(client):
    stays(client, "Europe/Paris")


@pytest.mark.parametrize(
    "zone", ["America/New_York", "Pacific/Auckland", "America/Sao_Paulo", "Africa/Cairo", "Asia/Kolkata"]
)
def test_nor_does_one_elsewhere(zone, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("zone"), profile_name="dolibarr16", timezone=zone) as served:
        stays(served.client(), zone)


def test_the_default_profile_minds_no_zone(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("zone"), timezone="Pacific/Auckland") as served:
        admin = served.client()
        customer = admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})
        made = admin.ask("POST", "/proposals", {"socid": customer, "date": 1795219200 + 86399})
        assert admin.get(f"/proposals/{made}")["date"] == 1795219200
        schema = admin.get("/explorer/openapi.json")["components"]["schemas"]
        assert "as the seconds of its midnight in UTC" in str(schema)


def test_a_pdf_says_the_same_day(paris, client, customer):
    day, end = date(2026, 10, 20), date(2026, 11, 4)
    body = {"socid": customer, "date": at(day, "Europe/Paris"), "lines": [{"desc": "Work", "qty": 1, "subprice": 100}]}
    made = client.ask("POST", "/proposals", body)
    record = client.get(f"/proposals/{made}")
    # 15 days on the clock has changed: the end of validity is a midnight, too
    assert record["fin_validite"] == at(end, "Europe/Paris")
    from modules.documents.content.record_values import day_of

    assert (day_of(record["date"]), day_of(record["fin_validite"])) == (day, end)


def test_what_follows_from_a_day(client, customer):
    day = date(2026, 3, 28)
    seconds = at(day, "Europe/Paris")
    lines = [{"desc": "Work", "qty": 1, "subprice": 100, "tva_tx": 0}]
    made = client.ask("POST", "/invoices", {"socid": customer, "date": seconds, "cond_reglement_id": 2, "lines": lines})
    # Thirty days later it is summer
    assert client.get(f"/invoices/{made}")["date_lim_reglement"] == at(date(2026, 4, 27), "Europe/Paris")
    ref = client.ask("POST", f"/invoices/{made}/validate")["ref"]
    assert ref.startswith("FA2603-")
    # The first of a month is its midnight: not the month before
    first = at(date(2026, 4, 1), "Europe/Paris")
    made = client.ask("POST", "/invoices", {"socid": customer, "date": first, "lines": lines})
    assert client.ask("POST", f"/invoices/{made}/validate")["ref"].startswith("FA2604-")
    payment = {"datepaye": first, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1}
    client.ask("POST", f"/invoices/{made}/payments", payment)
    (paid,) = client.get(f"/invoices/{made}/payments")
    assert (paid["date"], paid["ref"][:7]) == ("2026-04-01 00:00:00", "PAY2604")
    history = client.get(f"/invoices/{made}/history")
    (creation,) = [each for each in history if each["kind"] == "created" and each["element"] == "llx_facture"]
    assert creation["after"]["date"] == first
    trail = client.get("/audit", service="invoices", record=made)
    (same,) = [each for each in trail if each["id"] == str(creation["id"])]
    assert same["after"]["date"] == first
    plain = client.simulate_get(
        "/invoices", params={"sqlfilters": f"(t.rowid:=:{made})"}, headers={"Accept": "text/csv"}
    )
    assert [row["date"] for row in csv.DictReader(io.StringIO(plain.text))] == [str(first)]


def test_extra_fields_and_parameters(client, customer):
    day = date(2026, 7, 14)
    definition = {"label": "Day", "type": "date", "size": "", "default": ""}
    client.ask("POST", "/setup/extrafields/societe/founded", definition)
    client.ask("PUT", f"/thirdparties/{customer}", {"array_options": {"options_founded": at(day, "Europe/Paris")}})
    record = client.get(f"/thirdparties/{customer}")
    assert record["array_options"]["options_founded"] == at(day, "Europe/Paris")
    found = client.get("/thirdparties", sqlfilters=f"(ef.founded:=:'{day}')")
    assert [each["id"] for each in found] == [str(customer)]
    account = {"ref": "BANK", "label": "Bank", "country_id": 1, "date_solde": at(day, "Europe/Paris"), "solde": 1}
    bank = client.ask("POST", "/bankaccounts", account)
    (line,) = client.get(f"/bankaccounts/{bank}/lines")
    assert line["dateo"] == at(day, "Europe/Paris")
    client.ask(
        "POST", f"/bankaccounts/{bank}/lines",
        {"date": at(day, "Europe/Paris"), "type": "VIR", "label": "Line", "amount": 2},
    )  # fmt: skip
    assert {each["dateo"] for each in client.get(f"/bankaccounts/{bank}/lines")} == {at(day, "Europe/Paris")}
    client.ask("DELETE", "/setup/extrafields/societe/founded")


def test_today_is_the_day_of_the_zone(client, customer):
    # 23:30 UTC is the next day in Paris
    with as_if(datetime(2026, 10, 24, 22, 30, tzinfo=UTC).timestamp()):
        made = client.ask("POST", "/invoices", {"socid": customer, "date": ""})
    assert client.get(f"/invoices/{made}")["date"] == at(date(2026, 10, 25), "Europe/Paris")


def test_texts_and_digits_in_a_body(client, customer):
    for text in ("2026-07-14", "2026-07-14T23:59:59-12:00", "2026-07-14T00:00:00+14:00"):
        made = client.ask("POST", "/orders", {"socid": customer, "date": text})
        assert client.get(f"/orders/{made}")["date"] == at(date(2026, 7, 14), "Europe/Paris")
    for digits in (20261121, "20261121"):
        said = client.refused("POST", "/orders", {"socid": customer, "date": digits}, status=400)
        assert "2026-11-21 with hyphens, because 8 digits could also be Unix seconds" in said


def test_the_document_says_which_midnight(client):
    schemas = str(client.get("/explorer/openapi.json")["components"]["schemas"])
    assert "as the seconds of its midnight in Europe/Paris" in schemas
    assert "'x-day': 'Europe/Paris'" in schemas
    assert "midnight in UTC" not in schemas

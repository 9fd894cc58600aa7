"""The day of a payment, and of other instants: the company's, wherever a day is made of one."""

import csv
import io
from datetime import datetime
from itertools import count
from zoneinfo import ZoneInfo

import pytest

from core.common.clock import as_if
from core.for_natives import settings
from core.testing import serving
from modules.invoices.discount_words import discount_sources
from modules.thirdparties.models import Discount
from tests.modules.invoices.printed import printed

NUMBERS = count(1)
LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 0}
#: zone, local time, and the day in UTC: the two are in different months, or the clocks skip the local midnight
MOMENTS = [
    ("Pacific/Kiritimati", "2026-07-01T00:30", "2026-06-30"),
    ("America/New_York", "2026-06-30T23:30", "2026-07-01"),
    ("Africa/Cairo", "2023-04-28T01:30", "2023-04-27"),
    ("UTC", "2028-02-29T23:59", "2028-02-29"),
]


@pytest.fixture(
    scope="module",
    params=[(profile, *moment) for profile in ("specification", "dolibarr16") for moment in MOMENTS],
    ids=lambda each: f"{each[0]}-{each[1]}",
)
def shop(request, kind, tmp_path_factory):
    """A client of a company in a zone, with the moment, the company's day and the profile."""
    profile, zone, clock, utc = request.param
    with serving(tmp_path_factory.mktemp("days"), kind, profile_name=profile, timezone=zone) as served:
        moment = datetime.fromisoformat(clock).replace(tzinfo=ZoneInfo(zone))
        seconds = int(moment.timestamp())
        assert str(datetime.fromtimestamp(seconds, ZoneInfo("UTC")).date()) == utc
        yield served.client(), seconds, moment.date(), profile


def billed(client, **fields):
    """A validated invoice of 100.00."""
    customer = client.ask("POST", "/thirdparties", {"name": "Customer", "client": 1})
    made = client.ask("POST", "/invoices", {"socid": customer, "date": "2023-04-02", "lines": [LINE], **fields})
    client.ask("POST", f"/invoices/{made}/validate")
    return made


def account(client):
    """A new bank account."""
    number = next(NUMBERS)
    return client.ask("POST", "/bankaccounts", {"ref": f"A{number}", "label": f"Giro {number}", "country_id": 1})


def zone():
    """The company's zone."""
    return settings().zone


@pytest.mark.every_database
def test_a_payment_has_one_day(shop):
    client, seconds, day, profile = shop
    bank, made = account(client), billed(client)
    terms = {"datepaye": seconds, "paymentid": 2, "closepaidinvoices": "yes", "accountid": bank}
    client.ask("POST", f"/invoices/{made}/payments", terms)
    # The bank's line, as read and in an export
    listed = client.simulate_get(
        f"/bankaccounts/{bank}/lines", params={"dates": "iso"}, headers={"Accept": "text/csv"}
    ).text
    (line,) = csv.DictReader(io.StringIO(listed))
    assert (line["dateo"], line["datev"]) == (str(day), str(day))
    assert len(client.get(f"/bankaccounts/{bank}/lines", sqlfilters=f"(t.dateo:=:'{day}')")) == 1
    (paid,) = client.get(f"/invoices/{made}/payments")
    # The month of its reference
    assert paid["ref"].startswith(f"PAY{day:%y%m}-")
    clock = datetime.fromtimestamp(seconds, zone())
    assert paid["date"] == (seconds if profile == "specification" else f"{clock:%Y-%m-%d %H:%M:%S}")
    assert f"Paid on {day:%b} {day.day}, {day.year}: €100.00" in printed(client, made)


def test_a_payment_of_a_day_is_of_that_day(shop):
    client, _, day, profile = shop
    bank, made = account(client), billed(client)
    terms = {"datepaye": str(day), "paymentid": 2, "closepaidinvoices": "yes", "accountid": bank}
    if profile == "dolibarr16":
        # Which takes Unix seconds only
        client.refused("POST", f"/invoices/{made}/payments", terms, status=400)
        return
    client.ask("POST", f"/invoices/{made}/payments", terms)
    assert len(client.get(f"/bankaccounts/{bank}/lines", sqlfilters=f"(t.dateo:=:'{day}')")) == 1
    assert f"Paid on {day:%b} {day.day}, {day.year}: " in printed(client, made)


def test_a_payment_outside_the_calendar(shop):
    client, _, _, _ = shop
    bank, made = account(client), billed(client)
    # 9999-12-31 23:59:59 UTC; a zone to the east has the year 10000 then
    terms = {"datepaye": 253402300799, "paymentid": 2, "closepaidinvoices": "yes", "accountid": bank}
    answer = client.simulate_post(f"/invoices/{made}/payments", json=terms)
    east = zone().key in ("Pacific/Kiritimati", "Africa/Cairo")
    assert answer.status_code == (400 if east else 200)
    assert "datepaye" in answer.text or not east


def test_other_instants(shop):
    """A discount without a source, a delivery note, and in dolibarr16 the texts of a product."""
    client, seconds, day, profile = shop
    customer = client.ask("POST", "/thirdparties", {"name": "Customer", "client": 1})
    row = Discount.create(fk_soc=customer, datec=datetime.fromtimestamp(seconds, ZoneInfo("UTC")).replace(tzinfo=None),
                          description="Goodwill")  # fmt: skip
    assert discount_sources([row.id])[row.id].day == day
    with as_if(seconds):
        goods = client.ask("POST", "/products", {"ref": f"G{row.id}", "label": "Goods"})
        order = client.ask("POST", "/orders", {"socid": customer, "date": "2023-04-02", "lines": [LINE]})
        client.ask("POST", f"/orders/{order}/validate")
        place = client.ask("POST", "/warehouses", {"label": f"W{row.id}"})
        shipment = client.ask("POST", f"/orders/{order}/shipment/{place}")
        client.ask("POST", f"/shipments/{shipment}/validate")
    if profile == "dolibarr16":
        clock = datetime.fromtimestamp(seconds, zone())
        assert client.get(f"/products/{goods}")["date_creation"] == f"{clock:%Y-%m-%d %H:%M:%S}"
    ref = client.get(f"/shipments/{shipment}")["ref"]
    assert ref.startswith(f"SH{day:%y%m}-")
    assert f"{day:%b} {day.day}, {day.year}" in printed(client, shipment, service="shipments")

"""Subscriptions over HTTP, on each database that answers. Run it from the project's folder with `python -m pytest`."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.common.clock import as_if
from core.testing import DATABASE_KINDS, Client, Served, serving, why_unavailable

MODULES = Path(__file__).resolve().parents[2]
#: the day of these tests, until one runs the schedule on another
TODAY = date(2028, 2, 29)
FIRST = date(2028, 3, 1)


@pytest.fixture(scope="module", params=DATABASE_KINDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with this module and an empty database."""
    if reason := why_unavailable(request.param):
        pytest.skip(reason)
    with serving(tmp_path_factory.mktemp("data"), modules=str(MODULES), kind=request.param) as served:
        yield served


@pytest.fixture
def client(server: Served) -> Iterator[Client]:
    """An administrator, on the evening of `TODAY`."""
    with as_if(seconds(TODAY) + 86_399):
        yield server.client()


def subscribe(client: Client, socid: int | None = None, **fields: Any) -> int:
    """A subscription, of a new third party where none is named."""
    socid = socid or client.ask("POST", "/thirdparties", {"name": "Atelier Vasseur", "client": 1})
    body = {"socid": socid, "title": "Care", "price": "49.90", "tva_tx": 20, "first_day": FIRST.isoformat(), "day": 5}
    return client.ask("POST", "/subscriptions", body | fields)


def run_at(server: Served, day: date) -> None:
    """What the schedule does on a day."""
    server.run_jobs(seconds(day) + 6 * 3600)


def seconds(day: date) -> int:
    """A day as records show it."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def test_a_subscription_is_created_changed_and_deleted(client: Client) -> None:
    """The life of one subscription."""
    made = subscribe(client)
    record = client.get(f"/subscriptions/{made}")
    assert (record["price"], record["tva_tx"], record["state"]) == ("49.90000000", "20.0000", "active")
    assert (record["thirdparty_name"], record["last_day"]) == ("Atelier Vasseur", None)
    assert record["next_day"] == seconds(FIRST.replace(day=5))
    changed = client.ask("PUT", f"/subscriptions/{made}", {"day": 31, "price": "12.345678901"})
    end_of_month = (FIRST + timedelta(31)).replace(day=1) - timedelta(1)
    assert (changed["price"], changed["next_day"]) == ("12.34567890", seconds(end_of_month))
    assert client.ask("DELETE", f"/subscriptions/{made}") == 1
    client.refused("GET", f"/subscriptions/{made}", status=404)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"price": "-1"}, "price must be 0 or more"),
        ({"discount": "100.01"}, "discount must be from 0 to 100"),
        ({"day": 32}, "day must be from 1 to 31"),
        ({"last_day": "2020-01-01"}, "last_day lies before first_day"),
    ],
)
def test_what_does_not_fit_is_refused(client: Client, wrong: dict[str, Any], words: str) -> None:
    """All of it is told in words."""
    body = {"socid": 1, "title": "Care", "price": 1, "first_day": FIRST.isoformat()}
    assert words in client.refused("POST", "/subscriptions", body | wrong, status=400)


def test_each_right_is_asked_for(server: Served, client: Client) -> None:
    """Suspending has a right of its own."""
    made = subscribe(client)
    writer = server.user("subscriptions.read", "subscriptions.write", "thirdparties.all")
    writer.refused("POST", f"/subscriptions/{made}/suspend", status=401)
    writer.refused("DELETE", f"/subscriptions/{made}", status=401)
    server.user().refused("GET", "/subscriptions", status=401)
    holder = server.user("subscriptions.suspend", "thirdparties.all")
    assert holder.ask("POST", f"/subscriptions/{made}/suspend")["state"] == "suspended"
    assert holder.ask("POST", f"/subscriptions/{made}/resume")["state"] == "active"


def test_rows_are_those_of_represented_third_parties(server: Served, client: Client) -> None:
    """Who sees which subscriptions, sums and months."""
    made, other = subscribe(client), subscribe(client)
    socid = client.get(f"/subscriptions/{made}")["socid"]
    for who in ({"represents": [socid]}, {"socid": socid}):
        seeing = server.user("subscriptions.read", **who)
        assert [each["id"] for each in seeing.get("/subscriptions")] == [made]
        assert [each["socid"] for each in seeing.get("/subscriptions/sums")] == [socid]
        seeing.refused("GET", f"/subscriptions/{other}", status=404)
        seeing.refused("GET", f"/subscriptions/{other}/invoices", status=404)


def test_lists_are_filtered(client: Client) -> None:
    """By parameters, and by the filter language."""
    made = subscribe(client, title="Hosting")
    socid = client.get(f"/subscriptions/{made}")["socid"]
    second = subscribe(client, socid, title="Mail", price=2)
    assert [each["id"] for each in client.get("/subscriptions", socid=socid, state="active")] == [made, second]
    assert client.get("/subscriptions", socid=socid, state="suspended") == []
    cheap = client.get("/subscriptions", sqlfilters=f"(t.price:<:3) and (t.socid:=:{socid})")
    assert [each["id"] for each in cheap] == [second]
    assert len(client.get("/subscriptions", sqlfilters="(s.name:like:'Atelier%')", limit=1)) == 1


def test_sums_say_what_a_third_party_pays(client: Client) -> None:
    """Exactly, VAT rounded line by line, without what is suspended."""
    made = subscribe(client, price="0.33")
    socid = client.get(f"/subscriptions/{made}")["socid"]
    subscribe(client, socid, price="0.66", discount=50)
    client.ask("POST", f"/subscriptions/{subscribe(client, socid)}/suspend")
    [total] = [each for each in client.get("/subscriptions/sums") if each["socid"] == socid]
    assert total == {"socid": socid, "thirdparty_name": "Atelier Vasseur"} | {
        "subscriptions": 2,
        "total_ht": "0.66",
        "total_ttc": "0.80",
    }


def test_the_state_follows_the_third_party(client: Client) -> None:
    """Closed and opened again; what was suspended by hand stays so."""
    made = subscribe(client)
    socid = client.get(f"/subscriptions/{made}")["socid"]
    held = subscribe(client, socid)
    client.ask("POST", f"/subscriptions/{held}/suspend")
    client.ask("PUT", f"/thirdparties/{socid}", {"status": 0})
    assert client.get(f"/subscriptions/{made}")["state"] == "suspended"
    assert client.get(f"/subscriptions/{subscribe(client, socid)}")["state"] == "suspended"
    client.ask("PATCH", f"/thirdparties/{socid}", {"status": 1})
    assert [each["state"] for each in client.get("/subscriptions", socid=socid)] == ["active", "suspended", "active"]


def test_a_draft_is_made_once_a_month(server: Served, client: Client) -> None:
    """On its day, also when the schedule is run twice, when months were missed, and when the draft is deleted."""
    last = (FIRST + timedelta(130)).replace(day=1)
    made = subscribe(client, price="99.80", discount=50, last_day=last.isoformat())
    closed = subscribe(client)
    client.ask("PUT", f"/thirdparties/{client.get(f'/subscriptions/{closed}')['socid']}", {"status": 0})
    run_at(server, FIRST)
    assert client.get(f"/subscriptions/{made}/invoices") == []
    for day in (5, 5, 6):
        run_at(server, FIRST.replace(day=day))
    [month] = client.get(f"/subscriptions/{made}/invoices")
    assert month["month"] == seconds(FIRST)
    draft = client.get(f"/invoices/{month['invoice']}")
    assert (draft["statut"], draft["date"], len(draft["lines"])) == (0, seconds(FIRST.replace(day=5)), 1)
    assert (draft["lines"][0]["desc"], draft["total_ht"], draft["total_ttc"]) == ("Care", "49.90000000", "59.88000000")
    client.ask("DELETE", f"/invoices/{month['invoice']}")
    run_at(server, FIRST.replace(day=8))
    assert [each["invoice"] for each in client.get(f"/subscriptions/{made}/invoices")] == [None]
    # Nothing ran for months: all of them are made up for, up to the last day
    run_at(server, last + timedelta(70))
    months = [each["month"] for each in client.get(f"/subscriptions/{made}/invoices")]
    assert len(months) == len(set(months)) == 4
    assert client.get(f"/subscriptions/{made}")["next_day"] is None
    assert client.get(f"/subscriptions/{closed}/invoices") == []
    assert "months: 4" in client.refused("DELETE", f"/subscriptions/{made}", status=405)

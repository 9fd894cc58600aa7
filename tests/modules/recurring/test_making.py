"""Invoices that the clock makes: one a period, whatever is run twice, late, at the same moment or in vain."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime

import pytest

from core.storage.database import close
from modules.recurring.jobs import make_invoices, make_recurring_invoices
from modules.recurring.making import MOST_MISSED

Run = Callable[..., None]


def seconds(day):
    """Noon of a day."""
    return datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC).timestamp()


@pytest.fixture
def run(server):
    """Runs the schedule as if it were some day."""
    server.run_jobs(failing=True)

    def run(day, *, failing=False):
        make_recurring_invoices.later(at=seconds(day))
        server.run_jobs(seconds(day), failing=failing)

    return run


def days(admin, template):
    """The days of the invoices that were made of a template."""
    made = admin.get("/invoices", sqlfilters=f"(t.fk_fac_rec_source:=:{template})", limit=1000)
    return [datetime.fromtimestamp(each["date"], UTC).date().isoformat() for each in made]


def day_of(record, name):
    return datetime.fromtimestamp(record[name], UTC).date().isoformat()


def test_the_schedule_is_there(admin):
    found = [each for each in admin.get("/jobs/schedules") if each["name"].endswith("make_recurring_invoices")]
    assert len(found) == 1


def test_a_period_has_one_invoice(admin, make, run):
    template = make(frequency=1, date_when="2027-01-31")
    run("2027-01-30")
    assert days(admin, template) == []
    for _ in range(3):
        run("2027-01-31")
    assert days(admin, template) == ["2027-01-31"]
    record = admin.get(f"/invoices/templates/{template}")
    assert (day_of(record, "date_when"), record["nb_gen_done"]) == ("2027-02-28", 1)
    assert day_of(record, "date_last_gen") == "2027-01-31"
    run("2027-03-31")
    assert days(admin, template) == ["2027-01-31", "2027-02-28", "2027-03-31"]
    # Sent back as it was read: the plan has begun on a 31st all the same
    admin.ask("PUT", f"/invoices/templates/{template}", admin.get(f"/invoices/templates/{template}"))
    run("2027-05-31")
    assert days(admin, template)[-2:] == ["2027-04-30", "2027-05-31"]


def test_missed_periods_are_made_up_for_with_their_own_days(admin, make, run):
    template = make(frequency=1, date_when="2027-01-15", auto_validate=1, lines=[
        {"desc": "Care in __INVOICE_MONTH_TEXT__, __INVOICE_COUNTER_CURRENT__", "qty": 1, "subprice": 10},
    ])  # fmt: skip
    run("2027-04-20")
    made = admin.get("/invoices", sqlfilters=f"(t.fk_fac_rec_source:=:{template})")
    assert days(admin, template) == ["2027-01-15", "2027-02-15", "2027-03-15", "2027-04-15"]
    assert [each["lines"][0]["desc"] for each in made] == [
        "Care in January, 1", "Care in February, 2", "Care in March, 3", "Care in April, 4",
    ]  # fmt: skip
    assert {each["statut"] for each in made} == {1}
    assert len({each["ref"] for each in made}) == 4
    assert admin.get("/documents", modulepart="invoice", id=made[0]["id"])


def test_a_plan_ends_and_a_suspended_one_waits(admin, make, run):
    twice = make(frequency=7, unit_frequency="d", date_when="2027-01-01", nb_gen_max=2)
    waiting = make(frequency=1, date_when="2027-01-01", suspended=1)
    by_hand = make(date_when="2027-01-01")
    run("2027-03-10")
    assert days(admin, twice) == ["2027-01-01", "2027-01-08"]
    assert days(admin, waiting) == days(admin, by_hand) == []
    admin.ask("PUT", f"/invoices/templates/{waiting}", {"suspended": 0, "date_when": "2027-03-01"})
    run("2027-03-10")
    assert days(admin, waiting) == ["2027-03-01"]


def test_one_that_fails_does_not_stop_the_others_and_says_why(admin, make, run):
    closed = admin.ask("POST", "/thirdparties", {"name": "Closed Ltd", "client": 1})
    broken = make(socid=closed, frequency=1, date_when="2027-06-01")
    admin.ask("PUT", f"/thirdparties/{closed}", {"status": 0})
    empty = make(lines=[], frequency=1, date_when="2027-06-01", auto_validate=1)
    good = make(frequency=1, date_when="2027-06-01")
    run("2027-06-01", failing=True)
    assert (len(days(admin, broken)), len(days(admin, empty)), len(days(admin, good))) == (0, 0, 1)
    assert "Closed Ltd is closed" in admin.get(f"/invoices/templates/{broken}")["problem"]
    record = admin.get(f"/invoices/templates/{empty}")
    assert "lines" in record["problem"]
    assert (day_of(record, "date_when"), record["nb_gen_done"]) == ("2027-06-01", 0)
    failed = [each["error"] for each in admin.get("/jobs", name="make_invoices", limit=200) if each["error"]]
    assert any("Closed Ltd is closed" in each for each in failed)
    admin.ask("PUT", f"/thirdparties/{closed}", {"status": 1})
    admin.ask("DELETE", f"/invoices/templates/{empty}")
    run("2027-06-02", failing=True)
    assert days(admin, broken) == ["2027-06-01"]
    assert admin.get(f"/invoices/templates/{broken}")["problem"] is None


def test_a_plan_that_is_far_behind_is_looked_at_by_somebody(admin, make, run):
    daily = make(frequency=1, unit_frequency="d", date_when="2027-01-01")
    run("2027-12-31", failing=True)
    assert days(admin, daily) == []
    assert f"more than {MOST_MISSED}" in admin.get(f"/invoices/templates/{daily}")["problem"]
    record = admin.ask("PUT", f"/invoices/templates/{daily}", {"date_when": "2027-12-30"})
    assert record["problem"] is None
    run("2027-12-31", failing=True)
    assert days(admin, daily) == ["2027-12-30", "2027-12-31"]


def test_the_calendar_ends_and_so_does_the_plan(admin, make, run):
    last = make(frequency=1000, unit_frequency="y", date_when="2028-01-01")
    for _ in range(9):
        admin.ask("PUT", f"/invoices/templates/{last}", {"frequency": 1000, "date_when": "2028-01-01"})
    assert admin.get(f"/invoices/templates/{last}")["frequency"] == 1000
    far = make(frequency=1, unit_frequency="y", date_when=str(date(9999, 1, 1)))
    run("2028-01-01", failing=True)
    assert days(admin, last) == ["2028-01-01"]
    assert days(admin, far) == []


def test_jobs_at_the_same_moment_make_one_invoice(server, admin, make):
    template = make(frequency=1, date_when="2026-11-01", auto_validate=1)

    def run_once():
        try:
            return make_invoices(template)
        finally:
            close()

    with ThreadPoolExecutor(8) as pool:
        made = [each.result() for each in [pool.submit(run_once) for _ in range(8)]]
    due = days(admin, template)
    assert len(due) == len(set(due))
    assert sum(map(len, made)) == len(due) >= 1
    assert make_invoices(9999) == []

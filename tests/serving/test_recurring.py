"""Recurring invoices with real processes: one invoice a period, whatever is run twice, at once, or killed in the midst."""

import contextlib
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from modules.recurring.periods import following, month_of
from tests.files import write_files
from tests.serving.conftest import on_every_kind
from tests.serving.many_clients import KEY, Clients
from tests.serving.running import wait_until
from tests.serving.test_jobs import Host, runners

TEMPLATES, MONTHS, RUNS, KILLS = 6, 5, 4, 4

#: what the clock calls, called by a client
TRIGGER = '''
from core import transaction

from ...recurring.jobs import make_recurring_invoices


class Triggers:
    """Run the schedule of recurring invoices."""

    def post(self, times: int) -> int:
        """So often at once.

        :permission: triggers.write
        """
        with transaction():
            return [make_recurring_invoices.later() for _ in range(times)][0]
'''


@pytest.mark.fault(
    "Job processes are killed on two hosts while overdue invoice templates run four times",
    "each period has one invoice with a unique reference; no period is missing",
)
@on_every_kind("postgresql")
def test_a_period_has_one_invoice_whatever_is_killed(start, url, tmp_path, seen):
    write_files(tmp_path, {"modules/triggers/class/api_triggers.py": TRIGGER})
    server = start(workers=2, database=url, admin_key=KEY)
    clients = Clients([server])
    first = month_of(datetime.now(UTC).date(), 1 - MONTHS)
    templates = make_templates(clients, first)
    host = Host(server)
    killed = 0
    try:
        wait_until(lambda: bool(runners(host.process.pid)) and bool(runners(server.master)))
        with ThreadPoolExecutor(RUNS) as pool:
            asked = [pool.submit(clients.send, "POST", "/triggers", {"times": 1}) for _ in range(RUNS)]
            assert {each.result().status for each in asked} == {200}
        while killed < KILLS and not is_done(clients, templates):
            wait_until(lambda: bool(runners(host.process.pid)) and bool(runners(server.master)))
            for each in [*runners(server.master), *runners(host.process.pid)][: 1 + killed % 2]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
                    killed += 1

        def is_done_at_last():
            # What was killed too often is done by the next moment of the schedule
            job = clients.send("POST", "/triggers", {"times": 1}).json
            wait_until(lambda: clients.send("GET", f"/jobs/{job}").json["state"] in ("done", "given up"))
            return is_done(clients, templates)

        wait_until(is_done_at_last)
    finally:
        host.kill()
    check(clients, templates, first)
    seen(f"{TEMPLATES} templates, {MONTHS} months each, no duplicates; {killed} processes killed")


def make_templates(clients, first):
    """Templates of which an invoice is due each month since a day; every second one is validated."""
    customer = clients.send("POST", "/thirdparties", {"name": "Many Ltd", "client": 1}).json
    found = []
    for number in range(TEMPLATES):
        body = {
            "title": f"Care {number}", "socid": customer, "frequency": 1, "date_when": str(first),
            # One more would be due if the month ended meanwhile
            "nb_gen_max": MONTHS,
            "auto_validate": number % 2, "lines": [{"desc": "Care", "qty": 1, "subprice": 10, "tva_tx": 20}],
        }  # fmt: skip
        found.append(int(clients.send("POST", "/invoices/templates", body).json))
    return found


def is_done(clients, templates):
    """Whether no template has anything due any more."""
    records = clients.send("GET", "/invoices/templates").json
    assert len(records) == len(templates)
    return all(each["nb_gen_done"] == MONTHS for each in records)


def check(clients, templates, first):
    """Each template has the invoices of its months, and nobody else's."""
    expected, day = [], first
    for _ in range(MONTHS):
        expected.append(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()))
        day = following(day, 1, "m")
    made = clients.send("GET", "/invoices?limit=1000&properties=date,ref,fk_fac_rec_source").json
    for template in templates:
        assert sorted(each["date"] for each in made if each["fk_fac_rec_source"] == template) == expected
    assert len(made) == TEMPLATES * MONTHS
    assert len({each["ref"] for each in made}) == len(made)
    assert sum(each["ref"].startswith("FA") for each in made) == len(made) // 2

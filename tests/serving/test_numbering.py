"""References under load: drafts validated by 16 clients, no gap and no repeat, whatever is killed meanwhile."""

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.serving.conftest import on_every_kind
from tests.serving.many_clients import BEGINNINGS, CLIENTS, DAY, DRAFTS, KEY, Clients
from tests.serving.running import PATIENCE, is_there, wait_until

KILLS = 5


def over(url):
    """Three workers over a database."""
    return {"workers": 3, "database": url, "admin_key": KEY}


def numbered(answers):
    """What is told of answers that were checked."""
    lost = sum(answer.status == 405 for answer in answers.values())
    return f"1 to {len(answers)} without a gap" + (f", {lost} done whose answer was lost" if lost else "")


@pytest.mark.fault(
    "16 clients validate 120 invoices at once, and 120 more while five workers are killed",
    "each of the first gets 200; no gaps, no duplicates, nothing lost",
)
@on_every_kind("postgresql")
def test_workers_are_killed_meanwhile(url, start, seen):
    server = start(**over(url))
    clients = Clients([server])
    first = clients.validate(clients.drafts())
    assert {answer.status for answer in first.values()} == {200}
    assert clients.retried == 0
    drafts = clients.drafts()
    killed = 0
    chance = random.Random(7)

    def kill(done):
        nonlocal killed
        if killed < KILLS and done >= (killed + 1) * DRAFTS // (KILLS + 1):
            os.kill(chance.choice(sorted(server.workers)), signal.SIGKILL)
            killed += 1

    answers = first | clients.validate(drafts, kill)
    assert killed == KILLS
    seen(f"{killed} killed, {clients.retried} requests retried")
    clients.check(answers)
    seen(numbered(answers))
    # The next one goes on behind them
    body = {"socid": 1, "lines": [{"qty": 1, "subprice": 1}], "date": DAY}
    again = clients.send("POST", "/invoices", body).json
    assert clients.send("POST", f"/invoices/{again}/validate", {}).json["ref"] == f"FA2611-{2 * DRAFTS + 1:04d}"
    check_what_can_be_had_once(clients)
    assert server.stop() == 0


@pytest.mark.fault(
    "The master is killed while 16 clients validate 120 invoices, and restarted as systemd does",
    "its workers exit; no gaps, no duplicates, nothing lost",
)
@on_every_kind("sqlite")
def test_a_master_is_killed_meanwhile(url, start, seen):
    server = start(**over(url))
    clients = Clients([server])
    drafts = clients.drafts()
    orphans = server.workers
    killed = Event()

    def kill(done):
        # Its workers notice within a second, and many are left to do by then
        if done >= 10 and not killed.is_set():
            server.process.kill()
            killed.set()

    def start_again():
        assert killed.wait(PATIENCE)
        server.process.wait(PATIENCE)
        begun = time.monotonic()
        for tries in range(1, 30):
            again = start(wait=False, port=server.port, **over(url))
            # Until the last worker has ended, its address is in use
            while again.process.poll() is None:
                if len(again.workers) == again.wanted:
                    again.started()
                    return f"start {tries} served {time.monotonic() - begun:.1f} s after the kill"
                time.sleep(0.05)
            assert "COMPTOIR_BIND" in again.output, again.output
        raise AssertionError(again.output)

    with ThreadPoolExecutor(1) as pool:
        started = pool.submit(start_again)
        answers = clients.validate(drafts, kill)
        seen(f"{started.result()}, {clients.retried} requests retried")
    wait_until(lambda: not any(map(is_there, orphans)))
    clients.check(answers)
    seen(numbered(answers))
    check_what_can_be_had_once(clients)


@pytest.mark.fault(
    "Two servers number 30 invoices and 30 proposals in one database at once",
    "each gets 200; no gaps, no duplicates",
)
@on_every_kind("mysql")
def test_two_servers_number_at_once(url, start, seen):
    clients = Clients([start(**over(url)), start(**over(url))])
    invoices, proposals = (clients.drafts(service, DRAFTS // 4) for service in BEGINNINGS)
    mixed = invoices + proposals
    random.Random(7).shuffle(mixed)
    answers = clients.validate(mixed)
    assert {answer.status for answer in answers.values()} == {200}
    assert clients.retried == 0
    for service in BEGINNINGS:
        clients.check(answers, service)
    seen(f"{len(invoices)} invoices and {len(proposals)} proposals numbered without gaps")
    check_what_can_be_had_once(clients)
    assert [each.stop() for each in clients.servers] == [0, 0]


def check_what_can_be_had_once(clients):
    """Sixteen clients pay what remains of one invoice, sixteen change one record that they read in the same state."""
    socid = clients.send("POST", "/thirdparties", {"name": "Once Ltd", "client": 1}).json
    body = {"socid": socid, "date": DAY, "lines": [{"desc": "a", "qty": 1, "subprice": 100, "tva_tx": 20}]}
    invoice = clients.send("POST", "/invoices", body).json
    clients.send("POST", f"/invoices/{invoice}/validate", {})
    payment = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "no", "accountid": 1}
    with ThreadPoolExecutor(CLIENTS) as pool:
        paid = list(pool.map(lambda _: clients.send("POST", f"/invoices/{invoice}/payments", payment), range(CLIENTS)))
    # The others found nothing left to pay
    assert sorted(answer.status for answer in paid) == [200, *[400] * (CLIENTS - 1)]
    assert clients.send("GET", f"/invoices/{invoice}").json["remaintopay"] == "0.00000000"

    proposal = clients.send("POST", "/proposals", body).json
    tag = clients.send("GET", f"/proposals/{proposal}").headers["etag"]

    def change(number):
        body = {"note_public": f"client {number}"}
        return clients.servers[0].ask(f"/proposals/{proposal}", "PATCH", body, KEY, headers={"If-Match": tag}).status

    with ThreadPoolExecutor(CLIENTS) as pool:
        assert sorted(pool.map(change, range(CLIENTS))) == [200, *[412] * (CLIENTS - 1)]

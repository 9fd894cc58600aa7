"""References under load: 240 invoices validated by 16 clients over 3 workers, no gap and no repeat, whatever happens."""

from __future__ import annotations

import http.client
import os
import random
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import pytest

from core.testing import DATABASE_KINDS, drop_database, fresh_database, why_unavailable
from tests.serving.running import PATIENCE, Answer, Running

INVOICES = 240
CLIENTS = 16
KILLS = 5
KEY = "a-key-for-many-clients-0123456789"
DAY = "2026-11-21"


@pytest.fixture(params=DATABASE_KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    """Three workers over a database of each kind."""
    kind = request.param
    if reason := why_unavailable(kind):
        pytest.skip(reason)
    url = fresh_database(kind, tmp_path)
    running = Running(tmp_path, workers=3, database=url, admin_key=KEY)
    try:
        yield running.started()
    finally:
        running.stop()
        drop_database(url)


@dataclass
class Clients:
    """Clients that go on when a worker dies under them."""

    server: Running
    retried: int = 0
    lock: Lock = field(default_factory=Lock)

    def send(self, verb: str, path: str, body: object = None) -> Answer:
        """A request, repeated until a worker answers it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                answer = self.server.ask(path, verb, body, KEY)
                if answer.status < 500:
                    return answer
            except (OSError, http.client.HTTPException):
                pass
            with self.lock:
                self.retried += 1
            time.sleep(0.05)
        raise AssertionError(f"{verb} {path}: no answer within {PATIENCE} s\n{self.server.output[-2000:]}")


def drafts(clients: Clients) -> list[int]:
    """Draft invoices of two lines each: 3 × 19.99 − 10 % at 20 %, and 2 × 100 at 5.5 %."""
    socid = clients.send("POST", "/thirdparties", {"name": "Many Ltd", "client": 1}).json
    lines = [
        {"desc": "a", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10},
        {"desc": "b", "qty": 2, "subprice": 100, "tva_tx": "5.5"},
    ]

    def make(_: int) -> int:
        made = clients.send("POST", "/invoices", {"socid": socid, "date": DAY, "lines": lines})
        assert made.status == 200, made.body
        return int(made.json)

    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(make, range(INVOICES)))


def check(clients: Clients, identifiers: list[int]) -> None:
    """All are validated, whole, and numbered 1 to 240."""
    records = clients.send("GET", f"/invoices?limit={INVOICES + 10}").json
    assert sorted(record["id"] for record in records) == sorted(identifiers)
    assert {record["statut"] for record in records} == {1}
    assert {(record["total_ht"], record["total_tva"], record["total_ttc"]) for record in records} == {
        ("253.97000000", "21.80000000", "275.77000000")
    }
    assert {len(record["lines"]) for record in records} == {2}
    assert all(record["date_validation"] and record["user_valid_id"] for record in records)
    references = sorted(record["ref"] for record in records)
    assert references == [f"FA2611-{number:04d}" for number in range(1, INVOICES + 1)]


def test_many_clients_validate_at_once(server: Running) -> None:
    clients = Clients(server)
    identifiers = drafts(clients)
    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(lambda each: server.ask(f"/invoices/{each}/validate", "POST", {}, KEY), identifiers))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.json["ref"] for answer in answers}) == INVOICES
    check(clients, identifiers)


def test_workers_are_killed_meanwhile(server: Running) -> None:
    clients = Clients(server)
    identifiers = drafts(clients)
    clients.retried = 0
    done = 0
    killed = 0
    chance = random.Random(7)

    def validate(identifier: int) -> Answer:
        nonlocal done, killed
        answer = clients.send("POST", f"/invoices/{identifier}/validate", {})
        with clients.lock:
            done += 1
            if killed < KILLS and done >= (killed + 1) * INVOICES // (KILLS + 1):
                os.kill(chance.choice(sorted(server.workers)), signal.SIGKILL)
                killed += 1
        return answer

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(validate, identifiers))
    assert killed == KILLS
    # 405: the worker that had done it died before it could say so
    assert {answer.status for answer in answers} <= {200, 405}
    check(clients, identifiers)
    # The next one goes on behind them
    again = clients.send("POST", "/invoices", {"socid": 1, "lines": [{"qty": 1, "subprice": 1}], "date": DAY}).json
    assert clients.send("POST", f"/invoices/{again}/validate", {}).json["ref"] == f"FA2611-{INVOICES + 1:04d}"


def test_what_can_be_had_once_is_had_once(server: Running) -> None:
    """Sixteen clients pay what remains of one invoice, sixteen change one record that they read in the same state."""
    clients = Clients(server)
    socid = clients.send("POST", "/thirdparties", {"name": "Once Ltd", "client": 1}).json
    body = {"socid": socid, "date": DAY, "lines": [{"desc": "a", "qty": 1, "subprice": 100, "tva_tx": 20}]}
    invoice = clients.send("POST", "/invoices", body).json
    clients.send("POST", f"/invoices/{invoice}/validate", {})
    payment = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "no", "accountid": 1}
    with ThreadPoolExecutor(CLIENTS) as pool:
        paid = list(pool.map(lambda _: clients.send("POST", f"/invoices/{invoice}/payments", payment), range(CLIENTS)))
    # The others found nothing left to pay
    assert sorted(answer.status for answer in paid) == [200, *[400] * (CLIENTS - 1)]
    assert clients.send("GET", f"/invoices/{invoice}").json["remaintopay"] == "0"

    proposal = clients.send("POST", "/proposals", body).json
    tag = clients.send("GET", f"/proposals/{proposal}").headers["etag"]

    def change(number: int) -> int:
        headers = {"DOLAPIKEY": KEY, "Content-Type": "application/json", "If-Match": tag}
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("PATCH", f"/proposals/{proposal}", f'{{"note_public": "client {number}"}}', headers)
        status = connection.getresponse().status
        connection.close()
        return status

    with ThreadPoolExecutor(CLIENTS) as pool:
        assert sorted(pool.map(change, range(CLIENTS))) == [200, *[412] * (CLIENTS - 1)]

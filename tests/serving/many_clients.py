"""Sixteen clients that validate 240 drafts and do not give up, and what there must be afterwards: no gap, no repeat."""

from __future__ import annotations

import http.client
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from tests.serving.running import PATIENCE, Running

DRAFTS = 120
CLIENTS = 16
KEY = "a-key-for-many-clients-0123456789"
DAY = "2026-11-21"
#: service → how its references begin: those of invoices with their month, those of proposals with today's
BEGINNINGS = {"invoices": "FA2611-", "proposals": r"PR\d{4}-"}


@dataclass
class Clients:
    """Clients that go on when a worker dies under them.

    :param servers: they take them in turns
    """

    servers: list[Running]
    retried: int = 0
    done: int = 0
    lock: Lock = field(default_factory=Lock)

    def send(self, verb, path, body=None, turn=0):
        """A request, repeated until a worker answers it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                answer = self.servers[turn % len(self.servers)].ask(path, verb, body, KEY)
                if answer.status < 500:
                    return answer
            except (OSError, http.client.HTTPException):
                pass
            with self.lock:
                self.retried += 1
            time.sleep(0.05)
        raise AssertionError(f"{verb} {path}: no answer within {PATIENCE} s\n{self.servers[0].output[-2000:]}")

    def drafts(self, service="invoices", many=DRAFTS):
        """Paths of drafts of two lines each: 3 × 19.99 − 10 % at 20 %, and 2 × 100 at 5.5 %."""
        socid = self.send("POST", "/thirdparties", {"name": "Many Ltd", "client": 1}).json
        lines = [
            {"desc": "a", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10},
            {"desc": "b", "qty": 2, "subprice": 100, "tva_tx": "5.5"},
        ]

        def make(_):
            made = self.send("POST", f"/{service}", {"socid": socid, "date": DAY, "lines": lines})
            assert made.status == 200, made.body
            return f"/{service}/{made.json}"

        with ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(make, range(many)))

    def validate(self, paths, meanwhile=lambda done: None):
        """Validate drafts, all at once.

        :param meanwhile: called behind each answer with how many there are, by one client at a time
        """
        self.retried = self.done = 0

        def one(turn, path):
            answer = self.send("POST", f"{path}/validate", {}, turn)
            with self.lock:
                self.done += 1
                meanwhile(self.done)
            return path, answer

        with ThreadPoolExecutor(CLIENTS) as pool:
            return dict(pool.map(one, *zip(*enumerate(paths), strict=True)))

    def check(self, answers, service="invoices"):
        """All are validated, whole, numbered without a gap, and as they were answered."""
        own = {path: answer for path, answer in answers.items() if path.startswith(f"/{service}/")}
        records = self.send("GET", f"/{service}?limit={len(own) + 10}").json
        assert sorted(f"/{service}/{record['id']}" for record in records) == sorted(own)
        assert {record["statut"] for record in records} == {1}
        assert {(record["total_ht"], record["total_tva"], record["total_ttc"]) for record in records} == {
            ("253.97000000", "21.80000000", "275.77000000")
        }
        assert {len(record["lines"]) for record in records} == {2}
        assert all(record["date_validation"] and record["user_valid_id"] for record in records)
        numbers = sorted(re.sub(f"^{BEGINNINGS[service]}", "", record["ref"]) for record in records)
        assert numbers == [f"{number:04d}" for number in range(1, len(own) + 1)]
        # 405: the worker that had done it died before it could say so
        assert {answer.status for answer in own.values()} <= {200, 405}
        now = {f"/{service}/{record['id']}": record["ref"] for record in records}
        told = {path: answer.json["ref"] for path, answer in own.items() if answer.status == 200}
        assert told.items() <= now.items(), "what was answered is what is there"

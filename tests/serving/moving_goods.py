"""Sixteen clients that take goods out of one warehouse and do not give up, and what there must be afterwards.

`Clients.send` of `many_clients.py` sends a request again until it is answered; here each has an `Idempotency-Key`, so
that nothing is done twice, whatever became of the first answer.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Lock

from tests.serving.many_clients import CLIENTS, KEY
from tests.serving.running import PATIENCE, ROOT

#: statuses after which the same is sent again: it is being done, or something came in between
AGAIN = (409, 500, 502, 503)
#: what is answered where the database has given up one of several that waited for each other
CIRCLE = b"another request changed the same data"


class Movers:
    """Clients that go on when a worker dies under them, and do nothing twice.

    :param server: they all talk to it
    """

    def __init__(self, server):
        self.server = server
        self.retried = 0
        self.replayed = 0
        #: answers that no request may get: a fault of the server, and that two have waited for each other
        self.faults = []
        self._lock = Lock()

    def send(self, verb, path, body=None, once=""):
        """A request, repeated until it is answered.

        :param once: its `Idempotency-Key`
        """
        headers = {"Idempotency-Key": f'"{once}"'} if once else {}
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.server.try_to_ask(path, verb, body, KEY, headers=headers)
            if answer is not None and answer.status not in AGAIN:
                with self._lock:
                    self.replayed += "idempotency-replayed" in answer.headers
                return answer
            with self._lock:
                self.retried += 1
                if answer is not None and (answer.status == 500 or CIRCLE in answer.body):
                    self.faults.append(f"{verb} {path}: {answer.body[:300]!r}")
            time.sleep(0.05)
        raise AssertionError(f"{verb} {path}: no answer within {PATIENCE} s\n{self.server.output[-2000:]}")

    def make(self, path, body):
        """A record."""
        answer = self.send("POST", path, body)
        assert answer.status == 200, answer.body
        return int(answer.json)

    def at_once(self, calls, kills=0):
        """Make all calls, sixteen at a time, in the order in which they come; answers what they answer.

        :param kills: workers that are killed meanwhile, spread over the calls
        """
        waiting = list(calls)
        done, killed, chance = 0, 0, random.Random(7)

        def one(call):
            nonlocal done, killed
            answer = call()
            with self._lock:
                done += 1
                due = killed < kills and done >= (killed + 1) * len(waiting) // (kills + 1)
                killed += due
            if due:
                os.kill(chance.choice(sorted(self.server.workers)), signal.SIGKILL)
            return answer

        with ThreadPoolExecutor(CLIENTS) as pool:
            answers = list(pool.map(one, waiting))
        assert killed == kills
        return answers

    def held(self, product):
        """Warehouse → how many of a product lie there."""
        places = self.send("GET", f"/products/{product}/stock").json["stock_warehouses"]
        return {int(name): Decimal(place["real"]) for name, place in places.items()}

    def moved(self, **fields):
        """All movements with some values, such as ``product_id=3``."""
        wanted = " and ".join(f"(t.{name}:=:'{value}')" for name, value in fields.items())
        return self.send("GET", f"/stockmovements?limit=2000&sqlfilters={wanted}".replace(" ", "%20")).json

    def check_sums(self):
        """The stock is the sum of the movements, as `comptoir stock --check` says it; answers how many."""
        command = [sys.executable, "-m", "core", "stock", "--check", "--json"]
        done = subprocess.run(
            command, cwd=ROOT, env=self.server.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        told = json.loads(done.stdout)
        assert told["differences"] == []
        return int(told["movements"])

"""Writers who create invoices and validate them, and send again under the same key whatever was not done."""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

KEY = "a-key-of-the-cluster-0123456789ab"

LINES = [
    {"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": 20},
    {"desc": "Delivery", "qty": 1, "subprice": 100, "tva_tx": "5.5", "product_type": 1},
]
#: somebody else has the request in hand, or had it when it died
HELD = 409
#: what a server answers of which a part does not reach another for the moment; any other 5xx is a fault of its own
NOT_NOW = (502, 503, 504)
#: seconds for which an answer is waited for
WAIT = 20.0
#: seconds after which a request that is not done is one that was refused
PATIENCE = 60.0
#: seconds between a request that was not done and the same again
PAUSE = 0.2


@dataclass
class Tried:
    """One request, sent once.

    :ivar status: 0: there was no answer
    """

    sent: float
    ended: float
    status: int


@dataclass
class Load:
    """What a number of writers have done.

    :ivar validated: identifier → reference, as it was answered
    :ivar marks: identifier → what its writer has marked it with
    :ivar faults: answers that are never right, whatever is killed
    """

    address: str
    port: int
    hands: int = 6
    validated: dict[int, str] = field(default_factory=dict)
    marks: dict[int, str] = field(default_factory=dict)
    tried: list[Tried] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    repeated: int = 0

    def __enter__(self):
        self.customer = ask(self.address, self.port, "POST", "/thirdparties", {"name": "Lamp Lisboa", "client": 1})
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._write) for _ in range(self.hands)]
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for each in self._threads:
            each.join()

    def _write(self):
        while not self._over.is_set():
            mark = secrets.token_hex(8)
            body = {"socid": self.customer, "date": "2026-11-23", "ref_ext": mark, "lines": LINES}
            made = self._until_done("/invoices", body)
            if made is None:
                continue
            self.marks[int(made)] = mark
            done = self._until_done(f"/invoices/{made}/validate", {})
            if done is not None:
                self.validated[int(made)] = str(done["ref"])

    def _until_done(self, path, body):
        """Send one request again and again, under one key, until it is done or refused for good."""
        once = f'"{secrets.token_hex(16)}"'
        began, first = time.monotonic(), True
        while True:
            self.repeated += not first
            first = False
            sent = time.monotonic()
            try:
                status, answer = send(self.address, self.port, "POST", path, body, once)
            except (OSError, http.client.HTTPException):
                status, answer = 0, None
            self.tried.append(Tried(sent, time.monotonic(), status))
            if status == 200:
                self.waited.append(time.monotonic() - began)
                return answer
            if status >= 500 and status not in NOT_NOW:
                self.faults.append(f"{path} {status} {json.dumps(answer)[:300]}")
            if 400 <= status < 500 and status not in (HELD, 429):
                self.refused.append(f"{path} {status} {json.dumps(answer)[:300]}")
                return None
            if sent - began > PATIENCE:
                self.refused.append(f"{path} not done after {PATIENCE:.0f} s: {status} {json.dumps(answer)[:300]}")
                return None
            time.sleep(PAUSE)

    def statuses(self):
        """How often each status was answered."""
        return Counter(each.status for each in self.tried)

    def good_after(self, moment, end):
        """Seconds from a moment to the end of the last request before another one that was not done; 0: all were."""
        bad = [each.ended for each in self.tried if moment <= each.ended < end and each.status not in (200, HELD)]
        return max(bad, default=moment) - moment

    def longest(self):
        """The longest that a writer has waited until one request was done, sent again and again."""
        return max(self.waited, default=0.0)

    def silence(self, moment, end):
        """The longest time between two moments in which nothing was done."""
        good = sorted(each.ended for each in self.tried if each.status == 200 and moment <= each.ended < end)
        return max(later - earlier for earlier, later in pairwise([moment, *good, end]))


def send(address, port, verb, path, body=None, once="", key=KEY):
    """One request on a connection of its own; answers its status and what it says."""
    headers = {"DOLAPIKEY": key, "Content-Type": "application/json"} | ({"Idempotency-Key": once} if once else {})
    connection = http.client.HTTPConnection(address, port, timeout=WAIT)
    try:
        connection.request(verb, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    try:
        return answer.status, json.loads(content)
    except ValueError:
        return answer.status, content.decode(errors="replace")


def ask(address, port, verb, path, body=None):
    """The answer to a request that must be done."""
    status, answer = send(address, port, verb, path, body)
    if status != 200:
        raise AssertionError(f"{verb} {path}: {status} {answer!s:.300}")
    return answer

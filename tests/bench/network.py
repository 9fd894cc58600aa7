"""What a network costs: ways to the database and back of each call, and its milliseconds where a way takes one.

A proxy between server and database counts and waits. SQLite has no such ways: there statements are counted.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from core.testing import Client, Served, statements
from core.testing.databases import drop_database
from core.testing.served import make_settings

from .proxy import Proxy

HEAD = "call: database round trips (on SQLite: statements); milliseconds now, and with 1 ms per round trip"

LINES = [
    {"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": 20},
    {"desc": "Delivery", "qty": 1, "subprice": 100, "tva_tx": "5.5", "product_type": 1},
]
PAYMENT = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1}

#: what makes a call: what must be there is made before, each time
Maker = Callable[[], Callable[[], Any]]


def calls(client: Client) -> dict[str, Maker]:
    """The calls that are counted, by name."""
    customer = client.ask("POST", "/thirdparties", {"name": "Atelier Vasseur", "client": 1})
    person = client.ask("POST", "/contacts", {"lastname": "Vasseur", "socid": customer})

    def draft(service: str) -> int:
        made: int = client.ask("POST", f"/{service}", {"socid": customer, "date": "2026-11-21", "lines": LINES})
        return made

    def act(service: str) -> Callable[[], Any]:
        return partial(client.ask, "POST", f"/{service}/{draft(service)}/validate")

    def validated(service: str) -> int:
        made = draft(service)
        client.ask("POST", f"/{service}/{made}/validate")
        return made

    found: dict[str, Maker] = {
        "GET /thirdparties/{id}": lambda: partial(client.get, f"/thirdparties/{customer}"),
        "GET /contacts/{id}": lambda: partial(client.get, f"/contacts/{person}"),
        "GET /thirdparties": lambda: partial(client.get, "/thirdparties"),
        "GET /contacts": lambda: partial(client.get, "/contacts"),
        "POST /contacts": lambda: partial(client.ask, "POST", "/contacts", {"lastname": "Okafor", "socid": customer}),
    }
    for service in ("proposals", "orders", "invoices"):
        there = validated(service)
        found |= {
            f"GET /{service}/{{id}}": lambda path=f"/{service}/{there}": partial(client.get, path),
            f"GET /{service}": lambda path=f"/{service}": partial(client.get, path),
            f"POST /{service}": lambda service=service: partial(draft, service),
            f"POST /{service}/{{id}}/validate": lambda service=service: act(service),
        }

    def payment() -> Callable[[], Any]:
        return partial(client.ask, "POST", f"/invoices/{validated('invoices')}/payments", PAYMENT)

    return found | {"POST /invoices/{id}/payments": payment}


@contextmanager
def proxied(kind: str) -> Iterator[tuple[Served, Proxy | None]]:
    """A server in this process whose database is behind a proxy; SQLite has none."""
    with tempfile.TemporaryDirectory() as folder:
        settings = make_settings(Path(folder), kind)
        url, proxy = settings.database, None
        if kind != "sqlite":
            parts = urlsplit(url)
            proxy = Proxy((parts.hostname or "127.0.0.1", parts.port or {"postgresql": 5432, "mysql": 3306}[kind]))
            user = parts.netloc.rpartition("@")[0]
            settings = replace(settings, database=f"{parts.scheme}://{user}@127.0.0.1:{proxy.port}{parts.path}")
        served = Served(settings)
        try:
            yield served, proxy
        finally:
            served.close()
            if proxy is not None:
                proxy.close()
            drop_database(url)


def trips(proxy: Proxy | None, make: Maker) -> int:
    """How often a call goes to the database and back, once what is kept in memory is there."""
    ready = [make() for _ in range(3)]
    for call in ready[:2]:
        call()
    if proxy is None:
        with statements() as seen:
            ready[2]()
        return len(seen)
    before = proxy.trips
    ready[2]()
    return proxy.trips - before


def measure(runs: int, kind: str, older: object = None) -> list[dict[str, Any]]:
    """Count and measure; the medians.

    :param kind: that of the database
    """
    found = []
    with proxied(kind) as (served, proxy):
        for name, make in calls(served.client()).items():
            counted = trips(proxy, make)
            took = [_median(make, min(runs, 9), proxy, delay) for delay in (0.0, 0.001)] if proxy else []
            text = f"{name:34}{counted:4}" + "".join(f"{each:10.1f}" for each in took)
            found.append({"call": name, "trips": counted, "milliseconds": took, "text": text})
    return found


def _median(make: Maker, runs: int, proxy: Proxy, delay: float) -> float:
    ready, taken = [make() for _ in range(runs)], []
    proxy.delay = delay
    for call in ready:
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    proxy.delay = 0.0
    return median(taken)

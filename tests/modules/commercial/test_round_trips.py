"""Round trips to the database of each call: counted at the wire on PostgreSQL and MariaDB, where several statements in
one message are one; on SQLite, which has no wire, statements.
"""

from __future__ import annotations

from tests.bench.network import calls, proxied, trips

#: round trips at most, with and without a pipeline; on SQLite statements
READ, LIST, CREATION, VALIDATION, PAYMENT = (3, 5), (3, 5), (7, 9), (17, 21), (16, 23)
LIMITS = {
    "GET /thirdparties/{id}": READ,
    "GET /contacts/{id}": READ,
    "GET /proposals/{id}": READ,
    "GET /orders/{id}": READ,
    "GET /invoices/{id}": READ,
    "GET /thirdparties": LIST,
    "GET /contacts": LIST,
    "GET /proposals": LIST,
    "GET /orders": LIST,
    "GET /invoices": LIST,
    "POST /contacts": CREATION,
    "POST /proposals": CREATION,
    "POST /orders": CREATION,
    "POST /invoices": CREATION,
    "POST /proposals/{id}/validate": VALIDATION,
    "POST /orders/{id}/validate": VALIDATION,
    "POST /invoices/{id}/validate": VALIDATION,
    "POST /invoices/{id}/payments": PAYMENT,
}


def test_every_call_stays_within_its_limit(kind: str) -> None:
    with proxied(kind) as (served, proxy):
        made = calls(served.client())
        assert made.keys() == LIMITS.keys()
        # Where an answer comes in two parts the proxy takes it for two: the least of some counts
        counted = {
            name: min(trips(proxy, make) for _ in range(1 if proxy is None else 2)) for name, make in made.items()
        }
    limits = {name: limit[kind != "postgresql"] for name, limit in LIMITS.items()}
    assert {name: count for name, count in counted.items() if count > limits[name]} == {}

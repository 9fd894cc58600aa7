"""How often a call goes to the database and back: on PostgreSQL and MariaDB counted at the wire, several statements in
one message being one way; on SQLite, where there is no wire, statements.

The numbers are limits that were set beforehand; what takes fewer ways has its own.
"""

from __future__ import annotations

from tests.bench.network import calls, proxied, trips

#: call → statements on SQLite, ways to PostgreSQL and MariaDB and back
LIMITS = {
    "GET /thirdparties/{id}": (3, 3),
    "GET /contacts/{id}": (3, 3),
    "GET /proposals/{id}": (4, 2),
    "GET /orders/{id}": (4, 2),
    "GET /invoices/{id}": (5, 2),
    "GET /thirdparties": (3, 3),
    "GET /contacts": (3, 3),
    "GET /proposals": (4, 3),
    "GET /orders": (4, 3),
    "GET /invoices": (5, 3),
    "POST /contacts": (4, 4),
    "POST /proposals": (6, 6),
    "POST /orders": (6, 6),
    "POST /invoices": (6, 6),
    "POST /proposals/{id}/validate": (17, 14),
    "POST /orders/{id}/validate": (17, 14),
    "POST /invoices/{id}/validate": (19, 14),
    "POST /invoices/{id}/payments": (21, 12),
}


def test_every_call_stays_within_its_limit(kind: str) -> None:
    with proxied(kind) as (served, proxy):
        made = calls(served.client())
        assert made.keys() == LIMITS.keys()
        # Where an answer comes in two parts the proxy takes it for two: the least of some counts
        counted = {
            name: min(trips(proxy, make) for _ in range(1 if proxy is None else 2)) for name, make in made.items()
        }
    limits = {name: limit[proxy is not None] for name, limit in LIMITS.items()}
    assert {name: count for name, count in counted.items() if count > limits[name]} == {}

"""The calls that are measured: each as a share of the empty application's throughput."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

from .servers import KEY, comptoir, empty, load, warm_up


@dataclass(frozen=True)
class Call:
    """One call, what it aims at and what the reference reaches, measured the same way.

    :param once: each request has an Idempotency-Key of its own
    """

    name: str
    path: str
    aim: float
    reference: float | None = None
    body: Any = None
    verb: str = "POST"
    once: bool = False


PROPOSAL = {
    "socid": 7,
    "date": "2026-11-21",
    "duree_validite": 30,
    "lines": [
        {"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": "20", "remise_percent": 10},
        {"fk_product": 1, "qty": "2", "tva_tx": "5.5"},
    ],
}

BUILD = {"modulepart": "proposal", "original_file": "(PROV7)/(PROV7).pdf"}

EXPANDED = "thirdparty,lines.product"

CALLS = (
    Call("GET /status", "/status", 0.60, 0.053),
    Call("GET /thirdparties/{id}", "/thirdparties/7", 0.50, 0.026),
    Call("GET /proposals/{id}, 2 lines", "/proposals/7", 0.42, 0.029),
    Call("GET /contacts?limit=100", "/contacts?limit=100", 0.13, 0.006),
    Call(
        "GET /contacts, one of 1,000 by like",
        "/contacts?sqlfilters=" + quote("(t.phone:like:'%0555000777')"),
        0.35,
        0.024,
    ),
    Call("GET /proposals, 20", "/proposals?limit=20", 0.08),
    Call("GET /proposals, 20 with third party and products", f"/proposals?limit=20&expand={EXPANDED}", 0.05),
    Call("POST /thirdparties", "/thirdparties", 0.20, None, {"name": "Bench Ltd", "client": 1, "town": "Lyon"}),
    Call("POST /proposals, 2 lines", "/proposals", 0.15, 0.025, PROPOSAL),
    Call("POST /proposals, 2 lines, once", "/proposals", 0.12, None, PROPOSAL, once=True),
    Call("PUT /documents/builddoc, 2 lines", "/documents/builddoc", 0.05, 0.018, BUILD, "PUT"),
    Call("GET /explorer/openapi.json", "/explorer/openapi.json", 0.35, 0.006),
)


def fill(send):
    """1,000 contacts of 20 third parties, a product and 20 proposals.

    :param send: creates a record: path of the service, body
    """
    for number in range(20):
        send("/thirdparties", {"name": f"Company {number}", "client": 1, "code_client": "-1"})
    for number in range(1000):
        body = {"lastname": f"Person {number}", "phone_pro": f"0555{number:06d}", "socid": number % 20 + 1}
        send("/contacts", body | {"email": f"p{number}@example.org", "town": "Lyon"})
    send("/products", {"ref": "CHAIR", "label": "Chair", "description": "Chair, beech", "price": "80", "tva_tx": "20"})
    for _ in range(20):
        send("/proposals", PROPOSAL)


def send(address, path, body, verb="POST"):
    """Create a record, or change it."""
    headers = {"DOLAPIKEY": KEY, "Content-Type": "application/json"}
    with urlopen(Request(f"http://{address}{path}", json.dumps(body).encode(), headers, method=verb)) as answer:
        return json.load(answer)


#: what gives each request of wrk an Idempotency-Key; its threads have a state of their own, and none the same address
ONCE = """
local number, own = 0, os.time() .. "-" .. tostring({}):sub(8)
request = function()
  number = number + 1
  wrk.headers["Idempotency-Key"] = '"' .. own .. "-" .. number .. '"'
  return wrk.format()
end
"""


def script_of(call, folder):
    """A wrk script that sends a call's body."""
    if call.body is None:
        return ""
    file = folder / "send.lua"
    text = json.dumps(json.dumps(call.body))
    file.write_text(
        f'wrk.method = "{call.verb}"\nwrk.body = {text}\nwrk.headers["Content-Type"] = "application/json"\n'
        + (ONCE if call.once else "")
    )
    return str(file)


def measure(seconds, kind, rounds=2):
    """The table: the best of some rounds for each call, and for the empty application before and behind them.

    :param kind: that of the database
    """
    rows = []
    with tempfile.TemporaryDirectory() as made, comptoir(kind=kind) as (address, _):
        fill(partial(send, address))
        with empty() as bare:
            warm_up(bare, "/nothing")
            base = max(load(bare, "/nothing", seconds=seconds) for _ in range(rounds))
        for call in CALLS:
            script = script_of(call, Path(made))
            rate = max(load(address, call.path, seconds=seconds, script=script) for _ in range(rounds))
            rows.append({"call": call.name, "rate": rate, "share": rate / base, "aim": call.aim, "ref": call.reference})
        with empty() as bare:
            warm_up(bare, "/nothing")
            again = max(load(bare, "/nothing", seconds=seconds) for _ in range(rounds))
        for row in rows:
            row["share"] = row["rate"] / max(base, again)
    rows.insert(
        0, {"call": "empty falcon application", "rate": max(base, again), "share": 1.0, "aim": None, "ref": None}
    )
    return rows

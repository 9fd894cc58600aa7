"""The calls of design.md 9 that exist by now: each as a share of the empty application's throughput."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

from .servers import KEY, comptoir, empty, load, warm_up


@dataclass(frozen=True)
class Call:
    """One call, what it aims at and what the reference reaches, measured the same way."""

    name: str
    path: str
    aim: float
    reference: float | None = None
    body: Any = None


CALLS = (
    Call("GET /status", "/status", 0.70, 0.053),
    Call("GET /thirdparties/{id}", "/thirdparties/7", 0.60, 0.026),
    Call("GET /contacts?limit=100", "/contacts?limit=100", 0.15, 0.006),
    Call(
        "GET /contacts, one of 1,000 by like",
        "/contacts?sqlfilters=" + quote("(t.phone:like:'%0555000777')"),
        0.40,
        0.024,
    ),
    Call("POST /thirdparties", "/thirdparties", 0.20, None, {"name": "Bench Ltd", "client": 1, "town": "Lyon"}),
    Call("GET /explorer/openapi.json", "/explorer/openapi.json", 0.40, 0.006),
)


def fill(address: str) -> None:
    """1,000 contacts of 20 third parties."""
    for number in range(20):
        send(address, "/thirdparties", {"name": f"Company {number}", "client": 1, "code_client": "-1"})
    for number in range(1000):
        body = {"lastname": f"Person {number}", "phone_pro": f"0555{number:06d}", "socid": number % 20 + 1}
        send(address, "/contacts", body | {"email": f"p{number}@example.org", "town": "Lyon"})


def send(address: str, path: str, body: Any) -> Any:
    """Create a record."""
    headers = {"DOLAPIKEY": KEY, "Content-Type": "application/json"}
    with urlopen(Request(f"http://{address}{path}", json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


def script_of(body: Any, folder: Path) -> str:
    """A wrk script that posts a body."""
    if body is None:
        return ""
    file = folder / "post.lua"
    text = json.dumps(json.dumps(body))
    file.write_text(f'wrk.method = "POST"\nwrk.body = {text}\nwrk.headers["Content-Type"] = "application/json"\n')
    return str(file)


def measure(seconds: int, rounds: int = 2) -> list[dict[str, Any]]:
    """The table: the best of some rounds for each call, and for the empty application before and behind them."""
    rows = []
    with tempfile.TemporaryDirectory() as made, comptoir() as (address, _):
        fill(address)
        with empty() as bare:
            warm_up(bare, "/nothing")
            base = max(load(bare, "/nothing", seconds=seconds) for _ in range(rounds))
        for call in CALLS:
            script = script_of(call.body, Path(made))
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

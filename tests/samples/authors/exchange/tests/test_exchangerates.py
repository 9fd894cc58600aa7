"""Exchange rates, on each database: fetching, keeping, converting, thinning out."""

import json
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep, time

import pytest

from core.testing import Served, constant, serving, why_unavailable

MODULES = Path(__file__).resolve().parents[2]
MINUTE, DAY = 60, 86400
#: tomorrow's: a job that is put in now is due by then, too
NOON = int(time()) // DAY * DAY + 3 * DAY // 2


class Source(ThreadingHTTPServer):
    """A server of rates on loopback that answers what a test says."""

    status = 200
    body = b""
    silence = 0.0
    #: the end waits for those that are still answered
    daemon_threads = False

    def say(self, base: str = "EUR", **rates: object) -> None:
        """Answer these rates from now on."""
        self.status, self.body = 200, json.dumps({"base": base, "rates": rates}).encode()


class Answer(BaseHTTPRequestHandler):
    server: Source

    def do_GET(self) -> None:
        sleep(self.server.silence)
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@pytest.fixture
def source() -> Iterator[Source]:
    """A source that answers one rate."""
    with Source(("127.0.0.1", 0), Answer) as server:
        server.say(USD="1.0832")
        Thread(target=server.serve_forever).start()
        yield server
        server.shutdown()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.lasting), "mysql"])
def served(request: pytest.FixtureRequest, tmp_path: Path, source: Source) -> Iterator[Served]:
    """A server whose company counts in EUR and fetches from the source; schedules count from noon on."""
    if why_unavailable(request.param):
        pytest.skip(why_unavailable(request.param))
    with serving(tmp_path, modules=str(MODULES), kind=request.param) as served:
        client = served.client()
        client.ask("PUT", "/setup/company", {"currency_code": "EUR"})
        with constant(client, "EXCHANGE_URL", f"http://127.0.0.1:{source.server_port}/"):
            served.run_jobs(NOON)
            yield served


def kept(served: Served) -> list[tuple[str, str]]:
    """Every rate that is kept."""
    return [(each["currency"], each["rate"]) for each in served.client().get("/exchangerates", sortfield="t.id")]


def test_each_minute_keeps_only_what_differs(served: Served, source: Source) -> None:
    assert served.run_jobs(NOON + MINUTE) == 1
    source.say(USD=1.0832, JPY="163.123456785")
    assert served.run_jobs(NOON + 2 * MINUTE) == 1
    assert served.run_jobs(NOON + 3 * MINUTE) == 1
    source.say(USD="1.09", JPY="163.123456785")
    assert served.run_jobs(NOON + 4 * MINUTE) == 1
    assert served.run_jobs(NOON + 4 * MINUTE) == 0
    assert kept(served) == [("USD", "1.08320000"), ("JPY", "163.12345679"), ("USD", "1.09000000")]
    latest = served.client().get("/exchangerates/latest")
    assert {each["currency"]: each["rate"] for each in latest} == {"USD": "1.09000000", "JPY": "163.12345679"}


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (500, b"", "500"),
        (200, b"<html>", "cannot be read"),
        (200, b'{"base": "EUR"}', "answers no rates"),
        (200, b'{"base": "USD", "rates": {"EUR": 1}}', "against 'USD'"),
        (200, b'{"base": "EUR", "rates": {"USD": "soon", "CHF": 0.93}}', "rate"),
        (200, b'{"base": "EUR", "rates": {"USD": NaN}}', "rate"),
        (200, b'{"base": "EUR", "rates": {"USD": -1}}', "rate"),
    ],
)
def test_a_fetch_that_fails_keeps_nothing_is_seen_and_tried_again(
    served: Served, source: Source, status: int, body: bytes, words: str
) -> None:
    source.status, source.body = status, body
    served.run_jobs(NOON + MINUTE, failing=True)
    assert kept(served) == []
    (failed,) = served.client().get("/jobs", name="fetch_each_minute", limit=1)
    assert failed["state"] == "waiting"
    assert words in failed["error"]
    source.say(USD="1.0832")
    served.run_jobs(NOON + MINUTE + 30)
    assert kept(served) == [("USD", "1.08320000")]


def test_a_silent_source_is_not_waited_for(served: Served, source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modules.exchange.source.PATIENCE", 0.2)
    source.silence = 1.0
    served.run_jobs(NOON + MINUTE, failing=True)
    assert "timed out" in served.client().get("/jobs", name="fetch_each_minute", limit=1)[0]["error"]


def test_what_fails_twice_is_given_up(served: Served, source: Source) -> None:
    source.status = 500
    served.run_jobs(NOON + MINUTE, failing=True)
    served.run_jobs(NOON + MINUTE + 30, failing=True)
    assert [each["name"] for each in served.client().get("/jobs", state="given up")] == ["fetch_each_minute"]


def made_older(days: float) -> None:
    """Let every rate be older by so many days: jobs are told the moment, requests ask the real clock."""
    from modules.exchange.models import Rate

    for row in Rate.select():
        Rate.update(since=row.since - timedelta(days), seen=row.seen - timedelta(days)).where(
            Rate.id == row.id
        ).execute()


def test_a_rate_that_nobody_confirmed_for_an_hour_is_stale(served: Served) -> None:
    served.run_jobs(NOON + MINUTE)
    anybody, user = served.client(None), served.user("exchangerates.read")
    assert anybody.get("/exchangerates/public")[0]["stale"] is False
    made_older(3)
    assert anybody.get("/exchangerates/public")[0]["stale"] is True
    assert user.get("/exchangerates/convert?from=EUR&to=USD&amount=1")["stale"] is True
    served.run_jobs(NOON + 2 * MINUTE)
    assert anybody.get("/exchangerates/public")[0]["stale"] is False


def test_a_list_is_filtered_and_comes_in_pages(served: Served, source: Source) -> None:
    source.say(USD="1.0832", CHF="0.93", JPY="163")
    served.run_jobs(NOON + MINUTE)
    user = served.user("exchangerates.read")
    assert [each["currency"] for each in user.get("/exchangerates", sqlfilters="(t.rate:>:1)", sortfield="t.rate")] == [
        "USD",
        "JPY",
    ]
    assert [each["currency"] for each in user.get("/exchangerates", sortfield="t.currency", limit=1, page=1)] == ["JPY"]


def test_refresh_answers_at_once_and_tells_how_far_it_is(served: Served) -> None:
    user = served.user("exchangerates.refresh")
    job = user.ask("POST", "/exchangerates/refresh", status=202)
    served.run_jobs(NOON)
    done = user.get(job["href"])
    assert (done["state"], done["done"], done["total"], done["result"]) == ("done", 2, 2, ["USD"])
    served.user("exchangerates.write").refused("POST", "/exchangerates/refresh", status=401)


def test_conversion_is_exact_and_says_how_it_was_rounded(served: Served, source: Source) -> None:
    source.say(USD="1.0832", CHF="0.93")
    served.run_jobs(NOON + MINUTE)
    user = served.user("exchangerates.read")

    def convert(**asked: object) -> tuple[str, str]:
        answer = user.get("/exchangerates/convert", **asked)
        return answer["result"], answer["rounding"]

    assert convert(**{"from": "EUR"}, to="USD", amount="12.50") == ("13.54", "exact, nothing was rounded")
    assert convert(**{"from": "usd"}, to="chf", amount="-100")[0] == "-85.86"
    assert convert(**{"from": "EUR"}, to="CHF", amount="0.5", digits=2)[1].startswith("rounded up to 2 digits")
    user.refused("GET", "/exchangerates/convert?from=EUR&to=XAU&amount=1", status=404)
    user.refused("GET", "/exchangerates/convert?from=EUR&to=USD&amount=1&at=2020-01-01", status=404)
    user.refused("GET", "/exchangerates/convert?from=euro&to=USD&amount=1", status=400)


def test_old_rates_are_thinned_out_to_one_a_day(served: Served, source: Source) -> None:
    for rate in ("1.1", "1.2", "1.3"):
        source.say(USD=rate)
        served.run_jobs(NOON + MINUTE * int(rate[-1]))
    made_older(40)
    served.run_jobs(NOON + DAY)
    assert kept(served) == [("USD", "1.30000000")]


def test_rights(served: Served) -> None:
    served.user().refused("GET", "/exchangerates", status=401)
    served.user("exchangerates.read").refused("POST", "/exchangerates", {"currency": "USD", "rate": 2}, status=401)
    writer = served.user("exchangerates.write", "exchangerates.read")
    made = writer.ask("POST", "/exchangerates", {"currency": "usd", "rate": "2"})
    assert writer.get(f"/exchangerates/{made}")["currency"] == "USD"
    writer.refused("POST", "/exchangerates", {"currency": "EUR", "rate": 2}, status=400)
    writer.refused("POST", "/exchangerates", {"currency": "JPY", "rate": "0.000000001"}, status=400)
    writer.ask("DELETE", f"/exchangerates/{made}")
    assert served.client(None).get("/exchangerates/public") == []
    answer = served.client().refused("PUT", "/setup/conf/EXCHANGE_URL", {"value": "rates"}, status=400)
    assert "EXCHANGE_URL: expected an address" in answer

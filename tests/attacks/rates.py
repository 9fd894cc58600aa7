"""Limits of each key: requests a minute, counted by all workers together."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

from .rows import row

RATE = 30


def _limited(field, tally, who="admin", **more):
    """A key that may be used some times a minute; empty when there is none."""
    user = field.made("/users/info", None, verb="GET", who=who)["id"]
    answer = field.ask(who, "POST", f"/users/{user}/keys", {"label": "limited", "rate": RATE, **more})
    made = answer.json if answer.status == 200 else {}
    tally.check(made.get("rate") == RATE, f"a key with a rate -> {answer.status} {answer.body[:80]!r}")
    return str(made["key"]) if made.get("rate") == RATE else ""


def _at_the_start_of_a_minute():
    """Windows begin with full minutes: wait for the next where this one is about to end."""
    if (left := 60 - time.time() % 60) < 20:
        time.sleep(left + 0.2)


@row(
    "rate",
    "a key's rate limit covers all workers and all routes, and the rejection has Retry-After",
)
def rate(field, tally):
    """Ten times as many, one after the other, many at once, by verbs and paths of all kinds."""
    key = _limited(field, tally)
    if not key:
        return
    _at_the_start_of_a_minute()
    told = [field.ask(key, "GET", "/status") for _ in range(RATE * 3)]
    tally.same(RATE, [each.status for each in told].count(200), "one after the other")
    for each in told:
        if each.status == 429:
            wait = each.headers.get("retry-after", "")
            tally.check(re.fullmatch(r"[1-9]\d?", wait) is not None and int(wait) <= 60, f"Retry-After: {wait}")
        named = "ratelimit" in each.headers and "ratelimit-policy" in each.headers
        tally.check(
            each.status in (200, 429) and named,
            f"{each.status} without the fields of the limit: {sorted(each.headers)}",
        )
    for verb, path in (
        ("GET", "/thirdparties"),
        ("POST", "/thirdparties"),
        ("DELETE", "/thirdparties/1"),
        ("GET", "/STATUS"),
        ("GET", "/api/index.php/status"),
        ("HEAD", "/status"),
        ("PUT", "/thirdparties/1"),
        ("GET", "/users/info"),
    ):
        tally.same(429, field.ask(key, verb, path).status, f"{verb} {path} with nothing left")
    for headers in (
        {"Authorization": f"Bearer {key}"},
        {"X-Forwarded-For": "198.51.100.9", "DOLAPIKEY": key},
        {"X-Request-Id": "other", "DOLAPIKEY": key},
        {"Idempotency-Key": '"x"', "DOLAPIKEY": key},
    ):
        tally.same(429, field.ask("", "GET", "/status", headers=headers).status, f"with nothing left, {list(headers)}")
    tally.same(200, field.ask("admin", "GET", "/status").status, "another key of the same user")
    for _ in range(2):
        key = _limited(field, tally)
        _at_the_start_of_a_minute()

        with ThreadPoolExecutor(16) as pool:
            sent = [pool.submit(field.apart, key, "GET", "/status") for _ in range(RATE * 4)]
        statuses = [each.result().status for each in sent]
        tally.check(
            statuses.count(200) <= RATE and set(statuses) <= {200, 429},
            f"many at once: {statuses.count(200)} of {RATE} were answered",
        )


@row("rate-wider", "a key with a rate limit can't create a faster key or change its own limit")
def wider(field, tally):
    """Ask for more, for none, for what is no number."""
    key = _limited(field, tally)
    if not key:
        return
    user = field.made("/users/info", None, verb="GET")["id"]
    for rate in (RATE + 1, 10**6, None):
        answer = field.ask(key, "POST", f"/users/{user}/keys", {"label": "faster", "rate": rate})
        given = answer.json["rate"] if answer.status == 200 else 0
        tally.check(given is not None and given <= RATE, f"a rate of {rate} -> {answer.status} {given}")
    answer = field.ask(key, "POST", f"/users/{user}/keys", {"label": "faster"})
    given = answer.json["rate"] if answer.status == 200 else 0
    tally.check(given is not None and given <= RATE, f"no rate -> {given}")
    for rate in (0, -1, "x", 1.5, 10**30, [], {}, True, "1e3", "²"):
        answer = field.ask("admin", "POST", f"/users/{user}/keys", {"label": "odd", "rate": rate})
        tally.check(
            answer.status == 400 or (rate is True and answer.status == 200), f"a rate of {rate!r} -> {answer.status}"
        )

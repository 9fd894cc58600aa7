"""Limits of each key: requests a minute."""

from .rows import row

RATE = 30


def _limited(field, tally, who="admin", **more):
    """A key that may be used some times a minute; empty when there is none."""
    user = field.made("/users/info", None, verb="GET", who=who)["id"]
    answer = field.ask(who, "POST", f"/users/{user}/keys", {"label": "limited", "rate": RATE, **more})
    made = answer.json if answer.status == 200 else {}
    tally.check(made.get("rate") == RATE, f"a key with a rate -> {answer.status} {answer.body[:80]!r}")
    return str(made["key"]) if made.get("rate") == RATE else ""


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

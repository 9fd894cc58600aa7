"""Requests that cost the server more than they cost the attacker."""

import re
import time

from .rows import row
from .wire import timed, with_query


@row("S70", "health checks cause no database work, however often they run without a key")
def health(field, tally):
    """Ask a thousand times and add up what the database took."""
    told = []
    began = time.monotonic()

    def attack(number):
        answer = field.ask("", "GET", "/health/ready" if number % 2 else "/health/live")
        spent = re.search(r"db;dur=([\d.]+)", answer.headers.get("server-timing", ""))
        told.append((answer.status, spent is not None and float(spent[1]) > 0))

    field.each(range(1000), attack)
    looks = sum(each for _, each in told)
    tally.check({status for status, _ in told} == {200}, f"{ {status for status, _ in told} }")
    # Once a second in each worker, and a thread or two that came at the same moment
    allowed = (time.monotonic() - began + 1) * 2 * 4
    tally.check(looks <= allowed, f"1,000 requests looked at the database {looks} times")


@row("S71", "a page never exceeds the maximum size, whatever limit is requested")
def pages(field, tally):
    """Limits and pages that are none or too large."""
    values = (
        "0",
        "-1",
        "1000000000",
        "abc",
        "1e9",
        "99999999999999999999",
        "1.5",
        "null",
        "",
        " 5",
        "٥",
        "0x10",
        "1;DROP",
        "5,6",
        "-0",
        "+3",
        "\x00",
        "NaN",
    )

    def attack(asked):
        path, name, value = asked
        answer = field.ask("clerk", "GET", with_query(path, **{name: value}))
        count = len(answer.json) if answer.status == 200 and answer.body[:1] == b"[" else 0
        tally.check(
            # A list below a record that isn't there doesn't look at the page
            answer.status in (200, 400, 401, *((404,) if path.count("/") > 1 else ())) and count <= 1000,
            f"{path} {name}={value!r} -> {answer.status}, {count} records",
        )

    lists, names = field.published.lists, ("limit", "page", "after", "count")
    field.each(
        [
            (field.path(each, "own"), name, value)
            for each, (name, value) in field.pairs(lists, [(name, value) for name in names for value in values], 12)
            if name in each.parameters
        ],
        attack,
    )


@row("S71-lines", "a document of 20,000 lines is rejected, or made within seconds")
def many_lines(field, tally):
    """As a new document, and as lines of one."""
    lines = [{"desc": "x", "qty": 1}] * 20_000
    document = {"socid": field.people.own["thirdparties"], "date": "2026-11-21"}
    draft = field.made("/proposals", {**document, "lines": []})
    for body in ({**document, "lines": lines}, lines):
        path = "/proposals" if isinstance(body, dict) else f"/proposals/{draft}/lines"
        seconds, answer = timed(lambda path=path, body=body: field.ask("clerk", "POST", path, body))
        tally.check(
            answer.status in (400, 413) or seconds < 10,
            f"20,000 lines took {seconds:.1f} s -> {answer.status} {answer.body[:80]!r}",
        )
        if answer.status == 200:
            # A list of proposals reads their lines, too
            field.ask("admin", "DELETE", f"/proposals/{answer.json if isinstance(answer.json, int) else draft}")


#: bodies that are no JSON, or JSON of a kind that costs or confuses
ODD_BODIES = (
    b"[" * 100_000, b'{"a":' * 50_000 + b"1" + b"}" * 50_000, b"[" * 101 + b"]" * 101, b'{"name":NaN}', b'{"name":Infinity}', b'{"name":-Infinity}',
    b'{"name":' + b"9" * 1_000_000 + b"}", b'{"name":0.' + b"9" * 200_000 + b"}", b'{"name":1e400}', b'{"name":1e99999999999999999999}', b'{"name":-1e-99999999999999999999}',
    b'{"name":1E+2147483648}', b'{"name":"\\ud800"}', b'{"name":"\\u0000"}', b'{"name":"a","name":"b"}', b'{"name":"\xff"}', b"\xef\xbb\xbf{}", b"{", b"}", b"nul", b"'a'", b'{"a":1}{"b":2}',
    b"\x00", b'"text"', b"1", b"[]", b"[[]]", b"null", b"true", b'{"name":{"$gt":""}}', b'{"name":["a"]}', b'{"__proto__":{"admin":1}}', b"{/*x*/}", b'{"a":1,}', b"<xml/>", b"a=1&b=2",
    "{\"name\":\"é\"}".encode("utf-16"), b'{"array_options":' + b'{"options_x":' * 60 + b"1" + b"}" * 61,
    b'{"name":"x","array_options":{"options_' + b"x" * 5000 + b'":1}}', b'{"price":"1e999999"}', b'{"price":1e30}', b'{"qty":"1e-400"}',
)  # fmt: skip


@row("S72", "bodies that are too deep, too long, duplicated, not numeric or not text are rejected and break nothing")
def odd_bodies(field, tally):
    """Send each to everything that takes a body."""

    def attack(asked):
        who, verb, path, body = asked
        answer = field.ask(
            who, verb, path, body, {"Content-Type": "application/json"}, source="127.0.72.1" if "login" in path else ""
        )
        tally.check(
            answer.status and answer.status < 500,
            f"{verb} {path} {body[:50]!r} -> {answer.status} {answer.body[:100]!r}",
        )

    takes = [each for each in field.published.operations if each.verb in ("POST", "PUT", "PATCH")]
    small = [each for each in ODD_BODIES if len(each) < 300_000]
    field.each([("clerk", each.verb, field.path(each, "own"), body) for each in takes for body in small], attack)
    field.each([("", "POST", "/login", body) for body in ODD_BODIES], attack)
    field.each([("clerk", "POST", "/thirdparties", body) for body in ODD_BODIES], attack)


@row("S73", "the API description is built once, not per request, and needs a key")
def descriptions(field, tally):
    """Ask for it again and again."""
    for path in ("/explorer/openapi.json", "/explorer/swagger.json", "/explorer/index.json"):
        tally.same(401, field.ask("", "GET", path).status, f"{path} without a key")
        field.ask("clerk", "GET", path)
        tag = field.ask("clerk", "GET", path).headers.get("etag", "")
        took = sorted(timed(lambda path=path: field.ask("clerk", "GET", path))[0] for _ in range(20))[10]
        tally.check(took < 0.5, f"{path} takes {took:.2f} s")
        answer = field.ask("clerk", "GET", path, headers={"If-None-Match": tag})
        tally.same(304, answer.status, f"{path} that one has already")
    for number in range(50):
        answer = field.ask("clerk", "GET", f"/explorer/openapi/nothing{number}.json")
        tally.same(404, answer.status, "the description of a service that is not there")

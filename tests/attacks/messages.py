"""Verbs that stand for others."""

from .rows import row
from .wire import statuses


@row("S82", "another verb, or a verb override, passes the same checks")
def verbs(field, tally):
    """Overrides of all kinds, HEAD, and spellings, with a key that may only read."""
    reader = field.people.keys.get("reader") or field.people.add("reader", ["thirdparties.read", "thirdparties.all"])
    target = f"/thirdparties/{field.people.own['thirdparties']}"
    before = field.made(target, None, verb="GET")
    for header in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"):
        for verb in ("DELETE", "PUT", "PATCH", "delete", " DELETE ", "DELETE,GET"):
            answer = field.ask(reader, "POST", target, {"name": "taken"}, {header: verb})
            tally.check(answer.status in (400, 401, 404, 405), f"POST as {verb} by {header} -> {answer.status}")
            answer = field.ask(reader, "GET", target, None, {header: verb})
            tally.check(
                answer.status == 200 and field.made(target, None, verb="GET") == before,
                f"GET as {verb} by {header} -> {answer.status}",
            )
    for path in (f"{target}?_method=DELETE", f"{target}?method=delete", f"{target}?X-HTTP-Method-Override=DELETE"):
        for verb in ("GET", "POST"):
            field.ask(reader, verb, path)
    for verb in (
        "get",
        "Get",
        "DELETE ",
        "dELETE",
        "TRACE",
        "TRACK",
        "PROPFIND",
        "MOVE",
        "COPY",
        "LINK",
        "FOO",
        "A" * 60,
        "QUERY",
        "PURGE",
    ):
        answered = field.raw(
            f"{verb} {target} HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: {reader}\r\nConnection: close\r\n\r\n".encode(), wait=5
        )
        told = statuses(answered)
        tally.check(
            told and told[0] in (400, 401, 404, 405, 501) and b"our-own-words" not in answered, f"{verb} -> {told}"
        )
    for who in ("", "nobody", "wrong-key"):
        for each in [each for each in field.published.operations if each.verb == "GET" and each.permission]:
            for verb in ("HEAD", "POST"):
                headers = {"X-HTTP-Method-Override": "GET"} if verb == "POST" else {}
                answer = field.ask(who, verb, field.path(each, "own"), None, headers)
                tally.check(answer.status == 401, f"{who or 'nobody'} {verb} {each.path} -> {answer.status}")
    tally.same(before, field.made(target, None, verb="GET"), "the record has changed")

"""Texts that would be more than texts where they are shown: in a header, in a line of the log."""

from .people import raw_file
from .rows import row


@row("S12", "file names, references and request IDs can't break a header or a log line")
def headers(field, tally):
    """Line ends, marks that turn text, quotes."""
    part, (ref, _, _) = (
        "thirdparty",
        field.people.file("thirdparties", "own").partition("/")
        if field.people.part("thirdparties", "own", "file")
        else (str(field.people.own["thirdparties"]), "", ""),
    )
    names = (
        'a"b.txt',
        "a;b.txt",
        "ä'é.txt",
        "a%0d%0ab.txt",
        "a\r\nX-Injected: 1.txt",
        "a\u202etxt.txt",
        "a\u2028b.txt",
        "日本.txt",
        'a\\"; filename=evil.html; x=".txt',
    )
    for name in names:
        body = {"modulepart": part, "ref": ref, "filename": name, "filecontent": "x", "overwriteifexists": 1}
        kept = field.ask("clerk", "POST", "/documents/upload", body)
        if kept.status != 200:
            tally.check(kept.status in (400, 404), f"{name!r} -> {kept.status}")
            continue
        answer = field.ask("clerk", "GET", raw_file(part, f"{ref}/{kept.json}"))
        told = answer.headers.get("content-disposition", "")
        held = answer.status == 200 and "x-injected" not in answer.headers and told.startswith("attachment")
        held &= (
            told.count('"') in (0, 2)
            and "\u202e" not in kept.json
            and "evil.html" not in told.partition('"')[2].partition('"')[2]
        )
        tally.check(held, f"{name!r} -> {answer.status} {told!r}")
    for value in ("a b", "a\tb", "x" * 65, "<script>", "é", 'a"b', "${x}", "a/b", "..%0d%0ax"):
        answer = field.ask(
            "clerk", "GET", "/status", headers={"X-Request-Id": value.encode("latin-1").decode("latin-1")}
        )
        tally.check(answer.headers.get("x-request-id") not in (None, value), f"X-Request-Id {value!r} is taken")
    for path in ("/status%0d%0aINJECTED", "/status%0aINJECTED", "/thirdparties?x=%0d%0aINJECTED", "/%1b[31mINJECTED"):
        head = f"GET {path} HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: {field.people.keys['clerk']}\r\nUser-Agent: x\x1b[2JINJECTED\r\nConnection: close\r\n\r\n"
        answered = field.raw(head.encode(), wait=5)
        tally.check(b"\nINJECTED" not in answered, f"{path} ends a header")
    lines = [each for each in field.log.splitlines() if each.lstrip().startswith("INJECTED") or "\x1b" in each]
    tally.check(not lines, f"the log has the lines {lines[:3]}")
    login = {"login": "x\r\nINJECTED by a login\x1b[31m", "password": "x"}
    field.ask("", "POST", "/login", login, source="127.0.9.12")
    lines = [each for each in field.log.splitlines() if each.lstrip().startswith("INJECTED") or "\x1b" in each]
    tally.check(not lines, f"the log has the lines {lines[:3]}")

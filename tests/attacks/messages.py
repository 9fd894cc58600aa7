"""Origins, verbs and formats that stand for others, and what failures say."""

import re
from pathlib import Path

from tests.serving.running import ROOT

from .field import ORIGIN
from .rows import row
from .wire import statuses


@row("S81", "browsers may call only from the configured origins")
def origins(field, tally):
    """Origins that look like it."""
    for origin in ("https://evil.example", "null", f"{ORIGIN}.evil.example", "https://evil-office.example.org", ORIGIN.replace("https", "http"), f"{ORIGIN}:444", ORIGIN.upper(),
                   f"{ORIGIN}/", f"{ORIGIN} https://evil.example", "*", "", "file://", f"https://evil.example/{ORIGIN}", f"https://evil.example?{ORIGIN}"):  # fmt: skip
        for verb, path, who in (
            ("GET", "/status", "clerk"),
            ("OPTIONS", "/status", ""),
            ("OPTIONS", "/nothing-there", ""),
            ("GET", "/nothing-there", "clerk"),
            ("GET", "/status", ""),
            ("POST", "/login", ""),
        ):
            answer = field.ask(
                who,
                verb,
                path,
                headers={"Origin": origin, "Access-Control-Request-Method": "DELETE"},
                source="127.0.81.1",
            )
            told = answer.headers
            held = "access-control-allow-origin" not in told and told.get("access-control-allow-credentials") != "true"
            tally.check(held, f"{verb} {path} from {origin!r} -> {told.get('access-control-allow-origin')}")
    for verb, who in (("GET", "clerk"), ("OPTIONS", "")):
        answer = field.ask(who, verb, "/status", headers={"Origin": ORIGIN})
        tally.same(
            ORIGIN,
            answer.headers.get("access-control-allow-origin"),
            f"{verb} from the origin that is configured",
        )
        tally.check(
            "Origin" in answer.headers.get("vary", "") and "access-control-allow-credentials" not in answer.headers,
            f"{verb}: {answer.headers}",
        )


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


@row("S83", "no suffix, callback or format changes the access to a record")
def formats(field, tally):
    """Callbacks, endings of paths, bodies of XML with entities, serialised objects."""
    secret = field.outside / "entity.txt"
    secret.write_text("planted-entity-9912")
    for name in ("callback", "jsonp", "jsoncallback", "_callback", "cb"):
        answer = field.ask("clerk", "GET", f"/status?{name}=alert")
        tally.check(
            not answer.body.startswith(b"alert") and "javascript" not in answer.headers.get("content-type", ""),
            f"{name} -> {answer.body[:40]!r}",
        )
    for end in (
        ".json",
        ".xml",
        ".html",
        ".js",
        ".php",
        ".csv",
        "/.json",
        "%2ejson",
        ";.js",
        ".json/",
        "//",
        "/..",
        "/%2e%2e/status",
        "?",
        "#",
        "/index.php",
    ):
        for path in ("/thirdparties", "/users", "/status", "/setup/conf", "/explorer/openapi"):
            answer = field.ask("", "GET", path + end)
            tally.check(answer.status in (400, 401, 404, 405, 302), f"{path}{end} without a key -> {answer.status}")
    document = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file://{secret}">]><x><name>&e;</name></x>'.encode()
    )
    for kind in ("application/xml", "text/xml", "application/soap+xml", "application/x-yaml", "application/x-php-serialized", "application/vnd.php.serialized", "application/x-amf", "text/plain",
                 "application/x-python-pickle", "application/msgpack", "application/ld+json", "image/svg+xml", "application/json, application/xml", "multipart/mixed", "multipart/form-data"):  # fmt: skip
        answer = field.ask("clerk", "POST", "/thirdparties", document, {"Content-Type": kind})
        tally.check(
            answer.status in (400, 415) and b"planted-entity" not in answer.body, f"a body of {kind} -> {answer.status}"
        )


@row("S84", "no error reveals a server path or a statement")
def failures(field, tally):
    """Provoke failures, those of a module too."""
    text = 'class Failing:\n    """X."""\n\n    def index(self) -> str:\n        """X.\n\n        :access: public\n        """\n        raise ValueError("SELECT secret FROM /etc/passwd")\n'
    field.server.write("failing/class/api_failing.py", text)
    path = field.dropped("failing")
    for who in ("", "nobody", "clerk"):
        answer = field.apart(field.people.keys[who], "GET", path)
        tally.check(
            answer.status == 500 and b"passwd" not in answer.body and str(ROOT).encode() not in answer.body,
            f"{who} {path} -> {answer.status} {answer.body[:100]!r}",
        )
    (field.server.modules / "failing/class/api_failing.py").unlink()
    asked = ("/", "/api", "/api/index.php", "/api/index.php/x", "/%", "/%zz", "/%ff", "/%00", "/\\", "/..", "/../../etc/passwd", "/.git/config", "/.env", "/core/__init__.py", "/modules", "/static", "/data/comptoir.db",
             "/robots.txt", "/thirdparties/%00", "/thirdparties/1%2f2", "/thirdparties/1/2/3/4/5", "/thirdparties/-1", "/thirdparties/0", "/thirdparties/99999999999999999999", "/thirdparties/1e5", "/thirdparties/٣",
             "/explorer/openapi/../../x.json", "/explorer/openapi/%2e%2e%2fx.json", "/explorer/script.js/../../../x", "/" + "a/" * 2000, "/" + "a" * 5000, "/?" + "&".join(f"a{each}=1" for each in range(600)))  # fmt: skip
    for path in asked:
        for who in ("", "clerk"):
            answer = field.ask(who, "GET", path)
            told = answer.body.decode(errors="replace")
            held = answer.status < 500 and not re.search(
                r"/work/|/usr/|/home/|site-packages|line \d+, in |sqlite|psycopg|pymysql|Traceback",
                told.replace(path, ""),
            )
            tally.check(answer.status and held, f"{who} {path[:60]!r} -> {answer.status} {told[:100]}")

    def improper(content):
        answered = field.raw(content, wait=1.5)
        told_ = statuses(answered)
        held = not any(each >= 500 and each != 505 for each in told_) and b"Traceback" not in answered
        tally.check(held, f"{content[:50]!r} -> {told_} {answered[:120]!r}")

    field.each((b"\x00" * 100, b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", b"GET / HTTP/1.1\r\na: " + b"b" * 9000 + b"\r\n\r\n",
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET http://evil.example/status HTTP/1.1\r\nHost: x\r\n\r\n", b"GET //evil.example HTTP/1.1\r\nHost: x\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
                    b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET / HTTP/1.1\r\nExpect: 200-maybe\r\n\r\n", b"\r\n" * 1000), improper)  # fmt: skip


@row("S85", "no socket of the server accepts commands")
def control(field, tally):
    """Look at the sockets that its processes have opened."""
    named = named_sockets({field.server.master, *field.server.workers})
    tally.check(not named, f"the server listens on {named}")
    tally.check(not list(field.folder.rglob("*.ctl")), "there is a socket of control")
    tally.check(
        not any(Path(place).expanduser().exists() for place in (f"~/.gunicorn/{field.server.master}.ctl",)),
        "there is a socket of control in the home folder",
    )


def named_sockets(processes):
    """The sockets with a name in the file system, or beside it, that these processes have opened."""
    opened = {_target(link) for each in processes for link in Path(f"/proc/{each}/fd").iterdir()}
    lines = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    return [parts[7] for parts in lines if len(parts) > 7 and f"socket:[{parts[6]}]" in opened]


def _target(link):
    try:
        return str(link.readlink())
    except OSError:
        return ""

"""Requests that are no proper HTTP, or that two programs read in two ways: each alone, and behind nginx."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from tests.needed import program, why_without
from tests.serving.nginx import nginx

from .people import KEY
from .rows import row
from .wire import Wire, statuses

#: a request that is hidden in, or comes after, an improper one; it would be answered 200
_HIDDEN = f"GET /status HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: {KEY}\r\nX-Request-Id: hidden\r\n\r\n".encode()


@dataclass(frozen=True)
class Improper:
    """A request.

    :param content: its bytes; its path is `/status`, which answers 401 without a key, or `/login`
    :param expected: the statuses that RFC 9110 and 9112 leave to the server; empty: the end without a response
    :param is_read: it is read as one request, so that what comes after it is the next one
    """

    name: str
    content: bytes
    expected: tuple[int, ...] = (400,)
    is_read: bool = False


def _line(name, line, *expected, is_read=False):
    return Improper(f"line: {name}", line + b"\r\nHost: x\r\n\r\n", expected or (400,), is_read)


def _header(name, header, *expected, host=b"Host: x\r\n", is_read=False):
    content = b"GET /status HTTP/1.1\r\n" + host + header + b"\r\n\r\n"
    return Improper(f"header: {name}", content, expected or (400,), is_read)


def _host(name, host):
    return Improper(f"host: {name}", b"GET /status HTTP/1.1\r\n" + host + b"\r\n")


def _body(name, framing, body, *expected, version=b"1.1"):
    """A body whose length is not clear; it holds a request."""
    head = b"POST /login HTTP/" + version + b"\r\nHost: x\r\nContent-Type: application/json\r\n"
    return Improper(f"body: {name}", head + framing + b"\r\n\r\n" + body, expected or (400,))


def _length(name, length, *expected):
    return _body(f"length {name}", b"Content-Length: " + length, b"{}" + _HIDDEN, *expected)


def _coding(name, coding, *expected, version=b"1.1"):
    body = b"2\r\n{}\r\n0\r\n\r\n" + _HIDDEN
    return _body(f"coding {name}", b"Transfer-Encoding: " + coding, body, *(expected or (400, 501)), version=version)


def _chunk(name, chunks, *expected):
    return _body(f"chunk {name}", b"Transfer-Encoding: chunked", chunks + _HIDDEN, *expected)


_BOTH = b"2\r\n{}\r\n0\r\n\r\n" + _HIDDEN

IMPROPER = (
    # The first line (RFC 9112, 2.2 and 3)
    _line("HTTP/0.9", b"GET /status"),
    _line("no path", b"GET"),
    _line("nothing", b" "),
    _line("only spaces between", b"GET   HTTP/1.1"),
    _line("a space before it", b" GET /status HTTP/1.1"),
    _line("two spaces before the path", b"GET  /status HTTP/1.1"),
    _line("two spaces after the path", b"GET /status  HTTP/1.1"),
    _line("a space at its end", b"GET /status HTTP/1.1 "),
    _line("tabs", b"GET\t/status\tHTTP/1.1"),
    _line("a carriage return in it", b"GET /status\r HTTP/1.1"),
    _line("a line feed in it", b"GET /status\n HTTP/1.1"),
    _line("a null in it", b"GET /sta\x00tus HTTP/1.1"),
    _line("HTTP/2.0", b"GET /status HTTP/2.0", 400, 505),
    _line("HTTP/9.9", b"GET /status HTTP/9.9", 400, 505),
    _line("HTTP/0.9 that is said", b"GET /status HTTP/0.9", 400, 505),
    _line("HTTP/1.10", b"GET /status HTTP/1.10", 400, 505),
    _line("HTTP/01.1", b"GET /status HTTP/01.1", 400, 505),
    _line("HTTP/1", b"GET /status HTTP/1", 400, 505),
    _line("a negative version", b"GET /status HTTP/1.-1", 400, 505),
    _line("small letters", b"GET /status http/1.1", 400, 505),
    _line("another protocol", b"GET /status ICE/1.1", 400, 505),
    # A later minor version is read as the last one that is known (RFC 9110, 2.5)
    _line("HTTP/1.2", b"GET /status HTTP/1.2", 401, is_read=True),
    Improper("line: HTTP/2 without a question", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400, 505)),
    Improper("line: TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
    Improper("line: empty lines", b"\r\n" * 20),
    _line("9,000 bytes", b"GET /status?" + b"a" * 9000 + b" HTTP/1.1", 414),
    # The method
    _line("a method of small letters", b"get /status HTTP/1.1", 400, 405, 501),
    _line("a method with a null", b"G\x00T /status HTTP/1.1"),
    _line("a method with a colon", b"GET: /status HTTP/1.1"),
    _line("a method with parentheses", b"(GET) /status HTTP/1.1"),
    _line("a method with a slash", b"GET/1 /status HTTP/1.1"),
    _line("a method beyond ASCII", b"G\xc3\x89T /status HTTP/1.1"),
    _line("a method of 60 letters", b"A" * 60 + b" /status HTTP/1.1", 400, 501),
    # The target
    _line("a path without a slash", b"GET status HTTP/1.1"),
    _line("a query without a path", b"GET ?x=1 HTTP/1.1"),
    _line("a fragment alone", b"GET #x HTTP/1.1"),
    _line("a backslash", b"GET \\status HTTP/1.1"),
    _line("a space in the path", b"GET /sta tus HTTP/1.1"),
    _line("a control character in the path", b"GET /status\x01 HTTP/1.1"),
    _line("DEL in the path", b"GET /status\x7f HTTP/1.1"),
    _line("a path beyond ASCII", b"GET /status\xc3\xa9 HTTP/1.1"),
    _line("the asterisk of OPTIONS", b"GET * HTTP/1.1"),
    _line("an authority", b"GET x:443 HTTP/1.1"),
    _line("an open bracket", b"GET http://[::1/status HTTP/1.1"),
    _line("no scheme", b"GET ://x/status HTTP/1.1", 400, 404, is_read=True),
    _line("a tunnel", b"CONNECT x:443 HTTP/1.1", 400, 404, 405, 501),
    _line("another server's address", b"GET http://other.example/status HTTP/1.1", 401, is_read=True),
    _line("percent and nothing", b"GET /status% HTTP/1.1", 400, 404, is_read=True),
    _line("percent and no digits", b"GET /status%zz HTTP/1.1", 400, 404, is_read=True),
    _line("a null by percent", b"GET /status%00 HTTP/1.1", 400, 404, is_read=True),
    _line("a line end by percent", b"GET /status%0d%0aHost:%20y HTTP/1.1", 400, 404, is_read=True),
    _line("a long form of UTF-8 by percent", b"GET /%c0%ae%c0%ae/status HTTP/1.1", 400, 404, is_read=True),
    # The host (RFC 9112, 3.2)
    _host("none", b""),
    _host("two", b"Host: x\r\nHost: y\r\n"),
    _host("the same twice", b"Host: x\r\nHost: x\r\n"),
    _host("a list", b"Host: x, y\r\n"),
    _host("two words", b"Host: x y\r\n"),
    _host("a path", b"Host: x/status\r\n"),
    _host("a user", b"Host: user@x\r\n"),
    _host("a port of letters", b"Host: x:http\r\n"),
    _host("an open bracket", b"Host: [::1\r\n"),
    _host("a null", b"Host: x\x00y\r\n"),
    # Other headers (RFC 9112, 5)
    _header("no colon", b"Accept"),
    _header("no name", b": x"),
    _header("a space before the colon", b"Accept : x"),
    _header("a tab before the colon", b"Accept\t: x"),
    _header("a name of two words", b"Ac cept: x"),
    _header("a null in a name", b"Ac\x00cept: x"),
    _header("a name beyond ASCII", b"Acc\xc3\xa9pt: x"),
    _header("a name in parentheses", b"(Accept): x"),
    _header("a null in a value", b"Accept: x\x00y"),
    _header("a vertical tab in a value", b"Accept: x\x0by"),
    _header("DEL in a value", b"Accept: x\x7fy"),
    _header("a carriage return in a value", b"Accept: x\ry"),
    _header("a line feed after a value", b"Accept: x\nAccept: y"),
    _header("folded by a space", b"Accept: x\r\n y"),
    _header("folded by a tab", b"Accept: x\r\n\ty"),
    _header("folded, the first one", b" Accept: x", host=b""),
    _header("a line of spaces", b"   "),
    _header("9,000 bytes", b"Accept: " + b"x" * 9000, 431),
    _header("101 of them", b"A: b\r\n" * 100 + b"A: b", 431),
    _header("140,000 bytes", b"\r\n".join([b"A: " + b"b" * 7000] * 20), 431),
    _header("another expectation", b"Expect: 200-maybe", 417),
    Improper("header: line feeds alone", b"GET /status HTTP/1.1\nHost: x\n\n"),
    Improper("header: a line feed at the end", b"GET /status HTTP/1.1\r\nHost: x\r\n\n"),
    # Bodies: Content-Length (RFC 9112, 6)
    _body("both length and chunks", b"Content-Length: 2\r\nTransfer-Encoding: chunked", _BOTH),
    _body("both chunks and length", b"Transfer-Encoding: chunked\r\nContent-Length: 2", _BOTH),
    _body("both, in small letters", b"content-length: 12\r\ntransfer-encoding: CHUNKED", _BOTH),
    _body("two lengths", b"Content-Length: 2\r\nContent-Length: 60", b"{}" + _HIDDEN),
    _body("one length twice", b"Content-Length: 2\r\nContent-Length: 2", b"{}" + _HIDDEN),
    _length("in a list", b"2, 2"),
    _length("of two words", b"2 2"),
    _length("with a plus", b"+2"),
    _length("with a minus", b"-2"),
    _length("in hexadecimal", b"0x2"),
    _length("with an underscore", b"2_0"),
    _length("with a point", b"2.0"),
    _length("with an exponent", b"2e0"),
    _length("with a letter", b"2x"),
    _length("of nothing", b""),
    _length("in quotes", b'"2"'),
    _length("in Arabic digits", "\u0662".encode()),
    _length("of superior digits", b"\xb2"),
    _length("with a vertical tab", b"\x0b2"),
    _length("folded", b"\r\n 2"),
    _length("of 5,000 digits", b"9" * 5000),
    _length("of 30 digits", b"9" * 30, 400, 413),
    _body("a space before the colon of a length", b"Content-Length : 2", b"{}" + _HIDDEN),
    # Bodies: Transfer-Encoding (RFC 9112, 6.1)
    _coding("chunked, identity", b"chunked, identity"),
    _coding("identity, chunked", b"identity, chunked"),
    _coding("chunked twice", b"chunked, chunked"),
    _coding("chunked in two headers", b"chunked\r\nTransfer-Encoding: chunked"),
    _coding("identity in another header", b"chunked\r\nTransfer-Encoding: identity"),
    _coding("identity alone", b"identity"),
    _coding("gzip", b"gzip"),
    _coding("gzip, chunked", b"gzip, chunked"),
    _coding("chunked, gzip", b"chunked, gzip"),
    _coding("unknown", b"cow"),
    _coding("xchunked", b"xchunked"),
    _coding("with a parameter", b"chunked;x=1"),
    _coding("in quotes", b'"chunked"'),
    _coding("after a vertical tab", b"\x0bchunked"),
    _coding("with a null", b"chunked\x00"),
    _coding("of nothing", b""),
    _coding("after a comma", b", chunked"),
    _coding("folded", b"\r\n chunked"),
    _coding("of HTTP/1.0", b"chunked", version=b"1.0"),
    _body("a space before the colon of a coding", b"Transfer-Encoding : chunked", _BOTH),
    _body("a null in the name of a coding", b"Transfer\x00-Encoding: chunked", _BOTH),
    _body("a coding after a line feed", b"Accept: x\nTransfer-Encoding: chunked", _BOTH),
    # Bodies: chunks and what is behind the last one (RFC 9112, 7.1)
    _chunk("of a negative size", b"-2\r\n{}\r\n0\r\n\r\n"),
    _chunk("of a size with a plus", b"+2\r\n{}\r\n0\r\n\r\n"),
    _chunk("of a size with 0x", b"0x2\r\n{}\r\n0\r\n\r\n"),
    _chunk("of a size with an underscore", b"0_2\r\n{}\r\n0\r\n\r\n"),
    _chunk("of a size behind a space", b" 2\r\n{}\r\n0\r\n\r\n"),
    _chunk("of a size before a space", b"2 \r\n{}\r\n0\r\n\r\n"),
    _chunk("of a size that is none", b"zz\r\n{}\r\n0\r\n\r\n"),
    _chunk("of no size", b"\r\n{}\r\n0\r\n\r\n"),
    _chunk("of a size of 64 bits and more", b"10000000000000002\r\n{}\r\n0\r\n\r\n", 400, 413),
    _chunk("of a size of 400 digits", b"f" * 400 + b"\r\n{}\r\n0\r\n\r\n", 400, 413),
    _chunk("of a size of 9,000 bytes", b"2" + b";" * 9000 + b"\r\n{}\r\n0\r\n\r\n"),
    _chunk("that is longer than it says", b"1\r\n{}\r\n0\r\n\r\n"),
    _chunk("without a line end", b"2\r\n{}0\r\n\r\n"),
    _chunk("with line feeds alone", b"2\n{}\n0\n\n"),
    _chunk("with a carriage return alone", b"2\r{}\r0\r\r"),
    _chunk("with a null in an extension", b"2;x=\x00\r\n{}\r\n0\r\n\r\n"),
    _chunk("with a line feed in an extension", b"2;\n{}\r\n0\r\n\r\n"),
    _chunk("with a carriage return in an extension", b"2;a\rb\r\n{}\r\n0\r\n\r\n"),
    _chunk("with an open quote", b'2;a="b\r\n{}\r\n0\r\n\r\n'),
    _chunk("with a trailer without a colon", b"2\r\n{}\r\n0\r\nTrailer\r\n\r\n"),
    _chunk("with a length as trailer", b"2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n"),
    _chunk("with a coding as trailer", b"2\r\n{}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n"),
    _chunk("with a host as trailer", b"2\r\n{}\r\n0\r\nHost: y\r\n\r\n"),
    _chunk("with a folded trailer", b"2\r\n{}\r\n0\r\nA: b\r\n c\r\n\r\n"),
    _chunk("with a trailer of line feeds", b"2\r\n{}\r\n0\r\nA: b\n\r\n\r\n"),
    _chunk("with a trailer of 9,000 bytes", b"2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 1500 + b"\r\n"),
)


@row("S80", "no invalid request is read as two requests")
def improper(field, tally):
    """Send each, with a proper one after it."""

    def alone(each):
        sent = each.content if each.is_read else each.content + _HIDDEN
        told = statuses(answered := field.raw(sent, wait=1.5))
        held = len(told) == 1 and told[0] in each.expected and b"hidden" not in answered
        tally.check(held, f"alone, {each.name}: expected {each.expected}, found {told} {answered[-80:]!r}")

    field.each(IMPROPER, alone)


@row("S80-nginx", "no invalid request is read as another client's behind nginx")
def behind_nginx(field, tally):
    """Send each through an nginx whose clients share one connection to the server."""
    if program("nginx") is None:
        tally.check(True, str(why_without("nginx")))
        return
    # The row may run more than once on a field
    folder = Path(mkdtemp(prefix="nginx-", dir=field.outside))
    with nginx(folder / "own", field.server.port, kept=True) as port:
        sender, other = Wire(port), Wire(port)
        for number, each in enumerate(IMPROPER):
            # nginx rejects some itself, and puts others right. What it takes for a second request is not below its prefix
            begin, hidden, end = each.content.partition(_HIDDEN)
            begin = begin.replace(b"/status", b"/comptoir/status").replace(b"/login", b"/comptoir/login")
            raw = sender.raw(begin + hidden + end, wait=0.4, source="127.0.80.1")
            answered = field.weakness.after_raw(raw)
            told = statuses(answered)
            held = not {200, 500} & set(told) and b"hidden" not in answered
            tally.check(held, f"behind nginx, {each.name}: found {told} {answered[-80:]!r}")
            name = f"other-{number}"
            own = other.ask("GET", "/comptoir/status", headers={"DOLAPIKEY": KEY, "X-Request-Id": name})
            found = own.status, own.headers.get("x-request-id")
            tally.same((200, name), found, f"behind nginx, another's request after {each.name}")
        sender.close()
        other.close()

"""`fetch`: which URLs and addresses it refuses, that it connects to the address it has checked, and when it ends.

`certificates/server.pem` has a key and a certificate for hooks.example and müller.example, until 2126, that
`authority.pem` has signed.
"""

import json
import logging
import re
import socket
import ssl
import subprocess
import sys
import threading
from contextlib import closing, contextmanager, suppress
from ipaddress import ip_network
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from core import fetch
from core.common import http_client
from core.common.errors import ApiError, BadGateway, BadRequest
from core.common.http_client import check_url
from core.common.settings import SettingError, Settings, current_settings
from core.jobs.runner import words_of

CERTIFICATES = Path(__file__).parent / "certificates"
#: until a test fails that waits for a thread
PATIENCE = 60
#: for an exchange that the other server never completes
SHORT = 0.2

#: networks that aren't on the internet (IANA's special-purpose registries), and IPv6 addresses that lead to IPv4 ones
INTERNAL = (
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"),
    *("192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
    *("224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32", "168.63.129.16/32"),
    *("::/128", "::1/128", "::/96", "64:ff9b:1::/48", "100::/64", "2001::/32", "2001:db8::/32", "2002::/16"),
    *("3fff::/20", "5f00::/16", "fc00::/7", "fd00:ec2::254/128", "fe80::/10", "fec0::/10", "ff00::/8"),
    *(f"::ffff:{each}" for each in ("127.0.0.1/128", "169.254.169.254/128", "10.0.0.0/104", "a9fe:a9fe/128")),
    *(f"64:ff9b::{each}" for each in ("7f00:1/128", "192.168.0.0/112", "a9fe:a9fe/128")),
)
#: their neighbours, and other addresses of the internet
PUBLIC = (
    *("1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"),
    *("169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0"),
    *("198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15"),
    *(
        "2000::1",
        "2001:200::1",
        "2001:db7:ffff::1",
        "2001:db9::1",
        "2003::1",
        "3ffe::1",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
    ),
)
#: other spellings of an address of this machine, or of the metadata of a cloud
SPELLINGS = (
    *("2130706433", "017700000001", "0177.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7f000001", "0x7F.0.0.0x1", "0"),
    *("127.0.0.1.", "0x", "127.0.0.0x1", "127.0.0.01", "1.2.3.4.5", "256.0.0.1", "2852039166", "0xa9fea9fe"),
    *(
        "127。0。0。1",
        "１２７.0.0.1",
        "①②⑦.0.0.1",
        "⑯⑨.②⑤④",
        "[fe80::1%25eth0]",
        "[::1%25lo]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
    ),
    *(
        "[2606:4700::1%25lo]",
        "localhost:0",
        "localhost:99999",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
    ),
)


@pytest.fixture
def configured(monkeypatch):
    """Change the settings until the end of the test."""
    return lambda **options: monkeypatch.setattr(current_settings, "value", Settings(**options))


@pytest.fixture(autouse=True)
def _default(configured):
    configured()


@pytest.fixture
def loopback(configured):
    """Allow this machine over HTTP."""
    configured(fetch_http=True, fetch_addresses="127.0.0.1,::1")


@pytest.fixture
def names(monkeypatch):
    """Resolve names as the test says: name → the addresses of each resolution. Returns which were asked for."""
    asked, system = [], socket.getaddrinfo

    def use(known):
        known = {name: iter(answers) for name, answers in known.items()}

        def resolve(host, port, *arguments, **options):
            if host not in known:
                return system(host, port, *arguments, **options)
            asked.append(host)
            answers = next(known[host])
            kinds = [socket.AF_INET6 if ":" in each else socket.AF_INET for each in answers]
            return [(kind, socket.SOCK_STREAM, 6, "", (each, port)) for kind, each in zip(kinds, answers, strict=True)]

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        return asked

    return use


class Peer:
    """Another server. It handles one connection after the other.

    :param handle: gets the connection after each request, and sends a response
    :param greeting: what it sends before a request
    """

    def __init__(self, handle, host="127.0.0.1", tls=None, greeting=b""):
        self.heads, self.bodies = [], []
        self._handle, self._tls, self._greeting = handle, tls, greeting
        self._listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with closing(connection), suppress(OSError):
                connection.settimeout(PATIENCE)
                connection.sendall(self._greeting)
                talk = self._tls.wrap_socket(connection, server_side=True) if self._tls else connection
                with closing(talk), talk.makefile("rb") as sent:
                    head = b"".join(takewhile(bytes.strip, sent)).decode()
                    if head:
                        self.heads.append(head)
                        length = re.search("content-length: ([0-9]+)", head.lower())
                        self.bodies.append(sent.read(int(length[1]) if length else 0))
                        self._handle(talk)

    def end(self):
        """Stop it; fails if a connection is still open."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


@contextmanager
def peer(handle, **options):
    """A server meanwhile. `handle` may also be the bytes that it sends."""
    made = Peer((lambda talk: talk.sendall(handle)) if isinstance(handle, bytes) else handle, **options)
    try:
        yield made
    finally:
        made.end()


@contextmanager
def untouched(host="127.0.0.1"):
    """The port of a listener to which nothing may connect."""
    with socket.create_server((host, 0)) as listener:
        listener.setblocking(False)
        yield listener.getsockname()[1]
        with pytest.raises(BlockingIOError):
            listener.accept()


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def url_host(address):
    return f"[{address}]" if ":" in str(address) else str(address)


# URLs -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("network", INTERNAL)
def test_no_internal_address_is_called(configured, network):
    configured(fetch_http=True)
    network = ip_network(network)
    for address in (network[0], network[-1], network[network.num_addresses // 2]):
        for call in (check_url, fetch):
            with pytest.raises((ValueError, BadRequest), match="expected a host with public addresses only"):
                call(f"http://{url_host(address)}/")


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_may_be_called(address):
    check_url(f"https://{url_host(address)}/")


@given(st.ip_addresses())
def test_no_address_is_public_that_python_knows_as_internal(address):
    with suppress(ValueError):
        check_url(f"https://{url_host(address)}/")
        plain = getattr(address, "ipv4_mapped", None) or address
        assert plain.is_global or plain in ip_network("64:ff9b::/96")


@pytest.mark.parametrize("host", SPELLINGS)
def test_no_other_spelling_leads_to_an_internal_address(configured, host):
    configured(fetch_http=True)
    with untouched() as port:
        for url in (f"http://{host}/", f"http://{host}:{port}/"):
            with pytest.raises(ValueError, match=r"expected|the port"):
                check_url(url)
            with pytest.raises(BadRequest):
                fetch(url)


@pytest.mark.parametrize("host", ["localhost", "localhost.", "LOCALHOST", "LocalHost."])
def test_this_machine_is_refused_by_name(configured, host):
    configured(fetch_http=True)
    with untouched() as port, pytest.raises(BadRequest) as refused:
        fetch(f"http://{host}:{port}/")
    assert refused.value.message == (
        "expected a host with public addresses only, got localhost; COMPTOIR_FETCH_ADDRESSES can allow others"
    )


FORM = "expected a URL such as https://host.example/path, got another form"
HOST = "expected a host such as host.example, 198.51.100.1 or [2001:db8::1], got "


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "expected a URL that begins with https://, got no scheme"),
        ("hooks.example", "expected a URL that begins with https://, got no scheme"),
        ("http://hooks.example/", 'expected a URL that begins with https://, got "http"'),
        ("file:///etc/passwd", 'expected a URL that begins with https://, got "file"'),
        ("gopher://hooks.example/", 'expected a URL that begins with https://, got "gopher"'),
        ("https:/hooks.example", HOST + '""'),
        ("https://", HOST + '""'),
        ("https://./", HOST + '""'),
        ("https://hooks..example/", HOST + '"hooks..example"'),
        ("https://hooks.example../", HOST + '"hooks.example."'),
        (f"https://{'a' * 64}.example/", HOST + f'"{"a" * 56}...'),
        ("https://hooks.example\\.evil.example/", HOST + '"hooks.example\\\\.evil.example"'),
        ("https://good.example@127.0.0.1/", "expected a URL without user and password"),
        ("https://user:secret@hooks.example/", "expected a URL without user and password"),
        ("https://@hooks.example/", "expected a URL without user and password"),
        ("https://good.example\\@evil.example/", "expected a URL without user and password"),
        ("https://hooks.example:0/", "the port is not a number from 1 to 65535"),
        ("https://hooks.example:65536/", "the port is not a number from 1 to 65535"),
        ("https://hooks.example:x/", "the port is not a number from 1 to 65535"),
        ("https://[::1/", FORM),
        ("https://hooks.example／.evil.example/", FORM),
        # Another name in an older standard
        ("https://faß.example/", FORM),
        (" https://hooks.example/", "expected a URL without spaces and control characters"),
        ("https://hooks.example/\r\nX: y", "expected a URL without spaces and control characters"),
        ("https://hooks.exam\tple/", "expected a URL without spaces and control characters"),
        ("https://hooks.example/\ud800", "expected a URL without spaces and control characters"),
    ],
)
def test_what_is_wrong_with_a_url(url, message):
    with pytest.raises(ValueError, match=r"expected|the port") as wrong:
        check_url(url)
    assert str(wrong.value).startswith(message)
    with pytest.raises(BadRequest) as refused:
        fetch(url)
    assert (refused.value.message, refused.value.status) == (str(wrong.value), 400)


@pytest.mark.parametrize(
    ("url", "line", "host"),
    [
        ("http://hooks.example", "GET / HTTP/1.1", "hooks.example"),
        ("HTTP://Hooks.Example./a%20b?c=d&e#f", "GET /a%20b?c=d&e HTTP/1.1", "hooks.example"),
        ("http://müller.example/ü?q=é", "GET /%C3%BC?q=%C3%A9 HTTP/1.1", "xn--mller-kva.example"),
        ("http://xn--mller-kva.example?q", "GET /?q HTTP/1.1", "xn--mller-kva.example"),
        ("http://my_host.example//a/../b", "GET //a/../b HTTP/1.1", "my_host.example"),
    ],
)
def test_a_request_as_it_is_sent(loopback, names, url, line, host):
    names({host: [["127.0.0.1"]]})
    with peer(OK) as other:
        scheme, _, rest = url.partition("://")
        authority = rest.partition("/")[0].partition("?")[0]
        response = fetch(f"{scheme}://{authority}:{other.port}{rest.removeprefix(authority)}")
    assert (response.status, response.body, response.is_cut) == (200, b"ok", False)
    head = other.heads[0].splitlines()
    assert head[0] == line
    assert [each for each in head if each.lower().startswith("host:")] == [f"Host: {host}:{other.port}"]
    assert "User-Agent: Comptoir" in head
    assert not any(each.lower().startswith(("cookie:", "authorization:", "content-length:")) for each in head)


def test_the_standard_port_is_not_in_the_header(configured, monkeypatch):
    configured(fetch_http=True)
    sent = []

    def connect(target, seconds):
        sent.append((target.authority, target.port, target.is_secure))
        raise TimeoutError

    monkeypatch.setattr(http_client, "_connect", connect)
    for url in ("http://a.example:80", "https://a.example:443", "https://a.example:80", "https://[2606:4700::1]"):
        with pytest.raises(BadGateway, match=r"no complete response from .* within 10 s"):
            fetch(url)
    assert sent == [
        *[("a.example", 80, False), ("a.example", 443, True), ("a.example:80", 80, True)],
        ("[2606:4700::1]", 443, True),
    ]


def test_method_body_and_headers(loopback):
    head = b"HTTP/1.1 404 No\r\nX-One: a\r\nx-one: b\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"
    headers = {"content-type": "application/json", "HOST": "evil.example", "user-agent": "mine"}
    with peer(head) as other:
        response = fetch(f"http://127.0.0.1:{other.port}/", method="PUT", body=b'{"id": 1}', headers=headers)
    assert other.bodies == [b'{"id": 1}']
    lines = other.heads[0].lower().splitlines()
    assert lines[0] == "put / http/1.1"
    assert lines.count(f"host: 127.0.0.1:{other.port}") == 1 and "evil.example" not in other.heads[0]
    assert "content-length: 9" in lines and "user-agent: mine" in lines and "content-type: application/json" in lines
    assert response.status == 404
    assert (response.headers["x-ONE"], response.headers["content-type"]) == ("a, b", "text/plain")
    assert json.dumps(dict(response.headers))


@pytest.mark.parametrize(
    "options",
    [
        {"headers": {"X-Secret": "hidden\r\nX: y"}},
        {"headers": {"X-Secret: hidden\r\nX": "y"}},
        {"headers": {"X-Secret": "hidden\u20ac"}},
        {"method": "GET / HTTP/1.1\r\nX: hidden"},
    ],
)
def test_headers_that_would_end_too_early_are_refused(loopback, options):
    with peer(OK) as other, pytest.raises(BadRequest) as refused:
        fetch(f"http://127.0.0.1:{other.port}/", **options)
    assert other.heads == []
    assert "hidden" not in refused.value.message


# Settings -------------------------------------------------------------------------------------------------------------


def test_http_and_internal_addresses_are_allowed_by_settings(configured, names):
    names({"both": [["127.0.0.1", "127.0.0.2"]] * 2})
    with peer(OK) as other, peer(OK, host="::1") as six:
        four = f"http://127.0.0.1:{other.port}/"
        for options in ({}, {"fetch_http": True}, {"fetch_addresses": "127.0.0.1"}):
            configured(**options)
            with pytest.raises(BadRequest):
                fetch(four)
        configured(fetch_http=True, fetch_addresses="10.0.0.0/8, 127.0.0.1, ::1")
        assert fetch(four).status == 200
        assert fetch(f"http://[::ffff:127.0.0.1]:{other.port}/").status == 200
        assert fetch(f"http://[::1]:{six.port}/").status == 200
        with pytest.raises(BadRequest):
            fetch(f"http://both:{other.port}/")
        configured(fetch_http=True, fetch_addresses="127.0.0.0/30")
        assert fetch(f"http://both:{other.port}/").status == 200


def test_the_settings_are_checked():
    with pytest.raises(SettingError) as wrong:
        Settings.from_environment({"COMPTOIR_FETCH_HTTP": "maybe", "COMPTOIR_FETCH_ADDRESSES": "hooks.example"})
    assert wrong.value.wrong == (
        "COMPTOIR_FETCH_HTTP: expected 1 or 0, got 'maybe'",
        "COMPTOIR_FETCH_ADDRESSES: expected addresses or networks such as 10.0.0.5 or 10.0.0.0/24, got 'hooks.example'",
    )


def test_proxies_of_the_environment_are_not_used(loopback, monkeypatch):
    with peer(OK) as other, untouched() as port:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
            monkeypatch.setenv(name.upper(), f"http://127.0.0.1:{port}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert fetch(f"http://127.0.0.1:{other.port}/").status == 200


def test_the_library_is_loaded_only_for_a_request():
    program = "import sys, core.wsgi; print('urllib3' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )


# Addresses of a name --------------------------------------------------------------------------------------------------


def test_a_name_is_resolved_once(loopback, names):
    """DNS rebinding: the second resolution would lead to another address."""
    asked = names({"hooks.example": [["127.0.0.1"], ["127.0.0.2"]]})
    with peer(OK) as other:
        assert fetch(f"http://hooks.example:{other.port}/").body == b"ok"
    assert asked == ["hooks.example"]


@pytest.mark.parametrize(
    "internal", ["10.0.0.7", "169.254.169.254", "::1", "::ffff:10.0.0.7", "64:ff9b::a00:7", "fe80::1%lo"]
)
def test_one_internal_address_of_a_name_refuses_all(configured, names, internal):
    configured(fetch_http=True, fetch_addresses="127.0.0.1")
    with untouched() as port:
        for addresses in (["127.0.0.1", internal], [internal, "127.0.0.1"], [internal]):
            names({"hooks.example": [addresses]})
            with pytest.raises(BadRequest) as refused:
                fetch(f"http://hooks.example:{port}/")
            # The name may be one of the operator's network, so its address isn't shown
            assert internal not in refused.value.message and "hooks.example" in refused.value.message


def test_the_next_address_of_a_name_is_tried(loopback, configured, names):
    configured(fetch_http=True, fetch_addresses="127.0.0.0/8")
    names({"hooks.example": [["127.0.0.2", "127.0.0.1"]]})
    with peer(OK) as other:
        assert fetch(f"http://hooks.example:{other.port}/").status == 200


def test_the_first_address_has_all_of_the_time_once_it_has_accepted(loopback, names):
    names({"hooks.example": [["127.0.0.1", "::1"]]})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        target = http_client._read_url(f"http://hooks.example:{listener.getsockname()[1]}/")
        with closing(http_client._connect(target, 60)) as connection:
            assert (connection.host, connection.timeout) == ("127.0.0.1", 60)


def test_a_redirect_is_not_followed(loopback):
    with untouched("127.0.0.2") as port:
        moved = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:{port}/\r\nContent-Length: 0\r\n\r\n"
        with peer(moved.encode()) as other:
            response = fetch(f"http://127.0.0.1:{other.port}/")
    assert (response.status, response.headers["Location"]) == (302, f"http://127.0.0.2:{port}/")
    assert len(other.heads) == 1


# Certificates ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def tls(monkeypatch):
    """Trust the authority of the tests; return the context of a server."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
    http_client._tls.cache_clear()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "server.pem")
    asked = []
    context.sni_callback = lambda _, name, __: asked.append(name)
    context.asked = asked
    yield context
    http_client._tls.cache_clear()


def test_a_certificate_is_checked_for_the_name(configured, names, tls):
    configured(fetch_addresses="127.0.0.1")
    names({name: [["127.0.0.1"]] for name in ("hooks.example", "xn--mller-kva.example", "other.example")})
    with peer(OK, tls=tls) as other:
        assert fetch(f"https://hooks.example.:{other.port}/").body == b"ok"
        assert fetch(f"https://müller.example:{other.port}/").body == b"ok"
        assert tls.asked == ["hooks.example", "xn--mller-kva.example"]
        with pytest.raises(BadGateway) as refused:
            fetch(f"https://other.example:{other.port}/")
        with pytest.raises(BadGateway, match="IP address mismatch"):
            fetch(f"https://127.0.0.1:{other.port}/")
    assert len(other.heads) == 2
    assert refused.value.message == (
        f"no valid response from other.example:{other.port}: "
        "Hostname mismatch, certificate is not valid for 'other.example'."
    )


def test_an_unknown_authority_is_refused(configured, names, tls, monkeypatch):
    configured(fetch_addresses="127.0.0.1")
    names({"hooks.example": [["127.0.0.1"]]})
    monkeypatch.delenv("SSL_CERT_FILE")
    with peer(OK, tls=tls) as other, pytest.raises(BadGateway, match="unable to get local issuer certificate"):
        fetch(f"https://hooks.example:{other.port}/")
    assert other.heads == []


def test_a_server_without_tls_is_refused(loopback, tls):
    with peer(OK, greeting=b"220 mail.example\r\n") as other, pytest.raises(BadGateway, match="WRONG_VERSION_NUMBER"):
        fetch(f"https://127.0.0.1:{other.port}/")


# Responses ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "length", "is_cut"),
    [(b"x" * 65536, 65536, False), (b"x" * 65537, 65536, True), (b"x" * 1_000_000, 65536, True), (b"", 0, False)],
)
@pytest.mark.parametrize("way", ["length", "chunks", "end"])
def test_the_body_is_cut_after_64_kb(loopback, content, length, is_cut, way):
    head = {"length": f"Content-Length: {len(content)}", "chunks": "Transfer-Encoding: chunked", "end": "X: y"}[way]
    body = content
    if way == "chunks":
        parts = [content[start : start + 1000] for start in range(0, len(content), 1000)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    with peer(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body) as other:
        response = fetch(f"http://127.0.0.1:{other.port}/")
    assert (response.body, response.is_cut) == (content[:length], is_cut)


def test_a_compressed_body_stays_compressed(loopback):
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"
    with peer(head + b"\x1f\x8b\x08\x00") as other:
        assert fetch(f"http://127.0.0.1:{other.port}/").body == b"\x1f\x8b\x08\x00"
    assert "accept-encoding: identity" in other.heads[0].lower()


BROKEN = {
    "nothing": b"",
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "no status": b"HTTP/1.1 abc OK\r\n\r\n",
    "half a body": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
    "half a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    "no chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
    "a long header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_response_is_one_error(loopback, kind):
    with peer(BROKEN[kind]) as other, pytest.raises(BadGateway) as wrong:
        fetch(f"http://127.0.0.1:{other.port}/")
    assert wrong.value.message.startswith(f"no valid response from 127.0.0.1:{other.port}: ")
    assert "SSH" not in wrong.value.message and "0x" not in wrong.value.message
    assert (wrong.value.status, wrong.value.reason) == (502, "bad_gateway")
    assert words_of(wrong.value) == wrong.value.message


@examples(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", *BROKEN.values()]))
def test_whatever_comes_is_a_response_or_one_error(loopback, tail, head):
    with peer(head + tail) as other, suppress(BadGateway):
        assert fetch(f"http://127.0.0.1:{other.port}/").status >= 100


def test_malformed_headers_are_not_logged(loopback, caplog):
    with caplog.at_level(logging.DEBUG), peer(b"HTTP/1.1 200 OK\r\nno header\r\nContent-Length: 0\r\n\r\n") as other:
        fetch(f"http://127.0.0.1:{other.port}/secret")
    assert "secret" not in caplog.text


def test_a_port_without_server_and_a_name_without_address(loopback, monkeypatch):
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        with pytest.raises(BadGateway) as wrong:
            fetch(f"http://127.0.0.1:{port}/")
    assert wrong.value.message == f"no valid response from 127.0.0.1:{port}: Connection refused"

    def fail(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(BadGateway) as wrong:
        fetch("http://hooks.example/secret")
    assert wrong.value.message == "no valid response from hooks.example: Name or service not known"


# Time -----------------------------------------------------------------------------------------------------------------


def drip(*parts):
    """Send the last part for ever, byte by byte; it ends when the client has closed the connection."""
    *first, last = parts

    def handle(talk):
        talk.sendall(b"".join(first))
        while True:
            for byte in last:
                talk.sendall(bytes([byte]))
                ended.wait(0.01)

    ended = threading.Event()
    return handle


DRIPS = {
    "status": drip(b"HTTP/1.1 ", b"2"),
    "header": drip(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "long header": drip(b"HTTP/1.1 200 OK\r\nX: ", b"y"),
    "body": drip(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", b"z"),
    "chunks": drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nz\r\n"),
    "continue": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "silence": lambda talk: talk.recv(1),
}


@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
@pytest.mark.parametrize("kind", DRIPS)
def test_a_response_that_never_ends(loopback, names, tls, kind, secure):
    """The time is for all of it. `peer` also checks that the connection is closed."""
    names({"hooks.example": [["127.0.0.1"]] * 3})
    with peer(DRIPS[kind], tls=tls if secure else None) as other:
        # On a busy machine, the request may not have arrived after a short time
        for seconds in (0.2, 2, 20):
            with pytest.raises(BadGateway) as wrong:
                fetch(f"http{'s' * secure}://hooks.example:{other.port}/", seconds=seconds)
            if other.heads:
                break
    assert len(other.heads) == 1
    assert wrong.value.message == f"no complete response from hooks.example:{other.port} within {seconds} s"
    _all_ended()


def test_a_handshake_that_never_ends(loopback, names, tls):
    names({"hooks.example": [["127.0.0.1"]]})
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(BadGateway, match=r"within 0\.2 s"):
        fetch(f"https://hooks.example:{listener.getsockname()[1]}/", seconds=SHORT)
    _all_ended()


def test_a_body_that_is_never_read(loopback):
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(BadGateway, match=r"within 0\.2 s"):
        fetch(f"http://127.0.0.1:{listener.getsockname()[1]}/", method="POST", body=bytes(50_000_000), seconds=SHORT)
    _all_ended()


def test_a_name_that_is_resolved_too_late(loopback, monkeypatch):
    system, late = socket.getaddrinfo, threading.Event()

    def resolve(*arguments, **options):
        late.wait(PATIENCE)
        return system(*arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with peer(OK) as other:
        with pytest.raises(BadGateway, match=r"within 0\.2 s"):
            fetch(f"http://127.0.0.1:{other.port}/", seconds=SHORT)
        late.set()
        _all_ended()
    # The caller has reported a failure, so nothing is sent afterwards
    assert other.heads == []


def _all_ended():
    for each in threading.enumerate():
        if each.name == "comptoir-fetch":
            each.join(PATIENCE)
            assert not each.is_alive()


def test_an_author_catches_one_class():
    with pytest.raises(ApiError):
        fetch("https://127.0.0.1/")

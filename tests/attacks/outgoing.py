"""Requests that the server itself sends: one file sends them, and only to addresses that an operator allows."""

import ast
import socket

from tests.serving.running import ROOT

from .rows import row

#: what calls others; files that import it call nobody whom a request names
_CALLERS = {"urllib.request", "http.client", "requests", "httpx", "aiohttp", "urllib3", "smtplib", "ftplib", "socket"}
#: address of clients, of the server's own sockets, of the database: none is named by a request
_KNOWN = (
    "core/serving/",
    "core/commands/",
    "core/common/",
    "core/storage/",
    "core/transfer/",
    "core/loading/",
    "core/web/",
)
#: the only file that calls others; `tests/core/common/test_http_client.py` tries it with names and redirects
_CLIENT = "core/common/http_client.py"
#: this machine, the networks of the operator and the metadata of clouds, in several spellings
_INTERNAL = (
    *(
        "127.0.0.1",
        "localhost",
        "localhost.",
        "127.1",
        "0",
        "0.0.0.0",
        "2130706433",
        "0177.0.0.1",
        "0x7f.1",
        "127.0.0.1.",
    ),
    *(
        "[::1]",
        "[::]",
        "good.example@127.0.0.1",
        "10.0.0.7",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
    ),
    *("2852039166", "0xa9fea9fe", "168.63.129.16", "[fd00:ec2::254]", "[fe80::1%25lo]", "127。0。0。1", "①②⑦.0.0.1"),
)
#: an IPv4 address in one of IPv6
_MAPPED = (
    *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]", "[::ffff:a9fe:a9fe]", "[::ffff:10.0.0.7]"),
    *("[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]"),
)


def _imports(text):
    found = set()
    if not any(each.partition(".")[0] in text for each in _CALLERS):
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def _one_client(tally):
    for folder in ("modules", "explorer", "core"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            name = str(file.relative_to(ROOT))
            found = _imports(file.read_text()) & _CALLERS
            tally.check(
                not found or name == _CLIENT or (found == {"socket"} and name.startswith(_KNOWN)),
                f"{name} may call others: {found}",
            )


def _try_all(field, tally, hosts):
    """Have the server call its own machine; a socket listens there."""
    with socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        for host in hosts:
            for scheme in ("https", "http"):
                answer = field.ask("admin", "POST", "/relay", {"url": f"{scheme}://{host}:{port}/"})
                tally.same(400, answer.status, f"{scheme}://{host}")
        try:
            listener.accept()[0].close()
            tally.check(False, "the server has connected to its own machine")
        except BlockingIOError:
            tally.check(True, "")


@row("S60", "no request makes the server call its own machine or its network")
def addresses(field, tally):
    """A service of the samples calls each URL that it is sent."""
    _one_client(tally)
    _try_all(field, tally, _INTERNAL)


@row("S61", "an IPv6 address that stands for an internal IPv4 address is refused")
def mapped(field, tally):
    """The same with these."""
    _try_all(field, tally, _MAPPED)

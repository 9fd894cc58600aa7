"""Requests to other servers, for URLs that users choose.

Such a URL must not lead into the operator's network (server-side request forgery). So every address of its name is
checked, and the connection is made to one of the checked addresses: the name isn't resolved again.
"""

from __future__ import annotations

import logging
import re
import socket
import ssl
import string
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache, partial
from ipaddress import IPv4Address, IPv6Network, ip_network
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from .client_addresses import Address, read_address, read_networks
from .errors import BadGateway, BadRequest, shown
from .setting_checks import check_port
from .settings import settings

if TYPE_CHECKING:
    from urllib3.connection import HTTPConnection

#: bytes of a response's body
MAX_BODY_BYTES = 65_536

#: the addresses of IPv6 that are assigned to servers
_ASSIGNED = IPv6Network("2000::/3")
#: IPv6 addresses that stand for the IPv4 address in their last 32 bits
_NAT64 = IPv6Network("64:ff9b::/96")
#: not on the internet, whatever the version of `ipaddress` says: IANA's special-purpose registries, and multicast
_SPECIAL = tuple(
    ip_network(each)
    for each in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"),
        *("203.0.113.0/24", "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
        # Azure's metadata have a public address
        "168.63.129.16/32",
    )
)
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
#: a last label that makes the resolver read the host as a number: 127.1, 0x7f.1, 2130706433
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class Fetched:
    """The response of another server.

    :ivar headers: by name, in any case; several of one name are joined by commas
    :ivar body: as it was sent, at most 64 kB (65,536 bytes)
    :ivar is_cut: whether the body was longer
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool


def fetch(
    url: str,
    *,
    method: str = "GET",
    body: bytes = b"",
    headers: Mapping[str, str] = MappingProxyType({}),
    seconds: float = 10,
) -> Fetched:
    """Send a request to another server and return its response, whatever its status.

    A user may choose the URL. It must begin with ``https://``, and every address of its host must be public. The
    settings ``COMPTOIR_FETCH_HTTP`` and ``COMPTOIR_FETCH_ADDRESSES`` allow more. Redirects aren't followed, proxies of
    the environment aren't used. Certificates are checked against those of the system.

    Call it in a job or a ``checking`` handler: other writers may wait for an open transaction. ::

        response = fetch(url, method="POST", body=b'{"id": 1}', headers={"Content-Type": "application/json"})
        if response.status >= 300:
            raise ValueError(f"expected a status below 300, got {response.status}")

    :param headers: `Host` and `Content-Length` are added
    :param seconds: time for everything, from resolving the name to the last byte
    :returns: `status`, `headers` (names in any case), `body` (bytes, cut after 64 kB) and `is_cut`
    :raises BadRequest: the URL, an address of its host, the method or a header isn't allowed; nothing was sent
    :raises BadGateway: an `ApiError` of status 502: no connection, an invalid certificate or response, or not in time
    """
    try:
        target = _read_url(url)
    except ValueError as error:
        raise BadRequest(str(error)) from None
    exchange = _Exchange()
    arguments = target, seconds, method, body, headers
    Thread(target=exchange.run, args=arguments, name="comptoir-fetch", daemon=True).start()
    try:
        return exchange.result.result(seconds)
    except TimeoutError:
        exchange.leave()
        raise BadGateway(f"no complete response from {target.authority} within {seconds:g} s") from None


def check_url(url: str) -> None:
    """Check that `fetch` allows a URL, as far as that is known without resolving its host: when a user stores it.

    :raises ValueError: what was expected; the URL's path and query, which may be secret, aren't in the message
    """
    _read_url(url)


@dataclass(frozen=True)
class _Target:
    """A URL that was checked.

    :ivar host: in ASCII, without brackets
    :ivar authority: host and port, as the header `Host` has them
    :ivar path: with the query
    """

    is_secure: bool
    host: str
    port: int
    authority: str
    path: str


def _read_url(url: str) -> _Target:
    """:raises ValueError: what was expected"""
    # urlsplit removes line feeds and tabs without an error
    if not url.isprintable() or " " in url:
        raise ValueError("expected a URL without spaces and control characters")
    try:
        parts = urlsplit(url)
        host = _in_ascii((parts.hostname or "").removesuffix("."))
    except ValueError:
        raise ValueError("expected a URL such as https://host.example/path, got another form") from None
    schemes = ("https", "http") if settings().fetch_http else ("https",)
    if parts.scheme not in schemes:
        got = shown(parts.scheme) if parts.scheme else "no scheme"
        raise ValueError(f"expected a URL that begins with {':// or '.join(schemes)}://, got {got}")
    if "@" in parts.netloc:
        raise ValueError("expected a URL without user and password")
    check_port(parts)
    address = read_address(host)
    is_name = _NAME.fullmatch(host) and not _NUMBER.fullmatch(host.rpartition(".")[2])
    if "%" in host or not (address or is_name):
        raise ValueError(f"expected a host such as host.example, 198.51.100.1 or [2001:db8::1], got {shown(host)}")
    if address and not _is_allowed(address):
        raise ValueError(_refusal(host))
    is_secure = parts.scheme == "https"
    standard = 443 if is_secure else 80
    port = parts.port or standard
    authority = f"[{host}]" if ":" in host else host
    authority += "" if port == standard else f":{port}"
    path = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", safe=string.punctuation)
    return _Target(is_secure, host, port, authority, path)


def _in_ascii(host: str) -> str:
    """:raises ValueError: browsers may read the name as another one, or as a number in other digits"""
    if host.isascii():
        return host
    name = host.encode("idna")
    if name.decode("idna") != host:
        raise ValueError
    return name.decode()


def _refusal(host: str) -> str:
    # Without the address of a name, which is the operator's secret
    return f"expected a host with public addresses only, got {host}; COMPTOIR_FETCH_ADDRESSES can allow others"


def _is_allowed(address: Address) -> bool:
    if address in _NAT64:
        address = IPv4Address(int(address) & 0xFFFFFFFF)
    if any(address in each for each in read_networks(settings().fetch_addresses)):
        return True
    return (address.version == 4 or address in _ASSIGNED) and not any(address in each for each in _SPECIAL)


@cache
def _tls() -> ssl.SSLContext:
    # Reading the certificates of the system takes longer than a handshake
    return ssl.create_default_context()


def _connect(target: _Target, seconds: float) -> HTTPConnection:
    """Connect to the first address of a host that accepts, after all of its addresses were checked.

    :raises BadRequest: one of them isn't allowed
    """
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [*dict.fromkeys(str(place[0]) for *_, place in found)]
    for address in map(read_address, addresses):
        if address is None or not _is_allowed(address):
            raise BadRequest(_refusal(target.host))
    tls = partial(HTTPSConnection, server_hostname=target.host, ssl_context=_tls()) if target.is_secure else None
    for text in addresses:
        is_last = text == addresses[-1]
        # All others together leave time for the last one
        share = seconds if is_last else seconds / len(addresses)
        connection = (tls or HTTPConnection)(text, target.port, timeout=share)
        try:
            connection.connect()
            break
        except (ConnectTimeoutError, NewConnectionError):
            if is_last:
                raise
    connection.timeout = seconds
    return connection


class _Exchange:
    """A request and its response, in a thread that the caller of `fetch` can leave.

    A name that is resolved slowly, and headers that arrive byte by byte, don't exceed the time-out of any single step.
    """

    def __init__(self) -> None:
        self.result: Future[Fetched] = Future()
        self._socket: socket.socket | None = None
        self._is_left = False

    def leave(self) -> None:
        """Send nothing more, and close the connection."""
        self._is_left = True
        if self._socket is not None:
            with suppress(OSError):
                # SSLSocket has a method of its own, which only the thread that reads may call
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def run(self, target: _Target, seconds: float, method: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Set the result."""
        try:
            self.result.set_result(self._run(target, seconds, method, body, headers))
        except BaseException as error:  # noqa: BLE001 - the caller raises it
            self.result.set_exception(error)

    def _run(self, target: _Target, seconds: float, method: str, body: bytes, headers: Mapping[str, str]) -> Fetched:
        # Loaded only if it is needed
        from http.client import HTTPException

        from urllib3 import HTTPHeaderDict
        from urllib3.exceptions import HTTPError

        # It warns of malformed headers, with the URL, whose path may be secret
        logging.getLogger("urllib3.connection").setLevel(logging.ERROR)
        sent = HTTPHeaderDict({"User-Agent": "Comptoir"})
        sent.update(headers)
        sent["Host"] = target.authority
        try:
            with closing(_connect(target, seconds)) as connection:
                # Kept, because the connection forgets it when the response begins
                self._socket = connection.sock
                if self._is_left:
                    raise TimeoutError
                try:
                    connection.request(method, target.path, body or None, sent, preload_content=False)
                except ValueError:
                    raise BadRequest("expected a method and headers of Latin-1 without line feeds") from None
                with connection.getresponse() as response:
                    content = bytearray()
                    while len(content) <= MAX_BODY_BYTES and (part := response.read(MAX_BODY_BYTES, False)):
                        content += part
                    is_cut = len(content) > MAX_BODY_BYTES
                    return Fetched(response.status, response.headers, bytes(content[:MAX_BODY_BYTES]), is_cut)
        except (OSError, HTTPException, HTTPError) as error:
            cause = error.__cause__ or error
            if isinstance(cause, TimeoutError):
                raise cause from None
            # Without what the other server has sent
            words = getattr(cause, "verify_message", "") or getattr(cause, "strerror", "") or type(cause).__name__
            raise BadGateway(f"no valid response from {target.authority}: {words}") from error

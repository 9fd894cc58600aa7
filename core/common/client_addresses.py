"""The client address of a request behind proxies.

Each proxy appends the address of its own client to one header. The header is read from the right, as long as the
address is that of a configured proxy. Entries further to the left may be forged.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

#: prefix of IPv4 clients on an IPv6 socket
_MAPPED = "::ffff:"
_WRITTEN = re.compile(
    r"(?:\[(?P<six>[^\]:]*:[^\]]*)\]|(?P<four>[^:\[\]]*))(?::(?P<port>[0-9]{1,5}))?"
    r"|(?P<bare>[^\[\]:]*:[^\[\]:]*:.*)"
)


@lru_cache(maxsize=1024)
def read_address(text: str) -> Address | None:
    """Return an address as a proxy writes it: plain, with a port or in brackets; None if the text isn't an address.

    An IPv4-mapped IPv6 address becomes the IPv4 address. A zone is dropped, because only its own host understands it.
    """
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or int(found["port"] or 0) > 65535:
        return None
    host = found["six"] or found["four"] or found["bare"] or ""
    try:
        # A zone is arbitrary text and must not affect comparisons
        address = ip_address(host.partition("%")[0] if ":" in host else host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def read_networks(text: str) -> tuple[Network, ...]:
    """Return the addresses and networks of a comma-separated text.

    :raises ValueError: an entry is neither an address nor a network; the message has the entry
    """
    found = []
    for each in text.split(","):
        if not each.strip():
            continue
        try:
            network = ip_network(each.strip())
        except ValueError:
            text = each.strip()
            raise ValueError(f"expected addresses or networks such as 10.0.0.5 or 10.0.0.0/24, got {text!r}") from None
        found.append(network)
    return tuple(found)


class Proxies:
    """The proxies in front of a server.

    :param text: their addresses and networks, separated by commas
    """

    def __init__(self, text: str) -> None:
        self.networks = read_networks(text)

    def __contains__(self, peer: str) -> bool:
        """Return whether a peer is a configured proxy. A peer without an address is a program on this machine."""
        return not peer or peer.startswith("/") or self._is_one(read_address(peer))

    def _is_one(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self.networks)

    def client(self, peer: str, said: str) -> str:
        """Return the address of the client.

        :param peer: the address of the socket's peer; empty for a Unix socket
        :param said: the header, its lines joined by commas
        :returns: an address in its plain form; the peer unchanged if it isn't an address
        """
        if not said or peer not in self:
            return plain(peer)
        nearest = plain(peer)
        for entry in reversed(said.split(",")):
            if not entry.strip():
                continue
            address = read_address(entry)
            if address is None:
                # The sender of an unreadable entry is unknown: use the nearest known address
                break
            nearest = str(address)
            if not self._is_one(address):
                break
        return nearest

    @property
    def spelled(self) -> str:
        """The networks, with the IPv6-mapped form of each IPv4 network."""
        mapped = [
            f"{_MAPPED}{each.network_address}/{each.prefixlen + 96}"
            for each in self.networks
            if isinstance(each, IPv4Network)
        ]
        return ",".join([*map(str, self.networks), *mapped])


@lru_cache(maxsize=8)
def proxies_of(text: str) -> Proxies:
    """Return the proxies of a setting, cached."""
    return Proxies(text)


def plain(peer: str) -> str:
    """Return an address in its plain form; any other text unchanged."""
    address = read_address(peer)
    return peer if address is None else str(address)


#: bits of an IPv6 address that identify the customer's network; the client chooses the others
_GIVEN = 64


def network_of(address: str) -> str:
    """Return the network that is treated as one client: an IPv4 address, or the /64 network of an IPv6 address.

    :param address: a client's address in its plain form; any other text is returned unchanged
    """
    read = read_address(address)
    if isinstance(read, IPv6Address):
        return str(IPv6Network((read, _GIVEN), strict=False))
    return address if read is None else str(read)

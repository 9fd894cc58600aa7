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

_WITH_PORT = re.compile(r"(?:\[(?P<six>[^:\]]*:[^\]]*)\]|(?P<four>[0-9.]+))(?::[0-9]{1,5})?")


@lru_cache(maxsize=1024)
def read_address(text: str) -> Address | None:
    """Return an address as a proxy writes it: plain, with a port or in brackets; None if the text isn't an address.

    An IPv4-mapped IPv6 address becomes the IPv4 address. A zone is dropped, because only its own host understands it.
    """
    host = text.strip()
    if found := _WITH_PORT.fullmatch(host):
        host = found["six"] or found["four"]
    try:
        # A zone is arbitrary text and must not affect comparisons
        address = ip_address(host.partition("%")[0] if ":" in host else host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def read_networks(text: str) -> tuple[Network, ...]:
    """Return the addresses and networks of a comma-separated text.

    :raises ValueError: an entry is neither an address nor a network
    """
    try:
        return tuple(ip_network(each.strip()) for each in text.split(",") if each.strip())
    except ValueError:
        raise ValueError(f"expected addresses or networks such as 10.0.0.5 or 10.0.0.0/24, got {text!r}") from None


class Proxies:
    """The proxies in front of a server.

    :param text: their addresses and networks, separated by commas
    """

    def __init__(self, text: str) -> None:
        self.networks = read_networks(text)

    def __contains__(self, peer: str) -> bool:
        """Return whether a peer is a configured proxy. A peer without an address is a program on this machine."""
        address = read_address(peer)
        if address is None:
            return not peer or peer.startswith("/")
        return any(address in network for network in self.networks)

    def client(self, peer: str, said: str) -> str:
        """Return the address of the client.

        :param peer: the address of the socket's peer; empty for a Unix socket
        :param said: the header, its lines joined by commas
        :returns: an address in its plain form; the peer unchanged if it isn't an address
        """
        nearest = str(read_address(peer) or peer)
        for entry in reversed(said.split(",")):
            if not entry.strip():
                continue
            address = read_address(entry)
            if nearest not in self or address is None:
                # The sender of an unreadable entry is unknown: use the nearest known address
                break
            nearest = str(address)
        return nearest

    @property
    def spelled(self) -> str:
        """The networks, with the IPv6-mapped form of each IPv4 network, which an IPv6 socket has."""
        four = [each for each in self.networks if each.version == 4]
        mapped = [f"::ffff:{each.network_address}/{each.prefixlen + 96}" for each in four]
        return ",".join([*map(str, self.networks), *mapped])


#: the proxies of a setting
proxies_of = lru_cache(maxsize=8)(Proxies)


def network_of(address: str) -> str:
    """Return the network that is treated as one client: an IPv4 address, or the /64 network of an IPv6 address.

    :param address: a client's address in its plain form; any other text is returned unchanged
    """
    read = read_address(address)
    # The client chooses the other bits of an IPv6 address
    return str(IPv6Network((read, 64), strict=False)) if isinstance(read, IPv6Address) else str(read or address)

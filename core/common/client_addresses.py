"""Whom a request comes from, where proxies stand in front: their addresses, and what their header says.

Each proxy adds the address that it was called from at the right of one header, so that is read from the right, as long
as who wrote it is one of ours. What stands further to the left may have been written by anybody.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

#: where an IPv6 socket puts those who call by IPv4
_MAPPED = "::ffff:"


def read_address(text: str) -> Address | None:
    """An address as a proxy writes it: alone, with a port, in brackets; None when it is none.

    An IPv4 address in the dress of IPv6 is the IPv4 address; a zone, which means nothing elsewhere, is dropped.
    """
    text = text.strip()
    if text.startswith("["):
        text, bracket, port = text[1:].partition("]")
        if not bracket or "." in text.partition(":")[0] or not _is_port(port):
            return None
    elif text.count(":") == 1:
        text, colon, port = text.partition(":")
        if not _is_port(colon + port):
            return None
    if ":" in text:
        # A zone may be anything, and is not to be part of what is compared
        text = text.partition("%")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_port(text: str) -> bool:
    digits = text[1:]
    return not text or (text[0] == ":" and digits.isascii() and digits.isdigit() and int(digits[:6]) < 65536)


def read_networks(text: str) -> tuple[Network, ...]:
    """Addresses and networks, separated by commas.

    :raises ValueError: one is neither; says which
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
        self._known: dict[str, bool] = {}

    def __contains__(self, peer: str) -> bool:
        """Whether a socket's other end is one of ours. One without an address is a program of this machine."""
        known = self._known.get(peer)
        if known is None:
            known = not peer or peer.startswith("/") or self._is_one(read_address(peer))
            # Those who call come and go, proxies stay
            if known:
                self._known[peer] = known
        return known

    def _is_one(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self.networks)

    def client(self, peer: str, said: str) -> str:
        """The address of the client.

        :param peer: the socket's other end; empty: a program of this machine, by a socket in the file system
        :param said: what the header says, its lines joined by commas
        :returns: an address in its plain form; the peer as it is when that is none
        """
        if not said or peer not in self:
            return plain(peer)
        nearest = plain(peer)
        for entry in reversed(said.split(",")):
            if not entry.strip():
                continue
            address = read_address(entry)
            if address is None:
                # Nobody knows who stands behind it: the nearest who is known answers for it
                break
            nearest = str(address)
            if not self._is_one(address):
                break
        return nearest

    @property
    def spelled(self) -> str:
        """The same networks, each also as an IPv6 socket sees it."""
        mapped = [
            f"{_MAPPED}{each.network_address}/{each.prefixlen + 96}"
            for each in self.networks
            if isinstance(each, IPv4Network)
        ]
        return ",".join([*map(str, self.networks), *mapped])


@lru_cache(maxsize=8)
def proxies_of(text: str) -> Proxies:
    """The proxies of a setting, worked out once."""
    return Proxies(text)


@lru_cache(maxsize=1024)
def plain(peer: str) -> str:
    """An address in its plain form; anything else as it is."""
    address = read_address(peer)
    return peer if address is None else str(address)


#: bits of an IPv6 address that name whoever it was given to; the others are chosen at will
_GIVEN = 64


def network_of(address: str) -> str:
    """What counts as one place: an IPv4 address, or the network of 64 bits that an IPv6 address lies in.

    :param address: a client's address in its plain form; what is none stays as it is
    """
    read = read_address(address)
    if isinstance(read, IPv6Address):
        return str(IPv6Network((read, _GIVEN), strict=False))
    return address if read is None else str(read)

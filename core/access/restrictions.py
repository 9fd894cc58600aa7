"""Restrictions of keys, and the rule for all of them: a caller can't hand on more access than the caller has.

Each dimension of a restriction is a field of `Restriction`, an entry of `DIMENSIONS` and a column of `comptoir_key`, in
this order and with the same name. Every comparison of two restrictions uses the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import Any

from ..common.client_addresses import Network, read_address
from ..common.errors import Unauthorized


@dataclass(frozen=True)
class Restriction:
    """The restriction of a key; a dimension is None if it isn't restricted.

    :param rights: the rights that the key opens, of those its user holds
    :param addresses: the networks from which the key works, as `read_addresses` returns them
    :param expires: the instant (UTC) from which the key is rejected
    :param rate: requests a minute
    """

    rights: frozenset[str] | None = None
    addresses: tuple[Network, ...] | None = None
    expires: datetime | None = None
    rate: int | None = None

    def excess(self, other: Restriction, common: Restriction | None = None) -> str:
        """Return the access that another restriction opens beyond this one, as text; empty if it opens no more.

        :param common: the default of dimensions that a restriction leaves open
        """
        common = common or UNRESTRICTED
        for name, dimension in DIMENSIONS.items():
            own, theirs = (getattr(each, name) for each in (self, other))
            own, theirs = (getattr(common, name) if each is None else each for each in (own, theirs))
            if own is not None and (theirs is None or not dimension.within(theirs, own)):
                return dimension.excess(theirs, own)
        return ""

    def hand_on(self, asked: Restriction, common: Restriction | None = None) -> Restriction:
        """Return the restriction of a new key that a key with this one creates; open dimensions are inherited.

        :param common: as in `excess`
        :raises Unauthorized: the requested restriction opens more than this one
        """
        given = {each.name: getattr(asked, each.name) for each in fields(asked)}
        given = {name: getattr(self, name) if value is None else value for name, value in given.items()}
        self.ensure_covers(made := Restriction(**given), "create this key", common)
        return made

    def ensure_covers(self, other: Restriction, what: str, common: Restriction | None = None) -> None:
        """Raise if another restriction opens more than this one.

        :param what: the action, for the message
        :param common: as in `excess`
        :raises Unauthorized: the other restriction opens more
        """
        if excess := self.excess(other, common):
            raise Unauthorized(f"you can't {what}: {excess}")

    def columns(self) -> dict[str, Any]:
        """Return the columns of the key's row."""
        values = {name: getattr(self, name) for name in DIMENSIONS}
        return {name: None if value is None else DIMENSIONS[name].kept(value) for name, value in values.items()}

    def shown(self) -> dict[str, Any]:
        """Return the dimensions for display: rights and addresses as lists of text."""
        values = {name: getattr(self, name) for name in DIMENSIONS}
        return {name: None if value is None else DIMENSIONS[name].shown(value) for name, value in values.items()}


#: a key with all the rights of its user, from every address and without an end
UNRESTRICTED = Restriction()


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Dimension:
    """One dimension of a restriction.

    :param within: returns whether the first value opens no more than the second
    :param excess: returns, as text, what the first value (None: unrestricted) opens beyond the second
    :param read: converts the column to the value
    :param kept: converts the value to the column
    :param shown: converts the value for display
    """

    within: Callable[[Any, Any], bool]
    excess: Callable[[Any, Any], str]
    read: Callable[[Any], Any] = _as_it_is
    kept: Callable[[Any], Any] = _as_it_is
    shown: Callable[[Any], Any] = _as_it_is


DIMENSIONS = {
    "rights": Dimension(
        within=lambda rights, own: rights <= own,
        excess=lambda rights, own: (
            "that would grant all permissions, but your key has only some"
            if rights is None
            else f"that would grant the permission {min(rights - own)}, which you don't have"
        ),
        read=lambda text: frozenset(text.split()),
        kept=lambda rights: " ".join(sorted(rights)),
        shown=sorted,
    ),
    "addresses": Dimension(
        within=lambda networks, own: all(_lies_in(each, own) for each in networks),
        excess=lambda networks, own: (
            f"that would allow requests from {_first_outside(networks, own)}, "
            f"but your key works only from {' and '.join(map(spelled, own))}"
        ),
        read=lambda text: tuple(ip_network(each) for each in text.split()),
        kept=lambda networks: " ".join(map(spelled, networks)),
        shown=lambda networks: list(map(spelled, networks)),
    ),
    "expires": Dimension(
        within=lambda moment, own: moment <= own,
        excess=lambda moment, own: (
            f"that would give access {'forever' if moment is None else f'until {moment} UTC'}, "
            f"but your key expires on {own} UTC"
        ),
        # SQLite returns text for a handwritten statement
        read=lambda moment: datetime.fromisoformat(moment) if isinstance(moment, str) else moment,
    ),
    "rate": Dimension(
        within=lambda rate, own: rate <= own,
        excess=lambda rate, own: (
            f"that would allow {'any number of' if rate is None else rate} requests per minute, "
            f"but your key allows {own}"
        ),
    ),
}


@lru_cache(maxsize=4096)
def restriction_of(*columns: Any) -> Restriction:
    """Return the restriction in the columns of a key; the columns are in the order of the dimensions."""
    pairs = zip(DIMENSIONS.items(), columns, strict=True)
    return Restriction(**{name: None if value is None else each.read(value) for (name, each), value in pairs})


# Addresses -----------------------------------------------------------------------------------------------------------


def read_addresses(texts: Iterable[str]) -> tuple[tuple[Network, ...], list[str]]:
    """Return the networks in texts, collapsed, and an error message for each text without one."""
    networks, wrong = [], []
    for text in texts:
        try:
            networks.append(_read_network(text))
        except ValueError as error:
            wrong.append(f"expected addresses or networks such as 192.0.2.7 or 10.0.0.0/24, got {text!r:.60}{error}")
    return _collapsed(networks), wrong


def _read_network(text: str) -> Network:
    if "%" in text:
        raise ValueError("; an address can't include a zone (%eth0)")
    try:
        network = ip_network(text)
    except ValueError as error:
        host_bits = "/" in text and "host bits" in str(error)
        raise ValueError(f"; did you mean {ip_network(text, strict=False)}?" if host_bits else "") from None
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    # A client that calls by IPv4 has its IPv4 address, even on an IPv6 socket
    return IPv4Network((int(mapped), network.prefixlen - 96)) if mapped and network.prefixlen >= 96 else network


def _collapsed(networks: Iterable[Network]) -> tuple[Network, ...]:
    """Return the smallest list of networks with the same addresses, so that a subnet is always within one of them."""
    known = list(networks)
    old = collapse_addresses(each for each in known if isinstance(each, IPv4Network))
    new = collapse_addresses(each for each in known if isinstance(each, IPv6Network))
    return (*old, *new)


def spelled(network: Network) -> str:
    """Return a network as text; the plain address if it has only one."""
    return str(network.network_address if network.prefixlen == network.max_prefixlen else network)


def _lies_in(network: Any, others: Iterable[Network]) -> bool:
    return any(each.version == network.version and network.subnet_of(each) for each in others)


def _first_outside(networks: Any, own: Iterable[Network]) -> str:
    if networks is None:
        return "every address"
    return f"the address {spelled(next(each for each in networks if not _lies_in(each, own)))}"


@lru_cache(maxsize=4096)
def is_address_allowed(client: str, networks: tuple[Network, ...]) -> bool:
    """Return whether a client's address is in one of the networks; False for a client without an address."""
    address = read_address(client)
    return address is not None and any(address in each for each in networks)

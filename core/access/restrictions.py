"""What a key may be restricted to, and the one rule of all of it: nobody hands on more than they have.

Each dimension of a restriction is a field of `Restriction`, an entry of `DIMENSIONS` and a column of `comptoir_key`, in
this order and of the same name; whatever asks whether one restriction goes beyond another goes through the table.
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
    """What a key is restricted to; None: in this respect it is not.

    :param rights: the rights that it opens, of those its user holds
    :param addresses: the networks from which it may be used, as `read_addresses` gives them
    :param expires: the instant (UTC) from which it is refused
    :param rate: requests a minute
    """

    rights: frozenset[str] | None = None
    addresses: tuple[Network, ...] | None = None
    expires: datetime | None = None
    rate: int | None = None

    def excess(self, other: Restriction, common: Restriction | None = None) -> str:
        """What another restriction opens beyond this one, in words; empty: nothing.

        :param common: what holds for every key that says nothing itself
        """
        common = common or UNRESTRICTED
        for name, dimension in DIMENSIONS.items():
            own, theirs = (getattr(each, name) for each in (self, other))
            own, theirs = (getattr(common, name) if each is None else each for each in (own, theirs))
            if own is not None and (theirs is None or not dimension.within(theirs, own)):
                return dimension.excess(theirs, own)
        return ""

    def hand_on(self, asked: Restriction, common: Restriction | None = None) -> Restriction:
        """What a key that is made by one of this restriction is restricted to: what it asks for, and else the same.

        :param common: as in `excess`
        :raises Unauthorized: it asks for more
        """
        given = {each.name: getattr(asked, each.name) for each in fields(asked)}
        given = {name: getattr(self, name) if value is None else value for name, value in given.items()}
        self.insist_on(made := Restriction(**given), "make a key with", common)
        return made

    def insist_on(self, other: Restriction, what: str, common: Restriction | None = None) -> None:
        """Go on only if another restriction opens nothing beyond this one.

        :param what: what is about to be done with what it opens, for the message
        :param common: as in `excess`
        :raises Unauthorized: it opens more
        """
        if excess := self.excess(other, common):
            raise Unauthorized(f"you cannot {what} {excess}")

    def columns(self) -> dict[str, Any]:
        """The columns of a key that keep it."""
        values = {name: getattr(self, name) for name in DIMENSIONS}
        return {name: None if value is None else DIMENSIONS[name].kept(value) for name, value in values.items()}

    def shown(self) -> dict[str, Any]:
        """The same for people and programs: rights and addresses as lists of text."""
        values = {name: getattr(self, name) for name in DIMENSIONS}
        return {name: None if value is None else DIMENSIONS[name].shown(value) for name, value in values.items()}


#: a key that opens all that its user may do, from anywhere and for good
UNRESTRICTED = Restriction()


@dataclass(frozen=True)
class Dimension:
    """One respect in which a key may be restricted.

    :param within: whether a first value opens nothing beyond a second
    :param excess: says what a first one (None: no restriction) opens beyond a second
    :param read: makes the value of what the column holds
    :param kept: makes what the column holds of the value
    :param shown: makes what is answered of the value
    """

    within: Callable[[Any, Any], bool]
    excess: Callable[[Any, Any], str]
    read: Callable[[Any], Any]
    kept: Callable[[Any], Any]
    shown: Callable[[Any], Any]


def _as_it_is(value: Any) -> Any:
    return value


DIMENSIONS = {
    "rights": Dimension(
        within=lambda rights, own: rights <= own,
        excess=lambda rights, own: (
            "every right, and your key holds some only"
            if rights is None
            else f"the right {min(rights - own)}, which you do not hold yourself"
        ),
        read=lambda text: frozenset(text.split()),
        kept=lambda rights: " ".join(sorted(rights)),
        shown=sorted,
    ),
    "addresses": Dimension(
        within=lambda networks, own: all(_lies_in(each, own) for each in networks),
        excess=lambda networks, own: (
            f"{_first_outside(networks, own)}, and your key may be used from {' and '.join(map(spelled, own))} only"
        ),
        read=lambda text: tuple(ip_network(each) for each in text.split()),
        kept=lambda networks: " ".join(map(spelled, networks)),
        shown=lambda networks: list(map(spelled, networks)),
    ),
    "expires": Dimension(
        within=lambda moment, own: moment <= own,
        excess=lambda moment, own: (
            f"{'no end' if moment is None else f'the end {moment} UTC'}, and your key ends on {own} UTC"
        ),
        # SQLite answers text where a statement is not peewee's
        read=lambda moment: datetime.fromisoformat(moment) if isinstance(moment, str) else moment,
        kept=_as_it_is,
        shown=_as_it_is,
    ),
    "rate": Dimension(
        within=lambda rate, own: rate <= own,
        excess=lambda rate, own: (
            f"{'no limit' if rate is None else f'{rate} requests a minute'}, and your key has {own} a minute"
        ),
        read=_as_it_is,
        kept=_as_it_is,
        shown=_as_it_is,
    ),
}


@lru_cache(maxsize=4096)
def restriction_of(*columns: Any) -> Restriction:
    """The restriction that the columns of a key keep, which come in the order of the dimensions."""
    pairs = zip(DIMENSIONS.items(), columns, strict=True)
    return Restriction(**{name: None if value is None else each.read(value) for (name, each), value in pairs})


# Addresses -----------------------------------------------------------------------------------------------------------


def read_addresses(texts: Iterable[str]) -> tuple[tuple[Network, ...], list[str]]:
    """The networks that texts name, as few as say the same; and what is wrong with each text that names none."""
    networks, wrong = [], []
    for text in texts:
        try:
            networks.append(_read_network(text))
        except ValueError as error:
            wrong.append(f"expected addresses and networks such as 192.0.2.7 or 10.0.0.0/24, got {text!r:.60}: {error}")
    return _collapsed(networks), wrong


def _read_network(text: str) -> Network:
    if "%" in text:
        raise ValueError("a zone means nothing here")
    try:
        network = ip_network(text)
    except ValueError as error:
        host_bits = "/" in text and "host bits" in str(error)
        raise ValueError(f"the network is {ip_network(text, strict=False)}" if host_bits else "it is neither") from None
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    # Whoever calls by IPv4 is known by that address, whatever socket took the call
    return IPv4Network((int(mapped), network.prefixlen - 96)) if mapped and network.prefixlen >= 96 else network


def _collapsed(networks: Iterable[Network]) -> tuple[Network, ...]:
    """As few networks as hold the same addresses: then what lies in several of them together lies in one."""
    known = list(networks)
    old = collapse_addresses(each for each in known if isinstance(each, IPv4Network))
    new = collapse_addresses(each for each in known if isinstance(each, IPv6Network))
    return (*old, *new)


def spelled(network: Network) -> str:
    """A network; one of a single address as that address."""
    return str(network.network_address if network.prefixlen == network.max_prefixlen else network)


def _lies_in(network: Any, others: Iterable[Network]) -> bool:
    return any(each.version == network.version and network.subnet_of(each) for each in others)


def _first_outside(networks: Any, own: Iterable[Network]) -> str:
    outside = "every address" if networks is None else next(each for each in networks if not _lies_in(each, own))
    return outside if isinstance(outside, str) else f"the address {spelled(outside)}"


@lru_cache(maxsize=4096)
def is_address_allowed(client: str, networks: tuple[Network, ...]) -> bool:
    """Whether a client's address lies in one of these networks; one without an address lies in none."""
    address = read_address(client)
    return address is not None and any(address in each for each in networks)

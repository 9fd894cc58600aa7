"""What a key is restricted to: read, kept, compared, handed on."""

import itertools
from dataclasses import fields, replace
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core import Unauthorized
from core.access.restrictions import (
    DIMENSIONS,
    UNRESTRICTED,
    Restriction,
    is_address_allowed,
    read_addresses,
    restriction_of,
)
from core.for_natives import Key

NOON = datetime(2026, 11, 22, 12)
OFFICE, HOME = ip_network("10.0.0.0/24"), ip_network("192.0.2.7/32")


def test_a_dimension_is_one_entry():
    assert [each.name for each in fields(Restriction)] == list(DIMENSIONS)
    assert set(DIMENSIONS) <= set(Key._meta.fields)


def test_it_is_kept_in_columns_and_read_from_them():
    restriction = Restriction(frozenset(("b.read", "a.read")), (OFFICE, HOME), NOON, 60)
    columns = restriction.columns()
    assert columns == {"rights": "a.read b.read", "addresses": "10.0.0.0/24 192.0.2.7", "expires": NOON, "rate": 60}
    assert restriction_of(*columns.values()) == restriction
    assert restriction_of("", None, "2026-11-22 12:00:00", None) == Restriction(frozenset(), expires=NOON)
    assert restriction_of(None, None, None, None) == UNRESTRICTED


def test_addresses_are_read():
    asked = ["10.0.0.128/25", "10.0.0.0/25", "10.0.0.9", "::ffff:192.0.2.7", "2001:db8::/32", "192.0.2.7"]
    networks, wrong = read_addresses(asked)
    assert (list(map(str, networks)), wrong) == (["10.0.0.0/24", "192.0.2.7/32", "2001:db8::/32"], [])


@pytest.mark.parametrize(
    "text", ["", "x", "10.0.0.5/24", "10.0.0", "10.0.0.0/33", "1.2.3.4:80", "fe80::1%eth0", "010.0.0.1", "::/129", "*"]
)
def test_what_is_no_address_is_named(text):
    networks, wrong = read_addresses(["10.0.0.1", text, "nowhere"])
    assert len(networks) == 1
    assert [repr(text) in wrong[0], "'nowhere'" in wrong[1], len(wrong)] == [True, True, 2]


@pytest.mark.parametrize(
    ("client", "allowed"),
    [
        ("10.0.0.5", True),
        ("::ffff:10.0.0.5", True),
        ("192.0.2.7", True),
        ("192.0.2.8", False),
        ("10.0.1.0", False),
        ("2001:db8::1", False),
        ("", False),
        ("unix", False),
    ],
)
def test_a_client_lies_in_a_network_or_not(client, allowed):
    assert is_address_allowed(client, (OFFICE, HOME)) is allowed


@pytest.mark.parametrize(
    ("own", "other", "words"),
    [
        (Restriction(rights=frozenset(("a.read",))), UNRESTRICTED, "all permissions"),
        (Restriction(rights=frozenset(("a.read",))), Restriction(rights=frozenset(("a.read", "b.read"))), "b.read"),
        (Restriction(addresses=(OFFICE,)), UNRESTRICTED, "every address"),
        (Restriction(addresses=(OFFICE,)), Restriction(addresses=(OFFICE, HOME)), "192.0.2.7"),
        (Restriction(addresses=(OFFICE,)), Restriction(addresses=(ip_network("10.0.0.0/23"),)), "10.0.0.0/23"),
        (Restriction(addresses=(OFFICE,)), Restriction(addresses=(ip_network("::/0"),)), "::/0"),
        (Restriction(expires=NOON), UNRESTRICTED, "forever"),
        (Restriction(expires=NOON), Restriction(expires=NOON + timedelta(seconds=1)), "2026-11-22 12:00:01"),
        (Restriction(rate=60), UNRESTRICTED, "any number of requests"),
        (Restriction(rate=60), Restriction(rate=61), "61 requests"),
    ],
)
def test_what_goes_beyond_is_named(own, other, words):
    assert words in own.excess(other)
    with pytest.raises(Unauthorized, match="you can't hand on a key: .*" + words.replace(".", r"\.")):
        own.ensure_covers(other, "hand on a key")
    assert own.excess(own) == UNRESTRICTED.excess(other) == ""


def test_what_holds_for_every_key_counts_where_one_says_nothing():
    common = Restriction(rate=60)
    assert UNRESTRICTED.excess(Restriction(rate=61), common)
    assert not UNRESTRICTED.excess(UNRESTRICTED, common)
    assert not UNRESTRICTED.excess(Restriction(rate=60), common)
    assert not Restriction(rate=90).excess(UNRESTRICTED, common)
    assert Restriction(rate=30).excess(UNRESTRICTED, common)
    # What follows the setting goes on following it
    assert UNRESTRICTED.hand_on(UNRESTRICTED, common) == UNRESTRICTED


# Whatever the restrictions are ----------------------------------------------------------------------------------------

NETWORKS = [ip_network(each) for each in ("10.0.0.0/30", "10.0.0.0/31", "10.0.0.2/31", "10.0.0.1", "::/126", "::2")]
#: every request that tells one restriction from another: right, address, instant, which of a minute
REQUESTS = list(
    itertools.product(
        ("a.read", "b.read", "c.read", "d.read"),
        [ip_address(each) for each in ("10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3", "::1", "::2", "::9")],
        [NOON + timedelta(hours=each) for each in range(4)],
        range(1, 6),
    )
)


def collapsed(networks):
    return read_addresses(map(str, networks))[0]


restrictions = some.builds(
    Restriction,
    some.none() | some.frozensets(some.sampled_from(["a.read", "b.read", "c.read"])),
    some.none() | some.sets(some.sampled_from(NETWORKS), min_size=1).map(collapsed),
    some.none() | some.integers(0, 3).map(lambda hours: NOON + timedelta(hours=hours)),
    some.none() | some.integers(1, 4),
)


def opened(restriction):
    """The requests that a key of this restriction may make, worked out without the table."""
    return {
        (right, address, moment, number)
        for right, address, moment, number in REQUESTS
        if (restriction.rights is None or right in restriction.rights)
        and (restriction.addresses is None or any(address in each for each in restriction.addresses))
        and (restriction.expires is None or moment < restriction.expires)
        and (restriction.rate is None or number <= restriction.rate)
    }


@given(restrictions, restrictions)
def test_what_a_key_may_not_do_it_may_not_give_to_another_key(own, asked):
    try:
        given = own.hand_on(asked)
    except Unauthorized:
        # Nothing is refused that one has oneself: something is asked for that is wider
        filled = {each.name: getattr(asked, each.name) for each in fields(asked)}
        filled = {name: getattr(own, name) if value is None else value for name, value in filled.items()}
        alone = [Restriction(**{name: value}) for name, value in filled.items()]
        owned = [Restriction(**{name: getattr(own, name)}) for name in filled]
        assert any(opened(theirs) - opened(ours) for theirs, ours in zip(alone, owned, strict=True))
    else:
        assert opened(given) <= opened(own)
        assert opened(given) <= opened(asked)
        assert own.excess(given) == ""


@given(some.lists(restrictions, min_size=2, max_size=5))
def test_no_chain_of_keys_leads_beyond_the_first(chain):
    first = current = chain[0]
    for asked in chain[1:]:
        try:
            current = current.hand_on(asked)
        except Unauthorized:
            continue
    assert first.excess(current) == ""
    assert opened(current) <= opened(first)


@given(restrictions, restrictions)
def test_excess_is_what_another_one_opens_in_one_dimension(own, other):
    for name in DIMENSIONS:
        mine, theirs = (Restriction(**{name: getattr(each, name)}) for each in (own, other))
        assert bool(mine.excess(theirs)) == bool(opened(theirs) - opened(mine)), name
        assert mine.excess(replace(theirs, **{name: getattr(own, name)})) == ""

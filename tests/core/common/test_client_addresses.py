"""Whom a request comes from: counted from the right past our proxies, and never by what a client can write."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.client_addresses import Proxies, network_of, read_address, read_networks
from core.common.settings import SettingError, Settings

PROXIES = "127.0.0.1,10.0.0.0/8,::1,2001:db8:1::/48"
OURS = ["127.0.0.1", "10.0.0.7", "10.255.1.2", "::1", "2001:db8:1::9"]
THEIRS = ["198.51.100.7", "11.0.0.1", "2001:db8:2::1", "192.0.2.1"]


@pytest.mark.parametrize(
    ("peer", "said", "client"),
    [
        ("198.51.100.7", "", "198.51.100.7"),
        # nobody but a proxy is believed
        ("198.51.100.7", "192.0.2.1", "198.51.100.7"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "192.0.2.1, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "192.0.2.1, 198.51.100.7, 10.3.2.1", "198.51.100.7"),
        ("127.0.0.1", "10.1.1.1, 10.3.2.1", "10.1.1.1"),
        # several lines are joined by commas
        ("::1", "192.0.2.1,198.51.100.7,,10.0.0.1 ,", "198.51.100.7"),
        # what is no address: the nearest who is known answers for it
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.1, _hidden, 10.0.0.9", "10.0.0.9"),
        ("127.0.0.1", "192.0.2.1, 1.2.3.4.5", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.1, 010.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "for=198.51.100.7", "127.0.0.1"),
        # ports, brackets, zones, capitals, IPv4 in the dress of IPv6
        ("127.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
        ("127.0.0.1", "[2001:DB8:2::0001]:4711", "2001:db8:2::1"),
        ("127.0.0.1", "[2001:db8:2::1]", "2001:db8:2::1"),
        ("127.0.0.1", "fe80::1%eth0", "fe80::1"),
        ("127.0.0.1", "[fe80::1%25eth0]:80", "fe80::1"),
        ("127.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"),
        ("::ffff:127.0.0.1", "198.51.100.7, ::ffff:10.1.1.1", "198.51.100.7"),
        ("127.0.0.1", "198.51.100.7:", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.7:999999", "127.0.0.1"),
        ("127.0.0.1", "[198.51.100.7]", "127.0.0.1"),
        ("127.0.0.1", "[2001:db8:2::1", "127.0.0.1"),
        # a socket in the file system: whoever reaches it is a program of this machine
        ("", "198.51.100.7", "198.51.100.7"),
        ("/run/comptoir.sock", "198.51.100.7", "198.51.100.7"),
        ("", "", ""),
    ],
)
def test_the_client_of_a_request(peer, said, client):
    assert Proxies(PROXIES).client(peer, said) == client


entries = st.one_of(
    st.sampled_from([*OURS, *THEIRS, "", " ", "unknown", "[::1]:80", "10.0.0.1:80", "::ffff:10.0.0.1", "1.2.3"]),
    st.ip_addresses().map(str),
    st.text(max_size=12).filter(lambda text: "," not in text),
)


@given(st.sampled_from(OURS), st.lists(entries), st.sampled_from(THEIRS), st.lists(st.sampled_from(OURS)))
def test_nothing_that_a_client_writes_changes_its_address(peer, written, client, ours):
    """A client writes what it likes; the first of our proxies adds the client's address, each further one a proxy's."""
    assert Proxies(PROXIES).client(peer, ",".join([*written, client, *ours])) == client


@given(st.one_of(st.sampled_from([*OURS, *THEIRS, ""]), st.text(max_size=20)), st.lists(entries), st.text(max_size=30))
def test_any_header_is_read_without_a_failure(peer, written, more):
    found = Proxies(PROXIES).client(peer, ",".join([*written, more]))
    assert found == peer or str(ip_address(found)) == found


@given(st.sampled_from(THEIRS), st.lists(entries))
def test_who_is_no_proxy_is_not_believed(peer, written):
    assert Proxies(PROXIES).client(peer, ",".join(written)) == peer


@given(st.ip_addresses(), st.integers(0, 65535))
def test_an_address_is_read_however_it_is_written(address, port):
    plain = getattr(address, "ipv4_mapped", None) or address
    text = str(address)
    ways = [text, f" {text} ", f"[{text}]:{port}", f"[{text}]"] if ":" in text else [text, f"{text}:{port}"]
    assert [read_address(each) for each in ways] == [plain] * len(ways)


def test_a_dual_socket_s_proxies_are_known_to_the_http_server_too():
    spelled = read_networks(Proxies("10.0.0.0/8,127.0.0.1,::1").spelled)
    for address in ("10.9.9.9", "127.0.0.1", "::1", "::ffff:10.9.9.9", "::ffff:127.0.0.1"):
        assert any(ip_address(address) in network for network in spelled), address
    for address in ("11.0.0.1", "127.0.0.2", "::ffff:11.0.0.1", "::2"):
        assert not any(ip_address(address) in network for network in spelled), address


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PROXIES", "localhost"),
        ("PROXIES", "10.0.0.1/8"),
        ("PROXIES", "*"),
        ("CLIENT_HEADER", "Forwarded"),
        ("CLIENT_HEADER", "X Forwarded"),
        ("SLOW", "-1"),
        ("SLOW", "nan"),
        ("LOG_FORMAT", "xml"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name, value):
    with pytest.raises(SettingError, match=f"COMPTOIR_{name}: expected"):
        Settings.from_environment({f"COMPTOIR_{name}": value})


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("not an address", "not an address"),
    ],
)
def test_what_counts_as_one_place(address, network):
    assert network_of(address) == network

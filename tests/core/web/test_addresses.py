"""Where the application takes a client's address from."""

import pytest
from falcon.testing import create_environ

from core.common.settings import Settings, current_settings
from core.web.request_states import address_of


@pytest.fixture
def configured(sample_server, monkeypatch):
    """Change the settings until the end of the test."""
    return lambda **options: monkeypatch.setattr(current_settings, "value", Settings(**options))


def client(peer="127.0.0.1", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return address_of(create_environ(headers=named, remote_addr=peer))


def test_only_the_header_of_the_setting_is_read(configured):
    told = {"Forwarded": "for=192.0.2.9", "X_Real_IP": "192.0.2.8", "X_Forwarded_For": "192.0.2.7"}
    configured()
    assert client(**told) == "192.0.2.7"
    assert client(Forwarded="for=192.0.2.9", X_Real_IP="192.0.2.8") == "127.0.0.1"
    configured(client_header="X-Real-IP")
    assert client(**told) == "192.0.2.8"
    configured(client_header="")
    assert client(**told) == "127.0.0.1"
    configured(proxies="")
    assert client(**told) == "127.0.0.1"
    assert client("198.51.100.1", **told) == "198.51.100.1"


@pytest.mark.slow
@pytest.mark.parametrize("header", ["Forwarded", "X-Real-IP"])
def test_failed_logins_are_counted_whatever_a_client_writes(sample_server, header):
    stranger = sample_server.client(None)
    # each kind of header in a test of its own must not find the failures of the other
    peer = {"Forwarded": "198.51.100.21", "X-Real-IP": "198.51.100.22"}[header]
    statuses = [
        stranger.simulate_post(
            "/login",
            json={"login": f"nobody{number}", "password": "wrong"},
            headers={header: f"for=203.0.113.{number}" if header == "Forwarded" else f"203.0.113.{number}"},
            remote_addr=peer,
        ).status_code
        for number in range(14)
    ]
    assert statuses[:10] == [403] * 10
    # The wait doubles with each
    assert statuses[-1] == 429


@pytest.mark.slow
def test_nobody_is_locked_out_in_another_s_name(sample_server):
    stranger = sample_server.client(None)
    login = {"login": "nobody", "password": "wrong"}
    for number in range(11):
        stranger.simulate_post(
            "/login", json=login | {"login": f"x{number}"}, headers={"X-Forwarded-For": "203.0.113.77"},
            remote_addr="198.51.100.23",
        )  # fmt: skip
    answer = stranger.simulate_post("/login", json=login, remote_addr="203.0.113.77")
    assert answer.status_code == 403

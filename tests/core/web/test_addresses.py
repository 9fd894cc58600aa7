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

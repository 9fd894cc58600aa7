"""Fixtures that tests of several modules use."""

import pytest


@pytest.fixture(scope="module")
def customer(admin):
    """The ID of a customer."""
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})


@pytest.fixture(scope="module")
def old(old_server):
    """An administrator's client in the profile `dolibarr16`."""
    return old_server.client()

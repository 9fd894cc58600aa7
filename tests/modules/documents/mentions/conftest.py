"""A server whose company is set anew for each country."""

import pytest

from core.testing import Served, make_settings


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server over SQLite."""
    served = Served(make_settings(tmp_path_factory.mktemp("mentions")))
    yield served
    served.close()


@pytest.fixture
def admin(served):
    """An administrator of it."""
    return served.client()

"""A yard on each kind of database."""

import pytest

from tests.modules.shipments.parcels import make_yard


@pytest.fixture(scope="module")
def yard(admin):
    return make_yard(admin)

"""A yard on each kind of database."""

from __future__ import annotations

import pytest

from core.testing import Client
from tests.modules.shipments.parcels import Yard, make_yard


@pytest.fixture(scope="module")
def yard(admin: Client) -> Yard:
    return make_yard(admin)

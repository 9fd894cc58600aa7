"""The laws hold after any series of operations, in the profile `dolibarr16`."""

import pytest

from tests.laws.searching import search

pytestmark = pytest.mark.slow


def test_the_laws_hold_after_any_series_of_operations(old_server):
    search(old_server.client(), is_old=True)

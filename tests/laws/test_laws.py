"""The laws hold after any series of operations, in the profile `specification`."""

import pytest

from tests.laws.searching import search

pytestmark = pytest.mark.slow


def test_the_laws_hold_after_any_series_of_operations(server):
    search(server.client())

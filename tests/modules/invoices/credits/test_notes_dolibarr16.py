"""The same credit notes in the profile `dolibarr16`."""

import pytest

from tests.modules.invoices.credits.office import open_office
from tests.modules.invoices.credits.test_notes import *  # noqa: F403


@pytest.fixture
def office(old_server):
    return open_office(old_server, is_old=True)

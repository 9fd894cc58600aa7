"""A server with the table of `numbered.py`."""

import pytest

from core.storage.database import ensure_connected
from modules.numbering.models import Counter
from modules.setup.constants import unset_constant
from tests.modules.numbering.numbered import Numbered


@pytest.fixture
def served(server):
    ensure_connected()
    Numbered.create_table(safe=True)
    for model in (Numbered, Counter):
        model.delete().execute()
    yield server
    for name in ("SOCIETE_FISCAL_MONTH_START", "MAIN_COUNTER_WITH_LESS_3_DIGITS"):
        unset_constant(name)

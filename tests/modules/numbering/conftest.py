"""A server with the table of `numbered.py`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.storage.database import ensure_connected
from core.testing import Served
from modules.numbering.models import Counter
from modules.setup.constants import unset_constant
from tests.modules.numbering.numbered import Numbered


@pytest.fixture
def served(server: Served) -> Iterator[Served]:
    ensure_connected()
    Numbered.create_table(safe=True)
    for model in (Numbered, Counter):
        model.delete().execute()
    yield server
    for name in ("SOCIETE_FISCAL_MONTH_START", "MAIN_COUNTER_WITH_LESS_3_DIGITS"):
        unset_constant(name)

"""A server with two customers and five callers."""

import pytest

from core.common.clock import as_if
from core.testing import serving
from tests.modules.callers.world import DAY, Undo, World


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The native modules on SQLite, at noon of a fixed day."""
    with serving(tmp_path_factory.mktemp("callers")) as made, as_if(DAY + 12 * 3600):
        yield made


@pytest.fixture(scope="module")
def world(served):
    """Two customers and the callers."""
    return World(served)


@pytest.fixture(scope="module")
def undo(served, world):
    """Undo what a request has changed."""
    made = Undo(served)
    yield made
    made.close()

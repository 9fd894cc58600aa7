"""The module of `store.py`, served."""

import pytest

from core.testing import serving
from tests.core.records.store import fill


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    """The native modules and the depot, on each kind of database."""
    folder = tmp_path_factory.mktemp("depot")
    with serving(folder, kind, modules=fill(folder / "outside")) as served:
        yield served


@pytest.fixture(scope="module")
def admin(served):
    return served.client()


@pytest.fixture
def crate(admin):
    return admin.ask("POST", "/depotcrates", {"name": "Crate"})

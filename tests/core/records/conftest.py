"""The module of `store.py`, served."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.testing import Client, Served, drop_database, make_settings
from tests.core.records.store import fill


@pytest.fixture(scope="module")
def served(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The native modules and the depot, on each kind of database."""
    folder = tmp_path_factory.mktemp("depot")
    served = Served(make_settings(folder, kind, modules=fill(folder / "outside")))
    yield served
    served.close()
    drop_database(served.settings.database)


@pytest.fixture(scope="module")
def admin(served: Served) -> Client:
    return served.client()


@pytest.fixture
def crate(admin: Client) -> int:
    return admin.ask("POST", "/depotcrates", {"name": "Crate"})  # type: ignore[no-any-return]

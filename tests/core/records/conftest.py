"""The module of `store.py`, served."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.testing import Client, Served, serving
from tests.core.records.store import fill


@pytest.fixture(scope="module")
def served(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The native modules and the depot, on each kind of database."""
    folder = tmp_path_factory.mktemp("depot")
    with serving(folder, kind, modules=fill(folder / "outside")) as served:
        yield served


@pytest.fixture(scope="module")
def admin(served: Served) -> Client:
    return served.client()


@pytest.fixture
def crate(admin: Client) -> int:
    return admin.ask("POST", "/depotcrates", {"name": "Crate"})  # type: ignore[no-any-return]

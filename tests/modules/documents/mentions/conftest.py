"""A server whose company is set anew for each country."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.testing import Client, Served, make_settings


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over SQLite."""
    served = Served(make_settings(tmp_path_factory.mktemp("mentions")))
    yield served
    served.close()


@pytest.fixture
def admin(served: Served) -> Client:
    """An administrator of it."""
    return served.client()

"""Servers with templates of few bytes: one for the tests of a file, and those with settings of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.testing import Client, Served
from tests.modules.documents.calls import (
    MODULES,
    Start,
    serve_modules,
)


@pytest.fixture(scope="module")
def server(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with these templates, on each kind of database."""
    yield from serve_modules(kind, tmp_path_factory.mktemp(f"documents_{kind}"))


@pytest.fixture
def client(server: Served) -> Client:
    """An administrator of it."""
    return server.client()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server with settings of one's own; answers an administrator's client of it."""
    running: list[Iterator[Served]] = []

    def begin(files: dict[str, str] = MODULES, **options: Any) -> Client:
        running.append(serve_modules("sqlite", tmp_path, files, **options))
        return next(running[-1]).client()

    yield begin
    for each in running:
        next(each, None)

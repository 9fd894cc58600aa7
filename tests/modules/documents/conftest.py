"""A server with settings of one's own."""

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

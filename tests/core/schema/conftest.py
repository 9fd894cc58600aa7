"""`author` edits a module of a running server, on each kind of database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.core.schema.authors import Author


@pytest.fixture
def author(kind: str, serve: Any, folder: Path) -> Author:
    return Author(serve(kind, modules=str(folder)), folder)

"""A server over the folder of the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.testing import Served


@pytest.fixture
def served(serve: Any, folder: Path) -> Served:
    return serve(modules=str(folder))  # type: ignore[no-any-return]

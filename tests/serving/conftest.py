"""`start` starts real servers and ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serving.running import Running

Start = Callable[..., Running]
#: tells what the test of a fault saw
Seen = Callable[[str], None]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``start(workers=3, timeout=5)``: a server over this test's folder, with settings of one's own."""
    servers: list[Running] = []

    def begin(*, wait: bool = True, **settings: Any) -> Running:
        server = Running(tmp_path, **settings)
        servers.append(server)
        return server.started() if wait else server

    yield begin
    for server in servers:
        server.stop()

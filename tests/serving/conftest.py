"""`start` starts real servers and ends them."""

from collections.abc import Callable

import pytest

from core.testing import DATABASE_KINDS, drop_database, fresh_database, why_unavailable
from tests.serving.running import Running

Start = Callable[..., Running]
#: tells what the test of a fault saw
Seen = Callable[[str], None]


@pytest.fixture
def start(tmp_path):
    """``start(workers=3, timeout=5)``: a server over this test's folder, with settings of one's own."""
    servers = []

    def begin(*, wait=True, **settings):
        # Whoever does not wait is about to see how a start goes
        server = Running(tmp_path, known=wait, **settings)
        servers.append(server)
        return server.started() if wait else server

    yield begin
    for server in servers:
        server.stop()


@pytest.fixture(params=DATABASE_KINDS)
def url(request, tmp_path):
    """An empty database of each kind."""
    if reason := why_unavailable(request.param):
        pytest.skip(reason)
    made = fresh_database(request.param, tmp_path)
    yield made
    drop_database(made)


def on_every_kind(often):
    """On each kind of database; continuous integration has time for one."""
    kinds = [pytest.param(kind, marks=() if kind == often else pytest.mark.lasting) for kind in DATABASE_KINDS]
    return pytest.mark.parametrize("url", kinds, indirect=True)

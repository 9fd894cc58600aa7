"""Real servers: `server` is one for a file; `start` starts those of a test that kills its own, or needs other settings."""

from contextlib import contextmanager

import pytest

from core.testing import DATABASE_KINDS, drop_database, fresh_database, why_unavailable
from tests.serving.running import Running


@pytest.fixture(scope="module")
def server(request, tmp_path_factory):
    """The server of a file, with the settings in its `SERVER`. A test leaves it running, with all its workers."""
    with Running(tmp_path_factory.mktemp("server"), known=True, **getattr(request.module, "SERVER", {})) as server:
        yield server


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


def on_every_kind(*often, name="url", **scope):
    """On each kind of database; continuous integration has time for some."""
    kinds = [pytest.param(kind, marks=() if kind in often else pytest.mark.lasting) for kind in DATABASE_KINDS]
    return pytest.mark.parametrize(name, kinds, indirect=True, **scope)


@contextmanager
def running_over(kind, folder, **settings):
    """A server over an empty database of a kind."""
    if reason := why_unavailable(kind):
        pytest.skip(reason)
    url = fresh_database(kind, folder)
    try:
        with Running(folder, database=url, **settings) as server:
            yield server
    finally:
        drop_database(url)

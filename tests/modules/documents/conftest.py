"""Servers with templates of few bytes: one for the tests of a file, and those with settings of one's own."""

import pytest

from tests.modules.documents.calls import (
    MODULES,
    serve_modules,
)


@pytest.fixture(scope="module")
def server(kind, tmp_path_factory):
    """A server with these templates, on each kind of database."""
    yield from serve_modules(kind, tmp_path_factory.mktemp(f"documents_{kind}"))


@pytest.fixture
def client(server):
    """An administrator of it."""
    return server.client()


@pytest.fixture
def start(tmp_path):
    """Start a server with settings of one's own; answers an administrator's client of it."""
    running = []

    def begin(files=MODULES, **options):
        running.append(serve_modules("sqlite", tmp_path, files, **options))
        return next(running[-1]).client()

    yield begin
    for each in running:
        next(each, None)

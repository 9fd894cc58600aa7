"""`author` edits a module of a running server, on each kind of database."""

import pytest

from tests.core.schema.authors import Author


@pytest.fixture
def author(kind, serve, folder):
    return Author(serve(kind, modules=str(folder)), folder)

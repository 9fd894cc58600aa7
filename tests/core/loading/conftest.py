"""A server over the folder of the test."""

import pytest


@pytest.fixture
def served(serve, folder):
    return serve(modules=str(folder))

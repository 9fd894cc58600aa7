"""Fixtures of jobs: a server with the module `post`, and a clock that is told."""

import pytest

from core.common import clock as clocks
from core.jobs.table import Job
from core.testing import serving

from .samples import write_post

#: 2027-01-15 08:00:00 UTC
NOW = 1_800_000_000


class Clock:
    """Says what it is told."""

    def __init__(self):
        self.seconds = float(NOW)

    def __call__(self):
        return self.seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The clock of jobs meanwhile; it stands."""
    told = Clock()
    monkeypatch.setattr(clocks.clock, "value", told)
    return told


@pytest.fixture(scope="module")
def posts(kind, tmp_path_factory):
    """A server with the module `post`, on each kind of database."""
    folder = tmp_path_factory.mktemp(kind)
    with serving(folder, kind, modules=str(write_post(folder / "modules")), timezone="Europe/Paris") as served:
        yield served


@pytest.fixture
def post(posts):
    """The same, with an empty queue."""
    Job.delete().execute()
    return posts

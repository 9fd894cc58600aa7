"""One run of the tests: its name is part of the names of its databases, so that another run can tell them apart.

A run that was killed leaves databases behind. While a run lasts it holds a lock of its name on each server; the next run
drops the databases of runs whose lock is free.
"""

import re
from contextlib import ExitStack, contextmanager, suppress

import peewee

from core.testing.databases import DATABASE_SERVERS, RUN, server_connection, why_unavailable

#: kind → all databases, the lock of a run, and whether no other run holds it
_SQL = {
    "postgresql": (
        "SELECT datname FROM pg_database",
        "SELECT pg_try_advisory_lock_shared(hashtext('{}'))",
        "SELECT pg_try_advisory_lock(hashtext('{}'))",
    ),
    "mysql": ("SHOW DATABASES", "SELECT GET_LOCK('{}', 0)", "SELECT IS_FREE_LOCK('{}')"),
}


@contextmanager
def held():
    """Hold the locks of this run, and drop what runs that have ended left; at the end, what processes of this one left."""
    kinds = [kind for kind in DATABASE_SERVERS if not why_unavailable(kind)]
    with ExitStack() as connections:
        for kind in kinds:
            lock(kind, connections.enter_context(server_connection(kind)), RUN)
            drop_leftovers(kind)
        yield
    for kind in kinds:
        drop_leftovers(kind)


class Run:
    """The plugin of the process that starts the tests."""

    def __init__(self):
        self._held = ExitStack()

    def pytest_sessionstart(self):
        """Begin it."""
        self._held.enter_context(held())

    def pytest_unconfigure(self):
        """End it."""
        self._held.close()


def lock(kind, run, name):
    """Hold the lock of a run as long as the connection lasts."""
    run(_SQL[kind][1].format(name))


def drop_leftovers(kind):
    """Drop the databases of runs that have ended."""
    names, _, is_free = _SQL[kind]
    with server_connection(kind) as run:
        for (name,) in run(names):
            found = re.fullmatch(r"comptoir_test_([0-9a-f]{12})_\d+_\d+", name)
            if found and run(is_free.format(found[1]))[0][0]:
                # Two runs that begin at once drop the same
                with suppress(peewee.PeeweeException):
                    run(f"DROP DATABASE IF EXISTS {name}")

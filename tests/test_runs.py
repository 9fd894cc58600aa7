import os

import pytest

from core.testing.databases import server_connection
from tests.runs import drop_leftovers, lock

#: a run of its own; no other has a process number so small
NAME = f"{os.getpid():012x}"


@pytest.mark.every_database("postgresql", "mysql")
def test_what_a_killed_run_left_is_dropped_and_a_running_one_keeps_its_databases(kind):
    database = f"comptoir_test_{NAME}_1_1"
    with server_connection(kind) as run:
        run(f"CREATE DATABASE {database}")
        with server_connection(kind) as running:
            lock(kind, running, NAME)
            drop_leftovers(kind)
            with pytest.raises(Exception, match="exist"):
                run(f"CREATE DATABASE {database}")
        drop_leftovers(kind)
        run(f"CREATE DATABASE {database}")
        run(f"DROP DATABASE {database}")

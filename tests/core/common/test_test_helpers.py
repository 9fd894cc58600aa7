"""The helpers of `core.testing` that modules' tests call, without `with` as well as with it."""

from datetime import UTC, datetime

import pytest

from core.testing import constant, extra_field

JOBS = """
from core import now, schedule

@schedule("0 8 * * *")
def morning():
    '''Say when.'''
    seen.append(f"{now():%H:%M}")

seen = []
"""


def test_a_constant_is_set_at_once_and_restored_by_with(serve):
    client = serve().client()
    constant(client, "MAIN_BANK_NAME", "one")
    assert client.get("/setup/conf/MAIN_BANK_NAME") == "one"
    with constant(client, "MAIN_BANK_NAME", "two"), extra_field(client, "societe", "shoe"):
        assert client.get("/setup/conf/MAIN_BANK_NAME") == "two"
        client.ask("POST", "/thirdparties", {"name": "A", "array_options": {"options_shoe": "42"}})
    assert client.get("/setup/conf/MAIN_BANK_NAME") == "one"
    assert "shoe" not in client.get("/setup/extrafields")


@pytest.mark.usefixtures("without_natives")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (datetime(2026, 11, 27, 12), datetime(2026, 11, 28, 12)),
        (datetime(2026, 11, 27, 12, tzinfo=UTC), datetime(2026, 11, 28, 12, tzinfo=UTC)),
        (1795780800, 1795867200),
    ],
)
def test_jobs_run_as_if_it_were_an_instant_or_unix_seconds(serve, folder, write, first, second):
    write("clock/jobs.py", JOBS)
    served = serve(modules=str(folder))
    served.run_jobs(first)
    assert served.run_jobs(second) == 1

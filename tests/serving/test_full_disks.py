"""Full disks below a real server: reads go on, writes say what is wrong, and with room again all is well without a restart."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving.running import wait_until
from tests.small_disks import fill_up, small_disk

KEY = "a-key-for-full-disks-0123456789"


@pytest.fixture
def disk(tmp_path):
    """A disk of 8 MB."""
    try:
        with small_disk(tmp_path / "disk", 8 * 1024 * 1024) as mounted:
            yield mounted
    except OSError as error:
        pytest.skip(f"no disk can be mounted here: {error}")


def create(server, name):
    """The status of a third party's creation."""
    return server.ask("/thirdparties", "POST", {"name": name}, KEY).status


@pytest.mark.fault(
    "The disk of the SQLite database is full",
    "writes fail with 507, reads work, /health/ready fails; writes work once there is space",
)
def test_a_database_on_a_full_disk_is_read_and_writes_are_507(start, disk, tmp_path, seen):
    server = start(
        workers=2, admin_key=KEY, database=f"sqlite:///{disk}/data/test.db", documents=tmp_path / "documents"
    )
    workers = server.workers
    assert create(server, "Before") == 200
    filler = fill_up(disk)
    # A page that another processor has let go of is given to whoever asks next, so that some may still be written
    answers = [create(server, f"Customer {'x' * 60} {number}") for number in range(200)]
    written = answers.count(200)
    assert set(answers) <= {200, 507}
    assert answers.count(507) > 100
    # In this server's life this is the first read of a third party
    listed = server.ask("/thirdparties?limit=500", key=KEY)
    assert (listed.status, len(listed.json)) == (200, 1 + written)
    # Each worker says so, whoever of them has met it; a client for each, since a connection is one worker's
    told = {server.ask("/health/ready").status for _ in range(20)}
    filler.unlink()
    wait_until(lambda: {server.ask("/health/ready").status for _ in range(10)} == {200})
    assert told == {503}
    assert create(server, "After") == 200
    assert len(server.ask("/thirdparties?limit=500", key=KEY).json) == 2 + written
    assert server.workers == workers
    seen(
        f"{answers.count(507)} × 507, {written} writes before it; {len(listed.json)} records listed meanwhile, writes work again"
    )


@pytest.mark.fault("The disk of the log file is full", "the server starts, serves and stops normally")
def test_a_log_on_a_full_disk_ends_nothing(start, seen):
    """`/dev/full` takes nothing, like a disk without room."""
    server = start(workers=2, admin_key=KEY, wait=False, log_to=Path("/dev/full"), access_log=1, log="debug")
    server.started()
    workers = server.workers
    assert create(server, "Customer") == 200
    assert server.ask("/nothing", key=KEY).status == 404
    assert server.workers == workers
    assert server.stop() == 0
    seen("started, wrote, returned 404, exited with 0")


@pytest.mark.fault(
    "The memory folder for the metrics is full, before the start and after it",
    "requests work; /metrics lacks what has no room",
)
@pytest.mark.parametrize("full_at_start", [False, True])
def test_metrics_on_a_full_disk_end_nothing(start, seen, full_at_start):
    mount = "mount -t tmpfs -o size=1m tmpfs /dev/shm"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    fill = "dd if=/dev/zero of=/dev/shm/first bs=4096 2> /dev/null;" if full_at_start else ""
    program = ("unshare", "-m", "sh", "-c", f'{mount}; {fill} exec {sys.executable} -m core "$@"', "sh")
    server = start(workers=2, admin_key=KEY, wait=False, program=program).started()
    workers = server.workers
    assert ("can't write to /dev/shm" in server.output) == full_at_start
    fill_up(Path(f"/proc/{server.process.pid}/root/dev/shm"))
    paths = ["thirdparties", "contacts", "proposals", "orders", "invoices", "products", "categories", "jobs"]
    for path in paths:
        assert {server.ask(f"/{path}", key=KEY).status for _ in range(4)} == {200}
        assert {server.ask(f"/{path}/99999", key=KEY).status for _ in range(4)} == {404}
    assert server.workers == workers
    # A worker that starts now serves as well
    os.kill(min(workers), signal.SIGKILL)
    wait_until(lambda: len(server.workers) == 2 and server.workers != workers)
    server.everywhere("/thirdparties/1", status=401)
    page = server.ask("/metrics", key=KEY)
    assert page.status == 200
    assert b"comptoir_http_requests_total{" in page.body
    assert server.stop() == 0
    seen(f"{len(paths) * 8} requests with their usual status, no worker ended")

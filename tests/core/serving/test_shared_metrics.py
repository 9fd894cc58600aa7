"""Counters of several processes: one sum, few files, no harm from a full disk."""

import json
import subprocess
import sys
import textwrap

import pytest

from tests.small_disks import small_disk

pytestmark = pytest.mark.slow

#: in a process of its own, because it forks, and decides how prometheus-client keeps values
PRELUDE = """
import json, os, signal, sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from core.common.metrics import metrics as counting
from core.serving import shared_metrics

shared_metrics._MEMORY = Path(sys.argv[1])
shared = shared_metrics.SharedMetrics()
metrics = counting()
(folder,) = shared_metrics._MEMORY.glob("comptoir-*")


def values():
    return {
        " ".join([each.name, *(value for _, value in sorted(each.labels.items()))]): each.value
        for family in metrics.collect()
        for each in family.samples
    }


def begin(name, work):
    child = os.fork()
    if not child:
        shared.start_process(name)
        made = counting()
        made.workers.set(1)
        made.threads.set(4)
        work(made)
        os._exit(0)
    return child


def in_child(work, name="0"):
    assert os.waitpid(begin(name, work), 0)[1] == 0


def say(thing):
    print(json.dumps(thing))

"""


def run(folder, script):
    """Run a script that counts in a folder, and return what it prints, one JSON value a line."""
    command = [sys.executable, "-c", PRELUDE + textwrap.dedent(script), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_two_hundred_processes_that_replace_each_other_leave_the_files_of_one(tmp_path):
    seen = run(
        tmp_path,
        """
        def work(made):
            for seconds in (0.002, 0.002, 7.0):
                made.count_request("GET", f"/route{number % 7}", 200, seconds, 0.5)
            made.rejected_writes.inc()

        for number in range(200):
            in_child(work)
            before = values()
            shared.end_process("0")
            say([before, values(), metrics.total(metrics.rejected_writes)])
        say([file.stat().st_size for file in folder.glob("*.db")])
        """,
    )
    sizes, total = seen.pop(), 0.0
    for number, (before, after, rejected) in enumerate(seen, 1):
        assert before.pop("comptoir_workers") == 1
        assert before.pop("comptoir_threads") == 4
        assert after.pop("comptoir_workers") == after.pop("comptoir_threads") == 0
        assert after == before
        requests = sum(value for name, value in after.items() if name.startswith("comptoir_http_requests_total"))
        assert requests == total + 3 == 3 * number
        total = requests
        assert rejected == number
    last = seen[-1][1]
    # 200 processes, seven routes: the first four counted 29 processes
    assert last["comptoir_http_request_duration_seconds_bucket 0.0025 GET /route0"] == 2 * 29
    assert last["comptoir_http_request_duration_seconds_bucket 5.0 GET /route0"] == 2 * 29
    assert last["comptoir_http_request_duration_seconds_bucket 10.0 GET /route0"] == 3 * 29
    assert last["comptoir_http_request_duration_seconds_count GET /route0"] == 3 * 29
    assert last["comptoir_http_request_duration_seconds_sum GET /route0"] == pytest.approx(7.004 * 29)
    assert last["comptoir_http_request_database_seconds_total GET /route0"] == 1.5 * 29
    # three of the main process, two of those that have ended
    assert sizes == [65536] * 5


def test_processes_that_live_at_the_same_time_count_in_files_of_their_own(tmp_path):
    alive, ended = run(
        tmp_path,
        """
        def live(number, made):
            # Both live until the page has been read
            made.count_request("GET", f"/route{number}", 200, 0.1, 0.1)
            os.write(ready, b".")
            signal.pause()

        said, ready = os.pipe()
        children = [begin(str(number), partial(live, number)) for number in range(2)]
        for _ in children:
            os.read(said, 1)
        say(values())
        for number, child in enumerate(children):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            shared.end_process(str(number))
        say(values())
        """,
    )
    assert alive.pop("comptoir_workers") == 2
    assert alive.pop("comptoir_threads") == 8
    assert ended.pop("comptoir_workers") == ended.pop("comptoir_threads") == 0
    assert [alive[f"comptoir_http_requests_total GET /route{number} 200"] for number in range(2)] == [1, 1]
    assert ended == alive


def test_a_program_that_a_server_starts_counts_separately(tmp_path):
    (files,) = run(
        tmp_path,
        """
        import subprocess

        count = "from core.common.metrics import Metrics; Metrics().rejected_writes.inc()"
        subprocess.run([sys.executable, "-c", count], check=True)
        say(sorted(file.name for file in folder.iterdir()))
        """,
    )
    assert files == ["counter_main.db", "gauge_livesum_main.db", "histogram_main.db", "lock"]


def test_threads_count_together(tmp_path):
    (seen,) = run(
        tmp_path,
        """
        def work(number):
            for each in range(2000):
                metrics.count_request("GET", f"/route{each % 50}", 200, 0.5, 0.25)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
        say(values())
        """,
    )
    for route in range(50):
        labels = f"GET /route{route}"
        assert seen[f"comptoir_http_requests_total {labels} 200"] == 160
        assert seen[f"comptoir_http_request_duration_seconds_sum {labels}"] == 80
        assert seen[f"comptoir_http_request_database_seconds_total {labels}"] == 40
        # a bucket includes its upper bound
        assert seen[f"comptoir_http_request_duration_seconds_bucket 0.25 {labels}"] == 0
        assert seen[f"comptoir_http_request_duration_seconds_bucket 0.5 {labels}"] == 160


def test_five_hundred_routes_are_counted(tmp_path):
    """Many times the bytes that a file has at first."""
    (seen,) = run(
        tmp_path,
        """
        def work(made):
            for number in range(500):
                made.count_request("GET", f"/é/{{id}}/route{number}", 200, 0.002, 0.001)

        in_child(work)
        in_child(work)
        say(values())
        """,
    )
    counts = [value for name, value in seen.items() if name.startswith("comptoir_http_requests_total")]
    assert counts == [2] * 500
    assert seen["comptoir_http_request_duration_seconds_count GET /é/{id}/route499"] == 2


@pytest.fixture
def disk(tmp_path):
    try:
        with small_disk(tmp_path / "disk", 1024 * 1024) as mounted:
            yield mounted
    except OSError as error:
        pytest.skip(f"no disk can be mounted here: {error}")


def test_a_full_disk_ends_no_process(disk):
    before, grown, uncounted, afterwards = run(
        disk,
        """
        from tests.small_disks import fill_up

        def count(number, made=metrics):
            made.count_request("GET", f"/route{number}", 200, 0.002, 0.001)

        def end(made):
            count(0, made)
            count(500, made)
            made.rejected_writes.inc()
            made.busy_threads.set(1)
            # The others are shown in the page of such a process
            assert "comptoir_http_requests_total GET /route0 200" in values()

        count(0)
        filler = fill_up(folder)
        say(values())
        # What has its bytes goes on counting; routes are added while the files have room
        for number in range(500):
            count(0)
            count(number)
        metrics.count_improper_request(400)
        metrics.count_job_run("module", "function", "done")
        metrics.rejected_writes.inc()
        metrics.busy_threads.set(3)
        say(values())
        # A process that begins now counts separately
        in_child(end)
        say(values())
        filler.unlink()
        in_child(lambda made: count(0, made))
        shared.end_process("0")
        say(values())
        """,
    )
    first, last = (f"comptoir_http_requests_total GET /route{number} 200" for number in (0, 499))
    assert before[first] == 1
    assert grown[first] == 502
    assert 1 < sum(name.startswith("comptoir_http_requests_total GET") for name in grown) < 500
    assert last not in grown
    assert (grown["comptoir_database_rejected_writes_total"], grown["comptoir_threads_busy"]) == (1, 3)
    assert uncounted == grown
    # A child has the series of its parent, from 0, where it has room for them
    changed = {name for name, value in afterwards.items() if value != grown.get(name, 0)}
    assert {name for name in changed if "seconds" not in name} == {first}
    assert afterwards[first] == 503

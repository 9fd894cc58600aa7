"""Jobs of real servers: two hosts, processes that are killed, ends in order; on each kind of database."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.files import write_files
from tests.own_databases import own_server, why_missing
from tests.serving.conftest import on_every_kind
from tests.serving.running import PATIENCE, ROOT, Running, children, is_there, name_of, wait_until

#: jobs that are put in by committed requests; of five requests one is undone, and each has so many
MANY, EACH = 500, 4
#: further ones, for those whose worker is killed
SPARE = 100

MODELS = """
import peewee
from core import Model


class Errand(Model):
    id = peewee.AutoField()
    number = peewee.IntegerField()


class Run(Model):
    id = peewee.AutoField()
    number = peewee.IntegerField()
"""

JOBS = """
import os
import time
from pathlib import Path

from core import job, schedule, transaction

from .models import Run


# A host that is lost is lost for ten seconds
@job(attempts=100, lease=10)
def do(number: int) -> None:
    with transaction():
        Run.create(number=number)
    time.sleep(0.002)


@job
def slow(file: str) -> None:
    Path(file + ".begun").touch()
    while not Path(file + ".end").exists():
        time.sleep(0.01)
    Path(file + ".ended").touch()


@job(attempts=2)
def crash() -> None:
    os._exit(3)

"""

API = '''
from core import BadRequest, transaction

from ..jobs import crash, do, slow
from ..models import Errand, Run


class Errands:
    """Errands.

    :access: public
    """

    def post(self, number: int, many: int = 1, undone: bool = False) -> int:
        """Make some, and have them done."""
        with transaction():
            for one in range(number, number + many):
                Errand.create(number=one)
                do.later(one)
            if undone:
                raise BadRequest("undone")
        return number

    def index(self) -> dict:
        """Those that were made, and those that were done."""
        return {
            "made": [number for (number,) in Errand.select(Errand.number).tuples()],
            "done": [number for (number,) in Run.select(Run.number).tuples()],
        }

    def post_slow(self, file: str) -> int:
        """Enqueue what takes long."""
        return slow.later(file)

    def post_crash(self) -> int:
        """Enqueue what ends its process."""
        return crash.later()
'''


def write_errands(folder):
    """Write the module into a folder of modules."""
    write_files(folder / "errands", {"models.py": MODELS, "jobs.py": JOBS, "class/api_errands.py": API})


class Host:
    """`comptoir jobs run` on another host: a process that keeps the one that runs them."""

    def __init__(self, server):
        self.log = server.folder / "host.txt"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "core", "jobs", "run"],
                cwd=ROOT,
                env=server.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self):
        """The host is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)


def runners(master):
    """The processes of jobs that a master, or `jobs run`, has started."""
    return {each for each in children(master) if name_of(each) == "comptoir: jobs"}


@pytest.fixture
def errands(start, tmp_path):
    """``errands(database=…)``: a server with the module, of a test that ends it or has a database of its own."""
    write_errands(tmp_path / "modules")
    return lambda **settings: start(**{"workers": 2, "timeout": 5, **settings})


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with the module, of the other tests."""
    folder = tmp_path_factory.mktemp("server")
    write_errands(folder / "modules")
    with Running(folder, workers=2) as server:
        yield server


def ask(server, path, body):
    answer = server.ask(f"/errands{path}", "POST", body)
    assert answer.status == 200, (answer.status, answer.body)
    return answer.json


def numbers(server):
    """How often each errand was made, and done."""
    while True:
        with contextlib.suppress(OSError, http.client.HTTPException):
            answer = server.ask("/errands")
            if answer.status == 200:
                return Counter(answer.json["made"]), Counter(answer.json["done"])
        time.sleep(0.1)


@pytest.mark.fault(
    "Workers and job processes are killed on two hosts while 500 jobs are enqueued; one host is lost",
    "each job of a committed change runs at least once, no job of a rolled-back one",
)
@on_every_kind("postgresql")
def test_each_committed_job_is_run_and_no_undone_one(errands, url, seen):
    server = errands(database=url)
    host = Host(server)
    killed = Counter[str]()
    try:
        wait_until(lambda: bool(runners(host.process.pid)) and bool(runners(server.master)))
        began = time.monotonic()

        def put(number):
            with contextlib.suppress(OSError, http.client.HTTPException):
                server.ask("/errands", "POST", {"number": EACH * number, "many": EACH, "undone": number % 5 == 0})

        def kill(what, processes):
            for each in list(processes)[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
                    killed[what] += 1

        with ThreadPoolExecutor(8) as pool:
            wanted = list(pool.map(lambda number: pool.submit(put, number), range((MANY + SPARE) // EACH * 5 // 4)))
            while not all(each.done() for each in wanted) or killed["jobs here"] < 5:
                # Something is done between two deaths
                time.sleep(0.5)
                kill("jobs here", runners(server.master))
                kill("jobs there", runners(host.process.pid))
                if killed["jobs here"] % 4 == 1:
                    kill("workers", server.workers)
        host.kill()
        killed["hosts"] += 1

        def all_done():
            made, done = numbers(server)
            return made.keys() <= done.keys()

        wait_until(all_done)
        took = time.monotonic() - began
        made, done = numbers(server)
    finally:
        host.kill()
    assert made.keys() == done.keys()
    assert set(made.values()) == {1}
    assert [number for number in done if number // EACH % 5 == 0] == []
    assert len(made) >= MANY
    twice = sum(done.values()) - len(done)
    deaths = ", ".join(f"{number} {name}" for name, number in killed.items())
    seen(f"{len(made)} enqueued, all done after {took:.1f} s; {deaths} killed; {twice} run twice")


def test_a_job_that_ends_its_process_costs_itself(server):
    workers = server.workers
    ask(server, "/crash", {})
    wait_until(lambda: "errands.crash: the process ended while the job ran (attempt 2 of 2), given up" in server.output)
    ask(server, "", {"number": 1})
    wait_until(lambda: numbers(server)[1] == {1: 1})
    assert server.workers == workers


def test_a_server_that_ends_waits_for_its_jobs_and_hands_back_the_rest(errands, tmp_path):
    server = errands()
    short, long = tmp_path / "short", tmp_path / "long"
    for each in (short, long):
        ask(server, "/slow", {"file": str(each)})
    wait_until(lambda: all(Path(f"{each}.begun").exists() for each in (short, long)))
    jobs = runners(server.master)
    server.process.send_signal(signal.SIGTERM)
    Path(f"{short}.end").touch()
    assert server.process.wait(PATIENCE) == 0
    assert not any(is_there(each) for each in jobs)
    assert Path(f"{short}.ended").exists()
    listed = subprocess.run(
        [sys.executable, "-m", "core", "jobs", "--list", "--json"],
        cwd=ROOT, env=server.environment, capture_output=True, check=True,
    )  # fmt: skip
    found = [(each["status"], each["attempts"]) for each in json.loads(listed.stdout)]
    assert found == [("waiting", 0), ("done", 1)]


def test_jobs_go_on_when_a_new_core_takes_over(errands, tmp_path):
    server = errands()
    old = runners(server.master)
    file = tmp_path / "over"
    ask(server, "/slow", {"file": str(file)})
    wait_until(lambda: Path(f"{file}.begun").exists())
    os.kill(server.master, signal.SIGUSR2)
    number = 0

    def is_relieved():
        nonlocal number
        number += 1
        ask(server, "", {"number": number})
        return "finishes its requests" in server.output

    wait_until(is_relieved)
    Path(f"{file}.end").touch()
    wait_until(lambda: not any(is_there(each) for each in old))
    wait_until(lambda: len(numbers(server)[1]) == number)
    made, done = numbers(server)
    assert made == done
    assert Path(f"{file}.ended").exists()


@pytest.mark.fault(
    "The database is killed and restarted while jobs run",
    "each job runs at least once; the log stays short",
)
@pytest.mark.lasting
@pytest.mark.parametrize("away", ["postgresql", "mysql"])
def test_jobs_go_on_when_the_database_is_back(errands, away, seen):
    if reason := why_missing(away):
        pytest.skip(reason)
    with own_server(away) as behind:
        server = errands(database=behind.url)
        wait_until(lambda: bool(runners(server.master)))
        (process,) = runners(server.master)
        for number in range(10):
            ask(server, "", {"number": 10 * number, "many": 10})
        behind.stop(kill=True)
        wait_until(lambda: "can't reach the database" in server.output)
        behind.start()
        wait_until(lambda: len(numbers(server)[1]) == 100)
        began = time.monotonic()
        ask(server, "", {"number": 1000})
        wait_until(lambda: numbers(server)[1][1000] == 1)
        assert runners(server.master) == {process}
        assert "can't look for due jobs" not in server.output
        assert "unexpected error" not in server.output
        seen(f"{away}: all done; the next one {time.monotonic() - began:.1f} s after it was enqueued")


def test_without_jobs_there_is_no_such_process(errands):
    server = errands(jobs=0)
    assert runners(server.master) == set()
    ask(server, "", {"number": 1})
    assert numbers(server) == (Counter({1: 1}), Counter())


def test_who_takes_the_server_away_ends_its_jobs(errands):
    server = errands()
    wait_until(lambda: bool(runners(server.master)))
    (process,) = runners(server.master)
    os.kill(server.master, signal.SIGKILL)
    wait_until(lambda: name_of(process) == "")

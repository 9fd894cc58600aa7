"""Several workers seen from outside: their metrics, a log file that is rotated, a client address behind a proxy."""

import http.client
import json
import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from core.serving import shared_metrics
from tests.files import write_files
from tests.serving.running import PATIENCE, Running, own_port, wait_until


def metric(text, name, **labels):
    return sum(
        sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def read(server, path="/metrics"):
    """Read what the address of the metrics returns: the status, and the text."""
    connection = http.client.HTTPConnection(server.settings["metrics"], timeout=PATIENCE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def value(server, name, **labels):
    return metric(read(server)[1], name, **labels)


def workers_counted(server):
    """Return how many workers the metrics show; 0 if the worker that had the connection was killed."""
    try:
        return value(server, "comptoir_workers")
    except (ConnectionError, http.client.HTTPException):
        return 0


def run_folder(process):
    """Return the folder of a main process's metrics, known by the lock that it holds."""
    held = (Path(os.path.realpath(each)) for each in Path(f"/proc/{process}/fd").iterdir())
    (folder,) = {each.parent for each in held if each.name == "lock" and each.parent.name.startswith("comptoir-")}
    return folder


SLOW = '''
import time
from pathlib import Path


class Slow:
    """Keep a thread busy.

    :access: public
    """

    def index(self, go: str) -> int:
        """Wait for a file."""
        while not Path(go).exists():
            time.sleep(0.05)
        return 1
'''

JOBS = """
from core import job


@job(attempts=1)
def run(fail: bool) -> None:
    if fail:
        raise ValueError("on purpose")
"""

QUEUE = '''
from ..jobs import run


class Counted:
    """Queue jobs.

    :access: public
    """

    def post(self, fail: bool) -> int:
        """Queue a job."""
        return run.later(fail)
'''

FILES = {"slow/class/api_slow.py": SLOW, "counted/jobs.py": JOBS, "counted/class/api_counted.py": QUEUE}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose metrics and log are read."""
    folder = tmp_path_factory.mktemp("server")
    write_files(folder / "modules", FILES)
    settings = {"access_log": 1, "log_format": "json", "log_file": folder / "comptoir.log", "slow": 0.000001}
    with Running(folder, workers=2, threads=4, metrics=f"127.0.0.1:{own_port()}", **settings) as server:
        yield server


def test_threads_that_handle_a_request_are_shown(server, tmp_path):
    wait_until(lambda: value(server, "comptoir_threads_busy") == 0)
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(server.ask, f"/slow?go={tmp_path}/go") for _ in range(2)]
        wait_until(lambda: value(server, "comptoir_threads_busy") == 2)
        (tmp_path / "go").touch()
        assert [each.result().status for each in answers] == [200, 200]
    wait_until(lambda: value(server, "comptoir_threads_busy") == 0)


def test_the_runs_of_the_job_process_are_counted(server):
    def runs(outcome):
        return value(server, "comptoir_job_runs_total", module="counted", function="run", outcome=outcome)

    for fail in (False, True, False):
        assert server.ask("/counted", "POST", {"fail": fail}).status == 200
    wait_until(lambda: (runs("done"), runs("failed")) == (2, 1))
    (jobs,) = server.job_processes
    os.kill(jobs, signal.SIGKILL)
    assert server.ask("/counted", "POST", {"fail": False}).status == 200
    wait_until(lambda: runs("done") == 3)
    assert runs("failed") == 1


def test_the_folder_of_a_killed_server_is_removed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_metrics, "_MEMORY", tmp_path)
    killed, other = shared_metrics.create_folder(), shared_metrics.create_folder()
    # As the system does when the last process of a server is gone
    killed.lock.close()
    new = shared_metrics.create_folder()
    assert {*tmp_path.iterdir()} == {other.path, new.path}
    for each in (other, new):
        each.lock.close()


def test_one_log_of_all_workers_is_opened_anew_when_it_was_moved(server):
    file = server.folder / "comptoir.log"
    before = len(of_who(file))
    asked = before + ask_all(server)
    wait_until(lambda: len(of_who(file)) >= asked)
    assert {line["process"] for line in of_who(file)[before:]} == server.workers
    assert {(line["status"], line["verb"]) for line in of_who(file)} == {(200, "GET")}
    file.rename(server.folder / "comptoir.log.1")
    server.process.send_signal(signal.SIGUSR1)
    wait_until(file.exists)
    asked = ask_all(server)
    wait_until(lambda: len(of_who(file)) >= asked)
    assert {line["process"] for line in of_who(file)} == server.workers


def of_who(file):
    return [line for line in requests_logged(file) if line["operation"] == "/who"]


def requests_logged(file):
    lines = map(json.loads, file.read_text().splitlines())
    return [line for line in lines if line["logger"] == "comptoir.requests" and "status" in line]


def ask_all(server):
    """Ask until each worker has answered; how often that was."""
    served = set()
    asked = 0
    while served != server.workers:
        served.add(server.ask("/who").json)
        asked += 1
    return asked


def test_a_request_is_told_with_its_client_its_name_and_without_its_values(server):
    file, key = server.folder / "comptoir.log", server.key
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(
            b"GET /loyaltycards/987654321?fields=geheim HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Forwarded: for=192.0.2.9\r\nX-Real-IP: 192.0.2.8\r\nX-Forwarded-For: 192.0.2.7\r\n"
            b"X-Forwarded-For: 198.51.100.7\r\nX-Request-Id: mine-1\r\nDOLAPIKEY: " + key.encode() + b"\r\n\r\n"
        )
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"\r\nx-request-id: mine-1\r\n" in answer.lower()
    assert b"\r\nserver-timing: app;dur=" in answer.lower()

    def told():
        return [line for line in requests_logged(file) if line["request_id"] == "mine-1"]

    wait_until(told)
    (line,) = told()
    assert {name: line[name] for name in ("address", "user", "operation", "status", "verb")} == {
        "address": "198.51.100.7", "user": "admin", "operation": "/loyaltycards/{id}", "status": 404, "verb": "GET",
    }  # fmt: skip
    assert 0 < line["database_ms"] < line["ms"]
    assert line["bytes"] > 0
    lines = map(json.loads, file.read_text().splitlines())
    assert [each["request_id"] for each in lines if "loyaltycards/{id} took" in each["message"]] == ["mine-1"]
    secrets = ("987654321", "geheim", key)
    assert [text for text in file.read_text().splitlines() if any(secret in text for secret in secrets)] == []


def test_metrics_are_those_of_all_workers_through_ten_restarts(start):
    # Of its own, because it ends it
    server = start(workers=2, threads=4, metrics=f"127.0.0.1:{own_port()}")
    folder = run_folder(server.process.pid)

    def requests(**labels):
        return value(server, "comptoir_http_requests_total", route="/who", **labels)

    asked = requests()
    for _ in range(10):
        served = set()
        while len(served) < 2:
            served.add(server.ask("/who").json)
            asked += 1
        # whichever worker responds at the address
        assert requests(method="GET", status="200") == asked
        killed = served.pop()
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda killed=killed: killed not in server.workers)
        wait_until(lambda: workers_counted(server) == 2 and len(server.workers) == 2)
        assert requests(method="GET", status="200") == asked
    page = read(server)[1]
    assert metric(page, "comptoir_http_request_duration_seconds_count", route="/who") == asked
    assert metric(page, "comptoir_threads") == 8
    assert metric(page, "comptoir_build_info") == metric(page, "comptoir_database_up") == 1
    # Three of the main process, of each worker and of the job process: new workers take the files of ended ones
    assert len([*folder.glob("*.db")]) == 3 * 4
    # the server's own address requires a key; the other one has nothing else
    assert server.ask("/metrics").status == 401
    assert metric(server.ask("/metrics", key=server.key).body, "comptoir_http_requests_total", route="/who") == asked
    assert read(server, "/who")[0] == 404
    assert server.stop() == 0
    assert not folder.exists()


def test_a_new_core_takes_over_the_address_of_the_metrics(start):
    # Of its own, for its upgrade
    server = start(workers=1, metrics=f"127.0.0.1:{own_port()}")
    before, folder = server.ask("/who").json, run_folder(server.process.pid)
    server.process.send_signal(signal.SIGUSR2)
    wait_until(lambda: server.process.poll() is not None)
    try:
        assert server.ask("/who").json != before
        wait_until(lambda: value(server, "comptoir_workers") == 1)
        assert value(server, "comptoir_http_requests_total", route="/who") == 1
        assert not folder.exists()
        assert server.output.count("can't listen") == 0
    finally:
        os.killpg(server.process.pid, signal.SIGTERM)
        wait_until(lambda: not processes_of(server))


def processes_of(server):
    """The processes that are left of a server's group."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(each.name)) == server.process.pid and "Z" not in (each / "stat").read_text().split()[2]:
                found.append(each.name)
        except (OSError, ProcessLookupError):
            continue
    return found

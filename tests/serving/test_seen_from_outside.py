"""What several workers tell of themselves: figures of all, one log that is moved, an address behind a proxy."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.serving.conftest import Start
from tests.serving.running import Running, until


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def figure(text: bytes, name: str, **labels: str) -> float:
    return sum(
        sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def at(port: int, path: str = "/metrics") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    try:
        return answer.status, answer.read()
    finally:
        connection.close()


def run_folder(server: Running) -> Path:
    """The folder of this server's run, known by the lock that its first process holds: others have theirs beside it."""
    held = (Path(os.path.realpath(each)) for each in Path(f"/proc/{server.process.pid}/fd").iterdir())
    (folder,) = {each.parent for each in held if each.name == "lock" and each.parent.name.startswith("comptoir-")}
    return folder


def test_figures_are_those_of_all_workers_also_after_one_has_ended(start: Start) -> None:
    port = free_port()
    server = start(workers=2, metrics=f"127.0.0.1:{port}")
    folder = run_folder(server)
    asked = figure(at(port)[1], "comptoir_requests_total", operation="/who")
    served: set[int] = set()
    while len(served) < 2:
        served.add(server.ask("/who").json)
        asked += 1
    assert at(port)[0] == 200
    assert figure(at(port)[1], "comptoir_requests_total", operation="/who", verb="GET", status="200") == asked
    assert figure(at(port)[1], "comptoir_workers") == 2
    assert figure(at(port)[1], "comptoir_requests_in_progress") == 0
    os.kill(served.pop(), signal.SIGKILL)
    until(lambda: figure(at(port)[1], "comptoir_workers") == 2 and len(server.workers) == 2)
    assert figure(at(port)[1], "comptoir_requests_total", operation="/who") == asked
    # at the server's own address with a key alone; at that of the figures nothing else
    assert server.ask("/metrics").status == 401
    told = server.ask("/metrics", key=server.key)
    assert figure(told.body, "comptoir_requests_total", operation="/who") == asked
    assert at(port, "/who")[0] == 404
    assert server.stop() == 0
    assert not folder.exists()


def test_what_a_killed_server_leaves_is_swept_by_the_next(start: Start) -> None:
    server = start(workers=1)
    left = run_folder(server)
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait(30)
    # Whichever server starts next sweeps, also one of another test beside this one
    other = start(workers=1)
    assert not left.exists()
    assert run_folder(other) != left
    assert other.stop() == 0


def test_an_address_of_figures_that_is_in_use_is_said_plainly(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = start(wait=False, metrics=f"127.0.0.1:{taken.getsockname()[1]}")
        assert server.process.wait(30) == 1
    assert "COMPTOIR_METRICS" in server.output
    assert "Traceback" not in server.output


def logged(file: Path, right: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, file.read_text().splitlines()) if right(line)]


def test_one_log_of_all_workers_is_opened_anew_when_it_was_moved(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "comptoir.log"
    server = start(workers=2, access_log=1, log_format="json", log_file=file)
    asked = ask_all(server)
    until(lambda: len(of_who(file)) >= asked)
    assert {line["process"] for line in of_who(file)} == server.workers
    assert {(line["status"], line["verb"]) for line in of_who(file)} == {(200, "GET")}
    file.rename(tmp_path / "comptoir.log.1")
    server.process.send_signal(signal.SIGUSR1)
    until(file.exists)
    asked = ask_all(server)
    until(lambda: len(of_who(file)) >= asked)
    assert {line["process"] for line in of_who(file)} == server.workers
    assert server.stop() == 0


def of_who(file: Path) -> list[dict[str, Any]]:
    return logged(file, lambda line: line.get("operation") == "/who")


def ask_all(server: Running) -> int:
    """Ask until each worker has answered; how often that was."""
    served: set[int] = set()
    asked = 0
    while served != server.workers:
        served.add(server.ask("/who").json)
        asked += 1
    return asked


def test_a_request_is_told_with_its_client_its_name_and_without_its_values(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "comptoir.log"
    server = start(workers=1, access_log=1, log_format="json", log_file=file, slow=0.000001)
    key = server.key
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(
            b"GET /loyaltycards/4711?fields=geheim HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Forwarded: for=192.0.2.9\r\nX-Real-IP: 192.0.2.8\r\nX-Forwarded-For: 192.0.2.7\r\n"
            b"X-Forwarded-For: 198.51.100.7\r\nX-Request-Id: mine-1\r\nDOLAPIKEY: " + key.encode() + b"\r\n\r\n"
        )
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"\r\nx-request-id: mine-1\r\n" in answer.lower()
    assert b"\r\nserver-timing: app;dur=" in answer.lower()
    until(lambda: bool(logged(file, lambda line: line["logger"] == "comptoir.requests" and line["status"] == 404)))
    (line,) = logged(file, lambda line: line["logger"] == "comptoir.requests" and line["status"] == 404)
    told = {name: line[name] for name in ("address", "request_id", "user", "operation", "status", "verb")}
    assert told == {
        "address": "198.51.100.7",
        "request_id": "mine-1",
        "user": "admin",
        "operation": "/loyaltycards/{id}",
        "status": 404,
        "verb": "GET",
    }
    assert 0 < line["database_ms"] < line["ms"]
    assert line["bytes"] > 0
    assert [each["request_id"] for each in logged(file, lambda line: "loyaltycards/{id} took" in line["message"])] == [
        "mine-1"
    ]
    assert not any(secret in file.read_text() for secret in ("4711", "geheim", key))


def test_health_is_told_by_a_real_server_without_a_key(start: Start) -> None:
    server = start(workers=2)
    assert server.ask("/health/live").json == {"live": True}
    assert server.ask("/api/index.php/health/ready").json["ready"] is True


def test_a_new_core_takes_over_the_address_of_the_figures(start: Start) -> None:
    port = free_port()
    server = start(workers=1, metrics=f"127.0.0.1:{port}")
    before = server.ask("/who").json
    server.process.send_signal(signal.SIGUSR2)
    until(lambda: server.process.poll() is not None)
    try:
        assert server.ask("/who").json != before
        until(lambda: figure(at(port)[1], "comptoir_workers") == 1)
        assert server.output.count("can't listen") == 0
    finally:
        os.killpg(server.process.pid, signal.SIGTERM)
        until(lambda: not processes_of(server))


def processes_of(server: Running) -> list[str]:
    """The processes that are left of a server's group."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(each.name)) == server.process.pid and "Z" not in (each / "stat").read_text().split()[2]:
                found.append(each.name)
        except (OSError, ProcessLookupError):
            continue
    return found

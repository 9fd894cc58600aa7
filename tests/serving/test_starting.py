"""The first start and the later ones, the end, what is written meanwhile; and the same over other databases."""

import json
import os
import pty
import re
import select
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.serving.conftest import on_every_kind
from tests.serving.interruptions import files_passed_over, interrupt_starts
from tests.serving.nginx import listens
from tests.serving.running import PATIENCE, ROOT, Running, own_port, wait_until

KEY = "a-key-that-was-chosen-before-the-start"
SERVER = {"workers": 1, "log_format": "json", "access_log": 1, "admin_key": KEY}


def test_the_first_start_writes_a_key_that_works_and_the_second_none(start):
    # Of its own, for its two starts
    server = start(workers=1)
    key = server.key
    file = server.folder / "data/first-key.txt"
    assert file.read_text() == f"{key}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    # Its output may be kept by a journal
    assert key not in server.output
    assert f"{file}. Store the key, then delete the file." in server.output
    assert f"export DOLAPIKEY=$(cat {file})\n" in server.output
    assert f"http://127.0.0.1:{server.port}/explorer\n" in server.output
    (guide,) = re.findall(r"/explorer/#//guide/(\w+)$", server.output, re.M)
    assert server.ask(f"/explorer/guide/{guide}").status == 200
    made = server.ask("/loyaltycards", "POST", {"number": "7"}, key=key)
    assert made.status == 200
    assert server.stop() == 0
    assert "GET /" not in server.output, "requests are not logged unless that is set"
    again = start(workers=1)
    assert key not in again.output
    assert "key " not in again.output
    assert again.ask(f"/loyaltycards/{made.json}", key=key).json["number"] == "7"
    assert again.ask("/loyaltycards").status == 401


def printed_at_a_terminal(folder, last):
    """Start a server at a terminal; return what it prints until a line that a pattern matches."""
    master, terminal = pty.openpty()
    variables = {name: value for name, value in os.environ.items() if not name.startswith("COMPTOIR_")}
    variables |= {
        "COMPTOIR_DATABASE": f"sqlite:///{folder}/data/test.db",
        "COMPTOIR_DOCUMENTS": str(folder / "data/documents"),
        "COMPTOIR_BIND": f"unix:{folder}/socket",
        "COMPTOIR_WORKERS": "1",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "core", "serve"], cwd=ROOT, env=variables, stdin=subprocess.DEVNULL,
        stdout=terminal, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    printed, end = b"", time.monotonic() + PATIENCE
    try:
        while not re.search(last, printed, re.M):
            assert select.select([master], [], [], max(0, end - time.monotonic()))[0], printed
            printed += os.read(master, 4096)
        # It notes that the key was shown before it ends
        process.terminate()
        process.wait(PATIENCE)
        return printed
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(terminal)
        os.close(master)


def test_a_terminal_shows_the_key_at_the_first_start_only(tmp_path):
    first = printed_at_a_terminal(tmp_path, rb"^export DOLAPIKEY=[0-9a-f]{40}\r$")
    assert b"  key       for the user admin" in first
    assert not (tmp_path / "data/first-key.txt").exists()
    again = printed_at_a_terminal(tmp_path, rb"^  key +shown only at the first start; .*\r$")
    assert b"DOLAPIKEY" not in again
    assert b"comptoir key add admin creates another one" in again


def test_a_log_in_json_holds_nothing_else(server):
    assert server.ask("/loyaltycards", key=KEY).status == 200
    wait_until(lambda: '"GET /loyaltycards 200"' in server.output)
    lines = [json.loads(line) for line in server.output.splitlines()]
    messages = [each["message"] for each in lines]
    assert any("address" in each and str(server.port) in each for each in messages)
    assert "GET /loyaltycards 200" in messages
    assert {"time", "level", "logger", "process", "message"} <= set.intersection(*map(set, lines))
    assert KEY not in server.output, "it comes from the environment"


def test_neither_key_nor_query_is_written(server):
    server.ask("/who?DOLAPIKEY=secret-key&sqlfilters=(t.a:=:'private')", key="another-secret")
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /who?DOLAPIKEY=secret-key HTTP/9.9 x\r\n\r\n")
        answer = connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["error"]["code"] == 400
    assert b"gunicorn/" not in head
    wait_until(lambda: "GET /who 200" in server.output)
    assert "secret" not in server.output
    assert "private" not in server.output


def test_the_control_socket_is_off(server):
    sockets = Path(f"/proc/{server.process.pid}/net/unix").read_text()
    assert "gunicorn" not in sockets
    assert not list(ROOT.glob("*.ctl"))


@pytest.mark.lasting
def test_demonstration_data_is_made_at_the_first_start_alone(start):
    server = start(workers=1, wait=False)
    server.stop()
    demo = (
        "from modules.loyalty.models import cards\n\n\ndef make(random, today):\n    cards.create({'number': 'D1'})\n"
    )
    server.write("who/demo.py", demo)
    options = {"workers": 1, "arguments": ("--demo",), "database": f"sqlite:///{server.folder}/other/test.db"}
    first = start(**options)
    assert [each["number"] for each in first.ask("/loyaltycards", key=first.key).json] == ["D1"]
    assert first.stop() == 0
    second = start(**options)
    assert len(second.ask("/loyaltycards", key=first.key).json) == 1


@pytest.mark.fault(
    "Seven starts with one folder are stopped after 0.3 to 2 s",
    "no file is blamed; the next start serves all services",
)
@pytest.mark.parametrize(
    "how", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.lasting)], ids=lambda each: each.name
)
def test_interrupted_starts_leave_nothing_that_the_next_one_does_not_mend(start, tmp_path, how, seen):
    # Five while modules are imported
    moments = [0.3, *(0.55 + number * 0.55 / 4 for number in range(5)), 2.0]
    printed = interrupt_starts(tmp_path, moments, how, workers=1, admin_key=KEY)
    begun = time.monotonic()
    server = start(workers=1, admin_key=KEY)
    took = time.monotonic() - begun
    blamed = [text for text in [*printed, server.output] if "importing the file" in text]
    passed_over = files_passed_over(server, KEY)
    seen(f"{len(blamed)} files blamed, {len(passed_over)} skipped, the next start served after {took:.1f} s")
    assert not blamed
    assert passed_over == []
    assert server.ask("/thirdparties", key=KEY).status == 200


@pytest.mark.fault("Two servers start at once on one empty database", "both serve all services")
@on_every_kind("sqlite", "mysql")
def test_two_servers_start_at_once_on_an_empty_database(url, start, seen):
    servers = [start(wait=False, workers=1, database=url, admin_key=KEY) for _ in range(2)]
    for server in servers:
        # MariaDB takes seconds to make all tables, twice as long on a busy machine
        wait_until(lambda server=server: "  address " in server.output)
        server.started()
    for server in servers:
        assert files_passed_over(server, KEY) == []
        assert not [line for line in server.output.splitlines() if "Traceback" in line or "ERROR" in line]
    first, second = servers
    made = first.ask("/thirdparties", "POST", {"name": "Shared"}, KEY).json
    assert second.ask(f"/thirdparties/{made}", key=KEY).json["name"] == "Shared"
    assert len(second.ask("/users", key=KEY).json) == 1
    seen("both serve, with one administrator")


@pytest.mark.fault("The database is unreachable at the start", "the server waits and reports it without the password")
def test_a_server_waits_for_its_database_and_says_so(tmp_path, seen):
    server = Running(tmp_path, database=f"mysql://me:secret@127.0.0.1:{own_port()}/x")
    try:
        wait_until(lambda: "Waiting up to 60 s" in server.output)
        assert server.process.poll() is None
        assert "secret" not in server.output
        seen(next(line for line in server.output.splitlines() if "Waiting up to" in line).strip())
    finally:
        server.stop()
    assert "Traceback" not in server.output


@pytest.mark.parametrize("setting", ["bind", "metrics"])
def test_an_address_in_use_is_said_plainly(start, setting):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = start(wait=False, **{setting: f"127.0.0.1:{taken.getsockname()[1]}"})
        assert server.process.wait(PATIENCE) == 1
    assert f"COMPTOIR_{setting.upper()}" in server.output
    assert "Traceback" not in server.output
    assert setting != "bind" or not (server.folder / "data" / "test.db").exists(), "the key is not lost"


def test_ctrl_c_ends_it_quietly(start):
    # Of its own, for its end. Held up, it would take as long as a request may: longer than `stop` waits
    server = start(workers=2, timeout=600)
    # A thread of a module that never ends holds up nobody
    server.write("threads/class/api_threads.py", _THREAD)
    # The process that runs jobs may be the last one to log that it has reloaded
    wait_until(lambda: server.output.count("modules reloaded") == 3)
    server.everywhere("/threads")
    before = server.output
    assert server.stop(signal.SIGINT) == 0
    assert server.output == before + "".join(line + "\n" for line in server.output[len(before) :].splitlines())
    assert "Traceback" not in server.output
    assert not [line for line in server.output[len(before) :].splitlines() if "GET" not in line]


_THREAD = '''
import threading

threading.Thread(target=threading.Event().wait).start()


class Threads:
    """Something.

    :access: public
    """

    def index(self) -> int:
        """One."""
        return 1
'''


@pytest.mark.fault("A server gets SIGTERM during a request", "it completes the response first")
def test_a_term_signal_lets_requests_finish(start, seen):
    # Of its own, for its end
    server = start(workers=1)
    server.write("slow/class/api_slow.py", _SLOW)
    server.everywhere("/slow")
    begun = server.folder / "begun"
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    connection.sendall(b"GET /slow?begun=" + str(begun).encode() + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    wait_until(begun.exists)
    server.process.send_signal(signal.SIGTERM)
    told = time.monotonic()
    # From now on it takes no new connection
    wait_until(lambda: not listens(server.port))
    begun.unlink()
    answer = b""
    while part := connection.recv(65536):
        answer += part
    connection.close()
    assert answer.endswith(b'"done"')
    assert server.process.wait(PATIENCE) == 0
    seen(f"the response was complete, the server exited with 0 after {time.monotonic() - told:.1f} s")


_SLOW = '''
import time
from pathlib import Path


class Slow:
    """Slow.

    :access: public
    """

    def index(self, begun: str = "") -> str:
        """Wait.

        :param begun: a file that says that the request has begun, and ends it when it is removed
        """
        if begun:
            Path(begun).touch()
            while Path(begun).exists():
                time.sleep(0.05)
        return "done"
'''


@pytest.mark.fault("A server gets SIGTERM right after its start", "it exits with 0 before a request's time is over")
def test_whoever_is_told_to_end_while_starting_ends(start, seen):
    # A worker that has just been forked would not hear of it, and the master would wait for it as long as a request may
    # take: longer than this test waits
    server = start(workers=8, wait=False, timeout=600)
    wait_until(lambda: "address" in server.output)
    asked = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(PATIENCE) == 0
    seen(f"exited after {time.monotonic() - asked:.1f} s")

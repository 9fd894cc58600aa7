"""A worker in earnest: nobody waits for somebody else's database, computation or line."""

import http.client
import json
import re
import resource
import select
import signal
import socket
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.request import urlopen

import pytest

from tests.bench.servers import empty

from .running import free_port, until
from .slow_clients import SlowClients

_HOLDS_UP = '''
import time
from pathlib import Path
from urllib.request import urlopen


class HoldsUp:
    """Take a while.

    :access: public
    """

    def index(self, how: str, begun: str, seconds: float = 1.5) -> str:
        """Sleep, compute, or never end.

        :param how: what holds it up {@choice sleep,compute,never}
        :param begun: a file that says that it has begun
        :param seconds: for how long
        """
        Path(begun).touch()
        if how == "sleep":
            time.sleep(seconds)
        end = time.monotonic() + seconds
        while how == "never" or (how == "compute" and time.monotonic() < end):
            sum(range(1000))
        return "done"
'''


#: what is told of many times: after which share of them it stands
_SHARES = {"half": 0.5, "95 %": 0.95, "99 %": 0.99, "the slowest": 0.999999}


@pytest.fixture
def many_files():
    """This process may have thousands of connections open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.fault("Three requests occupy one worker for 2 s each", "it serves other requests")
@pytest.mark.parametrize("how", [pytest.param("sleep", marks=pytest.mark.lasting), "compute"])
def test_one_that_is_held_up_holds_up_nobody_else(start, how, tmp_path, seen):
    server = start(workers=1)
    server.write("hold/class/api_holdsup.py", _HOLDS_UP)
    server.everywhere("/holdsup?how=x&begun=x", lambda answer: answer.status == 400, within=30)
    with ThreadPoolExecutor(3) as pool:
        begun = [tmp_path / str(number) for number in range(3)]
        slow = [pool.submit(server.ask, f"/holdsup?how={how}&begun={each}&seconds=2") for each in begun]
        until(lambda: all(each.exists() for each in begun))
        answered = 0
        while not any(each.done() for each in slow):
            assert server.ask("/who").status == 200
            answered += 1
        assert [each.result().json for each in slow] == ["done"] * 3
    seen(f"{answered} other requests served, one after the other")
    # On a quiet machine some hundred; one that waits for the others has answered none
    assert answered > 5


@pytest.mark.fault("A method never ends", "503 after COMPTOIR_TIMEOUT (2 s here); its worker is replaced")
def test_a_method_that_never_ends_costs_its_worker_only(start, tmp_path, seen):
    server = start(workers=1, timeout=2)
    server.write("hold/class/api_holdsup.py", _HOLDS_UP)
    server.everywhere("/holdsup?how=x&begun=x", lambda answer: answer.status == 400, within=30)
    before = server.workers
    with ThreadPoolExecutor(1) as pool:
        asked = time.monotonic()
        never = pool.submit(server.ask, f"/holdsup?how=never&begun={tmp_path}/begun")
        until((tmp_path / "begun").exists)
        assert server.ask("/who").status == 200
        answer = never.result()
    took = time.monotonic() - asked
    assert answer.status == 503
    assert "COMPTOIR_TIMEOUT" in answer.json["error"]["message"]
    until(lambda: len(server.workers) == 1 and not server.workers & before)
    until(lambda: server.ask("/who").status == 200)
    seen(f"503 after {took:.1f} s, another worker serves after {time.monotonic() - asked:.1f} s")
    assert "GET /holdsup took more than 2 s" in server.output


def test_more_requests_than_a_worker_has_threads_are_all_answered(start, tmp_path):
    server = start(workers=1, threads=2)
    server.write("hold/class/api_holdsup.py", _HOLDS_UP)
    server.everywhere("/holdsup?how=x&begun=x", lambda answer: answer.status == 400, within=30)
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(server.ask, f"/holdsup?how=sleep&begun={tmp_path}/x&seconds=0.3") for _ in range(6)]
        assert [each.result().json for each in asked] == ["done"] * 6


def test_a_slow_upload_is_taken_in(start):
    server = start(workers=1)
    body = json.dumps({"number": "slow", "note": "n" * 200_000}).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.putrequest("POST", "/loyaltycards")
    for name, value in {
        "DOLAPIKEY": server.key,
        "Content-Type": "application/json",
        "Content-Length": len(body),
    }.items():
        connection.putheader(name, str(value))
    connection.endheaders()
    for position in range(0, len(body), 20_000):
        connection.send(body[position : position + 20_000])
        time.sleep(0.05)
        assert server.ask("/who").status == 200
    assert connection.getresponse().status == 200
    connection.close()


@pytest.mark.fault(
    "60 silent connections announce a body of 10 MiB each", "413 without a key; another client uploads 1 MB immediately"
)
def test_silent_connections_keep_no_room_from_others(start, seen):
    server = start(workers=1)
    claim = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\nExpect: 100-continue\r\n"
    with ExitStack() as silent:
        for number in range(60):
            client = silent.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            path, key, told = (
                ("/loyaltycards", f"DOLAPIKEY: {server.key}\r\n", b"HTTP/1.1 100 ")
                if number % 2
                else ("/login", "", b"HTTP/1.1 413 ")
            )
            client.sendall(f"POST {path} HTTP/1.1\r\n{claim}{key}\r\n".encode())
            # What is told to go on is waited for from now on
            assert client.recv(100).startswith(told)
        body = json.dumps({"number": "beside"}).ljust(1_000_000).encode()
        # Its head first, its body later
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("POST", "/loyaltycards", body, {"DOLAPIKEY": server.key, "Content-Type": "application/json"})
        answer = connection.getresponse()
        seen(f"30 × 413 without a key, 30 kept open; 1 MB upload meanwhile: {answer.status}")
        assert answer.status == 200
        connection.close()


def test_without_a_key_a_body_is_not_waited_for(start):
    server = start(workers=1)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        client.sendall(
            b"POST /loyaltycards HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: wrong\r\nContent-Length: 900000\r\n\r\nab"
        )
        assert client.recv(100).startswith(b"HTTP/1.1 401 ")


@pytest.mark.fault(
    "1,000 clients send, or 200 clients read, one byte per second",
    "each connection is closed in time; /status responds without delay",
)
@pytest.mark.parametrize(
    "how_many",
    [pytest.param((700, 300, 0), id="senders"), pytest.param((0, 0, 200), id="readers", marks=pytest.mark.lasting)],
)
def test_clients_that_take_a_second_for_a_byte(start, many_files, how_many, seen):
    server = start(workers=2, client_timeout=2)
    key = server.key
    for _ in range(6):
        # Each worker makes the large document once
        document = server.ask("/explorer/openapi.json", key=key).body
    # A reader has a second more for each 32 KiB of its document
    longest = 2 + 2 + (len(document) / 32768 if how_many[2] else 0)
    took = []
    begun = time.monotonic()
    with SlowClients(server.port, key, how_many) as slow:
        while slow.left and time.monotonic() < begun + longest + 30:
            asked = time.monotonic()
            assert server.ask("/status", key=key).status == 200
            took.append(time.monotonic() - asked)
            time.sleep(0.02)
        assert slow.left == 0
        answers = {answer[:12] for answer in slow.answers.values()}
        assert max(slow.lasted.values()) < longest + 5
    took.sort()
    seen(
        f"the last one was closed after {max(slow.lasted.values()):.1f} s; {len(took)} × /status: "
        + ", ".join(f"{name} {1000 * took[int(len(took) * share)]:.0f} ms" for name, share in _SHARES.items())
    )
    assert answers == {b"HTTP/1.1 200" if how_many[2] else b"HTTP/1.1 408"}
    # Each would take two seconds if it waited for a slow one; `make faults` prints what they took
    assert took[int(len(took) * 0.95)] < 1


def test_the_empty_application_of_the_measures_serves():
    with empty() as address, urlopen(f"http://{address}/nothing") as answer:
        assert json.load(answer) == {}


def test_a_worker_that_ends_answers_beside_what_holds_it_up(start, tmp_path):
    server = start(workers=1, threads=3)
    server.write("hold/class/api_holdsup.py", _HOLDS_UP)
    server.everywhere("/holdsup?how=x&begun=x", lambda answer: answer.status == 400, within=30)
    kept = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=30) for _ in range(2)]
    for each in kept:
        each.request("GET", "/who")
        assert each.getresponse().read()
    before = server.workers
    server.process.send_signal(signal.SIGHUP)
    until(lambda: bool(server.workers - before))
    time.sleep(0.3)
    slow, quick = kept
    slow.request("GET", f"/holdsup?how=sleep&begun={tmp_path}/begun&seconds=3")
    until((tmp_path / "begun").exists)
    quick.request("GET", "/who")
    assert quick.getresponse().status == 200
    # Nothing has come for the other one yet
    assert select.select([slow.sock], [], [], 0)[0] == []
    assert slow.getresponse().status == 200


@pytest.mark.parametrize("threads", [1, 2])
def test_sockets_in_the_file_system_and_ipv6(start, threads):
    with tempfile.TemporaryDirectory(prefix="c-") as folder:
        port, path = free_port(), f"{folder}/s"
        bind = f"127.0.0.1:{port}, unix:{path},[::1]:{port}"
        server = start(wait=False, workers=1, threads=threads, bind=bind)
        server.port = port
        server.started()
        for family, address in ((socket.AF_UNIX, path), (socket.AF_INET6, ("::1", port))):
            with socket.socket(family) as client:
                client.settimeout(10)
                client.connect(address)
                client.sendall(b"GET /who HTTP/1.1\r\nHost: [::1]:1\r\n\r\nHEAD /who HTTP/1.0\r\n\r\n")
                content = b""
                while part := client.recv(65536):
                    content += part
            assert re.findall(rb"HTTP/1\.\d \d+", content) == [b"HTTP/1.1 200", b"HTTP/1.0 200"]

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

from .running import PATIENCE, own_port, wait_until
from .slow_clients import SlowClients

#: one worker, so that a request that is held up would be in everybody's way
SERVER = {"workers": 1, "threads": 3}

_HOLDS_UP = '''
import time
from pathlib import Path


class HoldsUp:
    """Take a while.

    :access: public
    """

    def index(self, how: str, begun: str, end: str = "") -> str:
        """Sleep or compute.

        :param how: what holds it up {@choice sleep,compute}
        :param begun: a file that says that it has begun
        :param end: a file that ends it; it never ends without one
        """
        Path(begun).touch()
        while not end or not Path(end).exists():
            time.sleep(0.01) if how == "sleep" else sum(range(1000))
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


@pytest.fixture(scope="module")
def server(server):
    """The server of this file, with the service that holds it up."""
    return with_service(server)


def with_service(server):
    server.write("hold/class/api_holdsup.py", _HOLDS_UP)
    server.everywhere("/holdsup?how=x&begun=x", status=400)
    return server


@pytest.mark.fault("Requests occupy all threads of a worker but one", "it serves other requests")
def test_one_that_is_held_up_holds_up_nobody_else(server, tmp_path):
    begun, end = [tmp_path / "1", tmp_path / "2"], tmp_path / "end"
    with ThreadPoolExecutor(2) as pool:
        slow = [pool.submit(server.ask, f"/holdsup?how=compute&begun={each}&end={end}") for each in begun]
        wait_until(lambda: all(each.exists() for each in begun))
        assert {server.ask("/who").status for _ in range(10)} == {200}
        assert not any(each.done() for each in slow)
        end.touch()
        assert [each.result().json for each in slow] == ["done"] * 2


@pytest.mark.fault("A method never ends", "503 after COMPTOIR_TIMEOUT (2 s here); its worker is replaced")
def test_a_method_that_never_ends_costs_its_worker_only(start, tmp_path, seen):
    # Of its own, for its time-out
    server = with_service(start(workers=1, timeout=2))
    before = server.workers
    with ThreadPoolExecutor(1) as pool:
        asked = time.monotonic()
        never = pool.submit(server.ask, f"/holdsup?how=compute&begun={tmp_path}/begun")
        wait_until((tmp_path / "begun").exists)
        assert server.ask("/who").status == 200
        answer = never.result()
    took = time.monotonic() - asked
    assert answer.status == 503
    assert "COMPTOIR_TIMEOUT" in answer.json["error"]["message"]
    wait_until(lambda: len(server.workers) == 1 and not server.workers & before)
    wait_until(lambda: server.ask("/who").status == 200)
    seen(f"503 after {took:.1f} s, another worker serves after {time.monotonic() - asked:.1f} s")
    assert "GET /holdsup took more than 2 s" in server.output


def test_more_requests_than_a_worker_has_threads_are_all_answered(server, tmp_path):
    begun, end = [tmp_path / str(number) for number in range(7)], tmp_path / "end"
    with ThreadPoolExecutor(7) as pool:
        asked = [pool.submit(server.ask, f"/holdsup?how=sleep&begun={each}&end={end}") for each in begun]
        wait_until(lambda: sum(each.exists() for each in begun) == SERVER["threads"])
        end.touch()
        assert [each.result().json for each in asked] == ["done"] * 7


@pytest.mark.fault(
    "60 silent connections announce a body of 10 MiB each, 60 send one byte",
    "413 without a key; another client uploads 1 MB meanwhile",
)
def test_silent_connections_keep_no_room_from_others(server, seen):
    claim = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\nExpect: 100-continue\r\n"
    with ExitStack() as silent:
        for number in range(60):
            silent.enter_context(socket.create_connection(("127.0.0.1", server.port))).sendall(b"G")
            client = silent.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
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
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("POST", "/loyaltycards", body, {"DOLAPIKEY": server.key, "Content-Type": "application/json"})
        answer = connection.getresponse()
        seen(f"30 × 413 without a key, 30 kept open; 1 MB upload meanwhile: {answer.status}")
        assert answer.status == 200
        connection.close()


@pytest.mark.fault(
    "1,000 clients send, or 200 clients read, one byte per second",
    "each connection is closed; /status responds meanwhile",
)
@pytest.mark.parametrize(
    "how_many",
    [pytest.param((700, 300, 0), id="senders"), pytest.param((0, 0, 200), id="readers", marks=pytest.mark.lasting)],
)
def test_clients_that_take_a_second_for_a_byte(start, many_files, how_many, seen):
    # Of its own, for the time it gives a client
    server = start(workers=2, client_timeout=2)
    took = []

    def all_are_gone():
        asked = time.monotonic()
        assert server.ask("/status", key=server.key).status == 200
        took.append(time.monotonic() - asked)
        return slow.left == 0

    with SlowClients(server.port, server.key, how_many) as slow:
        wait_until(all_are_gone, lambda: f"{slow.left} are left")
        answers = {answer[:12] for answer in slow.answers.values()}
    took.sort()
    seen(
        f"the last one was closed after {max(slow.lasted.values()):.1f} s; {len(took)} × /status: "
        + ", ".join(f"{name} {1000 * took[int(len(took) * share)]:.0f} ms" for name, share in _SHARES.items())
    )
    assert answers == {b"HTTP/1.1 200" if how_many[2] else b"HTTP/1.1 408"}


def test_the_empty_application_of_the_measures_serves():
    with empty() as address, urlopen(f"http://{address}/nothing") as answer:
        assert json.load(answer) == {}


def test_a_worker_that_ends_answers_beside_what_holds_it_up(server, tmp_path):
    end = tmp_path / "end"
    kept = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE) for _ in range(2)]
    for each in kept:
        each.request("GET", "/who")
        assert each.getresponse().read()
    before = server.workers
    server.process.send_signal(signal.SIGHUP)
    # From now on the old one takes no new connection
    wait_until(lambda: not before & {server.ask("/who").json for _ in range(10)})
    slow, quick = kept
    slow.request("GET", f"/holdsup?how=sleep&begun={tmp_path}/begun&end={end}")
    wait_until((tmp_path / "begun").exists)
    quick.request("GET", "/who")
    assert json.load(quick.getresponse()) in before
    # Nothing has come for the other one yet
    assert select.select([slow.sock], [], [], 0)[0] == []
    end.touch()
    assert slow.getresponse().status == 200
    # Until only one worker is left, the next test can't tell whom it asks
    wait_until(lambda: not server.workers & before)


@pytest.mark.parametrize("threads", [1, 2])
def test_sockets_in_the_file_system_and_ipv6(start, threads):
    with tempfile.TemporaryDirectory(prefix="c-") as folder:
        port, other, path = own_port(), own_port("::1"), f"{folder}/s"
        # Of its own, for its addresses
        start(workers=1, threads=threads, port=port, bind=f"127.0.0.1:{port}, unix:{path},[::1]:{other}")
        for family, address in ((socket.AF_UNIX, path), (socket.AF_INET6, ("::1", other))):
            with socket.socket(family) as client:
                client.settimeout(PATIENCE)
                client.connect(address)
                client.sendall(b"GET /who HTTP/1.1\r\nHost: [::1]:1\r\n\r\nHEAD /who HTTP/1.0\r\n\r\n")
                content = b""
                while part := client.recv(65536):
                    content += part
            assert re.findall(rb"HTTP/1\.\d \d+", content) == [b"HTTP/1.1 200", b"HTTP/1.0 200"]

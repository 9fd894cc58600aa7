"""The block for nginx of `core/RUNNING.md`, in front of a real server."""

from __future__ import annotations

import base64
import contextlib
import gzip
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from core.common.settings import Settings
from tests.needed import program, why_without
from tests.serving.nginx import BLOCK, SERVER, nginx
from tests.serving.running import PATIENCE, Answer, Running, own_port, wait_until

KEY = "a-key-behind-a-proxy-0123456789"
pytestmark = pytest.mark.skipif(program("nginx") is None, reason=str(why_without("nginx")))


@dataclass(frozen=True)
class Site:
    """What a visitor sees."""

    port: int
    server: Running

    def ask(self, path, verb="GET", body=None, headers=None, key=KEY):
        # From an address that is none of our proxies'
        connection = http.client.HTTPConnection("127.0.0.1", self.port, PATIENCE, source_address=("127.0.0.2", 0))
        sent = {"Content-Type": "application/json"} if body is not None else {}
        content = body if body is None or isinstance(body, bytes) else json.dumps(body)
        with contextlib.closing(connection):
            connection.request(verb, path, content, {"DOLAPIKEY": key, **sent, **(headers or {})})
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """One worker, so that a slow client would be in everybody's way."""
    folder = tmp_path_factory.mktemp("site")
    with Running(folder, workers=1, admin_key=KEY) as server, nginx(folder / "nginx", server.port) as port:
        yield Site(port, server)


@pytest.fixture(scope="module")
def customer(site):
    return site.ask("/comptoir/thirdparties", "POST", {"name": "Behind Ltd", "client": 1}).json


@pytest.fixture(scope="module")
def proposal(site, customer):
    """The file of a validated proposal, as the documents' service names it."""
    lines = [{"desc": f"Article {number}", "qty": 1, "subprice": 10} for number in range(50)]
    made = site.ask("/comptoir/proposals", "POST", {"socid": customer, "date": "2026-11-21", "lines": lines}).json
    ref = site.ask(f"/comptoir/proposals/{made}/validate", "POST", {}).json["ref"]
    return f"{ref}/{ref}.pdf"


def test_it_serves_below_a_prefix(site, customer):
    assert site.ask(f"/comptoir/thirdparties/{customer}").json["name"] == "Behind Ltd"
    assert site.ask("/thirdparties").status == 404, "nginx's own"


def upload(site, ref, content):
    body = {
        "filename": "attached.dat",
        "modulepart": "proposal",
        "ref": ref,
        "filecontent": base64.b64encode(content).decode(),
        "fileencoding": "base64",
        "overwriteifexists": 1,
    }
    return site.ask("/comptoir/documents/upload", "POST", body)


def test_a_large_file_is_uploaded_and_read(site, proposal):
    """More than nginx keeps in memory, in both directions."""
    ref = proposal.split("/")[0]
    content = os.urandom(5 * 1024 * 1024)
    assert upload(site, ref, content).status == 200
    answer = site.ask(f"/comptoir/documents/raw?modulepart=proposal&original_file={ref}/attached.dat")
    assert answer.status == 200
    assert answer.body == content


def test_a_part_of_a_document_is_answered(site, proposal):
    path = f"/comptoir/documents/raw?modulepart=proposal&original_file={proposal}"
    whole = site.ask(path, headers={"Accept-Encoding": "gzip"})
    assert whole.body.startswith(b"%PDF-")
    part = site.ask(path, headers={"Range": "bytes=100-299", "Accept-Encoding": "gzip"})
    assert part.status == 206
    assert part.headers["content-range"] == f"bytes 100-299/{len(whole.body)}"
    assert part.body == whole.body[100:300]


def test_nginx_takes_bodies_as_large_as_the_server_does(site):
    (size,) = re.findall(r"client_max_body_size (\d+)m;", BLOCK)
    assert int(size) * 1024 * 1024 == Settings().max_body
    most = Settings().max_body
    # the largest one gets through to the server, which does not like what is in it
    taken = site.ask("/comptoir/thirdparties", "POST", b" " * most)
    assert taken.status == 400
    assert "error" in taken.json
    refused = site.ask("/comptoir/thirdparties", "POST", b" " * (most + 1))
    assert refused.status == 413


def test_large_answers_are_compressed(site, customer):
    plain = site.ask("/comptoir/setup/dictionary/countries?limit=300")
    packed = site.ask("/comptoir/setup/dictionary/countries?limit=300", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 3


@pytest.mark.fault("Sixty clients send a byte every 0.2 s through nginx", "one worker serves other requests")
def test_slow_clients_are_in_nobodys_way(site, seen):
    """Sixty bodies that come a byte at a time: nginx keeps them until they are whole."""
    head = "POST /comptoir/thirdparties HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50000\r\n\r\n"
    slow = [socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE) for _ in range(60)]
    stop = threading.Event()
    rounds = 0

    def drip():
        nonlocal rounds
        while not stop.wait(0.2):
            for each in slow:
                each.sendall(b" ")
            rounds += 1

    for each in slow:
        each.sendall(head.encode())
    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        wait_until(lambda: rounds >= 3)
        took = []
        for _ in range(20):
            began = time.monotonic()
            assert site.ask("/comptoir/status").status == 200
            # No body comes to its end here: who waits for one of them is not answered
            took.append(time.monotonic() - began)
        seen(f"{len(took)} × /status, the slowest in {max(took) * 1000:.0f} ms")
    finally:
        stop.set()
        dripping.join()
        for each in slow:
            each.close()


def test_a_forged_address_helps_nobody(site):
    """After ten failures of one address each further one asks for a longer wait, whatever addresses it claims to be of."""
    statuses = [
        site.ask(
            "/comptoir/login",
            "POST",
            {"login": f"nobody{number}", "password": "not the right password"},
            {
                "Forwarded": f"for=198.51.100.{number}",
                "X-Forwarded-For": f"198.51.100.{number}",
                "X-Real-IP": f"198.51.100.{number}",
            },
        ).status
        for number in range(14)
    ]
    assert statuses[-1] == 429, statuses
    assert set(statuses[:10]) == {403}


class Echo(BaseHTTPRequestHandler):
    """Answers what was asked."""

    def do_GET(self):
        said = json.dumps([self.path, self.headers.items()]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        """Say nothing."""


def test_what_nginx_tells_the_server(tmp_path):
    with HTTPServer(("127.0.0.1", 0), Echo) as echo:
        threading.Thread(target=echo.serve_forever, daemon=True).start()
        with nginx(tmp_path / "nginx", echo.server_port) as port:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            forged = {
                "X-Forwarded-For": "198.51.100.7",
                "Forwarded": "for=198.51.100.7",
                "X-Forwarded-Proto": "https",
                "Host": "shop.example:8080",
            }
            with contextlib.closing(connection):
                connection.request("GET", "/comptoir/thirdparties?limit=1", headers=forged)
                path, headers = json.loads(connection.getresponse().read())
        echo.shutdown()
    said = {name.lower(): value for name, value in headers}
    assert path == "/thirdparties?limit=1"
    # the last one is what nginx has seen
    assert said["x-forwarded-for"] == "198.51.100.7, 127.0.0.1"
    assert said["x-forwarded-proto"] == "http"
    assert said["host"] == "shop.example:8080"
    assert "forwarded" not in said


def test_nginx_accepts_the_whole_server(tmp_path):
    """With a certificate in the place of the one on the page."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl")
    # The folder's own name may have a 443
    server = re.sub(r"/etc/letsencrypt/live/[\w.]+", str(tmp_path), SERVER.replace("443", str(own_port())))
    made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=erp.example.org", "-days", "1"]
    files = ["-keyout", tmp_path / "privkey.pem", "-out", tmp_path / "fullchain.pem"]
    subprocess.run(["openssl", "req", *made, *files], check=True, capture_output=True)
    file = tmp_path / "nginx.conf"
    file.write_text(f"pid {tmp_path}/pid; events {{}} http {{ access_log off;\n{server}\n}}")
    command = [str(program("nginx")), "-e", str(tmp_path / "early.log"), "-p", str(tmp_path), "-c", str(file), "-t"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr

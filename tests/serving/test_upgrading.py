"""New modules (SIGHUP) and a new core (SIGUSR2) are taken up under load: nobody is refused, no number is skipped."""

import http.client
import os
import re
import shutil
import signal
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.serving.master import started_by
from tests.serving.running import PATIENCE, ROOT, Hands, Steady, children, is_there, wait_until

KEY = "a-key-for-upgrades-0123456789"
DAY = "2026-11-21"
SERVER = {"workers": 2, "admin_key": KEY}


@pytest.fixture
def tree(tmp_path):
    """A copy of the tree, in which another core can be put."""
    for name in ("core", "explorer", "modules"):
        shutil.copytree(ROOT / name, tmp_path / "tree" / name)
    put_version(tmp_path / "tree", "1.0.0")
    return tmp_path / "tree"


def put_version(tree, version):
    # The last assignment counts
    text = (ROOT / "core/version.py").read_text() + f'\nVERSION = "{version}"\n'
    (tree / "core/version.py").write_text(text)


def version_of(server):
    return server.ask("/status", key=KEY).json["success"]["comptoir_version"]


class Writers(Hands):
    """Clients that make and validate invoices without a pause, and never try again."""

    def __init__(self, server):
        self.references = []
        self.wrong = []
        self._server = server
        super().__init__(2)
        self._socid = server.ask("/thirdparties", "POST", {"name": "Upgraded Ltd", "client": 1}, KEY).json

    def _run(self, number):
        body = {"socid": self._socid, "date": DAY, "lines": [{"desc": "a", "qty": 1, "subprice": 10}]}
        while not self._stop.is_set():
            try:
                made = self._server.ask("/invoices", "POST", body, KEY)
                done = self._server.ask(f"/invoices/{made.json}/validate", "POST", {}, KEY)
                self.references.append(done.json["ref"])
                self.answered += 1
            except Exception as error:  # whatever it is, a client has seen it
                self.wrong.append(repr(error))

    def check(self):
        """All was answered, and the numbers have no gap."""
        assert self.wrong == []
        expected = [f"FA2611-{number:04d}" for number in range(1, len(self.references) + 1)]
        assert sorted(self.references) == expected


class Keeper(Hands):
    """A client that asks on one connection, without a pause, until the server says that it closes it."""

    def __init__(self, server):
        self.wrong = []
        self._port = server.port
        super().__init__(1)

    def _run(self, number):
        while not self._stop.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
            try:
                closes = False
                while not closes and not self._stop.is_set():
                    connection.request("GET", "/who")
                    answer = connection.getresponse()
                    answer.read()
                    closes = answer.will_close
                    assert answer.status == 200, answer.status
                    self.answered += 1
            except Exception as error:  # whatever it is, a client has seen it
                self.wrong.append(repr(error))
            finally:
                connection.close()


class Load:
    """Readers and writers together, and one that keeps its connection."""

    def __init__(self, server):
        self.readers = Steady(server, key=KEY)
        self.writers = Writers(server)
        self.keeper = Keeper(server)

    def __enter__(self):
        with ExitStack() as running:
            for each in (self.writers, self.readers, self.keeper):
                running.enter_context(each)
            self._go_on()
            self._running = running.pop_all()
        return self

    def __exit__(self, kind, *_):
        with self._running:
            if kind is None:
                self._go_on()

    def _go_on(self):
        self.readers.go_on()
        self.keeper.go_on()
        self.writers.go_on(5)

    def __str__(self):
        wrong = sum(len(each.wrong) for each in (self.readers, self.writers, self.keeper))
        return (
            f"{self.readers.answered} reads, {len(self.writers.references)} invoices, "
            f"{self.keeper.answered} on kept connections; {wrong} refused"
        )

    def check(self):
        assert self.readers.wrong == []
        assert self.keeper.wrong == []
        self.writers.check()


def parent(process):
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def upgraded(server):
    """Ask for an upgrade and wait for its end; answers the new master."""
    old = server.master
    os.kill(old, signal.SIGUSR2)
    wait_until(lambda: not is_there(old))
    workers = {server.ask("/who").json for _ in range(5)}
    (server.master,) = {parent(each) for each in workers}
    return server.master


@pytest.mark.fault("SIGHUP, twice, under load", "new workers, no rejected request, no gap in the numbers")
def test_a_hangup_serves_anew_without_a_refused_request(server, seen):
    before = server.workers
    load = Load(server)
    with load:
        for _ in range(2):
            old = server.workers
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda old=old: len(server.workers) == 2 and not server.workers & old)
    seen(str(load))
    load.check()
    assert not server.workers & before
    assert server.process.poll() is None


@pytest.fixture
def current(tmp_path, tree):
    """A link to one of two versions that lie beside each other, each with a script of its own."""
    shutil.copytree(tree, tmp_path / "1.1.0")
    tree.rename(tmp_path / "1.0.0")
    for version in ("1.0.0", "1.1.0"):
        home = tmp_path / version
        put_version(home, version)
        script = home / "comptoir"
        lines = (
            f"#!{sys.executable}",
            "import sys",
            f"sys.path.insert(0, {str(home)!r})",
            "import core.__main__ as program",
        )
        script.write_text("\n".join([*lines, "program.main()", ""]))
        script.chmod(0o755)
    link = tmp_path / "current"
    link.symlink_to("1.0.0")
    return link


def switch(link, version):
    """As `ln -sfn` does."""
    new = link.with_name("new")
    new.symlink_to(version)
    new.replace(link)


@pytest.mark.fault("An upgrade with SIGUSR2 and a rollback, under load", "no rejected request, no gap in the numbers")
def test_a_new_core_takes_over_without_a_refused_request(start, current, seen):
    """And the old one again: UPGRADE.md's way there and back."""
    server = start(workers=2, admin_key=KEY, program=(f"{current}/comptoir",), tree=current.parent)
    assert version_of(server) == "1.0.0"
    masters = [server.master]
    load = Load(server)
    with load:
        for version in ("1.1.0", "1.0.0"):
            switch(current, version)
            masters.append(upgraded(server))
            assert version_of(server) == version
    seen(str(load))
    load.check()
    assert len(set(masters)) == 3
    for new, old in (("1.1.0", "1.0.0"), ("1.0.0", "1.1.0")):
        assert re.search(rf"version {new} \(process \d+\) takes over from version {old} ", server.output)
    assert server.process.wait(PATIENCE) == 0
    assert "Traceback" not in server.output
    # the new one ends as any other
    workers = server.workers
    assert len(workers) == 2
    os.kill(server.master, signal.SIGTERM)
    wait_until(lambda: not any(map(is_there, {server.master, *workers})))


@pytest.fixture
def notified(tmp_path):
    """Where systemd would listen."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(PATIENCE)
        yield listening


@pytest.mark.fault(
    "An upgrade during a long request", "the new version serves other requests; the old one exits after this response"
)
def test_a_request_that_has_begun_is_answered_by_the_old_core(start, tree, notified, seen):
    """And systemd is told of the new main process."""
    # On a busy machine, a new version takes longer to start than a request may take
    variables = {"NOTIFY_SOCKET": notified.getsockname()}
    server = start(workers=1, tree=tree, admin_key=KEY, timeout=600, variables=variables)
    assert b"READY=1" in notified.recv(4096)
    server.write("slow/class/api_slow.py", _SLOW)
    server.everywhere("/slow")
    begun = server.folder / "begun"
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /slow?begun=" + str(begun).encode() + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until(begun.exists)
        old = server.process.pid
        put_version(tree, "1.1.0")
        server.process.send_signal(signal.SIGUSR2)
        # the new one answers while the old one still works on it
        wait_until(lambda: version_of(server) == "1.1.0")
        wait_until(lambda: "finishes its requests" in server.output)
        assert is_there(old)
        begun.unlink()
        answer = b""
        while not answer.endswith(b'"done"') and (part := connection.recv(65536)):
            answer += part
    assert answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b'"done"')
    seen("1.1.0 served requests while 1.0.0 completed its response")
    assert server.process.wait(PATIENCE) == 0
    server.master = parent(server.ask("/who").json)
    assert b"READY=1" in notified.recv(4096)
    assert notified.recv(4096) == f"MAINPID={server.master}".encode()


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


@pytest.mark.lasting
@pytest.mark.fault("An upgrade to a version that cannot start", "the old version keeps serving; a fixed one takes over")
def test_a_core_that_cannot_start_leaves_the_old_one_in_charge(start, tree, seen):
    server = start(workers=2, admin_key=KEY, tree=tree)
    workers, processes = server.workers, children(server.master)
    (tree / "core/version.py").write_text("raise RuntimeError('no good')")
    server.process.send_signal(signal.SIGUSR2)
    # While the new version is ending, the old one ignores the next signal
    wait_until(lambda: "no good" in server.output and children(server.master) == processes)
    assert server.workers == workers
    assert version_of(server) == "1.0.0"
    # mended, the next try succeeds
    put_version(tree, "1.1.0")
    upgraded(server)
    assert version_of(server) == "1.1.0"
    seen("1.0.0 kept serving with the same workers, then 1.1.0 took over")


@pytest.mark.fault(
    "An upgrade to a version that isn't installed", "no rejected request; the same workers; the next signal works"
)
def test_a_core_that_is_missing_leaves_the_old_one_in_charge(start, current, seen):
    server = start(workers=2, admin_key=KEY, program=(f"{current}/comptoir",), tree=current.parent)
    processes = children(server.master)
    load = Load(server)
    with load:
        for tries in (1, 2):
            switch(current, "1.1.o")
            server.process.send_signal(signal.SIGUSR2)
            wait_until(lambda tries=tries: server.output.count("can't start the new version") == tries)
            # Until the failed one is reaped, gunicorn ignores the signal
            wait_until(lambda: children(server.master) == processes)
            assert version_of(server) == "1.0.0"
        switch(current, "1.1.0")
        upgraded(server)
        assert version_of(server) == "1.1.0"
    load.check()
    assert "No such file or directory" in server.output
    assert "version 1.0.0 continues" in server.output
    assert "Child exists" not in server.output
    assert "Traceback" not in server.output
    seen(str(load))


@pytest.mark.parametrize(
    ("original", "arguments", "expected"),
    [
        ([sys.executable, "-m", "core", "serve"], ["/x/core/__main__.py", "serve"], [sys.executable, "-m", "core", "serve"]),
        # a script whose first line names the interpreter of its version
        (["/old/python", "{script}", "serve"], ["{script}", "serve"], ["{script}", "serve"]),
        (["/old/python", "-X", "dev", "{script}"], ["{script}"], [sys.executable, "-X", "dev", "{script}"]),
        (["/old/python", "{text}", "serve"], ["{text}", "serve"], [sys.executable, "{text}", "serve"]),
    ],
)  # fmt: skip
def test_the_program_is_started_as_it_was(tmp_path, original, arguments, expected):
    script, text = tmp_path / "comptoir", tmp_path / "text.py"
    script.touch(0o755)
    text.touch(0o644)

    def filled(words):
        return [word.format(script=script, text=text) for word in words]

    assert started_by(filled(original), filled(arguments)) == filled(expected)

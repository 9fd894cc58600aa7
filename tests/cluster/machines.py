"""The machines of ``make cluster``: PostgreSQL with PgBouncer, application hosts, HAProxy.

Each machine is a loopback address and a folder. The configuration is that of `core/GROWING.md`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.own_databases import find_program, needed_program, why_missing

from .load import KEY, send

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "core" / "GROWING.md").read_text()
#: the network of the page, and the one that replaces it
PAGE_NETWORK, NETWORK = "10.0.0.", "127.77.0."
PORT, BALANCER_PORT = 8000, 8080
START_SECONDS = 60.0


class ClusterError(Exception):
    """A program that does not start or fails."""


def why_unavailable():
    """Return which programs this machine lacks; empty if it has all of them."""
    missing = [reason for kind in ("postgresql", "pgbouncer") if (reason := why_missing(kind))]
    return ", ".join(missing if find_program("haproxy") else [*missing, "there is no haproxy"])


def block(language, beginning):
    """Return a block of the page, with the addresses of these machines.

    :param beginning: start of the block's first line
    """
    found = re.search(rf"^```{language}\n({re.escape(beginning)}.*?)^```$", PAGE, re.M | re.S)
    assert found, f"core/GROWING.md has no block of {language} that begins with {beginning}"
    # Connections between loopback addresses come from 127.0.0.1
    return found[1].replace(f"{PAGE_NETWORK}0/24", "127.0.0.0/8").replace(PAGE_NETWORK, NETWORK)


def until(holds, otherwise):
    """Wait until a condition holds.

    :raises ClusterError: it doesn't within `START_SECONDS`
    """
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > START_SECONDS:
            raise ClusterError(otherwise())
        time.sleep(0.05)


@dataclass
class Machine:
    """A machine: its address, its folder, its running programs by name.

    :ivar number: last part of the address
    :ivar user: user that runs its programs, if the tests run as root
    """

    number: int
    folder: Path
    user: str = ""
    programs: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self):
        self.address = f"{NETWORK}{self.number}"
        self.folder.mkdir()
        if os.geteuid() != 0:
            self.user = ""
        if self.user:
            shutil.chown(self.folder, self.user, self.user)

    def run(self, program, *words):
        """Run a program to its end and return its output.

        :raises ClusterError: it fails
        """
        command = [*self._as_user(), needed_program(program), *words]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd="/", timeout=60
        )
        if done.returncode:
            raise ClusterError(f"{program} at {self.address}: {(done.stdout + done.stderr)[-2000:]}")
        return done.stdout

    def start_program(self, name, *words, environment=None, cwd="/"):
        """Start a program, without waiting for it."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith("COMPTOIR_")}
        with (self.folder / f"{name}.txt").open("ab") as output:
            self.programs[name] = subprocess.Popen(
                [*self._as_user(), *words],
                env=clean | dict(environment or {}),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def output_of(self, name):
        """Return the end of a program's output."""
        return (self.folder / f"{name}.txt").read_text(errors="replace")[-2000:]

    def kill(self, *names):
        """Kill programs, by default all, as a power cut would."""
        for name in names or tuple(self.programs):
            program = self.programs.pop(name)
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()

    def _as_user(self):
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"] if self.user else []


class Postgresql(Machine):
    """A machine with PostgreSQL, and PgBouncer in front of it."""

    def create(self):
        """Create an empty database server: the primary."""
        self.run("initdb", "-D", self._data, "-U", "postgres", "--auth-local=trust", "--no-sync", "-E", "UTF8")
        with (self.folder / "data/postgresql.conf").open("a") as file:
            file.write(block("ini", "# postgresql.conf"))
        (self.folder / "data/pg_hba.conf").write_text("local all postgres trust\n" + block("ini", "# pg_hba.conf"))
        self.start()
        self.execute(block("sql", "CREATE ROLE"))

    def follow(self, primary):
        """Become the standby of a primary, whose commits wait for it."""
        _, *words = shlex.split(block("sh", "pg_basebackup"))
        self.run("pg_basebackup", *(self._data if each.startswith("/var/") else each for each in words))
        self.start()
        until(lambda: primary.read("SELECT state FROM pg_stat_replication") == "streaming", self._failure)
        primary.execute(block("sql", "ALTER SYSTEM"))
        until(lambda: primary.read("SELECT sync_state FROM pg_stat_replication") == "sync", self._failure)

    def start(self):
        """Start PostgreSQL and PgBouncer, and wait for PostgreSQL."""
        # Another PostgreSQL of this computer may use the same port at another address
        own = ("-k", str(self.folder), "-c", f"listen_addresses={self.address}", "-c", "shared_buffers=64MB")
        self.start_program("postgresql", needed_program("postgres"), "-D", self._data, *own)
        until(lambda: self.read("SELECT 1") == "1", self._failure)
        self.start_pool()

    def start_pool(self):
        """Start PgBouncer."""
        file, users = self.folder / "pgbouncer.ini", self.folder / "userlist.txt"
        users.write_text('"comptoir" "the-password"\n')
        text = block("ini", "[databases]").replace("127.0.0.1", self.address)
        text = re.sub(r"(?m)^listen_addr = .*$", f"listen_addr = {self.address}", text)
        file.write_text(text.replace("/etc/pgbouncer/userlist.txt", str(users)))
        for each in (file, users):
            each.chmod(0o644)
        self.start_program("pgbouncer", needed_program("pgbouncer"), str(file))

    def read(self, sql):
        """Return the result of a statement; empty if it fails."""
        with suppress(ClusterError):
            return self._psql("-tAc", sql).strip()
        return ""

    def execute(self, statements):
        """Run statements, one a line."""
        for sql in statements.splitlines():
            self._psql("-c", sql)

    def promote(self):
        """Make the standby the primary."""
        self.run("pg_ctl", "promote", "-D", self._data)
        self.kill("pgbouncer")
        self.start_pool()

    @property
    def _data(self):
        return str(self.folder / "data")

    def _psql(self, *words):
        return self.run("psql", "-h", str(self.folder), "-U", "postgres", *words)

    def _failure(self):
        return f"PostgreSQL at {self.address} does not start or follow: {self.output_of('postgresql')}"


class Host(Machine):
    """An application host.

    :ivar files: folder for files, which all hosts share
    """

    files: Path

    def start(self):
        """Start the server, without waiting for it."""
        lines = block("sh", "# /etc/comptoir.env, PostgreSQL").splitlines()
        page = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
        own = {
            "COMPTOIR_DATABASE": page["COMPTOIR_DATABASE"],
            "COMPTOIR_DOCUMENTS": str(self.files),
            "COMPTOIR_BIND": f"{self.address}:{PORT}",
            "COMPTOIR_WORKERS": "2",
            "COMPTOIR_ADMIN_KEY": KEY,
            "COMPTOIR_LOG": "warning",
            "TMPDIR": str(self.folder),
        }
        self.start_program("comptoir", sys.executable, "-m", "core", "serve", environment=own, cwd=str(ROOT))

    def wait(self):
        """Wait until the host accepts requests."""
        until(lambda: responds(self.address, PORT, "/health/ready"), lambda: self.output_of("comptoir"))


class Balancer(Machine):
    """A machine with HAProxy in front of the hosts."""

    def start(self):
        """Start HAProxy and wait until a host responds through it."""
        file = self.folder / "haproxy.cfg"
        file.write_text(block("haproxy", "frontend comptoir"))
        self.start_program("haproxy", needed_program("haproxy"), "-db", "-f", str(file))
        until(lambda: responds(self.address, BALANCER_PORT, "/health/live"), lambda: self.output_of("haproxy"))


def responds(address, port, path):
    """Return whether a GET request succeeds."""
    with suppress(OSError):
        return bool(send(address, port, "GET", path)[0] == 200)
    return False

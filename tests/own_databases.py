"""Servers of databases that a test may stop and start: each with a folder and a port of its own, beside the shared ones."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.serving.running import PATIENCE, own_port, wait_until

#: kind → the programs that make a database and serve it
PROGRAMS = {
    "postgresql": ("initdb", "postgres"),
    "mysql": ("mariadb-install-db", "mariadbd"),
    "pgbouncer": ("pgbouncer",),
}
#: kind → the user they run as where the tests run as root, whom they refuse
USERS = {"postgresql": "postgres", "mysql": "mysql", "pgbouncer": "postgres"}


def why_missing(kind):
    """Why this machine cannot start a server of a kind; empty when it can."""
    missing = [name for name in PROGRAMS[kind] if find_program(name) is None]
    return f"there is no {' and no '.join(missing)}" if missing else ""


@dataclass
class OwnServer:
    """A server that may be stopped, killed and started again."""

    kind: str
    folder: Path
    port: int
    command: list[str]
    url: str
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self):
        """Start it and wait until it takes connections."""
        with (self.folder / "output.txt").open("ab") as output:
            self.process = subprocess.Popen(
                _as_user(self.kind, self.command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_until(self._listens, lambda: f"{self.kind} does not start: {self.output[-2000:]}")

    def stop(self, *, kill=False):
        """End it: connections are cut off, as in a restart; or as a power cut would."""
        if self.process is None:
            return
        # What PostgreSQL calls a fast shutdown is SIGINT; the others know SIGTERM
        how = signal.SIGKILL if kill else signal.SIGINT if self.kind == "postgresql" else signal.SIGTERM
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, how)
        self.process.wait(PATIENCE)
        self.process = None

    def restart(self, *, kill=False):
        """Stop it and start it again."""
        self.stop(kill=kill)
        self.start()

    @property
    def output(self):
        """What it has printed."""
        return (self.folder / "output.txt").read_text(errors="replace")

    def _listens(self):
        assert self.process is not None
        assert self.process.poll() is None, f"{self.kind} ended: {self.output[-2000:]}"
        return _answers(self.kind, self.port)


@contextmanager
def own_server(kind, *options):
    """A server of PostgreSQL or MariaDB with an empty database, started; afterwards it is gone.

    :param options: further options of its command line
    """
    with _folder(kind) as folder:
        server = _MAKE[kind](folder, own_port())
        server.command += options
        try:
            server.start()
            yield server
        finally:
            server.stop(kill=True)


@contextmanager
def pgbouncer(database, *, size=2):
    """A PgBouncer in transaction mode; its URL leads to all databases of a server.

    :param database: the URL of a database behind it
    :param size: connections that it keeps to the server
    """
    host, _, name = database.partition("@")[2].partition("/")
    address, _, port = host.partition(":")
    with _folder("pgbouncer") as folder:
        own = own_port()
        settings = folder / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n{name} = host={address} port={port or 5432} user=postgres\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {own}\nunix_socket_dir =\nauth_type = any\n"
            f"pool_mode = transaction\ndefault_pool_size = {size}\n"
            # Its default is 15 s, for which it refuses after the server has come back
            "server_login_retry = 1\n"
        )
        settings.chmod(0o644)
        url = f"postgresql://postgres@127.0.0.1:{own}/{name}"
        server = OwnServer("pgbouncer", folder, own, [needed_program("pgbouncer"), str(settings)], url)
        try:
            server.start()
            yield server
        finally:
            server.stop(kill=True)


def _postgresql(folder, port):
    data = folder / "data"
    _run(
        "postgresql",
        [needed_program("initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8"],
    )
    command = _postgresql_command(folder, port)
    return OwnServer("postgresql", folder, port, command, f"postgresql://postgres@127.0.0.1:{port}/postgres")


def _postgresql_command(folder, port):
    own = ["-D", f"{folder}/data", "-p", str(port), "-k", "", "-c", "listen_addresses=127.0.0.1"]
    return [needed_program("postgres"), *own, "-c", "shared_buffers=16MB"]


def _mysql(folder, port):
    data = folder / "data"
    own = ["--no-defaults", f"--datadir={data}", f"--tmpdir={folder}"]
    _run(
        "mysql",
        [needed_program("mariadb-install-db"), *own, "--auth-root-authentication-method=normal", "--skip-test-db"],
    )
    command = [
        needed_program("mariadbd"),
        *own,
        f"--port={port}",
        "--bind-address=127.0.0.1",
        f"--socket={folder}/socket",
    ]
    command += [f"--pid-file={folder}/pid", "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M"]
    server = OwnServer("mysql", folder, port, command, f"mysql://root@127.0.0.1:{port}/comptoir")
    # A database with the server's own default of characters
    (folder / "first.sql").write_text("CREATE DATABASE IF NOT EXISTS comptoir;\n")
    server.command += [f"--init-file={folder}/first.sql"]
    return server


_MAKE = {"postgresql": _postgresql, "mysql": _mysql}


@contextmanager
def _folder(kind):
    """A folder that belongs to the user the server runs as; not below pytest's, which only root may enter."""
    folder = Path(tempfile.mkdtemp(prefix="comptoir-own-"))
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam(USERS[kind])
            os.chown(folder, user.pw_uid, user.pw_gid)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_user(kind, command):
    return (
        ["setpriv", f"--reuid={USERS[kind]}", f"--regid={USERS[kind]}", "--clear-groups", *command]
        if os.geteuid() == 0
        else command
    )


def _run(kind, command):
    done = subprocess.run(_as_user(kind, command), capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def find_program(name):
    places = [*sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True), "/usr/sbin"]
    return shutil.which(name, path=os.pathsep.join([*places, os.environ.get("PATH", "")]))


def needed_program(name):
    found = find_program(name)
    assert found, f"there is no {name}"
    return found


def _answers(kind, port):
    """Whether a server greets, or would: PostgreSQL and PgBouncer are asked whether they take encryption."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            if kind == "mysql":
                return len(connection.recv(5)) == 5
            if kind == "pgbouncer":
                return True
            return _postgresql_is_ready(connection)
    except OSError:
        return False


def _postgresql_is_ready(connection):
    """Whether a session may begin; while it recovers it answers an error."""
    content = b"\x00\x03\x00\x00user\x00postgres\x00database\x00postgres\x00\x00"
    connection.sendall((len(content) + 4).to_bytes(4, "big") + content)
    return connection.recv(1) == b"R"

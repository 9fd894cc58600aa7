"""The databases of the scenes: PostgreSQL with a standby and PgBouncer, MariaDB with a standby, Galera of three nodes."""

from __future__ import annotations

import shlex
import signal
from dataclasses import dataclass

from tests.own_databases import USERS, find_program, needed_program

from .hosts import block, readdress
from .places import ClusterError, Place, Places, Program, until

#: how each node of Galera is configured
GALERA = """[mysqld]
binlog_format = ROW
default_storage_engine = InnoDB
innodb_autoinc_lock_mode = 2
wsrep_on = ON
wsrep_provider = /usr/lib/galera/libgalera_smm.so
wsrep_cluster_name = comptoir
wsrep_cluster_address = gcomm://10.0.0.21,10.0.0.22,10.0.0.23
wsrep_sst_method = rsync
wsrep_sync_wait = 1
log_bin_trust_function_creators = 1
"""
GALERA_DATABASE = """CREATE DATABASE comptoir;
CREATE USER comptoir@'%' IDENTIFIED BY 'the-password';
GRANT ALL ON comptoir.* TO comptoir@'%';
"""


@dataclass
class Postgresql:
    """A machine with PostgreSQL, and PgBouncer before it."""

    place: Place
    server: Program | None = None

    @property
    def data(self) -> str:
        """Where its data are."""
        return str(self.place.folder / "data")

    def begin(self, places: Places) -> None:
        """Make an empty database, as the primary."""
        self._run("initdb", "-D", self.data, "-U", "postgres", "--auth-local=trust", "--no-sync", "-E", "UTF8")
        with (self.place.folder / "data" / "postgresql.conf").open("a") as file:
            file.write(block("ini", "# postgresql.conf", places))
        (self.place.folder / "data" / "pg_hba.conf").write_text(
            "local all postgres trust\n"
            + block("ini", "# pg_hba.conf", places).replace("10.0.0.0/24", str(places.network))
        )

    def follow(self, primary: Postgresql, places: Places) -> None:
        """Begin as a copy of another one, which it follows; nobody is answered before it has what was written."""
        _, _, words = block("sh", "pg_basebackup", places).partition(" ")
        self._run("pg_basebackup", *(self.data if "/var/" in each else each for each in shlex.split(words)))
        self.start()
        until(
            lambda: primary.says("SELECT state FROM pg_stat_replication") == "streaming",
            lambda: "the standby does not follow",
        )
        primary.does(block("sql", "ALTER SYSTEM", places))
        until(
            lambda: primary.says("SELECT sync_state FROM pg_stat_replication") == "sync",
            lambda: "nobody waits for the standby",
        )

    def start(self) -> None:
        """Start it and wait for its word."""
        command = [
            needed_program("postgres"),
            "-D",
            self.data,
            "-k",
            str(self.place.folder),
            "-c",
            "shared_buffers=64MB",
        ]
        self.server = self.place.start("postgresql", command, user=USERS["postgresql"])
        until(
            lambda: self.says("SELECT 1") == "1",
            lambda: f"PostgreSQL does not start: {self.server and self.server.said}",
        )

    def pool(self, places: Places) -> Program:
        """PgBouncer before it, as the page configures it."""
        file = self.place.folder / "pgbouncer.ini"
        first = next(each.address for each in places.all if each.name == "first")
        users = self.place.folder / "userlist.txt"
        users.write_text('"comptoir" "the-password"\n')
        text = block("ini", "[databases]", places).replace(first, self.place.address)
        file.write_text(text.replace("/etc/pgbouncer/userlist.txt", str(users)))
        for each in (file, users):
            each.chmod(0o644)
        return self.place.start("pgbouncer", [needed_program("pgbouncer"), str(file)], user=USERS["pgbouncer"])

    def says(self, sql: str) -> str:
        """What a statement answers; empty where it does not."""
        try:
            return self._run("psql", "-h", str(self.place.folder), "-U", "postgres", "-tAc", sql).strip()
        except ClusterError:
            return ""

    def does(self, statements: str) -> None:
        """Run statements, each by itself."""
        for sql in statements.splitlines():
            self._run("psql", "-h", str(self.place.folder), "-U", "postgres", "-c", sql)

    def promote(self) -> None:
        """Make it the primary, as an operator would."""
        self._run("pg_ctl", "promote", "-D", self.data)

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self.server is not None
        self.server.kill()

    def _run(self, program: str, *words: str) -> str:
        return self.place.run([needed_program(program), *words], user=USERS["postgresql"])


@dataclass
class MariadbServer:
    """A machine with MariaDB."""

    place: Place
    program: Program | None = None

    def make(self) -> None:
        """Make its empty data."""
        words = ["--no-defaults", f"--datadir={self.place.folder}/data", "--auth-root-authentication-method=normal"]
        self.place.run([needed_program("mariadb-install-db"), *words, "--skip-test-db"], user=USERS["mysql"])

    def command(self, configuration: str) -> list[str]:
        """Write the configuration; return the command that starts the server with it."""
        file, folder = self.place.folder / "server.cnf", self.place.folder
        own = (
            f"datadir={folder}/data\ntmpdir={folder}\nsocket={folder}/socket\npid-file={folder}/pid\n"
            f"bind-address = {self.place.address}\ninnodb_buffer_pool_size=64M\ninnodb_log_file_size=16M\n"
        )
        file.write_text(configuration + own)
        file.chmod(0o644)
        return [needed_program("mariadbd"), f"--defaults-file={file}"]

    def says(self, sql: str) -> str:
        """What a statement answers."""
        client = find_program("mariadb") or needed_program("mysql")
        return self.place.run(
            [client, "--no-defaults", f"--socket={self.place.folder}/socket", "-uroot", "-N", "-e", sql]
        )

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self.program is not None
        self.program.kill()

    def stop(self) -> None:
        """End it in peace."""
        assert self.program is not None
        self.program.stop(signal.SIGTERM)


@dataclass
class Mariadb(MariadbServer):
    """A primary, or its standby."""

    def start(self, places: Places, *, standby: bool = False) -> None:
        """Start it and wait until it responds."""
        text = block("ini", "[mysqld]", places)
        if standby:
            text = text.replace("server_id = 1", "server_id = 2")
            text = text.replace("rpl_semi_sync_master_enabled = ON", "read_only = ON")
        self.program = self.place.start("mariadb", self.command(text), user=USERS["mysql"])
        until(self._responds, lambda: f"MariaDB does not start: {self.program and self.program.said}")

    def _responds(self) -> bool:
        try:
            return self.says("SELECT 1").strip() == "1"
        except ClusterError:
            return False

    def follow(self, primary: Mariadb, places: Places) -> None:
        """Replicate another one, whose users and database are created, and wait until its commits wait for this one."""
        self.says(block("sql", "CHANGE MASTER", places))
        primary.says(block("sql", "CREATE USER replicator", places).replace("10.0.0.%", "%"))
        self.says("START SLAVE")
        until(
            lambda: primary.says("SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'").split()[-1] == "1",
            lambda: "commits do not wait for the standby",
        )

    def promote(self) -> None:
        """Make it the primary, as an operator would."""
        self.says("STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = OFF")


@dataclass
class Node(MariadbServer):
    """A node of Galera."""

    def start(self, places: Places, *, first: bool = False) -> None:
        """Start it, as the first of a new cluster or as one more, and wait until it takes part.

        :param first: there is no cluster yet
        """
        own = (
            f"wsrep_node_address = {self.place.address}\n"
            f"wsrep_provider_options=gmcast.listen_addr=tcp://{self.place.address}:4567\n"
        )
        command = self.command(readdress(GALERA, places) + own)
        if first:
            command.append("--wsrep-new-cluster")
        elif self.program is not None:
            # As the unit of its package does: it is sent what it has missed, and not everything
            command.append(f"--wsrep-start-position={self._position(command)}")
        self.program = self.place.start("mariadb", command, user=USERS["mysql"])
        until(
            self.takes_part,
            lambda: f"{self.place.name} does not join: {self.program and self.program.said}",
            within=120,
        )

    def _position(self, command: list[str]) -> str:
        """What it has come to, as its own data say."""
        told = self.place.run([*command, "--wsrep-recover"], user=USERS["mysql"], errors=True)
        return told.rpartition("Recovered position:")[2].split()[0]

    def takes_part(self) -> bool:
        """Whether it is ready to be asked."""
        assert self.program is not None
        if self.program.process.poll() is not None:
            raise ClusterError(f"{self.place.name} ended: {self.program.said}")
        try:
            return "ON" in self.says("SHOW STATUS LIKE 'wsrep_ready'")
        except ClusterError:
            return False

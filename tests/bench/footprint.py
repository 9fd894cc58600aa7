"""How soon a server responds after its start, and what an idle one takes: memory, threads, CPU and statements."""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from core.testing.databases import DATABASE_SERVERS, drop_database, fresh_database, server_connection

from .calls import PROPOSAL, send
from .servers import KEY, ROOT, free_address, proportional

HEAD = f"""{"server":22} {"empty":>6} {"warm":>6} {"processes":>9} {"threads":>7} {"PSS":>6} {"after PDF":>9} \
{"CPU":>6} {"statements":>10}
{"":22} {"s":>6} {"s":>6} {"":9} {"":7} {"MB":>6} {"MB":>9} {"%":>6} {"a minute":>10}"""
#: seconds after a start, or a PDF, before an idle server is measured, and for which it is
SETTLE_SECONDS, IDLE_SECONDS = 8, 60


def measure(runs, kind, older=None):
    """Measure this checkout, another one and a plain application.

    :param runs: starts, of which the median counts
    :param kind: that of the database
    """
    trees = [("this checkout", ROOT), *([("older", older)] if older else [])]
    rows = [_row(name, *_of_server(tree, kind, runs)) for name, tree in trees]
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "gunicorn", "-w", "2", "--threads", "8", "tests.bench.plain:app", "-b"]
        starts = [_started(ROOT, command, {}, Path(folder), None) for _ in range(runs)]
        with _serving(ROOT, command, {}, Path(folder)) as (process, _):
            rows.append(_row("falcon and gunicorn", [], starts, _idle(process, "", ""), 0.0))
    return rows


def _row(name, empty, warm, idle, printed):
    row = {
        "server": name,
        "empty": statistics.median(empty) if empty else 0.0,
        "warm": statistics.median(warm),
        "printed": printed,
        **idle,
    }
    row["text"] = (
        "{server:22} {empty:6.2f} {warm:6.2f} {processes:9} {threads:7} {pss:6.0f} {printed:9.0f} {cpu:6.2f} "
        "{statements:10.1f}"
    ).format_map(row)
    return row


def _of_server(tree, kind, runs):
    """Return the times of starts on empty databases, and of others, what an idle server takes, and MB after a PDF."""
    empty = []
    with tempfile.TemporaryDirectory(prefix="comptoir-bench-") as made:
        for number in range(runs):
            folder = Path(made, str(number))
            folder.mkdir()
            url = fresh_database(kind, folder)
            empty.append(_started(tree, _SERVE, _settings(url, folder), folder, url))
        url, folder = fresh_database(kind, Path(made)), Path(made)
        try:
            settings = _settings(url, folder)
            _started(tree, _SERVE, settings, folder, None)
            warm = [_started(tree, _SERVE, settings, folder, None) for _ in range(runs)]
            with _serving(tree, _SERVE, settings, folder) as (process, address):
                idle = _idle(process, kind, url)
                send(address, "/thirdparties", {"name": "Company", "client": 1})
                proposal = {**PROPOSAL, "socid": 1, "lines": PROPOSAL["lines"][:1]}
                send(address, "/proposals", proposal)
                body = {"modulepart": "proposal", "original_file": "(PROV1)/(PROV1).pdf"}
                with ThreadPoolExecutor(8) as threads:
                    list(threads.map(lambda _: send(address, "/documents/builddoc", body, "PUT"), range(8)))
                time.sleep(SETTLE_SECONDS)
                printed = sum(map(proportional, _group(process.pid)))
        finally:
            drop_database(url)
    return empty, warm, idle, printed


_SERVE = ["-m", "core", "serve"]


def _settings(url, folder):
    return {
        "COMPTOIR_DATABASE": url,
        "COMPTOIR_DOCUMENTS": f"{folder}/documents",
        "COMPTOIR_WORKERS": "2",
        "COMPTOIR_ADMIN_KEY": KEY,
        "COMPTOIR_LOG": "warning",
    }


def _started(tree, command, settings, folder, url):
    """Return the seconds from a start to the first response.

    :param url: a database to drop afterwards
    """
    began = time.perf_counter()
    try:
        with _serving(tree, command, settings, folder):
            return time.perf_counter() - began
    finally:
        if url:
            drop_database(url)


@contextmanager
def _serving(tree, command, settings, folder):
    """Start a server, and poll it every 10 ms until it responds."""
    own, address = tree / ".venv/bin/python", free_address()
    command = [*command, *([address] if command[-1] == "-b" else [])]
    environment = {**os.environ, **settings, "COMPTOIR_BIND": address}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(own) if own.exists() else sys.executable, *command],
            cwd=tree, env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            while not _responds(address):
                if process.poll() is not None:
                    raise RuntimeError((folder / "log").read_text())
                time.sleep(0.01)
            yield process, address
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _responds(address):
    try:
        with urlopen(Request(f"http://{address}/status", headers={"DOLAPIKEY": KEY}), timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _group(master):
    """Return the processes of a server."""
    found = subprocess.run(["pgrep", "-s", str(master)], capture_output=True, text=True, check=False).stdout
    return [int(each) for each in found.split()]


def _idle(process, kind, url):
    time.sleep(SETTLE_SECONDS)
    group = _group(process.pid)
    used, statements, began = _cpu_seconds(group), _statements(kind, url), time.monotonic()
    time.sleep(IDLE_SECONDS)
    seconds = time.monotonic() - began
    return {
        "processes": len(group),
        "threads": sum(len(os.listdir(f"/proc/{each}/task")) for each in group),
        "pss": sum(map(proportional, group)),
        "cpu": (_cpu_seconds(group) - used) / seconds * 100,
        "statements": (_statements(kind, url) - statements) / seconds * 60,
    }


def _cpu_seconds(group):
    fields = [Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in group]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def _statements(kind, url):
    """Return how many statements a database server has run (MariaDB), or transactions in this database (PostgreSQL)."""
    if kind not in DATABASE_SERVERS:
        return 0
    sql = "SHOW GLOBAL STATUS LIKE 'Questions'"
    if kind == "postgresql":
        name = url.rpartition("/")[2]
        sql = f"SELECT datname, xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{name}'"
    with server_connection(kind) as run:
        return int(run(sql)[0][1])

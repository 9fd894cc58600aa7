"""Starting servers for a measure, and loading them with wrk."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from core.testing.databases import drop_database, fresh_database
from tests.serving.running import own_port

ROOT = Path(__file__).parent.parent.parent
KEY = "a-key-for-measures-0123456789"


def free_address():
    """An address that no other program can take while this process lives."""
    return f"127.0.0.1:{own_port()}"


@contextmanager
def running(command, address, path, **environment):
    """Start a server and wait until it answers."""
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if os.environ.get("BENCH_QUIET") else None,
        start_new_session=True,
    )
    try:
        wait_for(f"http://{address}{path}", process)
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(url, process, seconds=90):
    """Seconds until a URL answers 200."""
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with status {process.returncode}")
        try:
            with urlopen(Request(url, headers={"DOLAPIKEY": KEY}), timeout=5) as answer:
                if answer.status == 200:
                    return time.perf_counter() - started
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"{url} did not answer within {seconds} s")


@contextmanager
def comptoir(folder=None, *, kind="sqlite", **environment):
    """A server of ours over a database of its own.

    :param kind: that of the database
    """
    with tempfile.TemporaryDirectory(prefix="comptoir-bench-") as made:
        base = folder or Path(made)
        address = free_address()
        url = fresh_database(kind, base)
        settings = {
            "COMPTOIR_DATABASE": url,
            "COMPTOIR_DOCUMENTS": f"{base}/documents",
            "COMPTOIR_BIND": address,
            "COMPTOIR_WORKERS": "2",
            "COMPTOIR_ADMIN_KEY": KEY,
            "COMPTOIR_LOG": "warning",
            **environment,
        }
        try:
            with running(["-m", "core", "serve"], address, "/status", **settings) as process:
                yield address, process
        finally:
            drop_database(url)


@contextmanager
def empty():
    """The empty falcon application."""
    address = free_address()
    with running(["-m", "tests.bench.empty", address], address, "/nothing"):
        yield address


def warm_up(address, path):
    """Load a server that has just started: its first seconds are slower, an empty application's too."""
    load(address, path, seconds=8)


def load(address, path, *, seconds, script=""):
    """Requests a second that wrk gets answered over 4 connections."""
    if shutil.which("wrk") is None:
        raise SystemExit("The measures need wrk: apt-get install wrk")
    command = ["wrk", "-t2", "-c4", f"-d{seconds}s", "-H", f"DOLAPIKEY: {KEY}"]
    if script:
        command += ["-s", script]
    said = subprocess.run([*command, f"http://{address}{path}"], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in said:
        raise RuntimeError(f"{path}: not every answer was a success\n{said}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    assert rate, said
    return float(rate[1])

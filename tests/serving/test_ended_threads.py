"""Threads of requests and jobs outlive whatever a module raises; one that is ended anyway is replaced, and reported."""

import re

import pytest

from tests.serving.conftest import on_every_kind, running_over
from tests.serving.running import wait_until

pytestmark = on_every_kind("sqlite", name="kind", scope="session")

MODELS = """
import peewee
from core import Model


class Note(Model):
    id = peewee.AutoField()
    text = peewee.CharField()
"""
KINDS = """
import asyncio


class TimedOut(BaseException):
    pass


KINDS = {"cancelled": asyncio.CancelledError, "interrupt": KeyboardInterrupt, "generator": GeneratorExit,
         "exit": SystemExit, "own": TimedOut, "deeper": lambda: BaseExceptionGroup("all", [TimedOut()])}
"""
JOBS = """
from core import job, transaction
from .kinds import KINDS
from .models import Note


@job(attempts=1)
def fail(kind: str) -> None:
    with transaction():
        Note.create(text="undone")
        raise KINDS[kind]()


@job
def work() -> str:
    return "done"
"""
API = '''
import ctypes
import threading
import time
from core import Accepted, Api, transaction
from ..jobs import fail, work
from ..kinds import KINDS
from ..models import Note


class Ending(Api):
    """Ends.

    :access: public
    """

    def index(self) -> int:
        """Count what was written."""
        return Note.select().count()

    def get_slow(self) -> int:
        """Take a moment."""
        time.sleep(0.5)
        return 1

    def get_end(self) -> int:
        """End the other threads."""
        others = [each for each in threading.enumerate() if each.name == "worker" and each is not threading.current_thread()]
        for each in others:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(each.ident), ctypes.py_object(SystemExit))
        return len(others)

    def post_fail(self, kind: str) -> int:
        """Write, and fail."""
        with transaction():
            Note.create(text="undone")
            raise KINDS[kind]()

    def post_job(self, kind: str = "") -> Accepted:
        """Enqueue a job."""
        return Accepted(fail.later(kind) if kind else work.later())
'''
FILES = {"class/api_ending.py": API, "jobs.py": JOBS, "kinds.py": KINDS, "models.py": MODELS}
NAMES = {
    "cancelled": "CancelledError", "interrupt": "KeyboardInterrupt", "generator": "GeneratorExit", "exit": "SystemExit",
    "own": "TimedOut", "deeper": "BaseExceptionGroup: all (1 sub-exception)",
}  # fmt: skip


@pytest.fixture(scope="module")
def server(kind, tmp_path_factory):
    """A server with two threads for requests and two for jobs, over a database of each kind."""
    with running_over(kind, tmp_path_factory.mktemp("server"), workers=1, threads=2, jobs=2) as server:
        for name, text in FILES.items():
            server.write(f"ending/{name}", text)
        server.everywhere("/ending")
        yield server


@pytest.mark.fault(
    "A method or a job raises what isn't an Exception, more often than there are threads",
    "500, or given up with its name; the next request and the next job are done",
)
def test_threads_outlive_whatever_is_raised(server, seen):
    worker, process, before = server.workers, server.job_processes, server.ask("/health/ready").json
    for kind in (*NAMES, *NAMES):
        assert server.ask("/ending/fail", "POST", {"kind": kind}).status == 500
    given_up = {kind: server.ask("/ending/job", "POST", {"kind": kind}, server.key).json["job"] for kind in NAMES}
    for kind, number in given_up.items():
        wait_until(lambda number=number: server.ask(f"/jobs/{number}", key=server.key).json["state"] == "given up")
        assert server.ask(f"/jobs/{number}", key=server.key).json["error"] == NAMES[kind]
    done = server.ask("/ending/job", "POST", {}, server.key).json["job"]
    wait_until(lambda: server.ask(f"/jobs/{done}", key=server.key).json["state"] == "done")
    assert server.ask("/ending").json == 0
    assert (server.workers, server.job_processes) == (worker, process)
    assert server.ask("/health/ready").json == before
    assert server.output.count("Traceback") >= len(NAMES)
    seen("each is 500 or given up; worker and job process live")


@pytest.mark.fault("Something ends a thread that serves", "another one replaces it, and /health/ready says so")
def test_an_ended_thread_is_replaced_and_reported(server):
    worker = server.workers

    def is_reported():
        # The second thread starts because the first one is held up. One that leads goes on; one that waits ends when
        # it is called
        for path in ("slow", "end", "slow"):
            assert server.ask(f"/ending/{path}").status == 200
        return "threads" in server.ask("/health/ready").json["parts"]

    wait_until(is_reported)
    ready = server.ask("/health/ready").json
    assert ready["parts"]["threads"] == "degraded"
    (words,) = ready["degraded"]
    assert re.fullmatch(r"threads: \d+ ended unexpectedly and were replaced; see the log", words)
    assert "a thread has ended unexpectedly; another one replaces it" in server.output
    assert server.ask("/ending").json == 0
    assert server.workers == worker

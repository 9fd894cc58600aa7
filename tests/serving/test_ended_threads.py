"""A thread of requests that is ended is replaced, and reported.

That threads outlive whatever a module raises is tried in process: tests/core/web/test_base_exceptions.py and
tests/core/jobs/test_running.py.
"""

import re

import pytest

from tests.serving.running import wait_until

API = '''
import ctypes
import threading
import time
from core import Api


class Ending(Api):
    """Ends.

    :access: public
    """

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
'''


@pytest.mark.fault("Something ends a thread that serves", "another one replaces it, and /health/ready says so")
def test_an_ended_thread_is_replaced_and_reported(start):
    server = start(workers=1, threads=2)
    server.write("ending/class/api_ending.py", API)
    server.everywhere("/ending/slow")
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
    assert server.ask("/ending/slow").status == 200
    assert server.workers == worker

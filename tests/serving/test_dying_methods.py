"""A worker that dies inside a method leaves a line in the log: the operation, the file and the request."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time

import pytest

from tests.serving.conftest import Seen, Start
from tests.serving.running import Running, until

METHODS = '''
import ctypes
import os
import time


class Dying:
    """Ways to die.

    :access: public
    """

    def get(self, id: int) -> int:
        """Die."""
        if id == 0:
            os._exit(0)
        if id == 1:
            ctypes.string_at(0)
        if id == 2:
            time.sleep(1e6)
        return id
'''


def die(server: Running, way: int, request_id: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.request("GET", f"/dying/{way}", headers={"X-Request-Id": request_id})
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        pass
    finally:
        connection.close()


@pytest.mark.fault(
    "A method ends or crashes its process, or never returns", "the log lists operation, file and request; others go on"
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_request_of_a_dead_worker_is_logged(start: Start, form: str, seen: Seen) -> None:
    server = start(workers=2, timeout=2, log_format=form)
    file = server.write("dying/class/api_dying.py", METHODS)
    server.everywhere("/dying/7", lambda answer: answer.status == 200)
    for way, name in enumerate(("exits", "crashes", "hangs")):
        before = server.workers
        die(server, way, f"request-{name}")
        expected = f"a worker ended during GET /dying/{{id}} in {file}"
        until(lambda name=name, expected=expected: any(  # type: ignore[misc]
            expected in line and f"request-{name}" in line for line in server.output.splitlines()
        ))  # fmt: skip
        until(lambda before=before: len(server.workers) == 2 and server.workers != before)  # type: ignore[misc]
        assert server.ask("/who").status == 200
    assert server.output.count("a worker ended during") == 3
    if form == "json":
        lines = [json.loads(each) for each in server.output.splitlines() if "a worker ended during" in each]
        assert [each["request_id"] for each in lines] == ["request-exits", "request-crashes", "request-hangs"]
    seen("one line for each worker")


def test_a_worker_that_ends_in_order_was_running_nothing(start: Start) -> None:
    server = start(workers=2)
    server.everywhere("/who", lambda answer: answer.status == 200)
    for worker in server.workers:
        os.kill(worker, signal.SIGKILL)
    time.sleep(0.5)
    until(lambda: len(server.workers) == 2)
    server.stop()
    assert "a worker ended during" not in server.output

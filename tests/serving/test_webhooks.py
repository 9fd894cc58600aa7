"""Webhooks of a real server: a receiver that fails, processes that are killed; nothing is lost."""

import json
import os
import signal
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.serving.conftest import on_every_kind
from tests.serving.running import Hands, Running, wait_until


class Receiver(ThreadingHTTPServer):
    """Gets webhooks; of ten events, the first attempt of one fails, and that of another one is cut off."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.arrived = defaultdict(list)
        self.tried = set()
        self.lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/hook"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        identifier = self.headers["webhook-id"]
        number = int(identifier.split("_")[1])
        with self.server.lock:
            is_first = identifier not in self.server.tried
            self.server.tried.add(identifier)
            fails = is_first and number % 10 in (1, 6)
            if not fails:
                self.server.arrived[sent["data"]["id"]].append(sent["type"].partition(".")[2])
        if fails and number % 10 == 6:
            self.close_connection = True
            return
        self.send_response(500 if fails else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Writers(Hands):
    """Clients that create a third party, and change it."""

    def __init__(self, server, key):
        self._server, self._key = server, key
        self.created, self.changed = set(), set()
        super().__init__(16)

    def _run(self, number):
        turn = 0
        while not self._stop.wait(0.1):
            turn += 1
            answer = self._server.try_to_ask("/thirdparties", "POST", {"name": f"W{number}-{turn}"}, self._key)
            if answer is not None and answer.status == 200:
                self.created.add(answer.json)
                self.answered += 1
                path = f"/thirdparties/{answer.json}"
                changed = self._server.try_to_ask(path, "PATCH", {"town": "Lyon"}, self._key)
                if changed is not None and changed.status == 200:
                    self.changed.add(answer.json)


@on_every_kind("postgresql")
def test_nothing_is_lost_when_processes_are_killed(url, tmp_path, seen):
    settings = {"database": url, "fetch_http": 1, "fetch_addresses": "127.0.0.1", "workers": 2}
    with Receiver() as receiver, Running(tmp_path, **settings) as server:
        hook = {"url": receiver.url, "events": "thirdparties.*"}
        assert server.ask("/webhooks", "POST", hook, server.key).status == 200
        with Writers(server, server.key) as writers:
            for _ in range(2):
                writers.go_on(15)
                os.kill(next(iter(server.job_processes)), signal.SIGKILL)
                writers.go_on(15)
                os.kill(next(iter(server.workers)), signal.SIGKILL)
                wait_until(server._is_complete, lambda: server.output)
        wait_until(
            lambda: (
                all("created" in receiver.arrived[each] for each in writers.created)
                and all("changed" in receiver.arrived[each] for each in writers.changed)
            ),
            lambda: server.ask("/webhookdeliveries?state=waiting&limit=5", key=server.key).body.decode(),
        )
    # In order for each record; after a crash an event may come again
    for events in receiver.arrived.values():
        assert events.index("created") == 0
    twice = sum(len(each) - len({*each}) for each in receiver.arrived.values())
    seen(f"{len(writers.created)} created, {len(writers.changed)} changed, all arrived; {twice} arrived again")


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_worker_that_ends_does_not_wait_for_changes(url, tmp_path):
    with Running(tmp_path, database=url, workers=1) as server:
        cursor = server.ask("/changes", key=server.key).json["cursor"]
        found = []
        waiting = threading.Thread(
            target=lambda: found.append(server.ask(f"/changes?since={cursor}&wait=30", key=server.key))
        )
        waiting.start()
        wait_until(lambda: "busy" in str(server.ask("/metrics", key=server.key).body) or waiting.is_alive())
        (worker,) = server.workers
        os.kill(worker, signal.SIGTERM)
        waiting.join(20)
        assert found[0].status == 200
        assert found[0].json == {"cursor": cursor, "changes": []}

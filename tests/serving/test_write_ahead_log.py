"""The write-ahead log of SQLite while many clients write."""

import http.client
import json
import threading
import time

import pytest

from tests.serving.many_clients import CLIENTS, KEY
from tests.serving.running import Running

#: SQLite starts the log again after 4 MB, if nothing reads
MOST_BYTES = 50_000_000
SECONDS = 60


@pytest.mark.lasting
@pytest.mark.fault(
    "16 clients write on four workers for a minute", "the write-ahead log stays below 50 MB, and no request fails"
)
def test_the_log_stays_small(tmp_path, seen):
    running = Running(tmp_path, workers=4, admin_key=KEY)
    has_ended, statuses = threading.Event(), set()
    counts = [0] * CLIENTS

    def write(client):
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
        while not has_ended.is_set():
            headers = {"DOLAPIKEY": KEY, "Content-Type": "application/json"}
            connection.request("POST", "/contacts", json.dumps({"lastname": "w"}), headers)
            response = connection.getresponse()
            response.read()
            statuses.add(response.status)
            counts[client] += 1
        connection.close()

    try:
        running.started()
        log = tmp_path / "data/test.db-wal"
        threads = [threading.Thread(target=write, args=(client,)) for client in range(CLIENTS)]
        for each in threads:
            each.start()
        end, largest = time.monotonic() + SECONDS, 0
        while time.monotonic() < end and largest < MOST_BYTES:
            largest = max(largest, log.stat().st_size)
            time.sleep(0.1)
        has_ended.set()
        for each in threads:
            each.join(60)
    finally:
        has_ended.set()
        running.stop()
    assert largest < MOST_BYTES
    assert statuses == {200}
    seen(f"{sum(counts)} writes, {largest / 1e6:.1f} MB at most")

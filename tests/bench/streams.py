"""A million contacts in one answer (`all=1`): rows a second, and the memory of the worker that sends them."""

import http.client
import json
import tempfile
import threading
import time
from pathlib import Path

from playhouse.db_url import connect

from core.testing.databases import drop_database, fresh_database

from .batch import Connection
from .servers import KEY, free_address, memory, running

ROWS = 1_000_000
HEAD = (
    f"{ROWS:,} contacts in one response: seconds, rows per second, MB; MB of the worker before, at its peak and after:"
)


def measure(runs, kind, older=None):
    """Measure each form once.

    :param kind: that of the database
    """
    found = []
    with tempfile.TemporaryDirectory(prefix="comptoir-bench-") as folder:
        url, address = fresh_database(kind, Path(folder)), free_address()
        settings = {
            "COMPTOIR_DATABASE": url,
            "COMPTOIR_DOCUMENTS": f"{folder}/documents",
            "COMPTOIR_BIND": address,
            "COMPTOIR_WORKERS": "1",
            "COMPTOIR_ADMIN_KEY": KEY,
            "COMPTOIR_LOG": "warning",
        }
        try:
            with running(["-m", "core", "serve"], address, "/status", **settings) as process:
                body = {"lastname": "Okafor", "firstname": "Ada", "email": "ada@example.org", "town": "Lyon"}
                Connection(address).post("/contacts", body)
                _multiply(url)
                for accept in ("application/x-ndjson", "text/csv"):
                    found.append(_row(accept, address, process))
        finally:
            drop_database(url)
    return found


def _multiply(url):
    """Make a million of one contact."""
    with connect(url, unquote_password=True, unquote_user=True) as database:
        columns = ", ".join(each.name for each in database.get_columns("llx_socpeople") if each.name != "rowid")
        number = 1
        while number < ROWS:
            more = min(number, ROWS - number)
            database.execute_sql(
                f"INSERT INTO llx_socpeople ({columns}) SELECT {columns} FROM llx_socpeople LIMIT {more}"
            )
            number += more


def _row(accept, address, process):
    before = sum(memory(process))
    seen, ends = [before], threading.Event()

    def look():
        while not ends.wait(0.5):
            seen.append(sum(memory(process)))

    looking = threading.Thread(target=look)
    looking.start()
    began, size, rows = time.perf_counter(), 0, 0
    wire = http.client.HTTPConnection(address, timeout=60)
    wire.request("GET", "/contacts?all=1", headers={"DOLAPIKEY": KEY, "Accept": accept})
    answer = wire.getresponse()
    last = b""
    while content := answer.read(1 << 20):
        size += len(content)
        rows += content.count(b"\n")
        last = content[-2000:]
    seconds = time.perf_counter() - began
    ends.set()
    looking.join()
    if answer.status != 200 or rows != ROWS + (accept == "text/csv"):
        raise RuntimeError(f"{accept}: {answer.status}, {rows} rows")
    if accept != "text/csv":
        json.loads(last.splitlines()[-1])
    after = sum(memory(process))
    text = f"{accept:22}{seconds:8.1f}{ROWS / seconds:10.0f}{size / 1e6:8.0f}"
    text += f"{before:10.0f}{max(seen):8.0f}{after:8.0f}"
    return {"form": accept, "seconds": seconds, "bytes": size, "memory": [before, max(seen), after], "text": text}

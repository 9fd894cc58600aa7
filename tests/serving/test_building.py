"""Documents under load: long ones built at once by several clients, and what is answered meanwhile."""

from __future__ import annotations

import base64
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.serving.conftest import Start
from tests.serving.running import Answer

KEY = "a-key-for-long-documents-0123456789"
#: megabytes that a worker may hold
MOST = 300
LINES = 1000
BUILDS = 10


def megabytes(process: int) -> float:
    """What a process holds of memory, shared pages in parts."""
    said = Path(f"/proc/{process}/smaps_rollup").read_text()
    return sum(int(each) for each in re.findall(r"^Pss:\s+(\d+)", said, re.MULTILINE)) / 1024


def test_long_documents_are_built_at_once_in_little_memory(start: Start) -> None:
    server = start(workers=2, admin_key=KEY)
    socid = server.ask("/thirdparties", "POST", {"name": "Long Ltd", "client": 1}, KEY).json
    lines = [{"desc": f"Article {number}: as agreed on", "qty": number, "subprice": "9.90"} for number in range(LINES)]
    invoice = server.ask("/invoices", "POST", {"socid": socid, "date": "2026-11-21", "lines": lines}, KEY).json
    body = {"modulepart": "facture", "original_file": f"(PROV{invoice})/(PROV{invoice}).pdf"}
    done = threading.Event()
    statuses: list[int] = []
    highest: list[float] = []

    def watch() -> None:
        while not done.wait(0.05):
            statuses.append(server.ask("/status", key=KEY).status)
            highest.append(max(megabytes(each) for each in server.workers))

    def build(_: int) -> Answer:
        return server.ask("/documents/builddoc", "PUT", body, KEY)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        with ThreadPoolExecutor(BUILDS) as pool:
            answers = list(pool.map(build, range(BUILDS)))
    finally:
        done.set()
        watching.join()
    assert {answer.status for answer in answers} == {200}
    assert all(base64.b64decode(answer.json["content"]).startswith(b"%PDF-") for answer in answers)
    assert statuses and set(statuses) == {200}
    assert max(highest) < MOST, highest

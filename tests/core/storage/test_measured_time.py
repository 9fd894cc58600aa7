"""The database's part of a request's time: no wait is counted twice."""

import sqlite3
import threading

from core.common.settings import settings


def test_waiting_for_the_lock_counts_once(serve):
    client = serve().client()
    client.ask("POST", "/thirdparties", {"name": "A"})
    other = sqlite3.connect(
        settings().database.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False
    )
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.3, other.execute, ["COMMIT"]).start()
    parts = client.simulate_post("/thirdparties", json={"name": "B"}).headers["server-timing"].split(", ")
    taken, of_database = (float(each.partition("dur=")[2]) for each in parts)
    assert 0 < of_database <= taken

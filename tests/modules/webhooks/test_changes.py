"""`GET /changes`: every event that the caller may see, in the order of the commits."""

import importlib
import threading
import time

import pytest

from core.common.clock import as_if
from core.storage.database import close, execute, query
from core.testing import statements
from modules.webhooks.feed import number_events

from .conftest import DAY, NOW

pytestmark = pytest.mark.every_database

PATIENCE = 60.0


def thirdparty(post, name="Acme", **more):
    return post.admin.ask("POST", "/thirdparties", {"name": name, **more})


def follow(client, since, **more):
    """Return type and ID of the next changes, and the cursor."""
    page = client.get("/changes", since=since, **more)
    return [(each["type"], each["id"]) for each in page["changes"]], page["cursor"]


def test_a_cursor_then_what_follows(post):
    start = post.admin.get("/changes")
    assert start["changes"] == []
    company = thirdparty(post)
    post.admin.ask("PATCH", f"/thirdparties/{company}", {"town": "Lyon"})
    # Not numbered yet
    assert post.admin.get("/changes", since=start["cursor"]) == start
    post.after()
    page = post.admin.get("/changes", since=start["cursor"])
    first = {
        "number": start["cursor"] + 1, "type": "thirdparties.created", "service": "thirdparties", "event": "created",
        "id": company, "moment": NOW, "user": post.server.administrator.id,
    }  # fmt: skip
    assert page["changes"] == [
        first,
        first | {"number": first["number"] + 1, "type": "thirdparties.changed", "event": "changed"},
    ]
    assert page["cursor"] == start["cursor"] + 2
    assert follow(post.admin, page["cursor"]) == ([], page["cursor"])


def test_pages_and_patterns(post):
    start = post.admin.get("/changes")["cursor"]
    companies = [thirdparty(post, f"C{number}") for number in range(5)]
    for each in companies:
        post.admin.ask("DELETE", f"/thirdparties/{each}")
    post.after()
    got, cursor = [], start
    for _ in range(4):
        some, cursor = follow(post.admin, cursor, limit=3)
        got += some
    assert got == [("thirdparties.created", each) for each in companies] + [
        ("thirdparties.deleted", each) for each in companies
    ]
    some, last = follow(post.admin, start, events="orders.* *.deleted")
    assert (some, last) == ([("thirdparties.deleted", each) for each in companies], cursor)


def test_a_number_follows_the_commit_not_the_id(post):
    start = post.admin.get("/changes")["cursor"]
    # As a transaction that began first and ends last
    company = thirdparty(post)
    for identifier in (900_002, 900_001):
        execute(
            "INSERT INTO comptoir_event (rowid, service, event, record, moment, detail) "
            "VALUES (?, 'thirdparties', 'changed', ?, ?, '')",
            (identifier, company, NOW),
        )
        number_events()
    rows = query("SELECT rowid FROM comptoir_event WHERE number > ? AND rowid > 900000 ORDER BY number", (start,))
    assert rows == [(900_002,), (900_001,)]
    execute("DELETE FROM comptoir_event WHERE rowid > 900000")


def test_everybody_sees_the_changes_of_own_records(post):
    mine, foreign = thirdparty(post, "Mine", client=1), thirdparty(post, "Foreign", client=1)
    representative = post.server.user("thirdparties.read", represents=[mine])
    outsider = post.server.user("thirdparties.read", socid=mine)
    stranger = post.server.user("products.read")
    everybody = post.server.user("thirdparties.read", "thirdparties.all")
    readers = (representative, outsider, stranger, everybody)
    post.after()
    cursor = {each.get("/changes")["cursor"] for each in readers}.pop()
    for each in (mine, foreign):
        post.admin.ask("PATCH", f"/thirdparties/{each}", {"town": "Lyon"})
    new = thirdparty(post, "New", client=1)
    for each in (foreign, new):
        post.admin.ask("DELETE", f"/thirdparties/{each}")
    post.after()
    own = [("thirdparties.changed", mine)]
    assert follow(representative, cursor)[0] == own
    assert follow(outsider, cursor)[0] == own
    assert follow(stranger, cursor)[0] == []
    everything = [
        *own, ("thirdparties.changed", foreign), ("thirdparties.created", new), ("thirdparties.deleted", foreign),
        ("thirdparties.deleted", new),
    ]  # fmt: skip
    assert follow(everybody, cursor)[0] == everything
    assert follow(post.admin, cursor)[0] == everything


def test_a_deletion_is_seen_by_those_who_could_see_the_record(post):
    mine, foreign = thirdparty(post, "Mine", client=1), thirdparty(post, "Foreign", client=1)
    # The rows of the representatives are deleted with the third party
    representative = post.server.user("thirdparties.read", represents=[mine])
    cursor = representative.get("/changes")["cursor"]
    for each in (mine, foreign):
        post.admin.ask("DELETE", f"/thirdparties/{each}")
    post.after()
    assert ("thirdparties.deleted", mine) in follow(representative, cursor)[0]
    assert {record for _, record in follow(representative, cursor)[0]} == {mine}
    only = post.server.user("thirdparties.read", represents=[])
    assert follow(only, cursor)[0] == []


def test_no_key_no_changes(post):
    post.server.client(None).refused("GET", "/changes", status=401)


def test_a_constant_is_seen_by_administrators_only(post):
    reader = post.server.user("setup.read")
    cursor = post.admin.get("/changes")["cursor"]
    post.admin.ask("PUT", "/setup/conf/MAIN_INFO_SOCIETE_TOWN", {"value": "Lyon"})
    post.after()
    assert follow(post.admin, cursor)[0] == [("setup.constant_set", None)]
    assert follow(reader, cursor)[0] == []


def test_wrong_cursors(post):
    last = post.admin.get("/changes")["cursor"]
    told = post.admin.ask("GET", "/changes", params={"since": last + 1, "events": "ordrs.*"}, status=400)["error"]
    assert told["errors"][0]["field"] == "events"
    (wrong,) = post.admin.ask("GET", "/changes", params={"since": last + 1}, status=400)["error"]["errors"]
    assert wrong["message"] == f"expected a cursor of this server, at most {last}, got {last + 1}"
    thirdparty(post)
    post.after()
    kept = post.admin.get("/changes")["cursor"]
    post.after(31 * DAY)
    post.after(DAY)
    error = post.admin.ask("GET", "/changes", params={"since": last}, status=410)["error"]
    assert "read the lists again, with a new cursor" in error["message"]
    assert follow(post.admin, kept) == ([], kept)


def test_a_change_ends_the_wait(post):
    cursor = post.admin.get("/changes")["cursor"]
    found = []

    def wait():
        found.append(follow(post.server.client(), cursor, wait=30))
        close()

    reader = threading.Thread(target=wait)
    reader.start()
    company = thirdparty(post)
    number_events()
    reader.join(PATIENCE)
    assert found == [([("thirdparties.created", company)], cursor + 1)]


def test_a_request_that_waits_is_not_slow(serve, caplog, monkeypatch):
    admin = serve(slow=PATIENCE).client()
    cursor = admin.get("/changes")["cursor"]
    waited = []

    def wait(seconds):
        waited.append(seconds)
        # As if the server ended
        return True

    monkeypatch.setattr("modules.webhooks.changes.PAUSE", 2 * PATIENCE)
    monkeypatch.setattr("core.common.process_state.ending.wait", wait)
    monkeypatch.setattr("core.web.app.perf_counter", lambda: time.perf_counter() + sum(waited))
    assert follow(admin, cursor, wait=1) == ([], cursor)
    assert waited == [2 * PATIENCE]
    assert "slow:" not in caplog.text


def test_two_wait_and_the_next_gets_an_empty_page_at_once(post, monkeypatch):
    cursor = post.admin.get("/changes")["cursor"]
    paused = []
    monkeypatch.setattr("core.common.process_state.ending.wait", lambda seconds: paused.append(seconds) or True)
    # The module that the server has loaded; an `import` at the top of this file can have an older one
    waiting = importlib.import_module("modules.webhooks.changes").WAITING_REQUESTS
    assert waiting.acquire(blocking=False)
    assert follow(post.admin, cursor, wait=30) == ([], cursor)
    assert len(paused) == 1
    assert waiting.acquire(blocking=False)
    try:
        assert follow(post.admin, cursor, wait=30) == ([], cursor)
    finally:
        waiting.release(2)
    assert len(paused) == 1


def test_a_change_costs_one_statement(post):
    company = thirdparty(post)
    with statements() as seen:
        thirdparty(post, "Another")
        post.admin.ask("PATCH", f"/thirdparties/{company}", {"town": "Lyon"})
    assert len([each for each in seen if "comptoir_event" in each]) == 2
    entries = [{"method": "POST", "body": {"name": f"N{number}"}} for number in range(20)]
    with statements() as seen:
        post.admin.ask("POST", "/thirdparties/batch", {"entries": entries, "atomic": True})
    assert len([each for each in seen if "comptoir_event" in each]) == 1
    with statements() as seen, as_if(NOW):
        post.hook("thirdparties.*")
        seen.clear()
        thirdparty(post, "Another")
    assert len([each for each in seen if "comptoir_" in each and "webhook" in each]) == 0


def test_a_reader_sees_each_committed_change_once_while_many_write(post):
    """Sixteen writers; every third transaction is undone; the reader's cursor moves on meanwhile."""
    start = post.admin.get("/changes")["cursor"]
    committed, undone, errors = [], [], []
    lock = threading.Lock()

    def write(number):
        client = post.server.client()
        try:
            for turn in range(6):
                entries = [{"method": "POST", "body": {"name": f"W{number}-{turn}"}}]
                if turn % 3 == 2:
                    entries.append({"method": "POST", "body": {"name": ""}})
                    client.ask("POST", "/thirdparties/batch", {"entries": entries, "atomic": True}, status=400)
                    with lock:
                        undone.append(turn)
                else:
                    answer = client.ask("POST", "/thirdparties/batch", {"entries": entries, "atomic": True})
                    with lock:
                        committed.append(answer["results"][0]["result"])
        except BaseException as error:
            errors.append(error)
        finally:
            close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(16)]
    for each in writers:
        each.start()
    got, cursor = [], start
    while any(each.is_alive() for each in writers):
        number_events()
        some, cursor = follow(post.admin, cursor, limit=7)
        got += some
    number_events()
    while True:
        some, cursor = follow(post.admin, cursor, limit=7)
        if not some:
            break
        got += some
    assert errors == []
    assert len(committed) == 64
    assert len(undone) == 32
    assert sorted(record for _, record in got) == sorted(committed)

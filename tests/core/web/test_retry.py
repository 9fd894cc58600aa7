"""A request or a job whose transaction the database undoes is repeated, and done once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.jobs.functions import active_jobs
from core.storage import database as current
from core.storage.database import close, query
from core.testing import serving
from tests.files import write_files

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

MODELS = """
import peewee

from core import Model


class Row(Model):
    id = peewee.AutoField()
    text = peewee.CharField()

    class Meta:
        table_name = "retry_row"
"""

MEETING = """
import sqlite3

import peewee
import psycopg.errors
import pymysql.err

from core.storage.database import backend

TRIES, SENT = [], []

LOCKED = sqlite3.OperationalError("database is locked")
LOCKED.sqlite_errorname = "SQLITE_BUSY_SNAPSHOT"
UNDONE = {
    "sqlite": LOCKED,
    "postgresql": psycopg.errors.DeadlockDetected("deadlock detected"),
    "mysql": pymysql.err.OperationalError(1213, "Deadlock found"),
}


def fail(times):
    with peewee.__exception_wrapper__:
        TRIES.append(1)
        if len(TRIES) <= times:
            raise UNDONE[backend().name]
"""

JOBS = """
from core import job, transaction
from core.for_natives import after_commit

from .meeting import SENT, fail
from .models import Row


@job(attempts=1)
def meet(rows: list, times: int):
    with transaction():
        Row.create(text=rows.pop())
        after_commit(lambda: SENT.append(1))
        fail(times)


@job(attempts=1)
def meet_later(times: int):
    with transaction():
        Row.create(text="job")
    fail(times)
"""

SERVICE = """
import threading
from dataclasses import fields

from core import Records, transaction

from core.for_natives import after_commit
from core.common.request_state import current_state
from core.storage.database import backend, close, database, ensure_connected
from core.storage.error_kinds import OutcomeUnknown
from modules.documents.store.configured_store import store

from ..meeting import SENT, TRIES, fail
from ..models import Row

BOTH = threading.Barrier(2)
FOUND = []
rows = Records(Row, noun="Row")


def _change(id):
    ensure_connected()
    Row.update(text="other").where(Row.id == id).execute()
    close()


class Meetings:
    '''Changes that meet others.

    :access: protected
    '''

    def post(self, request_data: dict) -> int:
        '''Write a row, and fail behind it some times.'''
        with transaction():
            row = Row.create(text=request_data.pop("text"))
            after_commit(lambda: SENT.append(row.text))
            fail(request_data["times"])
        return row.id

    def post_apart(self, times: int) -> int:
        '''Commit a row, and fail then.

        :url: POST apart
        '''
        with transaction():
            Row.create(text="apart")
        fail(times)
        return 1

    def post_unknown(self, times: int) -> int:
        '''Lose the connection at a COMMIT, and go on.

        :url: POST unknown
        '''
        try:
            with transaction():
                Row.create(text="unknown")
                database.obj.recorder, recorder = None, database.obj.recorder
                database.obj._state.conn.close()
        except OutcomeUnknown:
            TRIES.append(0)
        finally:
            database.obj.recorder = recorder
        fail(times)
        return 1

    def post_file(self, times: int, late: bool = False) -> int:
        '''Store a file, before the transaction is committed or after it.

        :url: POST file
        '''
        with store().staged(b"stored") as move_to, transaction():
            row = Row.create(text="file")
            if not late:
                move_to(f"retried/{row.id}.txt")
            fail(times)
            after_commit(lambda: late and move_to(f"retried/{row.id}.txt"))
        return row.id

    def get(self, id: int) -> dict:
        '''Read a row.'''
        return rows.read(id)

    def put(self, id: int, text: str, times: int = 0, other: int = 0) -> dict:
        '''Change a row, and then another one; before a second attempt, somebody else changes the row.'''
        if TRIES and times:
            elsewhere = threading.Thread(target=_change, args=(id,))
            elsewhere.start()
            elsewhere.join()
        with transaction():
            rows.load(id, lock=True, if_match=True)
            Row.update(text=text).where(Row.id == id).execute()
            if other:
                TRIES.append(1)
                if len(TRIES) == 1:
                    BOTH.wait(60)
                Row.update(text=text).where(Row.id == other).execute()
            # A handler or a method that changes the record again may
            rows.load(id, if_match=True)
            fail(times)
        return rows.read(id)

    def post_heavy(self, first: int, second: int) -> int:
        '''Change two rows, the second once another request waits for the first; the database ends that one.

        :url: POST heavy
        '''
        with transaction():
            if backend().name == "postgresql":
                backend().run("SET LOCAL deadlock_timeout = '60s'")
            for _ in range(50):
                Row.create(text="weight")
            Row.update(text="other").where(Row.id == first).execute()
            BOTH.wait(60)
            Row.update(text="other").where(Row.id == second).execute()
        return 1

    def post_changed(self, kept: list) -> list:
        '''Note the state of the request, change each field but some, and fail once.

        :url: POST changed
        '''
        state = current_state()
        FOUND.append({each.name: repr(getattr(state, each.name)) for each in fields(state) if each.name != "address"})
        for each in fields(state):
            if each.name not in kept:
                setattr(state, each.name, {"warnings": ["x"], "headers": {"x": "y"}, "cache": {1: {}}, "ignored": {"x": ""}}.get(each.name, 7))
        fail(1)
        return FOUND

    def seen(self) -> dict:
        '''What has happened since it was asked last.

        :url: GET seen
        '''
        found = {"rows": Row.select().count(), "tries": len(TRIES), "sent": len(SENT)}
        del TRIES[:], SENT[:]
        return found

"""


@pytest.fixture
def served(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(current, "PAUSE_SECONDS", 0.001)
    files = {"class/api_meetings.py": SERVICE, "models.py": MODELS, "meeting.py": MEETING, "jobs.py": JOBS}
    write_files(tmp_path / "outside/meetings", files)
    with serving(tmp_path, kind, modules=str(tmp_path / "outside")) as served:
        yield served


@pytest.fixture
def meeting(served):
    return served.client()


def test_it_is_done_once_however_often_it_is_begun(meeting):
    """The body is whole again, though a try has taken a value out of it."""
    assert meeting.ask("POST", "/meetings", {"text": "a", "times": 3}) > 0
    assert meeting.get("/meetings/seen") == {"rows": 1, "tries": 4, "sent": 1}


def test_its_idempotency_key_is_claimed_anew(meeting):
    headers = {"Idempotency-Key": '"one-meeting"'}
    answers = [meeting.simulate_post("/meetings", json={"text": "a", "times": 2}, headers=headers) for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 200]
    assert answers[0].json == answers[1].json
    assert meeting.get("/meetings/seen") == {"rows": 1, "tries": 3, "sent": 1}


def test_it_is_given_up_after_some_tries(meeting):
    assert "another request changed the same data" in meeting.refused(
        "POST", "/meetings", {"text": "a", "times": 99}, status=503
    )
    assert meeting.get("/meetings/seen") == {"rows": 0, "tries": current.MAX_ATTEMPTS, "sent": 0}


def test_what_has_committed_something_is_not_begun_anew(meeting):
    meeting.refused("POST", "/meetings/apart", {"times": 1}, status=503)
    assert meeting.get("/meetings/seen") == {"rows": 1, "tries": 1, "sent": 0}


def test_what_may_have_committed_something_is_not_begun_anew(meeting):
    """Nobody knows what became of its first transaction, which it did not tell."""
    meeting.refused("POST", "/meetings/unknown", {"times": 2}, status=503)
    assert meeting.get("/meetings/seen")["tries"] == 2


@pytest.mark.parametrize("late", [False, True])
def test_what_has_stored_a_file_is_not_begun_anew(meeting, late):
    body = {"times": 1, "late": late}
    if late:
        assert meeting.ask("POST", "/meetings/file", body) > 0
    else:
        meeting.refused("POST", "/meetings/file", body, status=503)
    assert meeting.get("/meetings/seen") == {"rows": late, "tries": 1 + late, "sent": 0}


def test_a_job_is_done_once_however_often_it_is_begun(served, meeting):
    """Its arguments are whole again, too."""
    active_jobs()["meetings.meet"].later(["job"], 3)
    served.run_jobs()
    assert meeting.get("/meetings/seen") == {"rows": 1, "tries": 4, "sent": 1}


def test_a_job_that_has_committed_something_is_not_begun_anew(served, meeting):
    active_jobs()["meetings.meet_later"].later(1)
    with pytest.raises(Exception, match=r"[Dd]eadlock|locked"):
        served.run_jobs()
    assert meeting.get("/meetings/seen") == {"rows": 1, "tries": 1, "sent": 0}


def changed_by(meeting, row, body):
    """Send a change with the ETag of the row, and return the status and the text that the row has then."""
    tag = meeting.simulate_get(f"/meetings/{row}").headers["etag"]
    try:
        answer = meeting.simulate_put(f"/meetings/{row}", json=body, headers={"If-Match": tag})
        return answer.status_code, query(f"SELECT text FROM retry_row WHERE id = {row}")[0][0]
    finally:
        close()


@pytest.mark.parametrize("times", [1, 3])
def test_each_attempt_compares_if_match(meeting, times):
    row = meeting.ask("POST", "/meetings", {"text": "read", "times": 0})
    meeting.get("/meetings/seen")
    assert changed_by(meeting, row, {"text": "mine", "times": times}) == (412, "other")
    assert meeting.get("/meetings/seen")["tries"] == 1


def test_if_match_is_compared_once_in_an_attempt(meeting):
    row = meeting.ask("POST", "/meetings", {"text": "read", "times": 0})
    meeting.get("/meetings/seen")
    assert changed_by(meeting, row, {"text": "mine"}) == (200, "mine")


@pytest.mark.every_database("postgresql", "mysql")
def test_a_deadlock_keeps_if_match(meeting, kind, monkeypatch):
    # PostgreSQL takes a second to find a deadlock
    monkeypatch.setattr(current, "MAX_SECONDS", 60)
    first, second = (meeting.ask("POST", "/meetings", {"text": "read", "times": 0}) for _ in range(2))
    meeting.get("/meetings/seen")

    def cross():
        try:
            return meeting.simulate_post("/meetings/heavy", json={"first": second, "second": first}).status_code
        finally:
            close()

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(cross)
        mine = pool.submit(changed_by, meeting, first, {"text": "mine", "other": second})
        assert (mine.result()[0], other.result()) == (412, 200)
    assert [text for (text,) in query("SELECT text FROM retry_row WHERE text <> 'weight'")] == ["other", "other"]
    assert meeting.get("/meetings/seen")["tries"] == 1


#: what a retry doesn't reset: what the request is, its caller, and what is measured or counted once
KEPT = (
    "caller", "address", "if_match", "request_id", "began", "operation", "verb", "database_time", "statements",
    "waited", "keyed", "allowance", "generation",
)  # fmt: skip


def test_each_attempt_begins_with_the_same_state(meeting):
    first, second = meeting.ask("POST", "/meetings/changed", {"kept": KEPT})
    # The last one is read when it is needed
    measured = ("database_time", "statements", "cache_version")
    assert {name for name in first if name not in measured and first[name] != second[name]} == set()
    assert first.keys() > {"warnings", "is_compared"}

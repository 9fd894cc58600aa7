"""A request that the database gives up for another change is begun anew, and done once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.storage.database import close, query
from core.testing import Client, serving
from core.web import repetition

MODELS = """
import peewee

from core import Model


class Row(Model):
    id = peewee.AutoField()
    text = peewee.CharField()

    class Meta:
        table_name = "repetition_row"
"""

SERVICE = """
import threading

import peewee
import pymysql.err

from core import after_commit, transaction

from ..models import Row

TRIES, SENT = [], []
BOTH = threading.Barrier(2)


class Meetings:
    '''Changes that meet others.

    :access: protected
    '''

    def post(self, request_data: dict) -> int:
        '''Write a row, and fail behind it some times.'''
        with transaction():
            row = Row.create(text=request_data.pop("text"))
            after_commit(lambda: SENT.append(row.text))
            _as_database(request_data["times"])
        return row.id

    def post_apart(self, times: int) -> int:
        '''Commit a row, and fail then.

        :url: POST apart
        '''
        with transaction():
            Row.create(text="apart")
        _as_database(times)
        return 1

    def post_crossing(self, first: int, second: int) -> int:
        '''Change one row, wait until somebody else has changed another one, and change that, too.

        :url: POST crossing
        '''
        with transaction():
            Row.update(text=Row.text + "x").where(Row.id == first).execute()
            TRIES.append(1)
            if len(TRIES) <= 2:
                BOTH.wait(10)
            Row.update(text=Row.text + "x").where(Row.id == second).execute()
        return 1

    def seen(self) -> dict:
        '''What has happened since it was asked last.

        :url: GET seen
        '''
        found = {"rows": Row.select().count(), "tries": len(TRIES), "sent": len(SENT)}
        del TRIES[:], SENT[:]
        return found


def _as_database(times):
    with peewee.__exception_wrapper__:
        TRIES.append(1)
        if len(TRIES) <= times:
            raise pymysql.err.OperationalError(1213, "Deadlock found")
"""


@pytest.fixture
def meeting(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(repetition, "WAIT", 0.001)
    (tmp_path / "outside/meetings/class").mkdir(parents=True)
    (tmp_path / "outside/meetings/class/api_meetings.py").write_text(SERVICE)
    (tmp_path / "outside/meetings/models.py").write_text(MODELS)
    with serving(tmp_path, kind, modules=str(tmp_path / "outside")) as served:
        yield served.client()


def test_it_is_done_once_however_often_it_is_begun(meeting: Client) -> None:
    """The body is whole again, though a try has taken a value out of it."""
    assert meeting.ask("POST", "/meetings", {"text": "a", "times": 3}) > 0
    assert meeting.get("/meetings/seen") == {"rows": 1, "tries": 4, "sent": 1}


def test_its_idempotency_key_is_claimed_anew(meeting: Client) -> None:
    headers = {"Idempotency-Key": '"one-meeting"'}
    answers = [meeting.simulate_post("/meetings", json={"text": "a", "times": 2}, headers=headers) for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 200]
    assert answers[0].json == answers[1].json
    assert meeting.get("/meetings/seen") == {"rows": 1, "tries": 3, "sent": 1}


def test_it_is_given_up_after_some_tries(meeting: Client) -> None:
    assert "another request changed the same data" in meeting.refused(
        "POST", "/meetings", {"text": "a", "times": 99}, status=503
    )
    assert meeting.get("/meetings/seen") == {"rows": 0, "tries": repetition.TRIES, "sent": 0}


def test_what_has_committed_something_is_not_begun_anew(meeting: Client) -> None:
    meeting.refused("POST", "/meetings/apart", {"times": 1}, status=503)
    assert meeting.get("/meetings/seen") == {"rows": 1, "tries": 1, "sent": 0}


def test_two_that_wait_for_each_other_are_both_done(meeting: Client, kind: str) -> None:
    """The database ends one of them, which is then begun anew."""
    if kind == "sqlite":
        pytest.skip("one writes at a time")
    rows = [meeting.ask("POST", "/meetings", {"text": "a", "times": 0}) for _ in range(2)]
    meeting.get("/meetings/seen")

    def cross(first: int, second: int) -> int:
        try:
            return meeting.simulate_post("/meetings/crossing", json={"first": first, "second": second}).status_code
        finally:
            close()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(cross, rows, reversed(rows))) == [200, 200]
    assert meeting.get("/meetings/seen") == {"rows": 2, "tries": 3, "sent": 0}
    assert [text for (text,) in query("SELECT text FROM repetition_row")] == ["axx", "axx"]

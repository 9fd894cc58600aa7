"""Reads that may be some seconds old: which of them a standby answers, and what happens where it cannot."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import peewee
import pytest

from core.common.setting_checks import standby_url
from core.storage import standby
from core.storage.database import database
from core.storage.opening import DatabaseUrlError
from core.storage.outage import Outage
from core.storage.standby import Marks, read_position
from core.testing import Client, Served, fresh_database, why_unavailable
from core.testing.databases import drop_database
from core.testing.served import make_settings
from core.web.older_reads import allowed_age

SERVERS = ("postgresql", "mysql")


@pytest.fixture(scope="module", params=SERVERS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose standby is another database with other records: an answer tells where it is from."""
    if reason := why_unavailable(request.param):
        pytest.skip(reason)
    folder: Path = tmp_path_factory.mktemp("pair")
    other = fresh_database(request.param, folder)
    first = Served(replace(make_settings(folder, request.param), database=other))
    first.client().ask("POST", "/thirdparties", {"name": "As it was", "client": 1})
    first.close()
    own = make_settings(folder, request.param)
    served = Served(replace(own, database_read=other))
    served.client().ask("POST", "/thirdparties", {"name": "As it is", "client": 1})
    try:
        yield served
    finally:
        served.close()
        drop_database(own.database)
        drop_database(other)


class Near:
    """Marks that say what a test wants."""

    def __init__(self, age: float | None) -> None:
        self.told: list[BaseException] = []
        self._age = age

    def age(self) -> float | None:
        return self._age

    def lost(self, error: BaseException) -> None:
        self.told.append(error)
        self._age = None


@pytest.fixture
def near(pair: Served) -> Iterator[Near]:
    marks = Near(1.5)
    before, database.obj.marks = database.obj.marks, marks
    yield marks
    database.obj.marks = before


def names(client: Client, said: str = "", path: str = "/thirdparties") -> tuple[Any, str | None]:
    answer = client.simulate_get(path, headers={"Cache-Control": said} if said else {})
    assert answer.status_code == 200, answer.text
    return [each["name"] for each in answer.json], answer.headers.get("Age")


def test_who_accepts_an_older_answer_gets_it_from_the_standby(pair: Served, near: Near) -> None:
    client = pair.client()
    assert names(client, "max-age=5") == (["As it was"], "2")
    assert names(client) == (["As it is"], None)
    # It is 1.5 s behind
    assert names(client, "max-age=1") == (["As it is"], None)
    assert names(client, "max-age=5, no-cache") == (["As it is"], None)
    assert near.told == []


def test_what_writes_is_done_where_it_is_written(pair: Served, near: Near) -> None:
    client = pair.client()
    made = client.ask("POST", "/thirdparties", {"name": "New", "client": 1}, headers={"Cache-Control": "max-age=5"})
    assert "New" in names(client)[0]
    client.ask("DELETE", f"/thirdparties/{made}", headers={"Cache-Control": "max-age=5"})
    assert names(client) == (["As it is"], None)
    assert names(client, "max-age=5")[0] == ["As it was"]


def test_who_calls_is_asked_where_it_is_written(pair: Served, near: Near) -> None:
    """The standby knows another key."""
    headers = {"Cache-Control": "max-age=5", "DOLAPIKEY": "0" * 40}
    assert pair.client().simulate_get("/thirdparties", headers=headers).status_code == 401


def test_a_standby_that_fails_is_not_asked_and_nobody_notices(
    pair: Served, near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = pair.client()
    assert names(client, "max-age=5")[0] == ["As it was"]
    database.obj.drop_other()
    monkeypatch.setattr(database.obj, "standby", {**database.obj.standby, "port": 1})
    assert names(client, "max-age=5") == (["As it is"], None)
    assert len(near.told) == 1
    # For a moment after a failure nobody tries
    time.sleep(2 * Outage.PAUSE)


@pytest.mark.parametrize(
    ("number", "answered", "lost"),
    [
        # The connection is gone; a change of the primary came in between; there is no such table yet
        (2013, True, 1),
        (1213, True, 0),
        (1146, True, 0),
        # It took too long, and would take as long at the primary
        (1969, False, 0),
    ],
)
def test_what_fails_at_the_standby_is_asked_at_the_primary_unless_it_takes_too_long(
    pair: Served, near: Near, number: int, answered: bool, lost: int
) -> None:
    asked = []

    def read() -> str:
        asked.append(database.obj.own.at_standby)
        if database.obj.own.at_standby:
            raise peewee.OperationalError(number, "it failed")
        return "as it is"

    call = standby.first_at_standby(read, lambda: None)
    if answered:
        assert call() == "as it is"
        assert asked == [True, False]
    else:
        with pytest.raises(peewee.OperationalError, match="it failed"):
            call()
        assert asked == [True]
    assert len(near.told) == lost


def test_all_records_of_a_list_come_from_the_standby_too(pair: Served, near: Near) -> None:
    lines = pair.client().simulate_get(
        "/thirdparties?all=1", headers={"Cache-Control": "max-age=5", "Accept": "application/x-ndjson"}
    )
    assert lines.headers.get("Age") == "2"
    assert '"As it was"' in lines.text


def test_one_that_follows_nothing_is_not_asked(pair: Served, caplog: pytest.LogCaptureFixture) -> None:
    before, database.obj.marks = database.obj.marks, None
    try:
        assert names(pair.client(), "max-age=50") == (["As it is"], None)
    finally:
        database.obj.marks = before
    assert "isn't a standby" in caplog.text


# How far it is behind -------------------------------------------------------------------------------------------------


def test_positions_are_read() -> None:
    assert read_position("0/16B3748") == {"": 0x16B3748}
    assert read_position("2/0") == {"": 2 << 32}
    assert read_position("0-1-100,1-2-5") == {"0": 100, "1": 5}
    assert read_position(None) == read_position("") == {}


class Followed:
    """A database that comes further by one with each look, and its standby."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.come, self.there = 100.0, 0, 0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(standby, "dialect_name", lambda: "postgresql")
        monkeypatch.setattr(standby, "at_standby", lambda: _Nothing())
        monkeypatch.setattr(standby, "query", self._answer)

    def _answer(self, sql: str) -> list[tuple[str]]:
        if "current" in sql:
            self.come += 1
            return [(f"0/{self.come:X}",)]
        return [(f"0/{self.there:X}",)]


class _Nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def test_an_answer_is_as_old_as_the_last_mark_that_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    followed, marks = Followed(monkeypatch), Marks()
    # Nothing of it is there yet
    assert marks.age() is None
    followed.now, followed.there = 102.0, 2
    assert marks.age() == 0
    # Within a second nobody looks again
    followed.now = 102.5
    assert marks.age() == 0.5
    # Its line is cut: it stands still, and whatever it says of itself, what it has becomes older
    for second in range(104, 110, 2):
        followed.now = float(second)
        marks.age()
    assert marks.age() == 108 - 102
    followed.now, followed.there = 120.0, 5
    # It has the mark of 108, and not the one of now
    assert marks.age() == 120 - 108


# What is said ---------------------------------------------------------------------------------------------------------


def test_how_old_an_answer_may_be() -> None:
    assert allowed_age("max-age=7") == allowed_age('Max-Age = "7"') == allowed_age("max-age=7, min-fresh=1") == 7
    assert allowed_age("max-age=7, no-cache") == allowed_age("no-store") == allowed_age("max-age=0") == 0
    assert allowed_age("") == allowed_age("max-age=-1") == allowed_age("only-if-cached") == 0


@pytest.mark.parametrize("url", ["sqlite:///data/other.db", "postgresql://a:5432,b:5432/name"])
def test_what_is_no_standby_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="one PostgreSQL or MariaDB standby, got SQLite or several hosts"):
        standby_url(url)


def test_a_standby_is_of_the_kind_of_its_database(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUrlError, match="expected a standby"):
        Served(replace(make_settings(tmp_path, "sqlite"), database_read="postgresql://postgres@127.0.0.1/postgres"))

"""Connections that are lost below requests and the audit trail; limits and outages. `conformance.py` has the rest."""

import logging
from contextlib import nullcontext, suppress

import peewee
import pytest

from core import Model, transaction
from core.common.settings import settings
from core.schema.tables import ensure_tables
from core.storage.database import (
    after_commit,
    backend,
    classify_error,
    close,
    database,
    ensure_connected,
    open_database,
    query,
)
from core.storage.error_kinds import UNREACHABLE
from tests.core.storage.conformance_statements import cut

pytestmark = pytest.mark.every_database


class Note(Model):
    """Something to write."""

    id = peewee.AutoField()
    text = peewee.CharField(null=True)
    number = peewee.IntegerField(default=0)

    class Meta:
        table_name = "connections_note"


@pytest.fixture(scope="module", autouse=True)
def tables(server):
    ensure_tables([Note])


@pytest.fixture(autouse=True)
def empty(tables):
    ensure_connected()
    Note.delete().execute()
    yield
    close()


def test_a_connection_that_is_lost_before_the_trail_is_written_commits_nothing():
    with pytest.raises(peewee.PeeweeException) as caught, transaction():
        Note.create(text="not written")
        cut()
    assert classify_error(caught.value) is UNREACHABLE
    ensure_connected()
    assert Note.select().count() == 0


@pytest.mark.parametrize("caught", [False, True])
def test_what_is_lost_while_the_trail_is_written_is_not_committed(monkeypatch, caught):
    """A read for the trail, on a new connection, must not hide that the transaction is gone."""
    own = database.obj
    settle = own.recorder.settle

    def settle_late(opened):
        last = settle(opened)
        cut()
        # Code that catches it also commits nothing
        with suppress(peewee.PeeweeException) if caught else nullcontext():
            opened.run("SELECT 1")
        return last

    told = []
    with monkeypatch.context() as patch, pytest.raises(peewee.PeeweeException) as failed:
        patch.setattr(own.recorder, "settle", settle_late)
        with transaction():
            after_commit(lambda: told.append("committed"))
            Note.create(text="first")
    # Nothing has been committed, so it may be asked again
    assert classify_error(failed.value) is UNREACHABLE
    ensure_connected()
    assert (Note.select().count(), told) == (0, [])


def test_a_single_write_that_is_noted_begins_anew():
    """The beginning of its transaction notices the loss: nothing can have been written."""
    cut()
    Note.create(text="once")
    assert Note.select().count() == 1


@pytest.mark.every_database("postgresql")
def test_a_transaction_whose_database_is_gone_says_so(monkeypatch):
    """Its first statement asks for another connection, and there is none to be had."""

    def away():
        raise peewee.OperationalError("no response")

    monkeypatch.setattr("core.storage.retrying_database.CircuitBreaker.PAUSE", 0)
    for depth in range(2):
        cut()
        with monkeypatch.context() as patch:
            patch.setattr(database.obj, "_open", away)
            with pytest.raises(peewee.OperationalError, match="no response"), transaction():
                # Code that catches it, and goes on in another block, writes nothing
                with (
                    pytest.raises(peewee.OperationalError, match="no response"),
                    transaction() if depth else nullcontext(),
                ):
                    Note.create(text="first")
                patch.undo()
                with pytest.raises(peewee.OperationalError, match="no response"), transaction():
                    Note.create(text="second")
                Note.create(text="third")
        ensure_connected()
        assert Note.select().count() == 0


@pytest.mark.fault("The database connection is killed before a request", "the request succeeds")
def test_requests_do_not_notice_a_lost_connection(admin, seen):
    admin.get("/status")
    for verb, path, body in (("GET", "/contacts", None), ("POST", "/thirdparties", {"name": "Lasting"})):
        ensure_connected()
        cut()
        admin.ask(verb, path, body)
        seen(f"{verb} {path} 200")


@pytest.mark.fault(
    "The database connection is killed before each statement of a creation", "200 and one order, or 503 and none"
)
def test_a_creation_is_whole_or_undone_whichever_statement_loses_its_connection(admin, monkeypatch, seen):
    """Before each of its statements in turn, until a creation has no further one."""
    customer = admin.ask("POST", "/thirdparties", {"name": "Cut"})
    lines = [{"desc": "a", "qty": 1, "subprice": 10}, {"desc": "b", "qty": 2, "subprice": 5}]
    body = {"socid": customer, "date": "2026-11-21", "lines": lines}
    send = database.obj._execute_cursor
    position, number, statuses = 0, 0, []

    def lose(sql, params):
        nonlocal number
        number += 1
        if number == position:
            cut()
        return send(sql, params)

    while position <= number:
        position, number = position + 1, 0
        with monkeypatch.context() as patch:
            patch.setattr(database.obj, "_execute_cursor", lose)
            statuses.append(admin.simulate_post("/orders", json=body).status_code)
        orders = admin.ask("GET", f"/orders?thirdparty_ids={customer}") if 200 in statuses else []
        assert [len(each["lines"]) for each in orders] == [2] * statuses.count(200)
    seen(f"{statuses.count(200)} of {position} succeed, {statuses.count(503)} fail with 503")
    assert {*statuses} == {200, 503}
    # The last one was not interrupted
    assert statuses[-1] == 200


def test_the_setting_is_what_a_statement_may_take(server):
    assert settings().statement_timeout == 10
    assert database.obj.limits() == (10, 9)
    told = {
        "postgresql": ("SELECT current_setting('statement_timeout'), current_setting('lock_timeout')", ("10s", "9s")),
        "mysql": ("SELECT @@max_statement_time, @@innodb_lock_wait_timeout", (10, 9)),
        "sqlite": ("SELECT timeout FROM pragma_busy_timeout", (9000,)),
    }[backend().name]
    assert tuple(query(told[0])[0]) == told[1]


@pytest.mark.every_database("postgresql", "mysql")
def test_an_outage_is_told_once_and_answered_at_once(server, admin, caplog):
    """No server listens at the new address; the database of the other tests comes back."""
    kind = server.settings.database.partition(":")[0]
    away = {"postgresql": "postgresql://nobody@127.0.0.1:1/none", "mysql": "mysql://nobody@127.0.0.1:1/none"}
    before = database.obj
    open_database(away[kind])
    try:
        with caplog.at_level(logging.INFO, "comptoir"):
            answers = [admin.simulate_get("/contacts") for _ in range(20)]
        assert {answer.status_code for answer in answers} == {503}
        assert {answer.headers["Retry-After"] for answer in answers} == {"1"}
        assert "the database can't be reached; try again" in answers[0].json["error"]["message"]
        assert len([each for each in caplog.records if each.name == "comptoir.database"]) == 1
        assert "127.0.0.1" in caplog.text
        assert "127.0.0.1" not in answers[0].text
    finally:
        database.initialize(before)
        ensure_connected()

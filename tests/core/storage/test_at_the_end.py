"""Changes that go out with the COMMIT of their transaction: on each database."""

from __future__ import annotations

from collections.abc import Iterator

import peewee
import pytest

from core import Model, Records, query, transaction
from core.schema.tables import ensure_tables
from core.storage.database import close, database, dialect_name, ensure_connected
from core.testing import Served


class HeldBack(Model):
    """Something to change."""

    id = peewee.AutoField()
    label = peewee.CharField(null=True, unique=True)
    weight = peewee.IntegerField(default=0)

    class Meta:
        table_name = "at_the_end_crate"


crates = Records(HeldBack, noun="HeldBack")


@pytest.fixture(autouse=True)
def crate(server: Served) -> Iterator[int]:
    ensure_connected()
    ensure_tables([HeldBack])
    HeldBack.delete().execute()
    yield crates.create({"label": "first", "weight": 1})
    close()


def weights() -> list[int]:
    return [weight for (weight,) in query("SELECT weight FROM at_the_end_crate ORDER BY id")]


def test_it_is_sent_with_the_commit(crate: int) -> None:
    sent: list[str] = []
    with transaction():
        crates.load(crate, lock=True)
        real, database.obj._execute_cursor = database.obj._execute_cursor, None
        try:
            if dialect_name() == "sqlite":
                database.obj._execute_cursor = lambda sql, params: sent.append(sql) or real(sql, params)
            # Elsewhere nothing may be sent now
            crates.write_at_end(crate, weight=2)
        finally:
            database.obj._execute_cursor = real
    assert weights() == [2]
    assert len(sent) == (dialect_name() == "sqlite")


@pytest.mark.parametrize("clustered", [False, True])
def test_a_node_of_galera_is_sent_each_statement_by_itself(
    crate: int, monkeypatch: pytest.MonkeyPatch, clustered: bool
) -> None:
    """It may undo a transaction between two statements of a message, and then commits nothing without saying so."""
    if dialect_name() != "mysql":
        pytest.skip("others have no Galera")
    own = database.obj.own
    assert own.clustered is False
    monkeypatch.setattr(own, "clustered", clustered)
    connection, sent = database.obj.connection(), list[str]()
    send = connection.query

    def note(sql: str | bytes, *others: object) -> object:
        sent.append(sql if isinstance(sql, str) else bytes(sql).decode())
        return send(sql, *others)

    monkeypatch.setattr(connection, "query", note)
    with transaction():
        crates.load(crate, lock=True)
        del sent[:]
        crates.write_at_end(crate, weight=2)
    # The change, the line of the audit trail, and the end
    assert (len(sent), sum(";" in each for each in sent)) == ((3, 0) if clustered else (1, 1))
    assert sent[-1].endswith("COMMIT")
    assert weights() == [2]


def test_whoever_reads_in_the_transaction_sees_it(crate: int) -> None:
    with transaction():
        crates.load(crate, lock=True)
        crates.write_at_end(crate, weight=3)
        assert weights() == [3]
        crates.write_at_end(crate, weight=4)
        crates.write(crate, weight=5)
    assert weights() == [5]


def test_several_go_in_their_order(crate: int) -> None:
    other = crates.create({"label": "second"})
    with transaction():
        crates.write_at_end(crate, weight=6)
        crates.write_at_end(other, weight=7)
        crates.write_at_end(crate, weight=8)
    assert weights() == [8, 7]


def test_it_is_undone_with_its_transaction(crate: int) -> None:
    with pytest.raises(RuntimeError), transaction():
        crates.load(crate, lock=True)
        crates.write_at_end(crate, weight=9)
        raise RuntimeError
    with transaction():
        HeldBack.create(label="behind it")
    assert weights() == [1, 0]


def test_it_is_undone_with_its_savepoint(crate: int) -> None:
    with transaction():
        crates.load(crate, lock=True)
        crates.write_at_end(crate, weight=10)
        with pytest.raises(RuntimeError), transaction():
            crates.write_at_end(crate, weight=11)
            raise RuntimeError
    assert weights() == [10]


def test_what_the_database_refuses_undoes_the_whole_transaction(crate: int) -> None:
    other = crates.create({"label": "second"})
    with pytest.raises(peewee.IntegrityError), transaction():
        crates.write(crate, weight=12)
        crates.write_at_end(other, label="first")
    assert weights() == [1, 0]
    with transaction():
        crates.write(crate, weight=13)
    assert weights() == [13, 0]


def notes(crate: int) -> int:
    sql = "SELECT count(*) FROM comptoir_audit WHERE element = ? AND record = ? AND kind = 'changed'"
    return int(query(sql, ("at_the_end_crate", str(crate)))[0][0])


def test_the_history_tells_of_it(crate: int) -> None:
    before = notes(crate)
    with transaction():
        crates.load(crate, lock=True)
        crates.write_at_end(crate, weight=14)
    assert notes(crate) == before + 1

"""IDs are given once: the newest row that is deleted leaves its ID unused, also after its table was rebuilt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import peewee
import pytest

from core import Model
from core.records.extra_fields import values_table
from core.schema.forms import form_of
from core.schema.lock import schema_lock
from core.schema.steps import Change, RenameTable, apply
from core.storage.all_models import all_models
from core.storage.database import database, dialect_name, ensure_connected, no_timeouts, query, quote
from core.storage.model import meta_of
from core.testing import Served


@pytest.fixture
def table(server: Served) -> Iterator[str]:
    """The name of a table that is dropped in the end."""
    ensure_connected()
    yield "key_card"
    ensure_connected()
    for name in ("key_card", "key_badge"):
        database.execute_sql(f"DROP TABLE IF EXISTS {quote(name)}")


def insert(table: str) -> int:
    """Insert a row; returns its ID."""
    database.execute_sql(f"INSERT INTO {quote(table)} (label) VALUES ('x')")
    return int(query(f"SELECT MAX(rowid) FROM {quote(table)}")[0][0])


def card(table: str) -> Any:
    """A model of a table with one text."""
    meta = type("Meta", (), {"table_name": table, "audited": False})
    fields = {"id": peewee.AutoField(column_name="rowid"), "label": peewee.CharField(max_length=10)}
    return type("KeyCard", (Model,), {**fields, "Meta": meta, "__module__": __name__})


def test_no_id_is_given_again(table: str) -> None:
    card(table).create_table()
    assert [insert(table), insert(table)] == [1, 2]
    database.execute_sql(f"DELETE FROM {quote(table)} WHERE rowid = 2")
    assert insert(table) == 3


@pytest.mark.parametrize("left", [0, 1])
def test_a_changed_table_goes_on_counting(table: str, left: int) -> None:
    card(table).create_table()
    insert(table), insert(table), insert(table)
    database.execute_sql(f"DELETE FROM {quote(table)} WHERE rowid > {left}")
    with no_timeouts(), schema_lock():
        apply(Change(table, "label", peewee.CharField(max_length=20)), form_of(card(table)))
        apply(RenameTable(table, "key_badge"))
    assert insert("key_badge") == 4


def test_every_table_that_counts_gives_its_ids_once(server: Served) -> None:
    if dialect_name() != "sqlite":
        pytest.skip("the other databases count apart from the rows")
    ensure_connected()
    texts = dict(query("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    models = [each for each in all_models(Model) if isinstance(meta_of(each).primary_key, peewee.AutoField)]
    named = {meta_of(each).table_name for each in models if each.__module__.startswith(("core.", "modules."))}
    named |= {values_table(each) for each in models if meta_of(each).extrafields}
    counting = {name for name in named if name in texts}
    assert len(counting) > 50 and {"comptoir_audit", "comptoir_job", "llx_societe_extrafields"} <= counting
    assert [name for name in counting if "AUTOINCREMENT" not in texts[name]] == []
    assert "sqlite_sequence" not in database.get_tables()

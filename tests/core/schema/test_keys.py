"""Every table has a key, and gives an ID once."""

import peewee
import pytest

from core import Model
from core.records.extra_fields import values_table
from core.storage.database import database, ensure_connected, query
from core.storage.model import all_models, meta_of

pytestmark = pytest.mark.every_database


def test_every_table_has_a_primary_key(server):
    """Replication identifies rows by it."""
    models = all_models(Model)
    assert len(models) > 50
    assert [model.__name__ for model in models if not meta_of(model).primary_key] == []


@pytest.mark.every_database("sqlite")
def test_every_table_that_counts_gives_its_ids_once(server):
    ensure_connected()
    texts = dict(query("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    models = [each for each in all_models(Model) if isinstance(meta_of(each).primary_key, peewee.AutoField)]
    named = {meta_of(each).table_name for each in models if each.__module__.startswith(("core.", "modules."))}
    named |= {values_table(each) for each in models if meta_of(each).extrafields}
    counting = {name for name in named if name in texts}
    assert len(counting) > 50 and {"comptoir_audit", "comptoir_job", "llx_societe_extrafields"} <= counting
    assert [name for name in counting if "AUTOINCREMENT" not in texts[name]] == []
    assert "sqlite_sequence" not in database.get_tables()

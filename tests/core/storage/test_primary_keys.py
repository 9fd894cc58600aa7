"""Replication identifies rows by their primary key."""

from __future__ import annotations

from core.storage.all_models import all_models
from core.storage.model import Model, meta_of
from core.testing import Served


def test_every_table_has_a_primary_key(server: Served) -> None:
    models = all_models(Model)
    assert len(models) > 50
    assert [model.__name__ for model in models if not meta_of(model).primary_key] == []

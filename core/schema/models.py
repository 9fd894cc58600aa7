"""The models whose tables are made: one for each table, and those before that others point at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import peewee

from ..storage.database import backend
from ..storage.model import Model, meta_of
from .columns import default_of
from .known_tables import table_of


def widest(models: Iterable[type[Model]]) -> dict[str, type[Model]]:
    """One model for each table: the one with the most columns, where there are several."""
    chosen: dict[str, type[Model]] = {}
    for model in models:
        other = chosen.get(table_of(model))
        if other is None or len(meta_of(other).fields) < len(meta_of(model).fields):
            chosen[table_of(model)] = model
    return chosen


def in_order(models: dict[str, type[Model]]) -> list[type[Model]]:
    """The models so that each comes behind those it points at."""
    ordered: list[type[Model]] = []
    seen: set[str] = set()

    def visit(model: type[Model]) -> None:
        if table_of(model) in seen:
            return
        seen.add(table_of(model))
        meta = meta_of(model)
        for field in meta.fields.values():
            target = getattr(field, "target", None)
            if target is not None:
                table = table_of(target())
                visit(models.get(table, target()))
        ordered.append(model)

    for model in models.values():
        visit(model)
    return ordered


class _Default(peewee.SQL):
    """A default that was declared here: another database may spell it otherwise."""


def declare_defaults(model: type[Model]) -> None:
    """Let the database know the columns' defaults, too.

    A worker that still runs the model's last version, or a narrower model of the same table, must be able to insert.
    """
    for field in meta_of(model).fields.values():
        _declare_default(field)


def _declare_default(field: Any) -> None:
    own = [each for each in field.constraints or () if not isinstance(each, _Default)]
    if field.null or field.default is None or any("DEFAULT" in str(each.sql) for each in own):
        return
    field.constraints = [*own, _Default(f"DEFAULT {backend().literal(default_of(field))}")]

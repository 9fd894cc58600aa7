"""All tables of a database, and dropping those without a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ..audit.history import DROPPED
from ..audit.notes import Event
from ..audit.protection import GUARD
from ..audit.recorder import add_event
from ..records.extra_fields import ExtraField, values_table
from ..storage.database import backend, database, no_timeouts, query, quote, schema_lock, transaction
from ..storage.model import Model, all_models, meta_of
from .alterations import VALUES
from .known_tables import forget, known_tables
from .search_tables import drop_search
from .table import owner_of, table_name


class NotAnOrphan(Exception):
    """A table that can't be dropped; the message has the reason."""


@dataclass(frozen=True)
class TableInfo:
    """A table of the database.

    :ivar module: the module that it belongs to; empty: unknown
    :ivar model: the class; empty if there isn't one
    :ivar belongs_to: the table whose extra fields it holds
    """

    name: str
    rows: int
    module: str
    model: str
    belongs_to: str = ""


def all_tables(models: Iterable[type[Model]]) -> list[TableInfo]:
    """Return every table of the current database.

    :param models: those of the loaded modules; those of the core are added
    """
    known = known_tables()
    of_core = [model for model in all_models(Model) if owner_of(model) == "core"]
    by_table = {table_name(model): model for model in [*of_core, *models]}
    values = {values_table(model): table_name(model) for model in by_table.values() if meta_of(model).extrafields}
    existing = set(database.get_tables())
    found = []
    for name in sorted(existing):
        of, base = values.get(name, ""), name.removesuffix(VALUES)
        if not of and name.endswith(VALUES) and (base in existing or base in known):
            of = base
        model = by_table.get(of or name)
        owners = [known[each][1] for each in (name, of) if each in known]
        module = owner_of(model) if model else next(filter(None, owners), "")
        shown = "" if model is None else f"{model.__name__}, extra fields" if of else model.__name__
        if name == GUARD:
            module, shown = "core", "GUARD"
        rows = int(query(f"SELECT COUNT(*) FROM {quote(name)}")[0][0])
        found.append(TableInfo(name, rows, module, shown, of))
    return found


def drop_tables(names: Collection[str], models: Iterable[type[Model]], broken: Collection[str]) -> list[str]:
    """Drop tables without a model, with their extra fields; return all that were dropped.

    The audit trail notes it: a table of that name may come again, with the same IDs.

    :param broken: the modules that can't be loaded now: their tables aren't known to be orphans
    :raises NotAnOrphan: one of the tables can't be dropped; nothing is
    """
    tables = {each.name: each for each in all_tables(models)}
    wanted = ensure_orphans(names, tables, broken)
    kinds = {table.extrafields for name, (table, _) in known_tables().items() if name in wanted} - {""}
    with no_timeouts(), schema_lock():
        for name in wanted:
            drop_search(name)
            backend().drop_references(name)
        for name in wanted:
            backend().drop_table(name)
            forget(name)
        if kinds:
            ExtraField.delete().where(ExtraField.elementtype.in_(kinds)).execute()
        with transaction():
            for name in sorted(wanted - {each.name for each in tables.values() if each.belongs_to}):
                add_event(Event(DROPPED, name[:64], "", {"rows": tables[name].rows}))
    return sorted(wanted)


def ensure_orphans(names: Collection[str], tables: Mapping[str, TableInfo], broken: Collection[str]) -> set[str]:
    """Return the tables to drop: these and the tables of their extra fields.

    :param tables: all tables, by name
    :raises NotAnOrphan: a table can't be dropped
    """
    for name in names:
        _ensure_orphan(name, tables, broken)
    wanted = set(names) | {each.name for each in tables.values() if each.belongs_to in names}
    for name in tables.keys() - wanted:
        if referred := {each.dest_table for each in database.get_foreign_keys(name)} & wanted:
            raise NotAnOrphan(f"can't drop {min(referred)}: rows of {name} refer to it")
    return wanted


def _ensure_orphan(name: str, tables: Mapping[str, TableInfo], broken: Collection[str]) -> None:
    found = tables.get(name)
    if found is None:
        raise NotAnOrphan(f"there is no table {name}")
    if found.model:
        raise NotAnOrphan(f"can't drop {name}: it belongs to the model {found.model} of the module {found.module}")
    if found.module in broken:
        raise NotAnOrphan(f"can't drop {name}: its module {found.module} can't be loaded now and may need it")
    if not found.module and broken:
        raise NotAnOrphan(
            f"can't drop {name}: it may belong to a module that can't be loaded now ({', '.join(sorted(broken))})"
        )
    if found.belongs_to and found.belongs_to in tables:
        raise NotAnOrphan(
            f"can't drop {name}: it holds the extra fields of {found.belongs_to}; drop that table instead"
        )

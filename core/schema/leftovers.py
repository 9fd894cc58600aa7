"""All tables of a database: whose each is, and those that nobody has a model of any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..audit.history import DROPPED
from ..audit.notes import Event
from ..audit.protection import GUARD
from ..audit.recorder import note_event
from ..records.extra_fields import ExtraField, values_table
from ..storage.all_models import all_models
from ..storage.database import database, no_timeouts, query, quote, transaction
from ..storage.model import Model, meta_of
from .alterations import VALUES, drop_references
from .columns import run
from .known_tables import KnownTable, known_forms, owner_of, table_of
from .lock import schema_lock
from .search_tables import let_go


class NotALeftover(Exception):
    """A table that is not dropped, with the reason."""


@dataclass(frozen=True)
class TableNote:
    """A table that there is.

    :ivar module: whose it is; empty: nobody knows
    :ivar model: the class; empty: there is none
    :ivar belongs_to: the table whose extra fields it keeps
    """

    name: str
    rows: int
    module: str
    model: str
    belongs_to: str = ""


def all_tables(models: Iterable[type[Model]]) -> list[TableNote]:
    """Every table of the database in force.

    :param models: those of modules that have been loaded; those of the core are known
    """
    known = known_forms()
    by_table = {table_of(model): model for model in [*_of_core(), *models]}
    values = {values_table(model): table_of(model) for model in by_table.values() if meta_of(model).extrafields}
    there = set(database.get_tables())
    notes = []
    for name in sorted(there):
        owner = known[name][1] if name in known else ""
        of = values.get(name, "")
        base = name.removesuffix(VALUES)
        if not of and name.endswith(VALUES) and (base in there or base in known):
            of = base
        model = by_table.get(of or name)
        module = owner_of(model) if model else owner or (known[of][1] if of in known else "")
        if name == GUARD:
            module = "core"
        shown = "" if model is None else f"{model.__name__}, extra fields" if of else model.__name__
        rows = int(query(f"SELECT COUNT(*) FROM {quote(name)}")[0][0])
        notes.append(TableNote(name, rows, module, "GUARD" if name == GUARD else shown, of))
    return notes


def _of_core() -> list[type[Model]]:
    return [model for model in all_models(Model) if owner_of(model) == "core"]


def drop_tables(names: Collection[str], models: Iterable[type[Model]], broken: Collection[str]) -> list[str]:
    """Drop tables that nobody has a model of, with their extra fields; answers all that went.

    The audit trail says so: a table of that name may come again, with the identifiers of this one.

    :param broken: the modules that can't be loaded now: what is theirs is not known to be a leftover
    :raises NotALeftover: one of them is none; nothing is dropped
    """
    notes = {each.name: each for each in all_tables(models)}
    wanted = insist_on_leftovers(names, notes, broken)
    kinds = {form.extrafields for name, (form, _) in known_forms().items() if name in wanted} - {""}
    with no_timeouts(), schema_lock():
        for name in wanted:
            let_go(name)
            drop_references(name)
        for name in wanted:
            run(f"DROP TABLE {quote(name)}")
        for name in wanted:
            KnownTable.delete().where((KnownTable.name == name) | KnownTable.name.startswith(f"{name} ")).execute()
        if kinds:
            ExtraField.delete().where(ExtraField.elementtype.in_(kinds)).execute()
        with transaction():
            for name in sorted(wanted - {each.name for each in notes.values() if each.belongs_to}):
                note_event(database.obj, Event(DROPPED, name[:64], "", {"rows": notes[name].rows}))
    return sorted(wanted)


def insist_on_leftovers(names: Collection[str], notes: dict[str, TableNote], broken: Collection[str]) -> set[str]:
    """Return the tables to drop: these and the tables of their extra fields.

    :param notes: all tables, by name
    :raises NotALeftover: a table can't be dropped
    """
    for name in names:
        _insist_on_leftover(name, notes, broken)
    wanted = set(names) | {each.name for each in notes.values() if each.belongs_to in names}
    for name in notes:
        pointed = {each.dest_table for each in database.get_foreign_keys(name)} & wanted if name not in wanted else ()
        if pointed:
            raise NotALeftover(f"can't drop {min(pointed)}: rows of {name} refer to it")
    return wanted


def _insist_on_leftover(name: str, notes: dict[str, TableNote], broken: Collection[str]) -> None:
    note = notes.get(name)
    if note is None:
        raise NotALeftover(f"there is no table {name}")
    if note.model:
        raise NotALeftover(f"can't drop {name}: it belongs to the model {note.model} of the module {note.module}")
    if note.module in broken:
        raise NotALeftover(f"can't drop {name}: its module {note.module} can't be loaded now and may need it")
    if not note.module and broken:
        raise NotALeftover(
            f"can't drop {name}: it may belong to a module that can't be loaded now ({', '.join(sorted(broken))})"
        )
    if note.belongs_to and note.belongs_to in notes:
        raise NotALeftover(
            f"can't drop {name}: it holds the extra fields of {note.belongs_to}; drop that table instead"
        )

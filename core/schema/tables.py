"""Tables: made when a module loads, brought to what its models say where that is safe, migrated where it is not.

All workers, on whatever host, take the same lock, so each change is made once. A digest of each model is kept in the
database; a load that finds them all unchanged costs one statement.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..records.extra_fields import ExtraField, definitions, values_model, values_table
from ..storage.backend import ColumnDefinition
from ..storage.database import backend, database, ensure_connected, no_timeouts
from ..storage.model import Model, ids_given_once, meta_of
from ..storage.table_generation import raise_generation
from .drift import DriftError
from .forms import form_of
from .indexes import keep_text_indexes
from .known_tables import (
    KnownTable,
    digest_of,
    is_known,
    known_digests,
    known_forms,
    owner_of,
    remember,
    remember_ahead,
    table_of,
)
from .lock import schema_lock
from .migrations import Migration, pending_migrations
from .models import declare_defaults, in_order, widest
from .pending import announce, changing, run_pending
from .reconciliation import reconcile
from .safety_copies import copies_of_what_is_done
from .search_tables import make_searches, to_be_searched

_log = logging.getLogger("comptoir.tables")


def ensure_tables(
    models: Iterable[type[Model]], migrations: dict[str, Path] | None = None, upto: Mapping[str, str] | None = None
) -> None:
    """Make the tables of models that have none, and change those of models that have changed, where that is safe.

    :param migrations: module name → its folder of migration files, each run once, before anything else is changed
    :param upto: module → the number of the last one to be run now
    :raises DriftError: a table is no longer what its model says, and only a migration may change it
    :raises MigrationError: a migration cannot be done, or is not the one to these models
    """
    ensure_connected()
    models = list(models)
    wanted = widest(models)
    pending = pending_migrations(migrations or {})
    known = known_digests()
    announced = {changing(owner_of(model)) for model in wanted.values()}
    if not (changed_models(wanted, known) or pending or to_be_searched(models, known) or announced & {*known}):
        return
    with no_timeouts(), copies_of_what_is_done() as copies, schema_lock():
        KnownTable.create_table(safe=True)
        Migration.create_table(safe=True)
        left = run_pending(pending_migrations(migrations or {}), wanted, copies, upto or {})
        # Another worker may have done it by now
        changed = [model for model in changed_models(wanted) if owner_of(model) not in left]
        existing = set(database.get_tables())
        _change(changed, existing, {*wanted})
        if make_searches(models, left):
            raise_generation()
        KnownTable.delete().where(KnownTable.name.in_(announced)).execute()


def _change(changed: list[type[Model]], existing: set[str], own: set[str]) -> None:
    """Bring the tables of models to what they say, or none of them.

    :param own: the tables of what is loaded; others are made ahead, because these point at them
    """
    digests, forms = known_digests(), known_forms([table_of(model) for model in changed])
    there = {table_of(model): reconcile(model, digests, forms) for model in changed if table_of(model) in existing}
    reasons = [each.reason for each in there.values() if each.reason]
    if reasons:
        raise DriftError("; ".join(reasons))
    # Whether the older models must no longer be used
    moved = any(each.moves for each in there.values())
    for owner in {owner_of(model) for model in changed if moved and table_of(model) in own}:
        announce(owner)
    for model in changed:
        declare_defaults(model)
        if table_of(model) in there:
            there[table_of(model)].make()
        else:
            model.create_table(safe=True)
        guest = table_of(model) in there and there[table_of(model)].owner != owner_of(model)
        if guest or table_of(model) in own:
            keep_text_indexes(model, all_of_them=not guest)
        if meta_of(model).extrafields:
            _ensure_values_table(model, existing)
        if table_of(model) in there:
            there[table_of(model)].note()
        elif table_of(model) in own:
            remember(model, form_of(model), owner_of(model), digest_of(model))
        else:
            remember_ahead(model, form_of(model))
    if moved:
        raise_generation()


def changed_models(models: dict[str, type[Model]], known: dict[str, str] | None = None) -> list[type[Model]]:
    """The models, by their tables, whose tables are not known to be what they say; in one statement.

    A table that is only pointed at must exist; whether it has changed is said by the module that it is of.
    """
    known = known_digests() if known is None else known
    return [
        model
        for model in in_order(models)
        if (table_of(model) in models or table_of(model) not in known) and not is_known(model, known)
    ]


def outdated(models: Iterable[type[Model]], migrations: dict[str, Path]) -> list[str]:
    """What the database in force has in another form than the models say: tables, and modules with migrations to run.

    A table that it does not have is nothing of that.
    """
    ensure_connected()
    known = known_digests()
    changed = [table for table, model in widest(models).items() if known.get(table) and not is_known(model, known)]
    waiting = [
        module
        for module in pending_migrations(migrations)
        if any(owner_of(model) == module and table_of(model) in known for model in models)
    ]
    return sorted({*changed, *waiting})


def _ensure_values_table(model: type[Model], existing: set[str]) -> None:
    if values_table(model) not in existing:
        values = values_model(model)
        meta_of(values).table_settings = backend().table_settings()
        with ids_given_once(values):
            values.create_table(safe=True)
        # Definitions may be older than the table: a module that was taken away and came back
        if database.table_exists(table_of(ExtraField)):
            for extra in definitions(meta_of(model).extrafields).values():
                column = ColumnDefinition(extra.name, backend().type_of(extra.field))
                backend().add_column(values_table(model), column)

"""Creating and updating tables when the server starts and when modules load.

All workers on all hosts take the same lock, so each change is made once. The database keeps a digest of each model: a
load that finds them all unchanged costs two statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peewee

from ..access.keys import ACCESS_TABLES
from ..audit.change import Change
from ..audit.forms import use_extra_fields
from ..audit.history import DROPPED
from ..audit.notes import Event
from ..audit.protection import GUARD, missing, protect, record
from ..audit.recorder import add_event
from ..jobs.table import Job
from ..records.extra_fields import ExtraField, definitions, read_definitions, values_model, values_table
from ..storage.backend import ColumnDefinition
from ..storage.cache_version import CacheVersion, raise_generation
from ..storage.claims import IdempotencyClaim
from ..storage.database import (
    backend,
    database,
    ensure_connected,
    is_temporary,
    no_timeouts,
    query,
    quote,
    schema_lock,
    transaction,
)
from ..storage.model import Model, all_models, create_table, meta_of, widest
from .columns import default_of
from .diff import former_tables, moved_tables, plan_update
from .indexes import keep_text_indexes
from .known_tables import (
    KnownTable,
    digest_of,
    forget,
    is_known,
    known_digests,
    known_tables,
    owned_digests,
    rows_if_any,
    shared_table,
    write_all,
)
from .migrations import (
    Migration,
    is_first_load,
    pending_migrations,
    preview_for_models,
    run_pending,
    started_modules,
    tables_before,
)
from .safety_copies import kept_copies
from .search_tables import drop_search, make_searches, to_be_searched
from .steps import VALUES
from .table import MigrationError, SchemaError, Table, in_order, models_of, owner_of, table_name

CORE_TABLES: tuple[type[Model], ...] = (CacheVersion, *ACCESS_TABLES, ExtraField, IdempotencyClaim, Change, Job)

use_extra_fields(definitions)


def ensure_core_tables() -> None:
    """Create and update the core's tables, protect the audit trail, and record every change from now on."""
    ensure_tables(CORE_TABLES)
    protect_trail()
    record()


def protect_trail() -> None:
    """Create the missing triggers of the audit trail."""
    if missing():
        with no_timeouts(), schema_lock():
            protect()


def ensure_tables(
    models: Iterable[type[Model]], migrations: dict[str, Path] | None = None, upto: Mapping[str, str] | None = None
) -> None:
    """Run pending migrations, create missing tables, and update those whose models have changed.

    :param migrations: module → its folder of migration files
    :param upto: module → the number of the last migration to run now
    :raises SchemaError: a table differs from its model in a way that only a migration may change, or a migration fails
    """
    ensure_connected()
    models = list(models)
    wanted = widest(models)
    pending = pending_migrations(migrations or {})
    rows = owned_digests()
    if shared := shared_table(models, {name: owner for name, _, owner in rows}):
        raise SchemaError(shared)
    known = {name: digest for name, digest, _ in rows}
    if not (changed_models(wanted, known) or pending or to_be_searched(models, known)):
        return
    with no_timeouts(), kept_copies() as copies, schema_lock():
        KnownTable.create_table(safe=True)
        Migration.create_table(safe=True)
        for module in {owner_of(model) for model in changed_models(wanted)}:
            if is_first_load(module, models_of(models, module)):
                # They ran on tables that were dropped since
                Migration.delete().where(Migration.module == module).execute()
        left = run_pending(pending_migrations(migrations or {}), wanted, copies, upto or {})
        # Another worker may have made the other changes by now
        changed = [model for model in changed_models(wanted) if owner_of(model) not in left]
        new = _update(changed, {*wanted})
        if make_searches(models, left, new):
            raise_generation()


def is_new_database() -> bool:
    """Return whether no module has tables yet."""
    return not rows_if_any("SELECT 1 FROM comptoir_table WHERE owner <> 'core' LIMIT 1")


def _update(changed: list[type[Model]], own: set[str]) -> set[str]:
    """Create the tables of models, or bring them to what their models say; if one can't be, change none.

    Returns the tables that are new.

    :param own: the tables of the modules that are loaded; others are created because these refer to them
    """
    digests, known, existing = known_digests(), known_tables(), set(database.get_tables())
    updates = {model: plan_update(model, digests, known) for model in changed if table_name(model) in existing}
    reasons = [each.reason for each in updates.values() if each.reason]
    reasons += [each.reason for each in moved_tables(changed, own, known)]
    if reasons:
        raise SchemaError("; ".join(reasons))
    new: dict[str, tuple[str, Table | None, str]] = {}
    for model in changed:
        for field in meta_of(model).fields.values():
            _declare_default(field)
        update, is_own = updates.get(model), table_name(model) in own
        if update:
            update.make()
            if update.extends or is_own:
                keep_text_indexes(model, all_of_them=not update.extends)
        else:
            if table_name(model) in known:
                _forget_dropped(table_name(model))
            model.create_table(safe=True)
            if is_own:
                keep_text_indexes(model, is_new=True)
        if meta_of(model).extrafields and values_table(model) not in existing:
            _create_values_table(model, has_definitions=table_name(ExtraField) in existing)
        if update:
            update.record()
        else:
            # A table that is not its own is compared with its model by its own module
            digest, owner = (digest_of(model), owner_of(model)) if is_own else ("", "")
            new[table_name(model)] = digest, Table.of_model(model), owner
            for former in former_tables(model, own, known, existing):
                # If the model gets this name again, its rows are looked for
                forget(former)
    write_all(new)
    return {*new}


def rejected_modules(folders: Mapping[str, Path], models: Iterable[type[Model]]) -> dict[str, str]:
    """Return module → why a server would reject it because of its tables; nothing is changed.

    :param folders: module → its folder of migration files
    """
    models, pending = list(models), pending_migrations(dict(folders))
    found: dict[str, str] = {}
    owners = {name: owner for name, _, owner in owned_digests()}
    for model in models:
        owners[table_name(model)] = owners.get(table_name(model)) or owner_of(model)
    for module in folders:
        own = models_of(models, module)
        try:
            reason = shared_table([each for each in models if owner_of(each) == module], owners)
            if not reason and module not in pending:
                reason = _mismatch(own)
            elif not reason and not is_first_load(module, own):
                preview_for_models(module, pending[module], own, tables_before(module, own))
                if module in started_modules():
                    reason = "a migration has started but not finished; see the server's log for the reason"
        except MigrationError as error:
            reason = str(error)
        except peewee.PeeweeException as error:
            # A server waits longer for a lock
            if not is_temporary(error):
                raise
            continue
        if reason:
            found[module] = reason
    return found


def changed_models(models: dict[str, type[Model]], digests: dict[str, str] | None = None) -> list[type[Model]]:
    """Return the models whose recorded tables don't fit them, with two statements.

    A table that a model only refers to must exist; its own module compares it with its model.

    :param models: by table
    """
    digests = known_digests() if digests is None else digests
    return [
        model
        for model in in_order(models)
        if (table_name(model) in models or table_name(model) not in digests) and not is_known(model, digests)
    ]


def _mismatch(own: dict[str, type[Model]]) -> str:
    """Return why the tables of a module can't be what its models say without a migration; empty if they can.

    :param own: its models, by table
    """
    changed, existing = changed_models(own), set(database.get_tables())
    digests, known = known_digests(), known_tables()
    reasons = [plan_update(model, digests, known).reason for model in changed if table_name(model) in existing]
    return "; ".join(filter(None, [*reasons, *(each.reason for each in moved_tables(changed, own, known))]))


def outdated(models: Iterable[type[Model]], migrations: dict[str, Path]) -> list[str]:
    """Return the existing tables that differ from their models, and the modules with pending migrations."""
    ensure_connected()
    known = known_digests()
    changed = [table for table, model in widest(models).items() if known.get(table) and not is_known(model, known)]
    waiting = [
        module
        for module in pending_migrations(migrations)
        if any(owner_of(model) == module and table_name(model) in known for model in models)
    ]
    return sorted({*changed, *waiting})


def _forget_dropped(table: str) -> None:
    """Forget a table that was dropped; the audit trail notes it, because the new one will have the same IDs."""
    drop_search(table)
    forget(table)
    with transaction():
        add_event(Event(DROPPED, table[:64], "", {}))


@dataclass(frozen=True)
class TableInfo:
    """A table of the database.

    :ivar module: the module that it belongs to; empty: unknown
    :ivar model: the class; empty if there isn't one
    """

    name: str
    rows: int
    module: str
    model: str


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
        found.append(TableInfo(name, rows, module, shown))
    return found


class _Default(peewee.SQL):
    """A default that was declared here: another database may spell it differently."""


def _declare_default(field: Any) -> None:
    """Declare the default of a column in the database, for a process with an older or narrower model."""
    own = [each for each in field.constraints or () if not isinstance(each, _Default)]
    default = default_of(field)
    if default is not None and not any("DEFAULT" in str(each.sql) for each in own):
        field.constraints = [*own, _Default(f"DEFAULT {backend().literal(default)}")]


def _create_values_table(model: type[Model], *, has_definitions: bool) -> None:
    create_table(values_model(model))
    # Definitions may be older than the table: a module that was removed and came back
    for extra in read_definitions().get(meta_of(model).extrafields, {}).values() if has_definitions else ():
        backend().add_column(values_table(model), ColumnDefinition(extra.name, backend().type_of(extra.field)))

"""Removing what a module has in the database: tables, extra fields, migrations, permissions, settings and jobs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..access.accounts import Grant
from ..jobs.table import Job
from ..records.extra_fields import ExtraField
from ..storage.cache_version import raise_generation
from ..storage.database import backend, database, execute, no_timeouts, schema_lock
from .known_tables import forget, known_tables, owned_digests
from .migrations import Migration
from .search_tables import drop_search
from .table import SchemaError


def tables_of_module(module: str) -> list[str]:
    """Return the tables of a module, with those of the extra fields of its records."""
    own = [name for name, _, owner in owned_digests() if owner == module and " " not in name]
    existing = {*database.get_tables()}
    return sorted(each for name in own for each in (name, f"{name}_extrafields") if each in existing)


def fields_of_module(module: str) -> list[tuple[str, str, str]]:
    """Return the extra fields that a module has declared: kind of record, name, and table of the values."""
    tables = {table.extrafields: name for name, (table, _) in known_tables().items() if table.extrafields}
    rows = ExtraField.select().where(ExtraField.module == module).order_by(ExtraField.id)
    return [(row.elementtype, row.name, f"{tables.get(row.elementtype, '')}_extrafields") for row in rows]


def remove_data(
    module: str, services: Iterable[str], constants: Collection[str] = (), permissions: Collection[str] = ()
) -> list[str]:
    """Delete what a module has in the database, and return its tables.

    :param services: the names of its services, whose permissions are taken back
    :param constants: the constants that it declares
    :param permissions: those that it declares, for any services
    :raises SchemaError: a table of another module refers to one of its tables
    """
    with no_timeouts(), schema_lock():
        tables = tables_of_module(module)
        for other in {*database.get_tables()} - {*tables}:
            for each in backend().get_foreign_keys(other):
                if each.dest_table in tables:
                    raise SchemaError(f"{other}.{each.column} refers to {each.dest_table}; remove that module first")
        for table in tables:
            drop_search(table)
            backend().drop_references(table)
        for table in tables:
            backend().drop_table(table)
            forget(table)
        for _, name, table in fields_of_module(module):
            if database.table_exists(table) and name in {each.name for each in database.get_columns(table)}:
                backend().drop_column(table, name)
        ExtraField.delete().where(ExtraField.module == module).execute()
        Migration.delete().where(Migration.module == module).execute()
        Job.delete().where(Job.module == module).execute()
        Grant.delete().where(Grant.name.in_(permissions)).execute()
        for service in services:
            Grant.delete().where(Grant.name.startswith(f"{service}.")).execute()
        if database.table_exists("llx_const"):
            # Not LIKE: the _ of a name would match any character
            prefix = f"{module}."
            execute("DELETE FROM llx_const WHERE SUBSTR(name, 1, ?) = ?", (len(prefix), prefix))
            for name in constants:
                execute("DELETE FROM llx_const WHERE name = ?", (name,))
        raise_generation()
    return tables

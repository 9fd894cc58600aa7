"""Removing what a module has in the database: tables, migrations, permissions, settings and jobs."""

from __future__ import annotations

from collections.abc import Iterable

from ..access.accounts import Grant
from ..jobs.table import Job
from ..storage.cache_version import raise_generation
from ..storage.database import backend, database, execute, no_timeouts, schema_lock
from .known_tables import forget, owned_digests
from .migrations import Migration
from .search_tables import drop_search
from .table import SchemaError


def tables_of_module(module: str) -> list[str]:
    """Return the tables of a module, with those of the extra fields of its records."""
    own = [name for name, _, owner in owned_digests() if owner == module and " " not in name]
    existing = {*database.get_tables()}
    return sorted(each for name in own for each in (name, f"{name}_extrafields") if each in existing)


def remove_data(module: str, services: Iterable[str]) -> list[str]:
    """Delete what a module has in the database, and return its tables.

    :param services: the names of its services, whose permissions are taken back
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
        Migration.delete().where(Migration.module == module).execute()
        Job.delete().where(Job.module == module).execute()
        for service in services:
            Grant.delete().where(Grant.name.startswith(f"{service}.")).execute()
        if database.table_exists("llx_const"):
            # Not LIKE: the _ of a name would match any character
            prefix = f"{module}."
            execute("DELETE FROM llx_const WHERE SUBSTR(name, 1, ?) = ?", (len(prefix), prefix))
        raise_generation()
    return tables

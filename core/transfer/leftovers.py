"""Tables and columns that no model tells of: what a module that was taken away has left behind goes along.

They are made of what the database itself says: types, nulls, the primary key, indexes. What names another table is not
declared anew. SQLite alone cannot tell a decimal from a whole number; such columns are copied as the numbers they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import peewee
from playhouse.migrate import migrate

from ..records.extra_field_definitions import migrator
from ..storage.database import database
from ..storage.model import ids_given_once
from .ends import End
from .tables import Table
from .values import field_of


def make_leftovers(source: End, tables: Iterable[Table], present: dict[str, set[str]]) -> None:
    """Make what is missing in the database in force.

    :param present: table → its columns there
    """
    for table in tables:
        if table.name not in present:
            _make_table(source, table)
            continue
        for column in table.columns:
            if column.name not in present[table.name]:
                # A row that its new owner inserts has no value there
                migrate(migrator().add_column(table.name, column.name, field_of(column, null=True)))


def _make_table(source: End, table: Table) -> None:
    primary = source.database.get_primary_keys(table.name)
    indexes = tuple(
        (tuple(each.columns), each.unique)
        for each in source.database.get_indexes(table.name)
        if each.columns and list(each.columns) != primary and _can_be_indexed(table, each.columns)
    )
    meta: dict[str, Any] = {
        "database": database,
        "table_name": table.name,
        "legacy_table_names": False,
        "indexes": indexes,
        "primary_key": False if not primary else peewee.CompositeKey(*primary),
    }
    fields: dict[str, Any] = {}
    for column in table.columns:
        fields[column.name] = field_of(column, null=column.null)
        if [column.name] == primary:
            del meta["primary_key"]
            if table.key:
                fields[column.name] = peewee.BigAutoField() if column.kind == "big" else peewee.AutoField()
            else:
                fields[column.name].primary_key = True
    model: Any = type("Leftover", (peewee.Model,), {**fields, "Meta": type("Meta", (), meta)})
    with ids_given_once(model):
        model.create_table()


def _can_be_indexed(table: Table, names: Iterable[str]) -> bool:
    """MariaDB takes no index over a text without a length."""
    kinds = {column.name: column for column in table.columns}
    return all(kinds[name].kind != "bytes" and (kinds[name].kind != "text" or kinds[name].size) for name in names)

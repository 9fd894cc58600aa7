"""Tables that nobody else knows of, and steps that change them."""

import peewee

from core.schema.steps import apply
from core.schema.table import Table
from core.storage.database import database, ensure_connected, no_timeouts, schema_lock
from core.storage.model import ids_given_once


def model(table, **fields):
    """A model of a table that nobody else knows of."""
    meta = type("Meta", (), {"database": database, "table_name": table, "extrafields": "", "legacy_table_names": False})
    return type("Row", (peewee.Model,), {"id": peewee.AutoField(column_name="rowid"), **fields, "Meta": meta})


def change(table, *steps):
    """Plan and apply steps, as a migration does; return the tables afterwards."""
    tables = {table.name: table} if table else {}
    ensure_connected()
    with no_timeouts(), schema_lock():
        for step in steps:
            apply(step, tables.get(step.table))
            if table:
                step.plan(tables)
    ensure_connected()
    return tables


def indexes(table):
    """The indexes of a table except that of its key."""
    return {(tuple(each.columns), each.unique) for each in database.get_indexes(table) if each.columns != ["rowid"]}


def made(table, values, **fields):
    """A table with rows."""
    card = model(table, **fields)
    with ids_given_once(card):
        card.create_table()
    for row in values:
        card.create(**row)
    return Table.of_model(card)


def read(table, **fields):
    """The rows of a table, by the fields of another model."""
    card = model(table, **fields)
    return list(card.select(*[getattr(card, name) for name in fields]).order_by(card.id).dicts())

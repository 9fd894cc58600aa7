"""A column as SQL: its type, its default, what it points at; and what a database says of the columns it has."""

from __future__ import annotations

from typing import Any

import peewee

from ..storage.backend import ColumnDefinition
from ..storage.database import backend, database
from ..storage.model import meta_of


class StepError(Exception):
    """A change of a table that is not made, with the reason in words."""


def columns_of(table: str) -> dict[str, Any]:
    """Return a table's columns as peewee describes them; empty if the table is missing."""
    return {each.name: each for each in database.get_columns(table)} if database.table_exists(table) else {}


def column_of(table: str, name: str) -> Any:
    """A column that must be there.

    :raises StepError: it is not
    """
    found = columns_of(table)
    if name not in found:
        if not found:
            raise StepError(f"there is no table {table}")
        raise StepError(f"{table} has no column {name}; it has {', '.join(found)}")
    return found[name]


def key_of(table: str) -> str:
    """The column that names a row."""
    return next(iter(database.get_primary_keys(table)), "rowid")


def bound(table: str, column: str, field: peewee.Field, key: str = "rowid") -> Any:
    """A copy of a field, in place: a field of a migration belongs to no model.

    :param key: the table's primary key
    """
    made: Any = field.clone()
    made.column_name = column
    made.constraints = [each for each in made.constraints or () if not _is_reference(each)] or None
    options = type("Meta", (), {"database": database, "table_name": table})
    key_field = peewee.AutoField(column_name=key)
    model: Any = type("Place", (peewee.Model,), {"primary_key_": key_field, column: made, "Meta": options})
    return meta_of(model).fields[column]


def _is_reference(constraint: Any) -> bool:
    return "REFERENCES" in str(getattr(constraint, "sql", ""))


def default_of(field: Any) -> Any:
    """What a row has that does not say, as the database keeps it; None: nothing."""
    value = field.default() if callable(field.default) else field.default
    return None if value is None or field.null else field.db_value(value)


def reference_of(field: Any) -> str:
    """``REFERENCES …`` of a field, or nothing."""
    for each in field.constraints or ():
        if _is_reference(each):
            return str(each.sql)
    return ""


def definition(field: Any, default: Any = None) -> ColumnDefinition:
    """Return a bound field's column as SQL.

    :param default: as the database keeps it; None: the one that the field's constraints have
    """
    own = [str(each.sql) for each in field.constraints or () if not _is_reference(each)]
    declared = [sql for sql in own if sql.startswith("DEFAULT ")]
    # During a reload, code with the older model inserts rows without the new column
    literal = backend().literal(default) if default is not None else "".join(declared).removeprefix("DEFAULT ")
    return ColumnDefinition(
        field.column_name,
        backend().type_of(field),
        null=bool(field.null),
        default=literal,
        constraints=" ".join(sql for sql in own if sql not in declared),
        reference=reference_of(field),
    )


def run(sql: str, values: Any = None) -> Any:
    """Run a statement of ours, which the audit trail does not hear of: no record says anything else than before."""
    return backend().run(sql, values)


def number(sql: str, values: Any = None) -> int:
    """The one number that a statement answers."""
    return int(run(sql, values).fetchone()[0] or 0)

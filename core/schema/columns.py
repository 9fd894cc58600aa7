"""A column as SQL: its type, its default, what it points at; and what a database says of the columns it has."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import peewee

from ..storage.database import database, dialect_name, quote
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


def kind_of(field: Any) -> str:
    """A field's type as the database in force spells it."""
    context = database.get_sql_context()
    sql, _ = context.sql(field.ddl_datatype(context)).query()
    return str(sql)


def default_of(field: Any) -> Any:
    """What a row has that does not say, as the database keeps it; None: nothing."""
    value = field.default() if callable(field.default) else field.default
    return None if value is None or field.null else field.db_value(value)


def literal(value: Any) -> str:
    """A value as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        value = int(value) if dialect_name() != "postgresql" else value
        return str(value)
    if isinstance(value, (int, float, Decimal)):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    if isinstance(value, (bytes, bytearray)):
        # MariaDB and SQLite
        return f"X'{value.hex()}'" if dialect_name() != "postgresql" else f"'\\x{value.hex()}'"
    text = (
        value.isoformat(" ") if isinstance(value, datetime) else value.isoformat() if isinstance(value, date) else value
    )
    text = str(text).replace("'", "''")
    return "'" + (text.replace("\\", "\\\\") if dialect_name() == "mysql" else text) + "'"


def reference_of(field: Any) -> str:
    """``REFERENCES …`` of a field, or nothing."""
    for each in field.constraints or ():
        if _is_reference(each):
            return str(each.sql)
    return ""


def definition(field: Any, default: Any = None, *, reference: bool = True) -> str:
    """A bound field's column as ``ALTER TABLE … ADD COLUMN`` and ``CREATE TABLE`` take it.

    :param default: as the database keeps it; None: the one that the field's constraints have
    """
    parts = [quote(field.column_name), kind_of(field)]
    parts.append(("NULL" if dialect_name() == "mysql" else "") if field.null else "NOT NULL")
    # During a reload, code with the older model inserts rows without the new column
    parts.append("" if default is None else f"DEFAULT {literal(default)}")
    own = [str(each.sql) for each in field.constraints or () if not _is_reference(each)]
    parts += [sql for sql in own if default is None or "DEFAULT" not in sql]
    parts.append(reference_of(field) if reference else "")
    return " ".join(part for part in parts if part)


def run(sql: str, values: Any = None) -> Any:
    """Run a statement of ours, which the audit trail does not hear of: no record says anything else than before."""
    opened: Any = database.obj
    return opened.run(sql, values)


def number(sql: str, values: Any = None) -> int:
    """The one number that a statement answers."""
    return int(run(sql, values).fetchone()[0] or 0)

"""Inserting, changing a row, looking for an equal value: statements whose text is simple enough to be written here.

peewee takes 1 ms to compile the insert of a third party and 0.3 ms for each query; these take a tenth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import peewee

from .database import database, dialect, dialect_name, quote
from .model import Model, meta_of

#: rows that one statement writes, the largest first: few numbers, so that few texts are kept
SIZES = (250, 50, 20, *range(10, 0, -1))
#: values that one statement of each database takes
MOST_VALUES = 30_000


def insert_row(model: type[Model], values: Mapping[str, Any]) -> Any:
    """Insert a row; answers its identifier.

    :param values: by field name, in Python's types; the model's defaults stand for the others
    """
    meta = meta_of(model)
    every = {**meta.get_default_dict(), **values}
    if not every or any(isinstance(value, peewee.Node) for value in every.values()):
        return model.insert(**values).execute()
    bound = [meta.fields[name].db_value(value) for name, value in every.items()]
    cursor = database.execute_sql(_insert(model, tuple(every)), bound)
    if dialect_name() == "postgresql":
        return cursor.fetchone()[0]
    return every.get(meta.primary_key.name) or cursor.lastrowid


def insert_rows(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert several rows by one statement; answers their identifiers.

    :param rows: whole ones, without their identifiers, all with the same names in the same order
    """
    meta, names = meta_of(model), tuple(rows[0])
    keep = [meta.fields[name].db_value for name in names]
    bound = [turn(value) for row in rows for turn, value in zip(keep, row.values(), strict=True)]
    cursor = database.execute_sql(_insert(model, names, len(rows)), bound)
    if cursor.description is not None:
        return [number for (number,) in cursor.fetchall()]
    # One statement takes consecutive numbers; SQLite tells the last of them
    return list(range(cursor.lastrowid - len(rows) + 1, cursor.lastrowid + 1))


def whole_row(model: type[Model], values: Mapping[str, Any]) -> dict[str, Any] | None:
    """A row with the model's defaults, ready for `insert_rows`; None: only `insert_row` can write it.

    The database works a value of it out, or it names its own identifier.
    """
    meta = meta_of(model)
    row = {**meta.get_default_dict(), **values}
    if not row or meta.primary_key.name in row or any(isinstance(value, peewee.Node) for value in row.values()):
        return None
    return row


def alike(model: type[Model], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Rows with the same names in the same order; None: a name that one of them leaves out is not just NULL there.

    :param rows: what `whole_row` answered
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    left_out = {name for row in rows for name in names if name not in row}
    fields = meta_of(model).fields
    if not all(fields[name].null and not fields[name].constraints for name in left_out):
        return None
    return [{name: row.get(name) for name in names} for row in rows]


def _insert(model: type[Model], names: tuple[str, ...], rows: int = 1) -> str:
    """The statement that inserts rows; kept with the model, so that it goes when the model goes."""
    known: dict[Any, str] = model.__dict__.get("_inserts") or {}
    key = dialect_name(), names, rows
    if key not in known:
        meta = meta_of(model)
        columns = ", ".join(quote(meta.fields[name].column_name) for name in names)
        marks = f"({', '.join([dialect().placeholder] * len(names))})"
        sql = f"INSERT INTO {quote(meta.table_name)} ({columns}) VALUES {', '.join([marks] * rows)}"
        if dialect_name() == "postgresql" or (dialect_name() == "mysql" and rows > 1):
            sql += f" RETURNING {quote(meta.primary_key.column_name)}"
        # Clients decide which names are sent, so the number of statements that are kept is bounded
        known = {**(known if len(known) < 64 else {}), key: sql}
        model._inserts = known  # type: ignore[attr-defined]
    return known[key]


def update_row(model: type[Model], identifier: Any, values: Mapping[str, Any]) -> None:
    """Change a row.

    :param values: by field name, in Python's types
    """
    meta = meta_of(model)
    if any(isinstance(value, peewee.Node) for value in values.values()):
        model.update(**values).where(meta.primary_key == identifier).execute()
        return
    fields, mark = [meta.fields[name] for name in values], dialect().placeholder
    changes = ", ".join(f"{quote(field.column_name)} = {mark}" for field in fields)
    bound = [field.db_value(value) for field, value in zip(fields, values.values(), strict=True)]
    sql = f"UPDATE {quote(meta.table_name)} SET {changes} WHERE {quote(meta.primary_key.column_name)} = {mark}"
    database.execute_sql(sql, (*bound, identifier))


def differing(model: type[Model], values: Mapping[str, Any], before: Model) -> dict[str, Any]:
    """Those of the values that a row does not have, as the database would keep them.

    :param values: by field name, in Python's types
    """
    fields = meta_of(model).fields
    return {name: value for name, value in values.items() if _differs(fields[name], value, getattr(before, name))}


def _differs(field: peewee.Field, value: Any, stored: Any) -> bool:
    if isinstance(value, peewee.Node):
        return True
    keep: Any = field.db_value
    return value is not stored and bool(keep(value) != keep(stored))


def has_other(model: type[Model], values: Mapping[str, Any], identifier: Any) -> bool:
    """Whether another row has some values together.

    :param values: by field name, in Python's types
    :param identifier: the row that may have them; None: none may
    """
    meta, mark = meta_of(model), dialect().placeholder
    fields = [meta.fields[name] for name in values]
    conditions = [f"{quote(field.column_name)} = {mark}" for field in fields]
    bound = [field.db_value(value) for field, value in zip(fields, values.values(), strict=True)]
    if identifier is not None:
        conditions.append(f"{quote(meta.primary_key.column_name)} <> {mark}")
        bound.append(identifier)
    sql = f"SELECT 1 FROM {quote(meta.table_name)} WHERE {' AND '.join(conditions)} LIMIT 1"
    return database.execute_sql(sql, bound).fetchone() is not None

"""INSERT, UPDATE and the search for an equal value as plain SQL.

peewee takes 1 ms to compile the INSERT of a third party and 0.3 ms for each query; these take a tenth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import peewee

from .database import backend, database, execute, quote, rows_of
from .model import Model, has_database_default, meta_of
from .values import Conversion, bind, to_parameters

#: rows that one statement writes, the largest first: few numbers, so that few texts are kept
SIZES = (250, 50, 20, *range(10, 0, -1))
#: statements that a model keeps
KEPT_STATEMENTS = 128
#: types of values that aren't SQL expressions
_PLAIN = {type(None), int, str, Decimal, bool, float, datetime, date, dict, bytes}

#: an INSERT or UPDATE, and how the values of its fields are bound
Statement = tuple[str, list[Conversion]]


def insert_row(model: type[Model], values: Mapping[str, Any]) -> Any:
    """Insert a row; return its ID.

    :param values: by field name, in Python's types; the model's defaults apply to the others
    """
    meta = meta_of(model)
    every = {**meta.get_default_dict(), **values}
    if not every or _has_expression(every):
        return model.insert(**values).execute()
    sql, made = _insert(model, tuple(every))
    cursor = database.execute_sql(sql, bind(every, made))
    return every.get(meta.primary_key.name) or backend().inserted_ids(cursor, 1)[0]


def insert_rows(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows in their order, with as few statements as possible; return their IDs.

    :param rows: by field name, in Python's types; the model's defaults apply to the others
    """
    meta, ids = meta_of(model), list[int]()
    whole = [{**meta.get_default_dict(), **row} for row in rows]
    while len(ids) < len(whole):
        names, number = _together(model, whole, len(ids))
        size = next(each for each in SIZES if each <= number)
        some = whole[len(ids) : len(ids) + size]
        ids += _insert_together(model, names, some) if size > 1 else [int(insert_row(model, some[0]))]
    return ids


def _together(model: type[Model], rows: Sequence[Mapping[str, Any]], first: int) -> tuple[tuple[str, ...], int]:
    """Return how many rows, from `first` on, one statement can insert, and their fields."""
    meta, max_values = meta_of(model), backend().max_values
    names, number = dict.fromkeys(rows[first]), 0
    for row in rows[first : first + SIZES[0]]:
        # An expression, or an ID of its own
        if not row or meta.primary_key.name in row or _has_expression(row):
            break
        if row.keys() != names.keys():
            left_out = names.keys() ^ row.keys()
            # NULL is written for them
            if not all(meta.fields[name].null and not has_database_default(meta.fields[name]) for name in left_out):
                break
            names.update(dict.fromkeys(left_out))
        if (number + 1) * len(names) > max_values:
            break
        number += 1
    return tuple(names), max(number, 1)


def _insert_together(model: type[Model], names: tuple[str, ...], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    sql, made = _insert(model, names, len(rows))
    bound = [value for row in rows for value in bind(row, made)]
    return backend().inserted_ids(database.execute_sql(sql, bound), len(rows))


def _has_expression(values: Mapping[str, Any]) -> bool:
    """Return whether a value is an SQL expression of peewee."""
    return any(issubclass(kind, peewee.Node) for kind in {*map(type, values.values())} - _PLAIN)


def _insert(model: type[Model], names: tuple[str, ...], rows: int = 1) -> Statement:
    """Return the statement that inserts rows of these fields."""
    key = "insert", backend(), names, rows
    return _kept(model).get(key) or _keep(model, key, _make_insert(model, names, rows))


def _make_insert(model: type[Model], names: tuple[str, ...], rows: int) -> Statement:
    meta, opened = meta_of(model), backend()
    fields = [meta.fields[name] for name in names]
    columns = ", ".join(quote(field.column_name) for field in fields)
    marks = f"({', '.join([opened.placeholder] * len(names))})"
    sql = f"INSERT INTO {quote(meta.table_name)} ({columns}) VALUES {', '.join([marks] * rows)}"
    return sql + opened.returning(quote(meta.primary_key.column_name), rows), to_parameters(fields, opened)


def update_row(model: type[Model], identifier: Any, values: Mapping[str, Any]) -> None:
    """Change a row.

    :param values: by field name, in Python's types
    """
    if _has_expression(values):
        model.update(**values).where(meta_of(model).primary_key == identifier).execute()
        return
    key = "update", backend(), tuple(values)
    sql, made = _kept(model).get(key) or _keep(model, key, _make_update(model, tuple(values)))
    database.execute_sql(sql, (*bind(values, made), identifier))


def _make_update(model: type[Model], names: tuple[str, ...]) -> Statement:
    meta, opened = meta_of(model), backend()
    fields, mark = [meta.fields[name] for name in names], opened.placeholder
    changes = ", ".join(f"{quote(field.column_name)} = {mark}" for field in fields)
    sql = f"UPDATE {quote(meta.table_name)} SET {changes} WHERE {quote(meta.primary_key.column_name)} = {mark}"
    return sql, to_parameters(fields, opened)


def _kept(model: type[Model]) -> dict[Any, Statement]:
    """Return the statements that a model keeps, so that they are freed together."""
    return model.__dict__.get("_statements") or {}


def _keep(model: type[Model], key: Any, statement: Statement) -> Statement:
    # Clients decide which fields are sent, so the number of statements that are kept is bounded
    known = _kept(model)
    model._statements = {**(known if len(known) < KEPT_STATEMENTS else {}), key: statement}  # type: ignore[attr-defined]
    return statement


def upsert(table: str, values: Mapping[str, Any], key: str, changes: str, column: str) -> Any:
    """Insert a row, or change the one with the same key, in one statement; return a column of the row as it is then.

    :param values: by column, as the database keeps them
    :param key: the column of the unique key
    :param changes: what a row that is there is changed to, as after SET: ``"value = counter.value + 1"``.
        ``excluded.value`` is a value that can't be inserted. Read a column before you assign it
    :param column: the column to return
    """
    return execute(upsert_statement(table, values, key, changes, column), tuple(values.values()))[0][0]


def upsert_statement(table: str, columns: Iterable[str], key: str, changes: str, column: str) -> str:
    """Return the portable SQL of an `upsert`."""
    names = [quote(name) for name in columns]
    insert = f"INSERT INTO {quote(table)} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    return f"{backend().upsert(insert, key, changes)} RETURNING {quote(column)}"


def differing(model: type[Model], values: Mapping[str, Any], before: Model) -> dict[str, Any]:
    """Return the values that differ from those of a row, as the database keeps them.

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
    """Return whether another row has all of these values.

    :param values: by field name, in Python's types
    :param identifier: the row to leave out; None: no row
    """
    meta, mark = meta_of(model), backend().placeholder
    fields = [meta.fields[name] for name in values]
    conditions = [f"{quote(field.column_name)} = {mark}" for field in fields]
    bound = [field.db_value(value) for field, value in zip(fields, values.values(), strict=True)]
    if identifier is not None:
        conditions.append(f"{quote(meta.primary_key.column_name)} <> {mark}")
        bound.append(identifier)
    sql = f"SELECT 1 FROM {quote(meta.table_name)} WHERE {' AND '.join(conditions)} LIMIT 1"
    return bool(rows_of(sql, bound))

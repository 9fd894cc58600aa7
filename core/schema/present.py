"""What a table really has: columns and indexes, as its database tells of them, or as they were made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..storage.database import database, dialect_name, query
from .conversions import family_of
from .forms import ColumnForm, TableForm

#: how databases call what peewee has a name for
_KINDS = {
    "CHARACTER VARYING": "VARCHAR", "VARCHAR": "VARCHAR", "CHARACTER": "CHAR", "CHAR": "CHAR", "TEXT": "TEXT",
    "LONGTEXT": "TEXT", "MEDIUMTEXT": "TEXT", "INTEGER": "INT", "INT": "INT", "BIGINT": "BIGINT",
    "SMALLINT": "SMALLINT", "TINYINT": "BOOL", "BOOLEAN": "BOOL", "NUMERIC": "DECIMAL", "DECIMAL": "DECIMAL",
    "REAL": "FLOAT", "FLOAT": "FLOAT", "DOUBLE": "DOUBLE", "DOUBLE PRECISION": "DOUBLE", "DATE": "DATE",
    "TIMESTAMP WITHOUT TIME ZONE": "DATETIME", "DATETIME": "DATETIME", "TIME": "TIME",
    "TIME WITHOUT TIME ZONE": "TIME", "BLOB": "BLOB", "LONGBLOB": "BLOB", "BYTEA": "BLOB",
}  # fmt: skip
_KNOWN = {*_KINDS.values(), "AUTO", "BIGAUTO"}


def present_form(wanted: TableForm, known: TableForm) -> TableForm:
    """The form that the table of a model has.

    :param wanted: what its model says
    :param known: what the table was last made from
    """
    indexes = [(tuple(each.columns), bool(each.unique)) for each in database.get_indexes(wanted.name)]
    columns = {}
    for column in _columns(wanted.name):
        base = known.columns.get(column.name) or wanted.columns.get(column.name)
        found = _form(column, base)
        single = [unique for names, unique in indexes if names == (column.name,)]
        unique, index = True in single, False in single
        if base is not None and base.kind not in ("AUTO", "BIGAUTO"):
            asked = wanted.columns.get(column.name, base)
            # An index that no model has asked for is none of ours
            unique = unique and (base.unique or asked.unique)
            index = bool(single) and (base.index or asked.index or base.references != "")
            found = replace(found, unique=unique, index=index)
        columns[column.name] = found
    ours = {*wanted.indexes, *known.indexes}
    several = tuple(index for index in indexes if index in ours)
    return TableForm(wanted.name, columns, several, wanted.extrafields)


def _form(column: ColumnForm, base: ColumnForm | None) -> ColumnForm:
    """One column.

    :param base: the recorded or the wanted form of the column; None: neither is known
    """
    if base is None:
        return column
    if not _fits(base.kind, column.kind):
        return replace(base, kind=column.kind, length=column.length, digits=column.digits, scale=column.scale,
                       null=column.null)  # fmt: skip
    form = replace(base, null=column.null)
    if base.kind == "VARCHAR" and column.kind == "VARCHAR" and _is_told():
        form = replace(form, length=column.length)
    elif column.kind == "TEXT" and base.kind == "VARCHAR":
        form = replace(form, kind="TEXT", length=None)
    elif base.kind == "DECIMAL" and column.kind == "DECIMAL" and column.digits is not None and _is_told():
        form = replace(form, digits=column.digits, scale=column.scale)
    elif family_of(base.kind) == "whole" and _is_told() and base.kind not in ("AUTO", "BIGAUTO"):
        form = replace(form, kind=column.kind)
    return form


def _is_told() -> bool:
    """Whether the database knows lengths and digits, and minds them."""
    return dialect_name() != "sqlite"


def _fits(kind: str, present: str) -> bool:
    """Whether a column of a kind is kept as what is there. What nobody has a name for is believed."""
    one, other = family_of(kind), family_of(present)
    if one == other or not {kind, present} <= _KNOWN:
        return True
    if dialect_name() == "sqlite" and other == "whole":
        return one in ("DECIMAL", "BOOL")
    return dialect_name() != "postgresql" and {one, other} == {"whole", "BOOL"}


def _columns(table: str) -> Iterator[ColumnForm]:
    """The columns as the database describes them; the kind is empty if peewee has no name for it."""
    if dialect_name() == "sqlite":
        for _, name, kind, required, default, key in query(f'PRAGMA table_info("{table}")'):
            word, numbers = _read_kind(str(kind))
            scale = numbers[1] if len(numbers) > 1 else None
            first = numbers[0] if numbers else None
            length, digits = first if word in ("VARCHAR", "CHAR") else None, first if word == "DECIMAL" else None
            yield ColumnForm(name, word, length, digits, scale, not required and not key,
                             computed=default is not None, left=True)  # fmt: skip
        return
    schema = "DATABASE()" if dialect_name() == "mysql" else "current_schema()"
    rows: list[tuple[Any, ...]] = query(
        "SELECT column_name, data_type, character_maximum_length, numeric_precision, numeric_scale, is_nullable, "
        f"column_default FROM information_schema.columns WHERE table_schema = {schema} AND table_name = ? "
        "ORDER BY ordinal_position",
        (table,),
    )
    for name, kind, length, digits, scale, null, default in rows:
        word = _KINDS.get(_text(kind).upper(), "")
        exact = word == "DECIMAL"
        short = int(length) if word in ("VARCHAR", "CHAR") and length is not None else None
        given = default is not None and _text(default).upper() != "NULL"
        yield ColumnForm(
            _text(name), word, short, int(digits) if exact and digits is not None else None,
            int(scale) if exact and scale is not None else None, _text(null).upper() == "YES",
            computed=given, left=True,
        )  # fmt: skip


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _read_kind(declared: str) -> tuple[str, list[int]]:
    word = declared.partition("(")[0].strip().upper()
    return _KINDS.get(word, ""), [int(number) for number in re.findall(r"\d+", declared)]

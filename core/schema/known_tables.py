"""The definition from which each table was last made: recorded in the database, read when modules load.

A table belongs to the module of its first model. Another module may extend it with a wider model (`modules/users` adds
columns to the core's accounts): a row of its own records that the table fits that model too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from inspect import getsourcelines
from typing import Any
from weakref import WeakKeyDictionary

import peewee

from ..storage.database import classify_error, database, query, transaction
from ..storage.error_kinds import MISSING
from ..storage.model import Model
from .table import Table, owner_of, table_name

#: recorded tables with the modules that own them, by name
Known = Mapping[str, tuple[Table, str]]


#: the query for all recorded tables
RECORDED = "SELECT name, form, owner FROM comptoir_table WHERE form IS NOT NULL"


class KnownTable(Model):
    """The recorded definition of a table."""

    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(max_length=128, unique=True)
    digest = peewee.CharField(max_length=64, help_text="of the owner's model; empty: to be compared with its model")
    form = peewee.TextField(null=True, help_text="`Table` as JSON; null: the row describes no table")
    owner = peewee.CharField(max_length=128, null=True, help_text="the module of the model")

    class Meta:
        table_name = "comptoir_table"
        audited = False


def _extension_name(model: type[Model]) -> str:
    """Return the name of the row of a model whose table another module owns."""
    return f"{table_name(model)} {owner_of(model)}.{model.__name__}"[:128]


#: digests of models, which each load needs
_digests: WeakKeyDictionary[type[Model], str] = WeakKeyDictionary()


def digest_of(model: type[Model]) -> str:
    """Return the digest of a model's table, which is the same on all databases."""
    if model not in _digests:
        _digests[model] = _digest(Table.of_model(model).as_text())
    return _digests[model]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def known_digests() -> dict[str, str]:
    """Return the digests of all rows of existing tables by name; none if the database has no tables yet."""
    return {name: digest for name, digest, _ in owned_digests()}


def owned_digests() -> list[tuple[str, str, str | None]]:
    """Return the name, digest and owner of all rows, except of tables that were dropped by SQL."""
    rows = rows_if_any("SELECT name, digest, owner FROM comptoir_table")
    existing = {*database.get_tables()} if rows else set()
    return [row for row in rows if " " in row[0] or row[0] in existing]


def known_tables() -> dict[str, tuple[Table, str]]:
    """Return the recorded tables and their owners, by name; none if the database has no tables yet."""
    return tables_of(rows_if_any(RECORDED))


def tables_of(rows: Iterable[tuple[Any, ...]]) -> dict[str, tuple[Table, str]]:
    """Return the tables and owners in rows of `RECORDED`, by name."""
    tables = ((name, Table.of_text(text), owner or "") for name, text, owner in rows)
    return {name: (table, owner) for name, table, owner in tables if table is not None}


def rows_if_any(sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query; none if its table is missing."""
    try:
        return query(sql)
    except peewee.DatabaseError as error:
        if classify_error(error) is not MISSING:
            raise
        return []


def shared_table(models: Iterable[type[Model]], owners: Mapping[str, str | None]) -> str:
    """Return why one of the models can't have its table, which another module owns; empty if each can.

    A model that is derived from the owner's one may extend its table. If the owner is gone, any module may take it.

    :param owners: table → its module
    """
    for model in models:
        name, owner = table_name(model), owners.get(table_name(model))
        bases = {
            owner_of(base) for base in model.__mro__[1:] if getattr(base, "_meta", None) and table_name(base) == name
        }
        if not owner or owner in {owner_of(model), *bases} or not _exists(owner):
            continue
        try:
            place = f"{model.__module__.rpartition('.')[2]}.py:{getsourcelines(model)[1]}: "
        except (OSError, TypeError):
            place = ""
        return (
            f"{place}the table {name} belongs to the module {owner}: write `table_name = …` in Meta of {model.__name__}"
        )
    return ""


def _exists(module: str) -> bool:
    return module == "core" or find_spec(f"modules.{module}") is not None


def foreign_tables(module: str) -> tuple[dict[str, str], set[str]]:
    """Return the tables of other modules with their owners, and those of them that a module extends."""
    rows = owned_digests()
    owners = {name: owner for name, _, owner in rows if owner and owner != module and " " not in name}
    extended = {table for table in owners if any(name.startswith(f"{table} {module}.") for name, *_ in rows)}
    return {name: owner for name, owner in owners.items() if _exists(owner)}, extended


def is_known(model: type[Model], digests: Mapping[str, str]) -> bool:
    """Return whether the recorded table fits its model."""
    of_table = digests.get(table_name(model), "")
    mine = digest_of(model)
    return of_table == mine or digests.get(_extension_name(model)) == _digest(of_table + mine)


def remember(model: type[Model], table: Table, owner: str, digest: str) -> None:
    """Record the present form of a table.

    :param digest: of its owner's model; if `model` is another module's, its own is recorded as well
    """
    write(table.name, digest, table, owner)
    if digest != digest_of(model):
        write(_extension_name(model), _digest(digest + digest_of(model)), None, owner_of(model))


def write(name: str, digest: str, table: Table | None, owner: str) -> None:
    """Record a table, or an object that belongs to one.

    :param digest: of its definition; empty: the module of the table compares it with its model when it loads
    """
    write_all({name: (digest, table, owner)})


def write_all(rows: Mapping[str, tuple[str, Table | None, str]]) -> None:
    """Record tables; values are the further arguments of `write`."""
    with transaction():
        # An operator may have dropped a table, but not its row here
        forget_rows(rows)
        new = [
            {"name": name, "digest": digest, "form": table.as_text() if table else None, "owner": owner}
            for name, (digest, table, owner) in rows.items()
        ]
        if new:
            KnownTable.insert_many(new).execute()


def forget(table: str) -> None:
    """Delete the record of a dropped table."""
    KnownTable.delete().where((KnownTable.name == table) | KnownTable.name.startswith(f"{table} ")).execute()


def forget_rows(names: Iterable[str]) -> None:
    """Delete rows that describe no table."""
    KnownTable.delete().where(KnownTable.name.in_([*names])).execute()


def merged(wanted: Table, present: Table, known: Table, *, extends: bool) -> Table:
    """Return the table to be recorded: the model's columns, and older ones that stay.

    :param extends: another module owns the table
    """
    columns = dict(wanted.columns)
    if extends:
        own = {name for name, each in known.columns.items() if not each.added}
        columns = {name: each if name in own else replace(each, added=True) for name, each in columns.items()}
    for name, column in known.columns.items():
        if name not in columns and name in present.columns:
            columns[name] = column if extends or column.added else replace(column, unused=True)
    if not extends:
        return replace(wanted, columns=columns)
    indexes = tuple(dict.fromkeys((*known.indexes, *wanted.indexes)))
    ordered = tuple(dict.fromkeys((*known.sorted, *wanted.sorted)))
    return Table(wanted.name, columns, indexes, known.extrafields, ordered)

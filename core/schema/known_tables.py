"""What each table was last made from: kept beside the tables, read when modules load.

A table is its first model's. Another module may have a model of it, too (`modules/users` has one of the core's
accounts, with more columns): what such a guest was found to fit has a row of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import peewee

from ..storage.database import query
from ..storage.database_errors import classify_error
from ..storage.error_kinds import MISSING
from ..storage.model import Model, meta_of
from .forms import TableForm, form_of


class KnownTable(Model):
    """What a table was made from."""

    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(max_length=128, unique=True)
    digest = peewee.CharField(max_length=64)
    form = peewee.TextField(null=True, help_text="`TableForm` as JSON; null: the row is not a table's own")
    owner = peewee.CharField(max_length=128, null=True, help_text="the module whose model it is")

    class Meta:
        table_name = "comptoir_table"
        audited = False


def table_of(model: type[Model]) -> str:
    """The name of a model's table."""
    return str(meta_of(model).table_name)


def owner_of(model: type[Model]) -> str:
    """The module that a model is of; ``core`` for its own."""
    first, _, rest = model.__module__.partition(".")
    return rest.partition(".")[0] if first == "modules" else first


def guest_name(model: type[Model]) -> str:
    """The row of a model whose table is another module's."""
    return f"{table_of(model)} {owner_of(model)}.{model.__name__}"[:128]


#: digests of models, which are asked for at each load
_digests: WeakKeyDictionary[type[Model], str] = WeakKeyDictionary()


def digest_of(model: type[Model]) -> str:
    """What a model says, in one word, alike on all databases."""
    if model not in _digests:
        _digests[model] = _digest(form_of(model).as_text())
    return _digests[model]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def known_digests() -> dict[str, str]:
    """What is kept of each table and guest, in one statement; nothing of a database without tables."""
    return dict(rows_if_any("SELECT name, digest FROM comptoir_table"))


def rows_if_any(sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query; none if its table is missing."""
    try:
        return query(sql)
    except peewee.DatabaseError as error:
        if classify_error(error) is not MISSING:
            raise
        return []


def is_known(model: type[Model], known: dict[str, str]) -> bool:
    """Whether a table is what its model says."""
    of_table = known.get(table_of(model), "")
    mine = digest_of(model)
    return of_table == mine or known.get(guest_name(model)) == _digest(of_table + mine)


def known_forms(tables: Iterable[str] | None = None) -> dict[str, tuple[TableForm, str]]:
    """Forms and owners of tables, by name; nothing of a database without tables."""
    wanted = None if tables is None else set(tables)
    rows = rows_if_any("SELECT name, form, owner FROM comptoir_table WHERE form IS NOT NULL")
    return {
        name: (TableForm.of_text(form), owner or "") for name, form, owner in rows if wanted is None or name in wanted
    }


def remember(model: type[Model], form: TableForm, owner: str, digest: str) -> None:
    """Keep what a table is now.

    :param digest: the one of its owner's model; a guest's is kept beside it
    """
    _write(table_of(model), digest, form.as_text(), owner)
    if digest != digest_of(model):
        _write(guest_name(model), _digest(digest + digest_of(model)), None, owner_of(model))


def remember_ahead(model: type[Model], form: TableForm) -> None:
    """Keep what a table is that was made before its module is loaded: nobody's, and to be looked at by its module."""
    _write(table_of(model), "", form.as_text(), "")


def note(name: str, digest: str, owner: str) -> None:
    """Keep what is made beside a table."""
    _write(name, digest, None, owner)


def _write(name: str, digest: str, form: str | None, owner: str) -> None:
    changed = KnownTable.update(digest=digest, form=form, owner=owner).where(KnownTable.name == name).execute()
    if not changed and not KnownTable.select().where(KnownTable.name == name).exists():
        KnownTable.create(name=name, digest=digest, form=form, owner=owner)


def merged(wanted: TableForm, present: TableForm, known: TableForm, *, guest: bool) -> TableForm:
    """The form to be kept: what the model says, and what else was made before and stays.

    :param guest: the model is of another module than the table
    """
    columns = dict(wanted.columns)
    if guest:
        own = known.columns
        columns = {name: each if name in own and not own[name].guest else replace(each, guest=True)
                   for name, each in columns.items()}  # fmt: skip
    for name, column in known.columns.items():
        if name not in columns and name in present.columns:
            columns[name] = column if guest or column.guest else replace(column, left=True)
    if not guest:
        return replace(wanted, columns=columns)
    indexes = tuple(dict.fromkeys((*known.indexes, *wanted.indexes)))
    ordered = tuple(dict.fromkeys((*known.sorted, *wanted.sorted)))
    return TableForm(wanted.name, columns, indexes, known.extrafields, ordered)

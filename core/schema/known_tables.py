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

from ..storage.database import database, dialect_name, query, quote
from ..storage.model import Model, meta_of
from ..storage.troubles import MISSING, trouble_of
from .forms import TableForm, form_of


class KnownTable(Model):
    """What a table was made from."""

    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(max_length=128, unique=True)
    digest = peewee.CharField(max_length=64)
    form = peewee.TextField(null=True, help_text="`TableForm` as JSON; null: an older release made the table")
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


#: digests of models by the kind of database, which are asked for at each load
_digests: WeakKeyDictionary[type[Model], dict[str, str]] = WeakKeyDictionary()


def digest_of(model: type[Model]) -> str:
    """What a model says, in one word."""
    digests = _digests.setdefault(model, {})
    kind = dialect_name()
    if kind not in digests:
        digests[kind] = _digest(f"{kind} {form_of(model).as_text()}")
    return digests[kind]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def old_digest_of(model: type[Model]) -> str:
    """The same as releases found it that kept no forms."""
    meta = meta_of(model)
    parts = [dialect_name(), meta.table_name, meta.extrafields, repr(meta.indexes)]
    for name in meta.sorted_field_names:
        field = meta.fields[name]
        ddl, _ = database.get_sql_context().sql(field.ddl_datatype(database.get_sql_context())).query()
        parts.append(f"{field.column_name} {ddl} {field.null} {field.unique} {field.index}")
    return _digest("\n".join(parts))


def known_digests() -> dict[str, str]:
    """What is kept of each table and guest, in one statement."""
    try:
        return dict(query("SELECT name, digest FROM comptoir_table"))
    except peewee.DatabaseError as error:
        if trouble_of(error) is not MISSING:
            raise
        return {}


def is_known(model: type[Model], known: dict[str, str]) -> bool:
    """Whether a table is what its model says."""
    of_table = known.get(table_of(model), "")
    mine = digest_of(model)
    return of_table == mine or known.get(guest_name(model)) == _digest(of_table + mine)


def make_known_tables() -> None:
    """Make this very table, or add what it did not have in older releases."""
    make_or_widen(KnownTable, KnownTable.form, KnownTable.owner)


def make_or_widen(model: type[Model], *later: Any) -> None:
    """Make a table that changes of tables are noted in, or add the columns that it did not have in older releases.

    :param later: the fields of these columns, each of which may be null
    """
    model.create_table(safe=True)
    table = table_of(model)
    present = {column.name for column in database.get_columns(table)}
    for field in later:
        if field.column_name not in present:
            column, params = database.get_sql_context().sql(field.ddl(database.get_sql_context())).query()
            database.execute_sql(f"ALTER TABLE {quote(table)} ADD COLUMN {column}", params)


def known_forms(tables: Iterable[str] | None = None) -> dict[str, tuple[TableForm, str]]:
    """Forms and owners of tables, by name; a table of an older release is not among them."""
    wanted = None if tables is None else set(tables)
    rows = query("SELECT name, form, owner FROM comptoir_table WHERE form IS NOT NULL")
    return {
        name: (TableForm.of_text(form), owner or "") for name, form, owner in rows if wanted is None or name in wanted
    }


def forms_if_any() -> dict[str, tuple[TableForm, str]]:
    """Return what `known_forms` does; nothing of a database in which no form was kept yet."""
    try:
        return known_forms()
    except peewee.DatabaseError as error:
        if trouble_of(error) is not MISSING:
            raise
        return {}


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


def merged(wanted: TableForm, present: TableForm, known: TableForm | None, *, guest: bool) -> TableForm:
    """The form to be kept: what the model says, and what else was made before and stays.

    :param guest: the model is of another module than the table
    """
    columns = dict(wanted.columns)
    if guest:
        own = known.columns if known is not None else {}
        columns = {name: each if name in own and not own[name].guest else replace(each, guest=True)
                   for name, each in columns.items()}  # fmt: skip
    for name, column in (known.columns if known is not None else {}).items():
        if name in columns or name not in present.columns:
            continue
        columns[name] = column if guest or column.guest else replace(column, left=True)
    indexes = wanted.indexes
    if guest and known is not None:
        indexes = tuple(dict.fromkeys((*known.indexes, *wanted.indexes)))
    kind = known.extrafields if guest and known is not None else wanted.extrafields
    ordered = wanted.sorted
    if guest and known is not None:
        ordered = tuple(dict.fromkeys((*known.sorted, *wanted.sorted)))
    return TableForm(wanted.name, columns, indexes, kind, ordered)

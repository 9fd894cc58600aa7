"""Steps of a change of tables, as data: migrations are made of them, and what a model's new columns ask for."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import peewee

from ..audit.forms import form_of
from ..audit.notes import STATEMENT, Event
from ..audit.recorder import note_event, trail_of
from ..audit.write_statements import read_statement
from ..storage.database import database, driver_sql, transaction
from . import alterations
from .columns import StepError, bound, run
from .forms import ColumnForm, TableForm, form_of_field
from .indexes import add_index, drop_index
from .search_tables import let_go


@dataclass(frozen=True)
class Rename:
    """A column gets another name."""

    table: str
    column: str
    to: str


@dataclass(frozen=True)
class Add:
    """A column is added, with its index where the field asks for one; the same that is there already is passed over.

    :ivar fill: what the rows that there are hold; None: the field's default. With one the column must not be there
    """

    table: str
    column: str
    field: peewee.Field
    fill: Any = None


@dataclass(frozen=True)
class Drop:
    """A column goes."""

    table: str
    column: str


@dataclass(frozen=True)
class Change:
    """The size, scale, default or index of a column changes, or whether it may be NULL; its kind stays.

    :ivar lossy: values are rounded and cut where they do not fit
    :ivar fill: what stands for NULL, where the column may hold none any more
    """

    table: str
    column: str
    field: peewee.Field
    lossy: bool = False
    fill: Any = None


@dataclass(frozen=True)
class AddIndex:
    """An index over columns."""

    table: str
    columns: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True)
class DropIndex:
    """An index over columns goes."""

    table: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class RenameTable:
    """A table gets another name."""

    table: str
    to: str


@dataclass(frozen=True)
class Run:
    """A statement, with ``?`` for each value."""

    sql: str
    values: tuple[Any, ...] = ()


Step = Rename | Add | Drop | Change | AddIndex | DropIndex | RenameTable | Run


def apply(step: Step, form: TableForm | None = None) -> None:
    """Make one change in the database in force; one that is there already is not made again.

    The caller holds the lock of the schema (`schema_lock`): its transaction makes several of them all or nothing, if
    the database undoes changes of tables.

    :param form: what the table was made from; a `Change` needs it
    :raises StepError: it is not made, with the reason in words
    """
    if isinstance(step, (Rename, Drop, Change, RenameTable)):
        # Triggers and indexes name its columns; it is made anew with the models
        let_go(step.table)
    match step:
        case Rename(table, column, to):
            alterations.rename_column(table, column, to)
        case Add(table, column, field, fill):
            alterations.add_column(table, column, field, fill)
        case Drop(table, column):
            alterations.drop_column(table, column)
        case Change(table, column, field, lossy, fill):
            if form is None or column not in form.columns:
                raise StepError(
                    f"can't change {table}.{column}: its present definition is not recorded; "
                    "add a new column, fill it and drop this one"
                )
            alterations.change_column(table, column, field, form.columns[column], lossy=lossy, fill=fill)
        case AddIndex(table, columns, unique):
            add_index(table, columns, unique=unique)
        case DropIndex(table, columns):
            drop_index(table, columns)
        case RenameTable(table, to):
            alterations.rename_table(table, to)
        case Run(sql, values):
            _run(sql, values)


def _run(sql: str, values: tuple[Any, ...]) -> None:
    """A statement of a migration. Its table may not be what its model says yet, so it is noted as such, not by rows."""
    statement = _read(driver_sql(sql))
    if statement is None or form_of(statement.table) is None:
        run(driver_sql(sql), values)
        return
    event = Event(STATEMENT, statement.table[:64], "", {"statement": statement.text})
    with nullcontext() if database.in_transaction() else transaction():
        run(driver_sql(sql), values)
        # Whoever goes through all rows says the same thousands of times
        if trail_of(database.obj).notes[-1:] != [event]:
            note_event(database.obj, event)


_read = lru_cache(maxsize=64)(read_statement)


def words_of(step: Step) -> str:
    """A step in one line."""
    match step:
        case Rename(table, column, to):
            return f"{table}: rename column {column} to {to}"
        case Add(table, column, field, fill):
            told = f", fill it with {fill!r}" if fill is not None else ""
            return f"{table}: add column {_column(form_of_field(bound(table, column, field), column))}{told}"
        case Drop(table, column):
            return f"{table}: drop column {column} with its values"
        case Change(table, column, field, lossy, fill):
            told = (", NULL becomes " + repr(fill) if fill is not None else "") + (", lossy" if lossy else "")
            return f"{table}: change column {_column(form_of_field(bound(table, column, field), column), ' to')}{told}"
        case AddIndex(table, columns, unique):
            return f"{table}: add {'unique ' if unique else ''}index on {', '.join(columns)}"
        case DropIndex(table, columns):
            return f"{table}: drop index on {', '.join(columns)}"
        case RenameTable(table, to):
            return f"{table}: rename table to {to}"
        case Run(sql, values):
            return f"run: {sql}" + (f" with {', '.join(map(repr, values))}" if values else "")


def _column(form: ColumnForm, joint: str = "") -> str:
    size = f"({form.digits}, {form.scale})" if form.digits else f"({form.length})" if form.length else ""
    parts = [f"{form.name}{joint} {form.kind}{size}", "null" if form.null else "not null"]
    parts += [f"default {form.default!r}"] if form.default is not None else []
    parts += ["unique"] if form.unique else ["index"] if form.index else []
    parts += [f"references {form.references}"] if form.references else []
    return " ".join(parts)


def foretell(step: Step, forms: dict[str, TableForm]) -> None:
    """What a change makes of the forms of tables, by name; the database is not asked.

    :raises StepError: a table or a column that it names is not there, or what it makes is there already
    """
    if isinstance(step, Run):
        return
    form = forms.get(step.table)
    if form is None:
        raise StepError(f"there is no table {step.table}")
    if isinstance(step, RenameTable):
        if step.to in forms:
            raise StepError(f"the table {step.to} already exists")
        forms[step.to] = replace(forms.pop(step.table), name=step.to)
        for name, other in forms.items():
            forms[name] = replace(other, columns=_pointing(other.columns, step.table, step.to))
        return
    forms[step.table] = _foretold(step, form)


def _pointing(columns: dict[str, ColumnForm], old: str, new: str) -> dict[str, ColumnForm]:
    return {name: replace(each, references=new) if each.references == old else each for name, each in columns.items()}


def _foretold(step: Step, form: TableForm) -> TableForm:
    columns, indexes = dict(form.columns), form.indexes
    match step:
        case Rename(_, column, to):
            _insist(form, (column,))
            if to in columns:
                raise StepError(f"{form.name} already has a column {to}")
            columns = {to if name == column else name: each for name, each in columns.items()}
            columns[to] = columns[to].renamed(to)
            indexes = tuple(
                (tuple(to if name == column else name for name in names), unique) for names, unique in indexes
            )
        case Add(table, column, field, fill):
            made = form_of_field(bound(table, column, field), column)
            # A server that has seen models.py alone has added it by itself; another one has not
            if column in columns and (columns[column] != made or fill is not None):
                hint = "; use tables.set to change its rows" if columns[column] == made else ""
                raise StepError(f"{form.name} already has a column {column}{hint}")
            columns[column] = made
        case Drop(_, column):
            _insist(form, (column,))
            del columns[column]
            indexes = tuple(index for index in indexes if column not in index[0])
        case Change(table, column, field):
            _insist(form, (column,))
            columns[column] = form_of_field(bound(table, column, field), column)
        case AddIndex(_, names, unique):
            _insist(form, names)
            return _indexed(form, names, unique=unique, adds=True)
        case DropIndex(_, names):
            _insist(form, names)
            return _indexed(form, names, unique=False, adds=False)
    return replace(form, columns=columns, indexes=indexes)


def _indexed(form: TableForm, names: tuple[str, ...], *, unique: bool, adds: bool) -> TableForm:
    """A form with an index, or without: that of one column is said by the column."""
    if len(names) == 1:
        column = replace(form.columns[names[0]], unique=unique, index=adds and not unique)
        return replace(form, columns={**form.columns, names[0]: column})
    rest = tuple(each for each in form.indexes if each[0] != names)
    return replace(form, indexes=(*rest, (names, unique)) if adds else rest)


def _insist(form: TableForm, names: Iterable[str]) -> None:
    for name in names:
        if name not in form.columns:
            raise StepError(f"{form.name} has no column {name}; it has {', '.join(form.columns)}")

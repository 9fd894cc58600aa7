"""Steps in words and as SQL: for `--dry-run`, and to tell whether a step is still the one that was done."""

from __future__ import annotations

from ..storage.database import dialect_name, quote
from .columns import bound, default_of, definition, kind_of
from .forms import ColumnForm, TableForm, form_of_field
from .indexes import name_of
from .steps import Add, AddIndex, Change, Drop, DropIndex, Rename, RenameTable, Run, Step


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


def sql_of(step: Step, form: TableForm | None) -> list[str]:
    """What a step comes to in the database in force, without the small things that follow from it.

    :param form: what its table is made from before it
    """
    match step:
        case Rename(table, column, to):
            return [f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(column)} TO {quote(to)}"]
        case Add(table, column, field, fill):
            made = bound(table, column, field)
            first = default_of(made) if fill is None else made.db_value(fill)
            return [f"ALTER TABLE {quote(table)} ADD COLUMN {definition(made, first)}"]
        case Drop(table, column):
            return [f"ALTER TABLE {quote(table)} DROP COLUMN {quote(column)}"]
        case Change(table, column, field):
            return _changing(table, column, bound(table, column, field), form)
        case AddIndex(table, columns, unique):
            named, kind = ", ".join(map(quote, columns)), "UNIQUE INDEX" if unique else "INDEX"
            return [f"CREATE {kind} {quote(name_of(table, columns))} ON {quote(table)} ({named})"]
        case DropIndex(table, columns):
            return [f"DROP INDEX {quote(name_of(table, columns))}" + (f" ON {quote(table)}" * _on_mariadb())]
        case RenameTable(table, to):
            return [f"ALTER TABLE {quote(table)} RENAME TO {quote(to)}"]
        case Run(sql, _):
            return [sql]


def _on_mariadb() -> bool:
    return dialect_name() == "mysql"


def _changing(table: str, column: str, made: object, form: TableForm | None) -> list[str]:
    said = definition(made, default_of(made), reference=False)
    if _on_mariadb():
        return [f"ALTER TABLE {quote(table)} MODIFY COLUMN {said}"]
    if dialect_name() == "postgresql":
        kind = kind_of(made)
        return [
            f"ALTER TABLE {quote(table)} ALTER COLUMN {quote(column)} TYPE {kind} USING CAST({quote(column)} AS {kind})"
        ]
    old = form.columns.get(column) if form is not None else None
    new = form_of_field(made, column)
    lines = [f"CREATE TABLE {quote(table + '__new')} (…, {said}, …), filled from {quote(table)}, which it replaces"]
    if old is not None and (old.scale or 0) != (new.scale or 0):
        by = (new.scale or 0) - (old.scale or 0)
        lines.append(f"with {quote(column)} = {quote(column)} {'*' if by > 0 else '/'} {10 ** abs(by)}")
    return lines

"""The text of a migration for the differences between models and tables; the author reads it before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ..storage.column import Column
from ..storage.fields import field_of
from ..storage.model import Model, meta_of
from .columns import conversion
from .diff import Difference
from .steps import Add, AddReference, Change, Drop, Rename, RenameTable
from .table import Table

#: fields that come from core rather than peewee
_OURS = ("ExactField",)
#: first line of a draft that must not run as it is
QUESTION = 'raise NotImplementedError("answer all questions in this file, then delete this line")'


def drafts_of(
    found: Iterable[Difference], own: Mapping[str, type[Model]], tables: Mapping[str, Table], present: Iterable[Path]
) -> dict[str, str]:
    """Return the texts of migrations, by the names of their files.

    A second migration drops the converted columns: the first one can be repeated as long as the old values exist.

    :param own: the module's models, by table
    :param tables: what the tables are made from
    :param present: the module's migration files
    """
    found = list(found)
    numbers = [int(match[0]) for file in present if (match := re.match(r"\d+", file.stem))]
    number = max(numbers, default=0) + 1
    drafts = {f"{number:04}_{_name(found)}.py": _draft(found, own, tables)}
    converted = [step for each in found if isinstance(step := each.step, Change) and _is_converted(step, tables)]
    if converted:
        drops = "\n".join(f"    tables.drop({step.table!r}, {_old(step.column)!r})" for step in converted)
        drafts[f"{number + 1:04}_drop_old_columns.py"] = (
            f'"""Drop the columns that the previous migration has converted."""\n\n\ndef migrate(tables):\n{drops}\n'
        )
    return drafts


def _name(found: list[Difference]) -> str:
    steps = [each.step for each in found]
    if len(steps) == 1 and isinstance(steps[0], (Add, Change, Drop, Rename)):
        return f"{type(steps[0]).__name__.lower()}_{steps[0].column}"
    return "match_models"


def _is_converted(step: Change, tables: Mapping[str, Table]) -> bool:
    return conversion(tables[step.table].columns[step.column], step.definition, "") is None


def _old(column: str) -> str:
    return f"{column}__old"


def _draft(found: Iterable[Difference], own: Mapping[str, type[Model]], tables: Mapping[str, Table]) -> str:
    found = list(found)
    lines = [line for each in found for line in _lines(each, own, tables)]
    for name in dict.fromkeys(each.table for each in found):
        new = [each for each in Table.of_model(own[name]).columns if each not in tables[name].columns]
        if added := [each for each in new if not any(repr(each) in line for line in lines)]:
            lines.append(f"# The server adds these new columns of {name} automatically: {', '.join(added)}")
    asks = any(line.startswith("#") and "?" in line for line in lines)
    text = "\n".join(f"    {line}" if line else "" for line in lines)
    peewees = sorted({name for name in re.findall(r"\b(\w+Field)\(", text) if name not in _OURS})
    head = ['"""Change the tables to match models.py."""', ""]
    head += ["from decimal import Decimal", ""] if "Decimal(" in text else []
    head += [f"from peewee import {', '.join(peewees)}", ""] if peewees else []
    head += ["from core import ExactField", ""] if "ExactField(" in text else []
    body = [f"    {QUESTION}"] if asks else []
    return "\n".join([*head, "", "def migrate(tables):", *body, text]) + "\n"


def _lines(each: Difference, own: Mapping[str, type[Model]], tables: Mapping[str, Table]) -> list[str]:
    """Return the lines of a migration that remove a difference."""
    step = each.step
    table, column = each.table, each.reason.partition(":")[0].partition(".")[2]
    reason = f"# {each.reason.partition(';')[0]}"
    if isinstance(step, RenameTable):
        rename = f"# tables.rename_table({step.table!r}, {step.to!r})"
        return [
            reason,
            "# Was the table renamed? If so:",
            rename,
            f"# If not, in SQL: DROP TABLE {step.table}",
        ]
    if isinstance(step, Drop):
        return [reason, "# Can the values of the column be deleted? If so:", f"tables.drop({table!r}, {column!r})"]
    if isinstance(step, Add):
        lines = [f"tables.add({table!r}, {column!r}, {_source(step.definition)}, fill=...)"]
        if to := step.definition.references:
            lines.append(_referring(table, column, to))
        return [reason, "# Which value do existing rows get?", *lines]
    if isinstance(step, AddReference):
        note = "# Fails if rows refer to missing rows, and reports how many"
        return [reason, note, _referring(table, column, step.to)]
    if isinstance(step, Change):
        new, old = step.definition, tables[table].columns[column]
        if _is_converted(step, tables):
            return [reason, *_converting(table, meta_of(own[table]).primary_key.column_name, old, new)]
        note = "# Fails if values don't fit, and reports how many; lossy=True rounds or cuts them"
        return [reason, note, f"tables.change({table!r}, {column!r}, {_source(new)})  # was {_source(old)}"]
    wanted = Table.of_model(own[table])
    if column in wanted.columns:
        return [f"# {each.reason}", "# What is to be done instead?"]
    return _renaming(wanted, column, each.likely, meta_of(own[table]).primary_key.column_name)


def _referring(table: str, column: str, to: str) -> str:
    return f"tables.reference({table!r}, {column!r}, {to!r})"


def _renaming(wanted: Table, column: str, likely: tuple[str, ...], key: str) -> list[str]:
    """Return the lines for a column without a field, which may have another name now, or have been split.

    :param likely: the new columns that it may have become
    """
    table, columns = wanted.name, [wanted.columns[name] for name in likely]
    lines = [f"# Was {table}.{column} renamed? If so:"]
    lines += [f"# tables.rename({table!r}, {column!r}, {name!r})" for name in likely]
    if len(likely) > 1:
        plain = [replace(each, null=True, default=None, unique=False, index=False, references="") for each in columns]
        values = ", ".join(f"{name!r}: ..." for name in likely)
        lines += [
            "# Was it split? If so, replace each ... by an expression with `value`, and remove the other columns:",
            *(f"# tables.add({table!r}, {each.name!r}, {_source(each)})" for each in plain),
            f"# for key, value in tables.rows_of({table!r}, {key!r}, {column!r}):",
            f"#     tables.set({table!r}, {{{values}}}, '{key} = ?', key)",
            f"# tables.drop({table!r}, {column!r})",
            *(
                f"# tables.change({table!r}, {each.name!r}, {_source(each)})"
                for each, first in zip(columns, plain, strict=True)
                if first != replace(each, references="", computed=first.computed)
            ),
            *(f"# {_referring(table, each.name, each.references)}" for each in columns if each.references),
        ]
    lines.append("# If not, and its values can be deleted (a new column that may be empty is added automatically):")
    lines.append(f"# tables.drop({table!r}, {column!r})")
    required = [each for each in columns if not (each.null or each.has_default)]
    return [*lines, *(f"# tables.add({table!r}, {each.name!r}, {_source(each)}, fill=...)" for each in required)]


def _converting(table: str, key: str, old: Column, new: Column) -> list[str]:
    """Return the lines for a column of another kind: filled row by row, in Python, so alike on all databases."""
    column, former = new.name, _old(new.name)
    value, cuts = "value", ""
    if new.family == "text":
        value = "format(value, 'f')" if old.family in ("exact", "decimal") else "str(value)"
    elif new.family in ("exact", "decimal"):
        value = "Decimal(str(value))"
    elif new.family == "whole":
        value = "int(value)"
        cuts = " int() cuts decimal places" if old.family in ("exact", "decimal", "float") else ""
    elif new.family == "boolean":
        # Fails at any other value
        value = "{'0': False, '1': True}[value]" if old.family == "text" else "{0: False, 1: True}[value]"
    plain = replace(new, null=True, default=None, unique=False, index=False, references="")
    asks = old.null and not new.null
    lines = [
        f"# Is every value converted rightly by the expression after `else`?{cuts}",
        f"tables.rename({table!r}, {column!r}, {former!r})",
        f"tables.add({table!r}, {column!r}, {_source(plain)})",
        f"for key, value in tables.rows_of({table!r}, {key!r}, {former!r}):",
        f"    tables.set({table!r}, {{{column!r}: None if value is None else {value}}}, '{key} = ?', key)",
        *(["# Which value do rows without one get?"] if asks else []),
    ]
    if plain != replace(new, references=""):
        lines.append(f"tables.change({table!r}, {column!r}, {_source(new)}{', fill=...' * asks})")
    return lines + ([_referring(table, column, new.references)] if new.references else [])


def _source(column: Column) -> str:
    """Return the field of a column as an author writes it."""
    parts = []
    if column.family in ("exact", "decimal"):
        parts.append(f"{column.digits}, {column.scale}")
    if column.kind in ("VARCHAR", "CHAR") and column.length:
        parts.append(f"max_length={column.length}")
    if column.null:
        parts.append("null=True")
    if column.default is not None:
        is_decimal = column.family in ("exact", "decimal")
        parts.append(f"default=Decimal({str(column.default)!r})" if is_decimal else f"default={column.default!r}")
    if column.unique:
        parts.append("unique=True")
    if column.index:
        parts.append("index=True")
    return f"{type(field_of(column)).__name__}({', '.join(parts)})"

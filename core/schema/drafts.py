"""The text of a migration that does what the tables lack: written for an author, who looks at it before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ..storage.model import Model, meta_of
from .columns import bound
from .conversions import conversion, family_of
from .drift import Difference
from .forms import ColumnForm, TableForm, field_of, form_of, form_of_field
from .steps import Add, Change, Drop, Rename, Step

#: fields that come from core rather than peewee
_OURS = ("ExactField",)
#: first line of a draft that must not run as it is
QUESTION = 'raise NotImplementedError("answer all questions in this file, then delete this line")'


def drafts_of(
    found: Iterable[Difference], own: Mapping[str, type[Model]], forms: Mapping[str, TableForm], present: Iterable[Path]
) -> dict[str, str]:
    """The texts of migrations, by the names of their files.

    A second migration drops the converted columns: the first can be repeated as long as the old values exist.
    """
    found = list(found)
    numbers = [int(match[0]) for file in present if (match := re.match(r"\d+", file.stem))]
    number = max(numbers, default=0) + 1
    drafts = {f"{number:04}_{_words(found)}.py": _draft(found, own, forms)}
    converted = [step for each in found if isinstance(step := each.step, Change) and _is_converted(step, forms)]
    if converted:
        drops = "\n".join(f"    tables.drop({step.table!r}, {_old(step.column)!r})" for step in converted)
        drafts[f"{number + 1:04}_drop_old_columns.py"] = (
            f'"""Drop the columns that the previous migration has converted."""\n\n\ndef migrate(tables):\n{drops}\n'
        )
    return drafts


def _is_converted(step: Change, forms: Mapping[str, TableForm]) -> bool:
    new = form_of_field(bound(step.table, step.column, step.field), step.column)
    return conversion(forms[step.table].columns[step.column], new, "") is None


def _old(column: str) -> str:
    return f"{column}__old"


def _draft(found: Iterable[Difference], own: Mapping[str, type[Model]], forms: Mapping[str, TableForm]) -> str:
    lines = [line for each in found for line in _lines(each, own, forms)]
    asks = any(line.startswith("#") and "?" in line for line in lines)
    text = "\n".join(f"    {line}" if line else "" for line in lines)
    peewees = sorted({name for name in re.findall(r"\b(\w+Field)\(", text) if name not in _OURS})
    head = ['"""Change the tables to match models.py."""', ""]
    head += ["from decimal import Decimal", ""] if "Decimal(" in text else []
    head += [f"from peewee import {', '.join(peewees)}", ""] if peewees else []
    head += ["from core import ExactField", ""] if "ExactField(" in text else []
    body = [f"    {QUESTION}"] if asks else []
    return "\n".join([*head, "", "def migrate(tables):", *body, text]) + "\n"


def _words(found: list[Difference]) -> str:
    steps = [each.step for each in found]
    if len(steps) == 1 and isinstance(steps[0], (Add, Change, Drop, Rename)):
        return f"{type(steps[0]).__name__.lower()}_{steps[0].column}"
    return "as_models_say"


def _lines(each: Difference, own: Mapping[str, type[Model]], forms: Mapping[str, TableForm]) -> list[str]:
    step = each.step
    called, _, _ = each.reason.partition(":")
    table, _, column = called.partition(".")
    said = f"# {each.reason.partition(';')[0]}"
    if isinstance(step, Drop):
        return [said, "# Can the values of the column be deleted? If so:", f"tables.drop({table!r}, {column!r})"]
    if isinstance(step, Add):
        return [said, "# Which value do existing rows get?", _call("add", step, ", fill=...")]
    if isinstance(step, Change):
        new, old = form_of_field(bound(table, column, step.field), column), forms[table].columns[column]
        if _is_converted(step, forms):
            return [said, *_converting(table, meta_of(own[table]).primary_key.column_name, old, new)]
        note = "# Fails if values don't fit, and reports how many; lossy=True rounds or cuts them"
        return [said, note, f"{_call('change', step)}  # was {_source(old)}"]
    return _renaming(table, column, step, own, forms)


def _renaming(
    table: str, column: str, step: Step | None, own: Mapping[str, type[Model]], forms: Mapping[str, TableForm]
) -> list[str]:
    model = form_of(own[table])
    new = [name for name in model.columns if name not in forms[table].columns]
    likely = [step.to] if isinstance(step, Rename) else new
    lines = [f"# Was {table}.{column} renamed? If so:"]
    lines += [f"# tables.rename({table!r}, {column!r}, {name!r})" for name in likely]
    lines.append("# If not, and its values can be deleted (a new column that may be empty is added automatically):")
    lines.append(f"# tables.drop({table!r}, {column!r})")
    for name in likely:
        if not (model.columns[name].null or model.columns[name].has_default):
            lines.append(f"# tables.add({table!r}, {name!r}, {_source(model.columns[name])}, fill=...)")
    return lines


def _converting(table: str, key: str, old: ColumnForm, new: ColumnForm) -> list[str]:
    """A column of another kind: filled row by row, in Python, so alike on all databases."""
    column, former, family = new.name, _old(new.name), family_of(new.kind)
    value, before, cuts = "value", family_of(old.kind), ""
    if family == "text":
        value = "format(value, 'f')" if before == "DECIMAL" else "str(value)"
    elif family == "DECIMAL":
        value = "Decimal(str(value))"
    elif family == "whole":
        value, cuts = "int(value)", " int() cuts decimal places" if before in ("DECIMAL", "float") else ""
    elif family == "BOOL":
        # Fails at any other value
        value = "{'0': False, '1': True}[value]" if before == "text" else "{0: False, 1: True}[value]"
    plain = replace(new, null=True, default=None, unique=False, index=False)
    asks = old.null and not new.null
    return [
        f"# Is every value converted rightly by the expression after `else`?{cuts}",
        f"tables.rename({table!r}, {column!r}, {former!r})",
        f"tables.add({table!r}, {column!r}, {_source(plain)})",
        f"for key, value in tables.rows_of({table!r}, {key!r}, {former!r}):",
        f"    tables.set({table!r}, {{{column!r}: None if value is None else {value}}}, '{key} = ?', key)",
        *(["# Which value do rows without one get?"] if asks else []),
        *([f"tables.change({table!r}, {column!r}, {_source(new)}{', fill=...' * asks})"] if plain != new else []),
    ]


def _call(verb: str, step: Add | Change, more: str = "") -> str:
    form = form_of_field(bound(step.table, step.column, step.field), step.column)
    return f"tables.{verb}({step.table!r}, {step.column!r}, {_source(form)}{more})"


def _source(form: ColumnForm) -> str:
    """A field as one writes it."""
    parts = []
    if form.kind == "DECIMAL":
        parts.append(f"{form.digits}, {form.scale}")
    if form.kind in ("VARCHAR", "CHAR") and form.length:
        parts.append(f"max_length={form.length}")
    if form.null:
        parts.append("null=True")
    if form.default is not None:
        parts.append(
            f"default=Decimal({str(form.default)!r})" if form.kind == "DECIMAL" else f"default={form.default!r}"
        )
    if form.unique:
        parts.append("unique=True")
    if form.index:
        parts.append("index=True")
    return f"{type(field_of(form)).__name__}({', '.join(parts)})"

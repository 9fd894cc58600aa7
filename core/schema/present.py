"""What a table really has: columns and indexes, as its database tells of them, or as they were made."""

from __future__ import annotations

import re
from dataclasses import replace

import peewee

from ..storage.database import backend, database
from .conversions import family_of
from .forms import ColumnForm, TableForm


def present_form(wanted: TableForm, known: TableForm) -> TableForm:
    """The form that the table of a model has.

    :param wanted: what its model says
    :param known: what the table was last made from
    """
    indexes = [(tuple(each.columns), bool(each.unique)) for each in database.get_indexes(wanted.name)]
    columns = {}
    for column in map(_column, database.get_columns(wanted.name)):
        base = known.columns.get(column.name) or wanted.columns.get(column.name)
        found = _form(column, base)
        single = [unique for names, unique in indexes if names == (column.name,)]
        unique, index = True in single, False in single
        if base is not None and base.kind not in ("AUTO", "BIGAUTO"):
            asked = wanted.columns.get(column.name, base)
            # An index that no model asks for is the operator's
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
    form = replace(base, null=column.null)
    present = replace(form, kind=column.kind, length=column.length, digits=column.digits, scale=column.scale)
    if not _fits(base.kind, column.kind) or (base.kind, column.kind) == ("VARCHAR", "TEXT"):
        return present
    sized = base.kind == column.kind == "VARCHAR" or (base.kind == column.kind == "DECIMAL" and column.digits)
    whole = family_of(base.kind) == "whole" and base.kind not in ("AUTO", "BIGAUTO")
    return present if (sized or whole) and not backend().ignores_sizes else form


def _fits(kind: str, present: str) -> bool:
    """Return whether a column of a kind is reported as this one. An unknown kind is accepted."""
    one, other = family_of(kind), family_of(present)
    known = {*backend().column_kinds.values(), "AUTO", "BIGAUTO"}
    return one == other or (one, other) in backend().equal_kinds or not {kind, present} <= known


def _column(described: peewee.ColumnMetadata) -> ColumnForm:
    """A column as its database describes it; the kind is empty if peewee has no name for it."""
    declared = str(described.full_type)
    kind = backend().column_kinds.get(declared.partition("(")[0].strip().upper(), "")
    first, second = [*(int(number) for number in re.findall(r"\d+", declared)), None, None][:2]
    return ColumnForm(
        described.name,
        kind,
        length=first if kind in ("VARCHAR", "CHAR") else None,
        digits=first if kind == "DECIMAL" else None,
        scale=second if kind == "DECIMAL" else None,
        null=described.null and not described.primary_key,
        computed=described.default is not None,
        left=True,
    )

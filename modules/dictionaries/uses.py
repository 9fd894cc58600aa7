"""Who uses an entry of a dictionary: records of any module, outsiders' too.

A `RecordField` says itself which table it leads to. Most columns are plain numbers or codes, as in the reference; they
are known by their names, which outsiders take over with the meaning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from peewee import fn

from core import ExactField, MapField, RecordField, catalogue

#: columns that tell rates of VAT of one percentage apart
_VAT_CODES = ("vat_src_code", "default_vat_code")
_CONSTANTS = "llx_const"


@dataclass(frozen=True)
class Naming:
    """How records name an entry.

    :param by: the field of the entry whose value they hold
    :param columns: columns of any table that hold it, or ``table.column``
    :param constants: constants that hold it
    """

    by: str
    columns: tuple[str, ...]
    constants: tuple[str, ...]


def users_of(naming: Naming, row: Any) -> list[str]:
    """What uses an entry, in words; empty: nothing does.

    :param row: the entry
    """
    found: dict[str, int] = {}
    for model, condition in _places(naming, row):
        table = _meta(model).table_name.removeprefix("llx_").removeprefix("c_")
        if count := model.select().where(condition).count():
            found[table] = found.get(table, 0) + count
    return [f"{table} ({count})" for table, count in sorted(found.items())]


def _places(naming: Naming, row: Any) -> Iterator[tuple[Any, Any]]:
    """Model and condition of every column that may name the entry."""
    own, seen, by = _meta(type(row)).table_name, set(), getattr(row, naming.by)
    for model in catalogue().models:
        table = _meta(model).table_name
        for field in _meta(model).fields.values():
            place = f"{table}.{field.column_name}"
            if place in seen:
                continue
            seen.add(place)
            if isinstance(field, RecordField):
                if _meta(field.target()).table_name == own:
                    yield model, field == row.id
            elif place in naming.columns or (field.column_name in naming.columns and table != own):
                condition = _condition(model, field, by, row)
                if condition is not None:
                    yield model, condition
        if table == _CONSTANTS and naming.constants:
            # The country's holds identifier, code and name, or the code alone
            name, value = _meta(model).fields["name"], _meta(model).fields["value"]
            texts = value.in_((str(by), str(getattr(row, "code", by)))) | value.startswith(f"{by}:")
            yield model, name.in_(naming.constants) & texts


def _condition(model: Any, field: Any, by: Any, row: Any) -> Any:
    """What a column holds that names the entry; None: it is of another kind."""
    if isinstance(field, MapField):
        return fn.COALESCE(field, "").contains(f"{json.dumps(by, ensure_ascii=False)}:")
    try:
        field.db_value(by)
    except (TypeError, ValueError, ArithmeticError):
        return None
    condition = field == by
    if isinstance(field, ExactField):
        # Lines keep the rate itself, and its code
        for each in _meta(model).fields.values():
            if each.column_name in _VAT_CODES:
                condition &= fn.COALESCE(each, "") == row.code
    return condition


def _meta(model: Any) -> Any:
    return model._meta

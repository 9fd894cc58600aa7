"""Examples of parameters: values that demonstration data holds, filters and orders made of a list's own columns."""

from __future__ import annotations

import re
from typing import Any

import peewee

from core import Model
from core.contract.catalogue import Operation
from core.storage.model import meta_of

from .field_schemas import Schema

#: parameters of lists whose examples name columns
_OF_COLUMNS = ("sqlfilters", "sortfield")
#: the beginning of a text that a filter looks for
_BEGINNING = re.compile(r"[^\W_]{1,3}")


def give_examples(
    operation: Operation, parameters: list[Schema], said: dict[str, Any], record: dict[str, Any]
) -> list[Schema]:
    """Parameters with an example each, where one is known.

    :param said: name → value, as the author gave it
    :param record: a record of those that the operation answers, as their author gave it
    """
    known = {**_of_columns(operation, record), **said}
    return [_given(each, known, record) for each in parameters]


def _given(parameter: Schema, known: dict[str, Any], record: dict[str, Any]) -> Schema:
    name, schema = parameter["name"], parameter.get("schema", {})
    if name in known:
        return {**parameter, "example": known[name]}
    if "examples" in schema:
        return {**parameter, "example": schema["examples"][0]}
    if parameter["in"] != "path":
        # What may be left out is left out of the example, too
        needed = {"example": schema["enum"][0]} if parameter.get("required") and "enum" in schema else {}
        return {**parameter, **needed}
    if "default" in schema:
        return {**parameter, "example": schema["default"]}
    if record.get(name) not in (None, ""):
        value = record[name]
        return {**parameter, "example": int(value) if schema.get("type") == "integer" else value}
    return {**parameter, "example": max(1, schema.get("minimum", 1))} if schema.get("type") == "integer" else parameter


def _of_columns(operation: Operation, record: dict[str, Any]) -> dict[str, Any]:
    shape = operation.shape
    if shape is None or not shape.is_list:
        return {}
    column, value = _telling_column(shape.model, record)
    beginning = _BEGINNING.match(str(value or ""))
    condition = f"(t.{column}:like:'{beginning[0]}%')" if beginning else f"(t.{column}:isnot:NULL)"
    names = {each.name for each in operation.inputs}
    return {name: value for name, value in zip(_OF_COLUMNS, (condition, f"t.{column}"), strict=True) if name in names}


def _telling_column(model: type[Model], record: dict[str, Any]) -> tuple[str, Any]:
    """The column by which people would look for a record, with its value: a text that must be there, or else any."""
    meta = meta_of(model)
    fields = [meta.fields[name] for name in meta.sorted_field_names if name not in meta.secret]
    texts = [each for each in fields if isinstance(each, (peewee.CharField, peewee.TextField)) and not each.choices]
    filled = [each for each in texts if _BEGINNING.match(str(record.get(each.name) or ""))]
    if not record:
        # Nobody knows what it holds: a condition that any record meets
        needed = [each for each in texts if each.name in meta.required] or [each for each in texts if not each.null]
        return (needed or [meta.primary_key])[0].name, None
    best = sorted(filled, key=lambda each: (each.name not in meta.required, not each.unique, each.name != "ref"))
    return (best[0].name, record[best[0].name]) if best else (meta.primary_key.name, None)

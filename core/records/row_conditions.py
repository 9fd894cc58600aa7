"""The text of a row rule's condition: its fields as columns, through record fields where its names lead over them."""

from __future__ import annotations

import re
from typing import Any

from ..storage.database import dialect_name, quote
from ..storage.fields import RecordField
from ..storage.model import meta_of

_FIELD = re.compile(r"\{(\w+(?:\.\w+)*)\}")
_OR_NONE = re.compile(r" OR \{(\w+(?:\.\w+)*)\} IS NULL$")
#: what a value would look like that an author has put into the text
_VALUE = re.compile(r"""['"`;\\#%]|--|/\*|(?<!\w)\d""")


def spell(condition: str, model: Any, way: str = "") -> str:
    """A condition as the database in force spells it, over the table `t` of a model.

    :param condition: with ``{field}`` for a field, ``{order.state}`` for one of the record that a field names
    :param model: the model; None: ``{thirdparty}`` is the only name, and nothing but the text is checked
    :param way: what ``{thirdparty}`` stands for, such as ``order.socid``
    :raises ValueError: the condition cannot be used; says why
    """
    if wrong := _VALUE.search(condition):
        raise ValueError(f"{condition!r} contains the value {wrong[0]!r}; write ? and pass the value after the text")
    if not condition.strip():
        raise ValueError("expected a condition, got empty text; use ALL_ROWS or NO_ROWS")
    if wrong := re.search("[{}]", _FIELD.sub("", condition)):
        raise ValueError(f"{condition!r}: expected a field name in each pair of braces")
    text = condition.replace("{thirdparty}", f"{{{way}}}") if way else condition
    names = [name.split(".") for name in _FIELD.findall(text)]
    if model is None:
        unknown = [name for name in names if name != ["thirdparty"]]
        if unknown:
            raise ValueError(f"{condition!r}: expected only {{thirdparty}}, the field that all these models have")
        return condition
    if len({tuple(name[:-1]) for name in names}) > 1:
        raise ValueError(f"{condition!r} has fields of several tables; use a subquery for the others")
    sql = _nest(text, model, names[0][:-1] if names else [], "t")
    return sql if dialect_name() == "sqlite" else sql.replace("?", "%s")


def _nest(text: str, model: Any, steps: list[str], alias: str) -> str:
    """The condition over the table at the end of the steps, as one over the table they begin at."""
    if not steps:
        end = _OR_NONE.search(text)
        if end and not _field(model, end[1]).null:
            # Said for all models, and not true of any row of this one: an OR would keep the database from its index
            text = text[: end.start()]
        return _FIELD.sub(lambda found: f"{alias}.{quote(_field(model, found[1]).column_name)}", text)
    field = _field(model, steps[0])
    if not isinstance(field, RecordField):
        raise ValueError(f"{model.__name__}.{steps[0]} is not a RecordField, so it leads to no other fields")
    target: Any = field.target()
    meta = meta_of(target)
    inner = _nest(text, target, steps[1:], alias + "x")
    column, key = quote(field.column_name), quote(meta.primary_key.column_name)
    return f"{alias}.{column} IN (SELECT {key} FROM {quote(meta.table_name)} AS {alias}x WHERE {inner})"


def _field(model: Any, path: str) -> Any:
    name = path.rpartition(".")[2]
    field = meta_of(model).fields.get(name)
    if field is None:
        raise ValueError(f"{model.__name__} has no field {name!r}")
    return field

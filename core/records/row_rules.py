"""The row rules: which rows a caller sees, applied inside every statement, below the handlers.

An external user sees what belongs to their own third party; an internal one without ``thirdparties.all`` what belongs
to those they represent (and what belongs to none). A model says in its ``Meta`` which field leads there.
"""

from __future__ import annotations

from typing import Any

from ..access.callers import ANONYMOUS, current_caller
from ..storage.database import dialect, meta_of, quote
from ..storage.fields import RecordField

Condition = tuple[str, tuple[Any, ...]]

ALL = "thirdparties.all"


def row_rule(model: Any, alias: str = "t") -> Condition | None:
    """What the rows of a model must meet for the current caller; None: there is no rule.

    :param model: a `Model`
    :param alias: the name of its table in the statement
    """
    caller = current_caller()
    path = meta_of(model).thirdparty
    if caller is None or not path:
        return None
    if caller is ANONYMOUS:
        return "1 = 0", ()
    if caller.socid is None and caller.holds(ALL):
        return None
    mark = dialect().placeholder
    if caller.socid is not None:
        return _through(model, path, alias, f"= {mark}", False), (caller.socid,)
    represented = f"IN (SELECT fk_soc FROM llx_societe_commerciaux WHERE fk_user = {mark})"
    return _through(model, path, alias, represented, True), (caller.id,)


def _through(model: Any, path: str, alias: str, test: str, none_allowed: bool) -> str:
    """Follow a path such as ``order.socid`` over record fields to the column that names the third party."""
    name, _, rest = path.partition(".")
    field = meta_of(model).fields[name]
    column = f"{alias}.{quote(field.column_name)}"
    if not rest:
        return f"({column} {test} OR {column} IS NULL)" if none_allowed and field.null else f"{column} {test}"
    if not isinstance(field, RecordField):
        raise TypeError(f"{model.__name__}.{name} is no RecordField, so {path!r} leads nowhere")
    target: Any = field.target()
    inner = _through(target, rest, alias + "x", test, none_allowed)
    key = quote(meta_of(target).primary_key.column_name)
    return f"{column} IN (SELECT {key} FROM {quote(meta_of(target).table_name)} AS {alias}x WHERE {inner})"

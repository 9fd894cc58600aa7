"""Checks of the options that an author sets in a model's `Meta`."""

from __future__ import annotations

from typing import Any, get_type_hints, is_typeddict

import peewee

from ..common.errors import meant
from .model import ADDED_UP, Model, meta_of


def wrong_hints(kind: Any) -> str:
    """Return what is wrong with the keys of a `TypedDict`, whose types may be strings; empty: nothing."""
    try:
        get_type_hints(kind, include_extras=True) if is_typeddict(kind) else None
    except Exception as error:  # noqa: BLE001 - an annotation may raise anything
        return f"the keys of {kind.__name__} can't be read: {type(error).__name__}: {error}"
    return ""


def asked_columns(model: Any) -> list[str]:
    """Return the fields that the server doesn't manage and whose columns are NOT NULL without a default.

    A body, the module or `Records.prepare` must set them.
    """
    meta = meta_of(model)
    closed = {*meta.managed, *meta.secret}
    return [name for name in meta.sorted_field_names if name not in closed and _needs_value(meta.fields[name])]


def required_fields(model: Any) -> list[str]:
    """Return the fields that the body of a creation must have: `Meta.required`, and columns that need a value."""
    meta = meta_of(model)
    implied = [name for name in asked_columns(model) if name not in meta.excused]
    return list(dict.fromkeys([*meta.required, *implied]))


def _needs_value(field: Any) -> bool:
    if field.null or field.default is not None or getattr(field, "auto_increment", False):
        return False
    return not has_database_default(field)


def has_database_default(field: Any) -> bool:
    """Return whether the database has a default for a column."""
    return any("DEFAULT" in str(getattr(each, "sql", each)).upper() for each in field.constraints or ())


def wrong_option(model: Any) -> str:
    """Return what is wrong with a model's `Meta`; empty: nothing. A typo must not publish a secret field."""
    meta = meta_of(model)
    unknown = meta._additional_keys - meta_of(Model)._additional_keys
    if unknown:
        return f"unknown option {min(unknown)!r}{meant(min(unknown), meta_of(Model)._additional_keys)}"
    for option in ("answers", "accepts"):
        shape = getattr(meta, option)
        if shape is not None and not is_typeddict(shape):
            return f"{option}: expected a TypedDict"
        if wrong := wrong_hints(shape):
            return f"{option}: {wrong}"
    named = {option: getattr(meta, option) for option in (*ADDED_UP, "part_of", "searched", "sorted", "stored_file")}
    named |= {
        # A key of `answers` may be internal as well
        "internal": [name for name in meta.internal if name not in getattr(meta.answers, "__annotations__", {})],
        "aliases": meta.aliases.values(),
        "stored_size": [meta.stored_size] if meta.stored_size else [],
        "thirdparty": [meta.thirdparty.partition(".")[0]] if meta.thirdparty else [],
    }
    for option, names in named.items():
        unknown_away = [name for name in meta.taken_away.get(option, ()) if name not in meta.fields]
        if unknown_away:
            return f"{option} removes {unknown_away[0]!r}, but the model has no such field"
        missing = [name for name in names if name not in meta.fields]
        # The option of the base class, for a model whose key has another name
        if missing and (option, missing) != ("managed", ["id"]):
            return f"{option} has {missing[0]!r}, but the model has no such field{meant(missing[0], meta.fields)}"
    nameless = [name for name in meta.part_of if not hasattr(meta.fields[name], "target")]
    if nameless:
        return f"part_of: expected a RecordField, got {nameless[0]!r}"
    if wrong := _wrong_texts(meta) or _wrong_values(meta):
        return wrong
    rest = meta.thirdparty.partition(".")[2]
    if rest:
        field = meta.fields[meta.thirdparty.partition(".")[0]]
        if not hasattr(field, "target") or rest.partition(".")[0] not in meta_of(field.target()).fields:
            return f"thirdparty: {meta.thirdparty!r} doesn't lead to a field"
    return ""


def _wrong_values(meta: Any) -> str:
    for option in ("belongs_to", "reveals"):
        if not callable(function := getattr(meta, option) or callable):
            return f"{option}: expected a function, got {function!r:.80}"
    for each in meta.indexes:
        match each:
            case peewee.Node():
                continue
            case ([str(), *_] as names, bool()):
                missing = [name for name in names if name not in meta.combined]
                if missing:
                    return (
                        f"indexes has {missing[0]!r}, but the model has no such field{meant(missing[0], meta.fields)}"
                    )
            case _:
                return (
                    "indexes: expected field names and whether their values are unique, "
                    f'such as ((("{meta.sorted_field_names[-1]}",), True),), got {tuple(meta.indexes)!r:.80}'
                )
    return ""


def _wrong_texts(meta: Any) -> str:
    no_text = [each for each in meta.sorted if not isinstance(meta.fields[each], (peewee.CharField, peewee.TextField))]
    if no_text:
        return f"sorted: expected a text field, got {no_text[0]!r}; use index=True for it"
    for name in meta.searched:
        if meta.fields[name].field_type not in ("VARCHAR", "CHAR", "TEXT"):
            return f"searched: expected a text field, got {name!r}"
        if name in meta.secret or name in meta.internal:
            return f"searched: {name!r} is {'secret' if name in meta.secret else 'internal'} and can't be searched"
    if meta.searched and getattr(meta.primary_key, "field_type", "") not in ("AUTO", "BIGAUTO", "INT", "BIGINT"):
        return "searched: expected a primary key that is a whole number"
    return ""

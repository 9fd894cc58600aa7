"""JSON Schema of the annotations of methods and of the keys of a `TypedDict`."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, Never, get_args, get_origin

import peewee

from core import Model, Part, Partial
from core.common.settings import profile
from core.contract.api import OnlyWhere
from core.contract.converters import allows_none, plain_type
from core.contract.relations import model_of
from core.contract.results import in_profile
from core.storage.model import wrong_hints
from core.storage.values import SECONDS

from .field_schemas import COMPONENT, Component, Schema, choices, either, empty_as_list, nullable

#: accepts no value: the schema of the type ``Never``
NOTHING: Schema = {"not": {}}


@dataclass(frozen=True)
class Direction:
    """The schemas of a direction: responses or bodies.

    :param plain: the schemas of Python's types
    :param record: makes the schema of a model's record from the model and the parts in an annotation, and from whether
        the record may lack keys
    :param field: makes the schema of a value with a field's form
    :param maps_are_lists: whether an empty map may be an empty list, in the profile that has this form
    :param around: the enclosing `TypedDict` classes; a class inside of itself is described once
    """

    plain: Mapping[Any, Schema]
    record: Callable[[type[Model], dict[str, type[Model]], bool], Schema]
    field: Callable[[peewee.Field], Schema]
    maps_are_lists: bool
    around: tuple[Any, ...] = ()


def schema_of(annotation: Any, way: Direction) -> Schema:
    """Return the schema of an annotation; empty if it accepts any value."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        chosen = in_profile(annotation)
        if chosen is not annotation:
            return schema_of(chosen, way)
        return _annotated(arguments[0], arguments[1:], model_of(annotation), way)
    if origin in (typing.Union, types.UnionType):
        others = [schema_of(each, way) for each in arguments if each is not type(None)]
        schema = either(others)
        return nullable(schema) if len(others) < len(arguments) else schema
    if origin is Literal:
        return choices(arguments)
    if annotation is Never:
        return dict(NOTHING)
    kind = origin or annotation
    if kind in way.plain:
        return dict(way.plain[kind])
    if inspect.isclass(kind) and issubclass(kind, Model):
        return way.record(kind, {}, False)
    if typing.is_typeddict(kind):
        if kind in way.around:
            return {"type": "object"}
        properties, required = members_of(kind, replace(way, around=(*way.around, kind)))
        text = " ".join((kind.__doc__ or "").split())
        described = {"description": text} if text else {}
        named = {COMPONENT: Component(kind.__name__, text)}
        return {"type": "object", **described, **named, "properties": properties, "required": required}
    if inspect.isclass(kind) and issubclass(kind, (list, tuple, set, frozenset)):
        inner = [each for each in arguments if each is not Ellipsis]
        return {"type": "array", "items": schema_of(inner[0], way) if inner else {}}
    if _is_map(kind):
        values = schema_of(arguments[1], way) if len(arguments) > 1 else {}
        schema = {"type": "object", "additionalProperties": values or True}
        return empty_as_list(schema) if values and way.maps_are_lists else schema
    return {}


def members_of(kind: Any, way: Direction) -> tuple[dict[str, Schema], list[str]]:
    """The keys of a `TypedDict`, and which of them are always there."""
    if wrong_hints(kind):
        # The failure of its own module is reported there; here the type is described without keys
        return {}, []
    hints = {name: _unwrapped(each) for name, each in typing.get_type_hints(kind, include_extras=True).items()}
    properties = {name: schema_of(each, way) for name, each in hints.items() if _is_on(each)}
    return properties, sorted(kind.__required_keys__ & properties.keys())


def _is_on(annotation: Any) -> bool:
    """Return whether the current profile has a key."""
    notes = annotation.__metadata__ if get_origin(annotation) is typing.Annotated else ()
    return all(getattr(profile(), each.point) for each in notes if isinstance(each, OnlyWhere))


def _annotated(kind: Any, notes: tuple[Any, ...], model: type[Model] | None, way: Direction) -> Schema:
    """Return the schema of ``Annotated[…]``: a value with a field's form, a record, or a type with a description."""
    like = next((field for each in notes if (field := _field(each)) is not None), None)
    if like is not None:
        return _worded(_like(like, kind, way), notes)
    if model is None or not _is_map(kind):
        return _worded(schema_of(kind, way), notes)
    parts = {each.key: each.model for each in notes if isinstance(each, Part)}
    return way.record(model, parts, any(each is Partial for each in notes))


def _like(field: peewee.Field, kind: Any, way: Direction) -> Schema:
    """A value that travels as a field does: ``Annotated[int | None, Contact.socid]``; its form is the profile's."""
    plain = plain_type(kind)
    if get_origin(plain) is Literal:
        field = type(field)(null=allows_none(kind), choices=[(each, each) for each in get_args(plain)])
    schema = way.field(field)
    return nullable(schema) if allows_none(kind) and not field.null else schema


def _field(note: Any) -> peewee.Field | None:
    """Return the field whose form a value has; a field class stands for a field without a table."""
    if inspect.isclass(note) and issubclass(note, peewee.Field):
        return note()
    return note if isinstance(note, peewee.Field) else None


def _worded(schema: Schema, notes: Iterable[Any]) -> Schema:
    """Add the description and the format for instants from an annotation to a schema.

    ``Annotated[int | str, datetime, "when it was paid"]``
    """
    notes = tuple(notes)
    words = next((each for each in notes if isinstance(each, str)), "")
    return {
        **schema,
        **({"description": words} if words else {}),
        # By identity: `==` on a field is always true
        **({"format": SECONDS["format"]} if any(each is datetime for each in notes) else {}),
    }


def _unwrapped(annotation: Any) -> Any:
    """Return a key's type without `Required` or `NotRequired`."""
    while get_origin(annotation) in (typing.Required, typing.NotRequired):
        annotation = get_args(annotation)[0]
    return annotation


def _is_map(kind: Any) -> bool:
    kind = get_origin(kind) or kind
    return inspect.isclass(kind) and issubclass(kind, dict)

"""JSON Schema of annotations: what methods are annotated with, and the keys of a `TypedDict`."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, Never, get_args, get_origin

import peewee

from core import Model, OnlyWhere, Part, settings
from core.contract.converters import allows_none, plain_type
from core.contract.relations import model_of
from core.contract.results import in_profile
from core.storage.model_options import wrong_hints
from core.storage.values import SECONDS

from .field_schemas import SHAPE, Schema, choices, either, empty_as_list, nullable

#: no value fits: what a key of the type ``Never`` holds
NOTHING: Schema = {"not": {}}


@dataclass(frozen=True)
class Direction:
    """How values travel: answered or accepted.

    :param plain: the schemas of Python's types
    :param record: the schema of a model's record, given the parts that an annotation names
    :param field: the schema of a value that travels as a field does
    :param maps_are_lists: whether an empty map may travel as an empty list, in the profile that has it
    :param around: the `TypedDict` classes that are being described: one that holds itself is told once
    """

    plain: Mapping[Any, Schema]
    record: Callable[[type[Model], dict[str, type[Model]]], Schema]
    field: Callable[[peewee.Field], Schema]
    maps_are_lists: bool
    around: tuple[Any, ...] = ()


def schema_of(annotation: Any, way: Direction) -> Schema:
    """The schema of an annotation; empty where it says nothing."""
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
        return way.record(kind, {})
    if typing.is_typeddict(kind):
        if kind in way.around:
            return {"type": "object"}
        properties, required = members_of(kind, replace(way, around=(*way.around, kind)))
        text = " ".join((kind.__doc__ or "").split())
        described = {"description": text} if text else {}
        named = {SHAPE: [kind.__name__, text]}
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
        # Its own module is not loaded, and says so; another one that names it is described without its keys
        return {}, []
    hints = {name: _unwrapped(each) for name, each in typing.get_type_hints(kind, include_extras=True).items()}
    properties = {name: schema_of(each, way) for name, each in hints.items() if _is_on(each)}
    return properties, sorted(kind.__required_keys__ & properties.keys())


def _is_on(annotation: Any) -> bool:
    """Whether the current profile has a key."""
    notes = annotation.__metadata__ if get_origin(annotation) is typing.Annotated else ()
    return all(getattr(settings().profile, each.point) for each in notes if isinstance(each, OnlyWhere))


def _annotated(kind: Any, notes: tuple[Any, ...], model: type[Model] | None, way: Direction) -> Schema:
    """``Annotated[…]``: a value that travels as a field does, a dict that is a record, or a type with words."""
    like = next((field for each in notes if (field := _field(each)) is not None), None)
    if like is not None:
        return _worded(_like(like, kind, way), notes)
    if model is None or not _is_map(kind):
        return _worded(schema_of(kind, way), notes)
    return way.record(model, {each.key: each.model for each in notes if isinstance(each, Part)})


def _like(field: peewee.Field, kind: Any, way: Direction) -> Schema:
    """A value that travels as a field does: ``Annotated[int | None, Contact.socid]``; its form is the profile's."""
    plain = plain_type(kind)
    if get_origin(plain) is Literal:
        field = type(field)(null=allows_none(kind), choices=[(each, each) for each in get_args(plain)])
    schema = way.field(field)
    return nullable(schema) if allows_none(kind) and not field.null else schema


def _field(note: Any) -> peewee.Field | None:
    """The field as which a value travels; a class of fields stands for one that no table has."""
    if inspect.isclass(note) and issubclass(note, peewee.Field):
        return note()
    return note if isinstance(note, peewee.Field) else None


def _worded(schema: Schema, notes: Iterable[Any]) -> Schema:
    """A schema with what stands beside a type: words, and that a value is an instant, which no type of JSON says.

    ``Annotated[int | str, datetime, "when it was paid"]``
    """
    notes = tuple(notes)
    words = next((each for each in notes if isinstance(each, str)), "")
    return {
        **schema,
        **({"description": words} if words else {}),
        # By identity: a field says yes to whatever it is compared with
        **({"format": SECONDS["format"]} if any(each is datetime for each in notes) else {}),
    }


def _unwrapped(annotation: Any) -> Any:
    """A key's type without what says whether it is always there."""
    while get_origin(annotation) in (typing.Required, typing.NotRequired):
        annotation = get_args(annotation)[0]
    return annotation


def _is_map(kind: Any) -> bool:
    kind = get_origin(kind) or kind
    return inspect.isclass(kind) and issubclass(kind, dict)

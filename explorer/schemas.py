"""JSON Schema of what travels: what methods are annotated with, and the fields of models.

Two directions: what is answered, and what is accepted (more: a date as text, an amount as a number). Both follow the
profile in force, because they ask the very codecs that convert the values.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, Never, get_args, get_origin

import peewee

from core import File, Model, Part, RecordField, Upload
from core.catalogue import Operation
from core.converters import allows_none, plain_type
from core.database import meta_of, wrong_hints

from .fields import (
    AMOUNT,
    MOMENT,
    Schema,
    accepted_extras,
    accepted_field,
    alias_of,
    answered_extras,
    answered_field,
    choices,
    described,
    empty_as_list,
    nullable,
)
from .names import Names, candidates, model_of

_ANSWERED: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    Decimal: {"type": "string"},
    date: {"type": "integer", "description": "Unix seconds"},
    datetime: {"type": "integer", "description": "Unix seconds"},
    File: {"type": "string", "format": "binary"},
    Upload: {"type": "string", "format": "binary"},
    None: {"type": "null"},
    type(None): {"type": "null"},
}

_ACCEPTED: dict[Any, Schema] = _ANSWERED | {Decimal: AMOUNT, date: MOMENT, datetime: MOMENT}

#: no value fits: what a key of the type ``Never`` holds
NOTHING: Schema = {"not": {}}

#: what every answer of failure looks like
ERROR: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "integer", "description": "the status"},
                "message": {"type": "string"},
                "errors": {
                    "type": "array",
                    "description": "every field that is wrong",
                    "items": {
                        "type": "object",
                        "required": ["field", "message"],
                        "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
                    },
                },
                "request_id": {"type": "string", "description": "the name of the request in the log"},
            },
        }
    },
}

#: the totals that ``pagination_data`` asks for
PAGINATION: Schema = {
    "type": "object",
    "required": ["total", "page", "page_count", "limit"],
    "properties": {
        "total": {"type": "integer", "description": "number of all matching records"},
        "page": {"type": "integer", "description": "number of this page, from 0"},
        "page_count": {"type": "integer"},
        "limit": {"type": "integer", "description": "records per page"},
    },
}


def reference(name: str) -> Schema:
    """A named schema, where it is used."""
    return {"$ref": f"#/components/schemas/{name}"}


class Schemas:
    """The named schemas of one service, gathered while its operations are described.

    :param names: the names of models, and of the operations that read them
    """

    def __init__(self, names: Names) -> None:
        self.named: dict[str, Schema] = {"Error": ERROR, "Pagination": PAGINATION}
        #: model → its name
        self.models: dict[type[Model], str] = {}
        #: element type → what is said of its extra fields
        self.extras: dict[str, Schema] = {}
        self._names = names
        #: what records of a model hold besides its fields: key → model of the records in the list under it
        self._parts: dict[type[Model], dict[str, type[Model]]] = {}

    def answered(self, annotation: Any) -> Schema:
        """What a return annotation promises."""
        return self._of(annotation, _ANSWERED, self._record)

    def accepted(self, annotation: Any, verb: str) -> Schema:
        """What a parameter's annotation takes.

        :param verb: POST creates a record: what its model requires must be sent, and more may be set
        """
        return self._of(annotation, _ACCEPTED, lambda model: self._body(model, creating=verb == "POST"))

    def _of(self, annotation: Any, plain: dict[Any, Schema], of_model: Callable[[type[Model]], Schema]) -> Schema:
        def of(each: Any) -> Schema:
            return self._of(each, plain, of_model)

        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is typing.Annotated:
            model = model_of(annotation)
            like = next((field for each in arguments[1:] if (field := _field(each)) is not None), None)
            if like is not None:
                return _worded(self._like(like, arguments[0], answered=plain is _ANSWERED), arguments[1:])
            if model is None or not _is_map(arguments[0]):
                return _worded(of(arguments[0]), arguments[1:])
            parts = {each.key: each.model for each in arguments[1:] if isinstance(each, Part)}
            if parts:
                self._parts[model] = parts
            return of_model(model)
        if origin in (typing.Union, types.UnionType):
            others = [of(each) for each in arguments if each is not type(None)]
            schema = others[0] if len(others) == 1 else {"anyOf": others}
            return nullable(schema) if len(others) < len(arguments) else schema
        if origin is Literal:
            return choices(arguments)
        if annotation is Never:
            return dict(NOTHING)
        kind = origin or annotation
        if kind in plain:
            return dict(plain[kind])
        if _is_model(kind):
            return of_model(kind)
        if typing.is_typeddict(kind):
            properties, required = self._members(kind, plain, of_model)
            text = " ".join((kind.__doc__ or "").split())
            described = {"description": text} if text else {}
            return {"type": "object", **described, "properties": properties, "required": required}
        if inspect.isclass(kind) and issubclass(kind, (list, tuple, set, frozenset)):
            inner = [each for each in arguments if each is not Ellipsis]
            return {"type": "array", "items": of(inner[0]) if inner else {}}
        if _is_map(kind):
            values = of(arguments[1]) if len(arguments) > 1 else {}
            schema = {"type": "object", "additionalProperties": values or True}
            return empty_as_list(schema) if values and plain is _ANSWERED else schema
        return {}

    def _like(self, field: peewee.Field, annotation: Any, *, answered: bool) -> Schema:
        """A value that travels as a field does: ``Annotated[int | None, Contact.socid]``; its form is the profile's."""
        kind = plain_type(annotation)
        if get_origin(kind) is Literal:
            field = type(field)(null=allows_none(annotation), choices=[(each, each) for each in get_args(kind)])
        schema = described(answered_field(field) if answered else accepted_field(field), field)
        if allows_none(annotation) and not field.null:
            schema = nullable(schema)
        return self._linked(schema, field) if answered else schema

    def _members(
        self, kind: Any, plain: dict[Any, Schema], of_model: Callable[[type[Model]], Schema]
    ) -> tuple[dict[str, Schema], list[str]]:
        """The keys of a `TypedDict`, and which of them are always there."""
        if wrong_hints(kind):
            # Its own module is not loaded, and says so; another one that names it is described without
            return {}, []
        hints = typing.get_type_hints(kind, include_extras=True)
        properties = {name: self._of(_unwrapped(each), plain, of_model) for name, each in hints.items()}
        return properties, sorted(kind.__required_keys__)

    def _register(self, model: type[Model], purpose: str, make: Callable[[], Schema]) -> Schema:
        """A schema under the model's name."""
        name = self.models.setdefault(model, self._names.models.get(model) or self._unknown(model)) + purpose
        if name not in self.named:
            # A record may hold records of its own kind
            self.named[name] = {}
            self.named[name] = make()
        return reference(name)

    def _unknown(self, model: type[Model]) -> str:
        """The name of a model that is no module's own: one of the server's tables."""
        taken = {*self._names.models.values(), *self.models.values()}
        return next(name for name in candidates(model) if name not in taken)

    # Models ----------------------------------------------------------------------------------------------------------

    def _record(self, model: type[Model]) -> Schema:
        """The whole record; none of its fields is required, because ``properties=`` may ask for a few."""

        def make() -> Schema:
            meta = meta_of(model)
            properties = {
                name: self._linked(described(answered_field(meta.fields[name]), meta.fields[name]), meta.fields[name])
                for name in meta.sorted_field_names
                if name not in meta.secret
            }
            for alias, name in meta.aliases.items():
                properties[alias] = alias_of(properties[name], name)
            if meta.extrafields:
                properties["array_options"] = self._remembered(meta.extrafields)
            if meta.answers is not None:
                computed, _ = self._members(meta.answers, _ANSWERED, self._record)
                # A field of which more is said stays one, and one that is never answered is not shown
                fields = {*meta.fields, *meta.aliases} - {*meta.secret}
                properties |= {
                    name: schema if name in fields else {**schema, "x-computed": True}
                    for name, schema in computed.items()
                }
                properties = {name: schema for name, schema in properties.items() if schema != NOTHING}
            for key, part in self._parts.get(model, {}).items():
                properties[key] = {"type": "array", "items": self._record(part), "x-computed": True}
            return _object(model, properties, ())

        return self._register(model, "", make)

    def reader_of(self, operation: Operation) -> str:
        """The operation that reads what an operation has created; empty where there is none."""
        wanted = f"get-{operation.service}-"
        readers = [each for each in self._names.readers.values() if each.startswith(wanted)]
        return readers[0] if len(readers) == 1 and not operation.segments else ""

    def _linked(self, schema: Schema, field: peewee.Field) -> Schema:
        """A field's schema with the operation that reads the record it names."""
        if isinstance(field, RecordField):
            target = field.target()
        elif field.primary_key:
            target = field.model
        else:
            return schema
        reader = self._names.readers.get(meta_of(target).table_name)
        return {**schema, "x-reads": reader} if reader else schema

    def _remembered(self, elementtype: str) -> Schema:
        schema = answered_extras(elementtype)
        self.extras[elementtype] = extras_state(elementtype)
        return schema

    def _body(self, model: type[Model], *, creating: bool) -> Schema:
        """What may be written of a record."""

        def make() -> Schema:
            meta = meta_of(model)
            closed = {*meta.managed, *meta.secret, *(() if creating else meta.create_only)}
            properties = {
                name: described(accepted_field(meta.fields[name], name in meta.required), meta.fields[name])
                for name in meta.sorted_field_names
                if name not in closed
            }
            required = [name for name in meta.required if creating and name in properties]
            for alias, name in meta.aliases.items():
                if name in properties:
                    properties[alias] = alias_of(properties[name], name)
            if meta.extrafields:
                properties["array_options"] = accepted_extras(meta.extrafields, creating)
                self.extras[meta.extrafields] = extras_state(meta.extrafields)
                required += ["array_options"] if properties["array_options"].get("required") else []
            if meta.accepts is not None:
                properties |= self._members(
                    meta.accepts, _ACCEPTED, lambda other: self._body(other, creating=creating)
                )[0]
            for key, part in self._parts.get(model, {}).items() if creating else ():
                properties[key] = {"type": "array", "items": self._body(part, creating=True)}
            made = _object(model, properties, required)
            # What identifies a record is not changed by whoever sends the example as it is
            shown = {
                name: value
                for name, value in meta.example.items()
                if name in properties and (creating or name not in meta.required)
            }
            return {**made, "examples": [shown]} if shown else made

        return self._register(model, "New" if creating else "Change", make)


def extras_state(elementtype: str) -> Schema:
    """All that is said of the extra fields of an element type, to see whether it has changed."""
    return {"answered": answered_extras(elementtype), "accepted": accepted_extras(elementtype, True)}


def _worded(schema: Schema, notes: Iterable[Any]) -> Schema:
    """A schema with the words that stand beside a type: ``Annotated[int, "days"]``."""
    words = next((each for each in notes if isinstance(each, str)), "")
    return {**schema, "description": words} if words else schema


def _field(note: Any) -> peewee.Field | None:
    """The field as which a value travels; a class of fields stands for one that no table has."""
    if inspect.isclass(note) and issubclass(note, peewee.Field):
        return note()
    return note if isinstance(note, peewee.Field) else None


def _unwrapped(annotation: Any) -> Any:
    """A key's type without what says whether it is always there."""
    while get_origin(annotation) in (typing.Required, typing.NotRequired):
        annotation = get_args(annotation)[0]
    return annotation


def _object(model: type[Model], properties: dict[str, Schema], required: Iterable[str]) -> Schema:
    text = " ".join((model.__dict__.get("__doc__") or "").split())
    return {
        "type": "object",
        **({"description": text} if text else {}),
        "properties": properties,
        **({"required": sorted(required)} if required else {}),
        # A module may compute further fields, and a body may say more than is taken
        "additionalProperties": True,
    }


def _is_model(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, Model)


def _is_map(kind: Any) -> bool:
    kind = get_origin(kind) or kind
    return inspect.isclass(kind) and issubclass(kind, dict)

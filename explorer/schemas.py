"""JSON Schema of what travels: what methods are annotated with, and the fields of models.

Two directions: what is answered, and what is accepted (more: a date as text, an amount as a number). Both follow the
profile in force, because they ask the very codecs that convert the values.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from core import File, Model, Part
from core.database import meta_of

from .fields import (
    MOMENT,
    Schema,
    accepted_extras,
    accepted_field,
    alias_of,
    answered_extras,
    answered_field,
    choices,
    described,
    nullable,
)

_ANSWERED: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    Decimal: {"type": "string"},
    date: {"type": "integer", "description": "Unix seconds"},
    datetime: {"type": "integer", "description": "Unix seconds"},
    File: {"type": "string", "format": "binary"},
    None: {"type": "null"},
    type(None): {"type": "null"},
}

_ACCEPTED: dict[Any, Schema] = _ANSWERED | {Decimal: {"type": ["number", "string"]}, date: MOMENT, datetime: MOMENT}

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
    """The named schemas of one document, gathered while its operations are described."""

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {"Error": ERROR, "Pagination": PAGINATION}
        self._names: dict[tuple[type[Model], str], str] = {}
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
            model = next((each for each in arguments[1:] if _is_model(each)), None)
            if model is None or not _is_map(arguments[0]):
                return of(arguments[0])
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
        kind = origin or annotation
        if kind in plain:
            return dict(plain[kind])
        if _is_model(kind):
            return of_model(kind)
        if typing.is_typeddict(kind):
            hints = typing.get_type_hints(kind)
            return {
                "type": "object",
                "properties": {name: of(each) for name, each in hints.items()},
                "required": sorted(kind.__required_keys__),
            }
        if inspect.isclass(kind) and issubclass(kind, (list, tuple, set, frozenset)):
            inner = [each for each in arguments if each is not Ellipsis]
            return {"type": "array", "items": of(inner[0]) if inner else {}}
        if _is_map(kind):
            values = of(arguments[1]) if len(arguments) > 1 else {}
            return {"type": "object", "additionalProperties": values or True}
        return {}

    def _register(self, model: type[Model], purpose: str, make: Callable[[], Schema]) -> Schema:
        """A schema under the model's name; a second model of that name carries its module's before it."""
        key = model, purpose
        if key not in self._names:
            short = re.sub(r"\W", "_", model.__name__, flags=re.ASCII) + purpose
            long = _module_of(model).title().replace("_", "") + short
            numbered = (f"{long}{number}" for number in range(2, len(self.named) + 3))
            name = next(name for name in (short, long, *numbered) if name not in self.named)
            self._names[key] = name
            self.named[name] = make()
        return reference(self._names[key])

    # Models ----------------------------------------------------------------------------------------------------------

    def _record(self, model: type[Model]) -> Schema:
        """The whole record; none of its fields is required, because ``properties=`` may ask for a few."""

        def make() -> Schema:
            meta = meta_of(model)
            properties = {
                name: described(answered_field(meta.fields[name]), meta.fields[name])
                for name in meta.sorted_field_names
                if name not in meta.secret
            }
            for alias, name in meta.aliases.items():
                properties[alias] = alias_of(properties[name], name)
            if meta.extrafields:
                properties["array_options"] = answered_extras(meta.extrafields)
            for key, part in self._parts.get(model, {}).items():
                properties[key] = {"type": "array", "items": self._record(part)}
            return _object(model, properties, ())

        return self._register(model, "", make)

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
                required += ["array_options"] if properties["array_options"].get("required") else []
            for key, part in self._parts.get(model, {}).items() if creating else ():
                properties[key] = {"type": "array", "items": self._body(part, creating=True)}
            return _object(model, properties, required)

        return self._register(model, "New" if creating else "Change", make)


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


def _module_of(model: type[Model]) -> str:
    parts = model.__module__.split(".")
    return parts[1] if parts[0] == "modules" and len(parts) > 1 else parts[0]

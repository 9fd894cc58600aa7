"""JSON Schema of a model's fields in responses and in bodies, including extra fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import peewee

from core import ExactField, MapField
from core.common.settings import profile
from core.records.extra_fields import PREFIX, Extra, definitions
from core.storage.values import codec

Schema = dict[str, Any]

#: the key of a schema's `Component`, until the schema becomes one
COMPONENT = "x-component"


class Component(NamedTuple):
    """Name and description of the component that a schema may become.

    :param general: keys that it describes in general, because they differ from place to place
    """

    name: str = ""
    description: str = ""
    general: Schema = {}


#: how an instant or a day may be sent
MOMENT: Schema = {
    "type": ["integer", "string"],
    "format": "unix-time",
    "pattern": r"^(-?[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$",
    "description": "Unix seconds or ISO 8601",
}

#: how an amount may be sent
AMOUNT: Schema = {"type": ["number", "string"], "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}

#: how yes and no may be sent
FLAG: Schema = {"enum": [True, False, 1, 0, "true", "false", "1", "0"]}

#: limits of integer columns
_SIZES: dict[type[peewee.Field], Schema] = {
    peewee.SmallIntegerField: {"minimum": -(2**15), "maximum": 2**15 - 1},
    peewee.BigIntegerField: {"format": "int64"},
    peewee.IntegerField: {"format": "int32"},
}
#: types whose values can be written as JSON
_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
#: larger limits of amounts are given without decimals, because a float can't represent them
_LARGE = 10**6


def nullable(schema: Schema) -> Schema:
    """A schema that takes null as well."""
    kind = schema.get("type")
    if not schema or kind == "null":
        return schema
    if kind and "enum" not in schema:
        return {**schema, "type": [*([kind] if isinstance(kind, str) else kind), "null"]}
    rest = {word: value for word, value in schema.items() if word != "description"}
    told = {"description": schema["description"]} if "description" in schema else {}
    return {**either((rest, {"type": "null"})), **told}


def either(schemas: Iterable[Schema]) -> Schema:
    """Return a schema that accepts each of the given ones: without nested `anyOf`, plain types as one list."""
    flat = [inner for each in schemas for inner in (each["anyOf"] if set(each) == {"anyOf"} else [each])]
    kinds = [each["type"] for each in flat if set(each) == {"type"} and isinstance(each["type"], str)]
    others = [each for each in flat if not (set(each) == {"type"} and isinstance(each["type"], str))]
    plain = [{"type": kinds[0] if len(kinds) == 1 else list(dict.fromkeys(kinds))}] if kinds else []
    return (others + plain)[0] if len(others + plain) == 1 else {"anyOf": others + plain}


def takes_number(schema: Schema) -> bool:
    """Return whether a schema takes whole numbers, and no text."""
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return "integer" in kinds and "string" not in kinds and "enum" not in schema


def taking_text(schema: Schema, words: str = "") -> Schema:
    """Return the schema of a whole number that also accepts a text.

    :param words: the meaning of the text, for the description
    """
    kinds = schema["type"]
    found = {**schema, "type": [*([kinds] if isinstance(kinds, str) else kinds), "string"]}
    told = "; ".join(each for each in (schema.get("description", ""), words) if each)
    return {**found, "description": told} if told else found


def empty_as_list(schema: Schema) -> Schema:
    """Return the schema of a map; with text values, an empty map is returned as ``[]``."""
    if profile().text_values:
        return {"anyOf": [schema, {"type": "array", "items": {}, "maxItems": 0}]}
    return schema


def choices(values: Iterable[Any]) -> Schema:
    """Return an enum of values; any value if one of them can't be written as JSON."""
    kinds: dict[type, list[Any]] = {}
    for value in values:
        kinds.setdefault(type(value), []).append(value)
    if not kinds or not kinds.keys() <= _PLAIN.keys():
        return {}
    known = {kind: {"enum": list(dict.fromkeys(same))} for kind, same in kinds.items() if kind is not type(None)}
    return either({"type": _PLAIN[kind], **known.get(kind, {})} for kind in kinds)


def described(schema: Schema, field: peewee.Field) -> Schema:
    """Return a field's schema with the descriptions of its model."""
    words = [field.help_text or ("ID" if field.primary_key else "")]
    named = [f"{value}: {name}" for value, name in field.choices or () if str(value) != str(name)]
    if named and not field.help_text:
        words = [", ".join(named)]
    if "description" in schema:
        words.append(schema["description"])
    text = "; ".join(word for word in words if word)
    meanings = {str(value): str(name) for value, name in field.choices or () if str(value) != str(name)}
    return {
        **schema,
        **({"description": text} if text else {}),
        **({"x-values": meanings} if meanings else {}),
    }


def answered_field(field: peewee.Field) -> Schema:
    """Return the schema of a field in responses."""
    travels = codec(field)
    empty = None if travels.answer is None else travels.answer(None)
    schema = travels.schema | _texts_of(field) if travels.text else travels.schema
    return nullable(schema) if field.null and empty is None else dict(schema)


def _texts_of(field: peewee.Field) -> Schema:
    """Return the texts of a field with choices as an enum; empty if its default is another text."""
    known = [value for value, _ in field.choices or ()]
    return {"enum": known} if known and (field.default is None or field.default in known) else {}


def accepted_field(field: peewee.Field, required: bool = False) -> Schema:
    """Return the schema of a field in bodies.

    :param required: whether null and empty values are rejected
    """
    schema = _writable(field)
    if words := _other_words(field):
        schema = {**schema, "description": words}
    if required:
        return {**schema, "minLength": 1} if schema.get("type") == "string" else schema
    if field.null and "pattern" in schema:
        # An empty text is nothing, too
        schema = {**schema, "pattern": f"^$|{schema['pattern']}"}
    return nullable(schema) if field.null else schema


def _other_words(field: peewee.Field) -> str:
    """The other forms of a field with choices, if the profile accepts them."""
    values = {value for value, _ in field.choices or ()}
    if not profile().accepts_other_forms or not values or not all(isinstance(each, int) for each in values):
        return ""
    return "also true or false" if values == {0, 1} else "also as a word"


def _writable(field: peewee.Field) -> Schema:
    as_text = profile().text_values
    if isinstance(field, ExactField):
        limit = field.limit()
        most = int(limit) if limit > _LARGE else float(limit)
        return {**AMOUNT, "minimum": -most, "maximum": most}
    if isinstance(field, peewee.DateField):
        return {**MOMENT, "description": f"{codec(field).schema['description']}, or ISO 8601"}
    if isinstance(field, peewee.DateTimeField):
        return dict(MOMENT)
    if isinstance(field, MapField):
        return {**_map_type(), "additionalProperties": True}
    if isinstance(field, peewee.BooleanField):
        return {"type": ["boolean", "integer", "string"]} if as_text else {"type": "boolean"}
    if isinstance(field, (peewee.CharField, peewee.TextField)):
        longest = getattr(field, "max_length", None)
        return {"type": "string", **({"maxLength": longest} if longest else {})}
    if as_text:
        # A client may send back a value that it read as text
        return {"anyOf": [{"type": "integer"}, dict(codec(field).schema)]}
    schema = dict(codec(field).schema)
    size = next((size for kind, size in _SIZES.items() if isinstance(field, kind)), {})
    return schema if "enum" in schema else schema | size


def _map_type() -> Schema:
    """Return the schema of a map in bodies; an empty one may also be sent in its response form."""
    return {"type": ["object", "array"], "items": {}, "maxItems": 0} if profile().text_values else {"type": "object"}


def alias_of(schema: Schema, name: str) -> Schema:
    """The schema of a second name of a field."""
    return {**schema, "description": f"alias of {name}", "x-alias-of": name}


# Extra fields --------------------------------------------------------------------------------------------------------


#: records without extra fields share one schema
_NO_EXTRAS = {COMPONENT: Component("ArrayOptions")}


def answered_extras(elementtype: str) -> Schema:
    """The extra fields of a record."""
    properties = {
        PREFIX + extra.name: {**answered_field(extra.field), "title": extra.label, "description": _about(extra)}
        for extra in definitions(elementtype).values()
    }
    named = {} if properties else _NO_EXTRAS
    return empty_as_list({"type": "object", **named, "properties": properties, "additionalProperties": True})


def accepted_extras(elementtype: str, creating: bool) -> Schema:
    """The extra fields that a body may name."""
    extras = definitions(elementtype).values()
    required = [PREFIX + each.name for each in extras if creating and each.required and each.default in (None, "")]
    return {
        **(_map_type() if not required else {"type": "object"}),
        **({} if extras else _NO_EXTRAS),
        "properties": {
            PREFIX + extra.name: {**_accepted_extra(extra), "title": extra.label, "description": _about(extra)}
            for extra in extras
        },
        "additionalProperties": True,
        **({"required": required} if required else {}),
    }


def _accepted_extra(extra: Extra) -> Schema:
    if extra.type == "boolean":
        return nullable(FLAG)
    if extra.type in ("select", "radio") and extra.options:
        return nullable(choices(extra.options))
    return accepted_field(extra.field)


def _about(extra: Extra) -> str:
    keys = f": {', '.join(extra.options)}" if extra.options else ""
    return f"extra field of type {extra.type}{keys}"
